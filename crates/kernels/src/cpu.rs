//! The features of a processor, as a value.
//!
//! A [`Cpu`] is a set of instruction-set extensions that may be used. [`Cpu::native`] detects them,
//! [`Cpu::without`] takes some away; nothing safe adds one, so a `Cpu` is always a promise that can be kept.
//! That makes dispatch testable: one process runs every kernel that any lesser machine would have chosen.

use core::fmt;
use std::sync::OnceLock;

/// A set of instruction-set extensions beyond the x86-64 baseline.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Isa(u32);

macro_rules! isa {
    (@has $feature:tt) => { std::arch::is_x86_feature_detected!($feature) };
    (@has $feature:tt $found:expr) => { $found };
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $feature:tt $(if $found:expr)?;)*) => {
        impl Isa {
            $($(#[$doc])* pub const $name: Isa = Isa(1 << $bit);)*

            /// Every extension by itself, with its name, in the order of their age.
            pub const ALL: &'static [(Isa, &'static str)] = &[$((Isa::$name, $feature)),*];

            fn detect() -> Isa {
                #[allow(unused_mut)]
                let mut found = Isa::NONE;
                #[cfg(all(target_arch = "x86_64", not(miri)))]
                { $(if isa!(@has $feature $($found)?) { found = found.and(Isa::$name); })* }
                found
            }
        }
    };
}

isa! {
    /// `aesenc` and its kin, and `pshufb`, which is as old.
    AES = 10, "aes" if aes_and_shuffles();
    /// 256-bit integer vectors.
    AVX2 = 0, "avx2";
    /// Products of floating-point numbers with a sum, rounded once.
    FMA = 12, "fma";
    /// `mulx`, `rorx`, `shlx` and their kin.
    BMI2 = 1, "bmi2";
    /// `adcx` and `adox`: two carry chains at a time.
    ADX = 2, "adx";
    /// The AES instructions on 256-bit vectors, and on 512-bit ones where there are such.
    VAES = 11, "vaes";
    /// 512-bit vectors and mask registers.
    AVX512F = 3, "avx512f";
    /// The AVX-512 encodings on 128- and 256-bit vectors.
    AVX512VL = 4, "avx512vl";
    /// 64-bit lanes: `vpmullq` and conversions.
    AVX512DQ = 5, "avx512dq";
    /// 8- and 16-bit lanes.
    AVX512BW = 6, "avx512bw";
    /// `vpmadd52luq`, `vpmadd52huq`: 52-bit multiply and accumulate in 64-bit lanes.
    AVX512IFMA = 7, "avx512ifma";
    /// Concatenated shifts (`vpshldq`) and byte compress.
    AVX512VBMI2 = 8, "avx512vbmi2";
    /// 512-bit instructions executed whole, not as two halves: not an extension, but what is fastest depends on it.
    FP512 = 9, "fp512" if executes_512_bits_whole();
}

/// No processor has the one without the other, but each has a bit of its own.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn aes_and_shuffles() -> bool {
    std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("ssse3")
}

/// Whether 512-bit instructions are executed whole. AMD's processors say so (APM volume 3, CPUID Fn8000_001A, EAX bit
/// 3). Zen 5 is known by its family, as hypervisors clear that bit. Processors of others with AVX-512 have no halves.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn executes_512_bits_whole() -> bool {
    /// The registers eax and ebx of `cpuid` for a leaf.
    #[allow(unused_unsafe)] // Newer compilers call the intrinsic safe.
    fn eax_ebx(leaf: u32) -> (u32, u32) {
        // SAFETY: every processor of this architecture has the instruction.
        let found = unsafe { std::arch::x86_64::__cpuid(leaf) };
        (found.eax, found.ebx)
    }
    const AMD: u32 = u32::from_le_bytes(*b"Auth");
    const PERFORMANCE: u32 = 0x8000_001a;
    if !std::arch::is_x86_feature_detected!("avx512f") || eax_ebx(0).1 != AMD {
        return std::arch::is_x86_feature_detected!("avx512f");
    }
    let signature = eax_ebx(1).0;
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    let model = signature >> 4 & 0xf | signature >> 12 & 0xf0;
    // Of Zen 5 the smaller ones for notebooks have halves.
    let zen_5 = family == 0x1a && !matches!(model, 0x20..=0x2f | 0x60..=0x6f);
    zen_5 || eax_ebx(0x8000_0000).0 >= PERFORMANCE && eax_ebx(PERFORMANCE).0 >> 3 & 1 == 1
}

impl Isa {
    /// The x86-64 baseline, or any other processor: nothing beyond plain Rust.
    pub const NONE: Isa = Isa(0);

    /// The union of both sets.
    pub const fn and(self, other: Isa) -> Isa {
        Isa(self.0 | other.0)
    }

    /// Whether every extension in `other` is in this set.
    pub const fn contains(self, other: Isa) -> bool {
        self.0 & other.0 == other.0
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Isa::NONE {
            return f.write_str("-");
        }
        let names = Isa::ALL.iter().filter(|(isa, _)| self.contains(*isa));
        for (i, (_, name)) in names.enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { "+" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The extensions that may be used, as a value.
///
/// ```
/// use carrysave_kernels::{Cpu, Isa};
/// let lesser = Cpu::native().without(Isa::ADX);
/// assert!(!lesser.has(Isa::ADX));
/// assert!(lesser.has(Isa::NONE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cpu(Isa);

impl Cpu {
    /// The processor of this machine, detected once, on first use: CPUID makes a virtual machine leave its guest.
    pub fn native() -> Cpu {
        static NATIVE: OnceLock<Isa> = OnceLock::new();
        Cpu(*NATIVE.get_or_init(Isa::detect))
    }

    /// Plain Rust only.
    pub const fn portable() -> Cpu {
        Cpu(Isa::NONE)
    }

    /// A processor asserted to have `isa`, whatever detection says.
    ///
    /// For checkers such as valgrind, which hide from CPUID extensions that they do run.
    ///
    /// # Safety
    /// The processor, or its emulator, executes every instruction of `isa`.
    pub const unsafe fn assume(isa: Isa) -> Cpu {
        Cpu(isa)
    }

    /// This processor with the extensions in `isa` masked off.
    #[must_use]
    pub const fn without(self, isa: Isa) -> Cpu {
        Cpu(Isa(self.0.0 & !isa.0))
    }

    /// Whether every extension in `isa` may be used.
    pub const fn has(self, isa: Isa) -> bool {
        self.0.contains(isa)
    }

    /// Everything that may be used.
    pub const fn isa(self) -> Isa {
        self.0
    }

    /// The distinct levels that this processor can stand in for, from all it has down to plain Rust:
    /// each takes one more extension away. Tests run under every one of them.
    pub fn masks(self) -> impl Iterator<Item = Cpu> {
        let mut cpu = self;
        let mut levels = vec![cpu];
        for (isa, _) in Isa::ALL.iter().rev().filter(|(isa, _)| self.has(*isa)) {
            cpu = cpu.without(*isa);
            levels.push(cpu);
        }
        levels.into_iter()
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::native()
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cpu({})", self.0)
    }
}
