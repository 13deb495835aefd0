//! Memory with a fence: operands that end, or begin, where the next byte must not be touched.

use carrysave_contract::CAPACITY;
use carrysave_kernels::Limb;
use std::{fmt, ptr, slice};

/// The bytes of a page.
const PAGE: usize = 4096;
/// The bytes of a region, whole pages.
const ROOM: usize = CAPACITY * size_of::<Limb>();
/// The bytes on either side of an operand that are checked after the call.
const RIM: usize = 128;
/// What those hold.
const CANARY: u8 = 0x5a;

/// What lies beyond a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// A page that must not be touched: the process ends with SIGSEGV on the spot.
    Page,
    /// Ordinary memory, so that what was written there can be seen afterwards. For kernels known to be wrong.
    Memory,
}

/// Where an operand lies in its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Right behind the fence: one byte below is out of bounds.
    First,
    /// Right before the fence: one byte above is out of bounds.
    Last,
    /// In the middle, this many bytes after a multiple of 64.
    Middle(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::First => f.write_str("right behind a guard page"),
            Place::Last => f.write_str("right before a guard page"),
            Place::Middle(skew) => {
                write!(
                    f,
                    "away from guard pages, the first one {} bytes off a cache line",
                    skew % 64
                )
            }
        }
    }
}

/// A few pages between two fences.
pub struct Region {
    map: *mut u8,
    fence: Fence,
    placed: (usize, usize),
}

impl Region {
    /// A fresh region.
    ///
    /// # Panics
    /// If the system gives no memory.
    pub fn new(fence: Fence) -> Region {
        let len = 2 * PAGE + ROOM;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh anonymous mapping touches no existing memory.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED, "no memory for a guarded region");
        if fence == Fence::Page {
            for side in [0, len - PAGE] {
                // SAFETY: the page is ours and holds nothing yet.
                let refused = unsafe { libc::mprotect(map.byte_add(side), PAGE, libc::PROT_NONE) };
                assert_eq!(refused, 0, "the system protects no page");
            }
        }
        Region {
            map: map.cast(),
            fence,
            placed: (0, 0),
        }
    }

    /// Copies `value` to `place`, with canaries around it, and gives its address.
    ///
    /// # Panics
    /// If it does not fit.
    pub fn place(&mut self, place: Place, value: &[Limb]) -> *mut Limb {
        let len = size_of_val(value);
        let room = ROOM
            .checked_sub(len)
            .expect("the operand fits in its region");
        let start = match place {
            Place::First => 0,
            Place::Last => room,
            // The rim and the fence both keep 64-byte alignment.
            Place::Middle(skew) => (RIM + skew % 64).min(room),
        };
        self.placed = (start, len);
        self.rims().for_each(|rim| rim.fill(CANARY));
        let operand = self.byte(start as isize);
        // SAFETY: start + len <= ROOM, and the mapping begins one page before byte 0.
        unsafe { operand.copy_from_nonoverlapping(value.as_ptr().cast(), len) };
        operand.cast()
    }

    /// What the operand holds now.
    pub fn operand(&self) -> Vec<Limb> {
        let (start, len) = self.placed;
        // SAFETY: as it was placed.
        let bytes = unsafe { slice::from_raw_parts(self.byte(start as isize), len) };
        let limb = |bytes: &[u8]| Limb::from_ne_bytes(bytes.try_into().expect("whole limbs"));
        bytes.chunks(size_of::<Limb>()).map(limb).collect()
    }

    /// Whether the surroundings of the operand are as they were.
    pub fn intact(&mut self) -> bool {
        self.rims()
            .all(|rim| rim.iter().all(|&byte| byte == CANARY))
    }

    /// Byte `i` of the region, or of its fence.
    fn byte(&self, i: isize) -> *mut u8 {
        // SAFETY: callers stay within the mapping.
        unsafe { self.map.add(PAGE).offset(i) }
    }

    /// The bytes before and after the operand that may be touched at all.
    fn rims(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let (start, len) = self.placed;
        let beyond = if self.fence == Fence::Memory { RIM } else { 0 };
        let before = RIM.min(start + beyond);
        let after = RIM.min(ROOM + beyond - start - len);
        [
            (start as isize - before as isize, before),
            ((start + len) as isize, after),
        ]
        .into_iter()
        .map(|(at, len)| {
            // SAFETY: within the region, or within its fence where that is ordinary memory; the two do not overlap.
            unsafe { slice::from_raw_parts_mut(self.byte(at), len) }
        })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; no reference to it outlives the region.
        unsafe { libc::munmap(self.map.cast(), 2 * PAGE + ROOM) };
    }
}
