//! Memory with a fence: operands that end, or begin, where the next byte must not be touched.

use carrysave_kernels::Limb;
use std::{fmt, ptr, slice};

/// The bytes of a page.
const PAGE: usize = 4096;
/// The most limbs that a region holds.
pub const CAPACITY: usize = 16 * PAGE / size_of::<Limb>();
/// The limbs on either side of an operand that are checked after the call.
const RIM: usize = 16;
/// What those hold.
const CANARY: Limb = 0x5afe_c0de_cafe_f00d;

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
    /// Right behind the fence: one limb below is out of bounds.
    First,
    /// Right before the fence: one limb above is out of bounds.
    Last,
    /// In the middle, this many limbs after a multiple of 64 bytes.
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
                    skew % 8 * 8
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
        let len = 2 * PAGE + CAPACITY * size_of::<Limb>();
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
        let room = CAPACITY
            .checked_sub(value.len())
            .expect("the operand fits in its region");
        let start = match place {
            Place::First => 0,
            Place::Last => room,
            // The rim and the fence both keep 64-byte alignment.
            Place::Middle(skew) => (RIM + skew % 8).min(room),
        };
        self.placed = (start, value.len());
        self.rims().for_each(|rim| rim.fill(CANARY));
        // SAFETY: start + len <= CAPACITY, and the mapping begins one page before limb 0.
        let operand = unsafe { slice::from_raw_parts_mut(self.limb(start as isize), value.len()) };
        operand.copy_from_slice(value);
        operand.as_mut_ptr()
    }

    /// What the operand holds now.
    pub fn operand(&self) -> &[Limb] {
        // SAFETY: as it was placed.
        unsafe { slice::from_raw_parts(self.limb(self.placed.0 as isize), self.placed.1) }
    }

    /// Whether the surroundings of the operand are as they were.
    pub fn intact(&mut self) -> bool {
        self.rims()
            .all(|rim| rim.iter().all(|&limb| limb == CANARY))
    }

    /// Limb `i` of the region, or of its fence.
    fn limb(&self, i: isize) -> *mut Limb {
        // SAFETY: callers stay within the mapping.
        unsafe { self.map.add(PAGE).cast::<Limb>().offset(i) }
    }

    /// The limbs before and after the operand that may be touched at all.
    fn rims(&mut self) -> impl Iterator<Item = &mut [Limb]> {
        let (start, len) = self.placed;
        let beyond = if self.fence == Fence::Memory { RIM } else { 0 };
        let before = RIM.min(start + beyond);
        let after = RIM.min(CAPACITY + beyond - start - len);
        [
            (start as isize - before as isize, before),
            ((start + len) as isize, after),
        ]
        .into_iter()
        .map(|(at, len)| {
            // SAFETY: within the region, or within its fence where that is ordinary memory; the two do not overlap.
            unsafe { slice::from_raw_parts_mut(self.limb(at), len) }
        })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; no reference to it outlives the region.
        unsafe { libc::munmap(self.map.cast(), 2 * PAGE + CAPACITY * size_of::<Limb>()) };
    }
}
