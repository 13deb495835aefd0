//! How often what was done here: a fallback to another provider is silent, so a program that wants to know asks.
//!
//! The counts are parameters of the provider. With `counters = FILE` in the provider's section of openssl.cnf they lie
//! in that file, shared by all processes: 64-bit numbers in the machine's byte order, in the order of [`ALL`].

use core::ffi::CStr;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;

/// A count, by its place.
#[derive(Clone, Copy, Debug)]
pub struct Counter(usize);

pub const IMPORTS: Counter = Counter(0);
pub const KEYS: Counter = Counter(1);
pub const SIGNATURES: Counter = Counter(2);
pub const VERIFICATIONS: Counter = Counter(3);
pub const ENCRYPTIONS: Counter = Counter(4);
pub const DECRYPTIONS: Counter = Counter(5);
pub const AGREEMENTS: Counter = Counter(6);
/// Operations for which a handshake was paused.
pub const PAUSES: Counter = Counter(7);
/// Groups of paused operations, which ran side by side.
pub const GROUPS: Counter = Counter(8);
/// Operations that waited in a queue for others of the process's threads.
pub const SHARED: Counter = Counter(9);
/// Keys that ciphers were given.
pub const CIPHERS: Counter = Counter(10);

/// All counts, with the names of their parameters.
pub const ALL: [(Counter, &CStr); COUNT] = [
    (IMPORTS, c"carrysave-imports"),
    (KEYS, c"carrysave-keys"),
    (SIGNATURES, c"carrysave-signatures"),
    (VERIFICATIONS, c"carrysave-verifications"),
    (ENCRYPTIONS, c"carrysave-encryptions"),
    (DECRYPTIONS, c"carrysave-decryptions"),
    (AGREEMENTS, c"carrysave-agreements"),
    (PAUSES, c"carrysave-pauses"),
    (GROUPS, c"carrysave-groups"),
    (SHARED, c"carrysave-shared"),
    (CIPHERS, c"carrysave-ciphers"),
];

const COUNT: usize = 11;

type Counts = [AtomicU64; COUNT];

static OWN: Counts = [const { AtomicU64::new(0) }; COUNT];
static FILE: AtomicPtr<Counts> = AtomicPtr::new(core::ptr::null_mut());

fn counts() -> &'static Counts {
    // SAFETY: the mapping of a file is never undone.
    NonNull::new(FILE.load(Relaxed)).map_or(&OWN, |file| unsafe { file.as_ref() })
}

impl Counter {
    pub fn count(self) {
        counts()[self.0].fetch_add(1, Relaxed);
    }

    pub fn get(self) -> u64 {
        counts()[self.0].load(Relaxed)
    }
}

/// Counts in a file from now on, which is made if there is none, readable by all.
pub fn keep_in(path: &str) -> io::Result<()> {
    let len = size_of::<Counts>();
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    if file.metadata()?.len() < len as u64 {
        file.set_len(len as u64)?;
    }
    // SAFETY: a new mapping of a file that is long enough.
    let at = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    FILE.store(at.cast(), Relaxed);
    Ok(())
}
