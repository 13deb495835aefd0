//! The features of a processor, as a value.
//!
//! A [`Cpu`] is a set of instruction-set extensions that may be used. [`Cpu::native`] detects them,
//! [`Cpu::without`] takes some away; nothing safe adds one, so a `Cpu` is always a promise that can be kept.
//! That makes dispatch testable: one process runs every kernel that any lesser machine would have chosen.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::OnceLock;

/// What the whole program does without.
static WITHOUT: AtomicU32 = AtomicU32::new(0);

/// A set of instruction-set extensions beyond the baseline of x86-64, or of AArch64, which has [`Isa::AES`] only.
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
                #[cfg(all(target_arch = "aarch64", not(miri)))]
                if std::arch::is_aarch64_feature_detected!("aes") {
                    found = Isa::AES;
                }
                found
            }
        }
    };
}

isa! {
    /// `aesenc` and its kin, and `pshufb`, which is as old; on AArch64 `aese` and its kin.
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
    /// `vpmadd52luq` and `vpmadd52huq` on 256-bit vectors, in the encoding of AVX.
    AVXIFMA = 13, "avxifma";
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
}

/// No processor has the one without the other, but each has a bit of its own.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn aes_and_shuffles() -> bool {
    std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("ssse3")
}

impl Isa {
    /// The baseline of the architecture.
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

/// The kinds of processors that plans distinguish, as what is fastest does not depend on extensions alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Model {
    /// AMD's Zen 3, which has no 512-bit vectors.
    Zen3,
    /// AMD's Zen 4, and the Zen 5 of notebooks: 512-bit instructions are executed as two halves.
    Zen4,
    /// AMD's Zen 5, and what follows it: 512-bit instructions are executed whole, and sums beside products.
    Zen5,
    /// Intel's servers with 512-bit vectors: sums take the place of products.
    IntelServer,
    /// Intel's processors without 512-bit vectors.
    IntelClient,
    /// Any other, or none that is known.
    Other,
}

impl Model {
    /// This processor's, by the vendor, family and model that CPUID gives.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn detect() -> Model {
        /// The registers of `cpuid` for a leaf.
        #[allow(unused_unsafe)] // Newer compilers call the intrinsic safe.
        fn cpuid(leaf: u32) -> std::arch::x86_64::CpuidResult {
            // SAFETY: every processor of this architecture has the instruction.
            unsafe { std::arch::x86_64::__cpuid(leaf) }
        }
        const AMD: u32 = u32::from_le_bytes(*b"Auth");
        const INTEL: u32 = u32::from_le_bytes(*b"Genu");
        let signature = cpuid(1).eax;
        let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
        let model = signature >> 4 & 0xf | signature >> 12 & 0xf0;
        let wide = std::arch::is_x86_feature_detected!("avx512f");
        match (cpuid(0).ebx, family) {
            (AMD, 0x1a) if matches!(model, 0x20..=0x2f | 0x60..=0x6f) => Model::Zen4,
            (AMD, 0x1a..) if wide => Model::Zen5,
            (AMD, 0x19) if wide => Model::Zen4,
            (AMD, 0x19) => Model::Zen3,
            (INTEL, _) if wide => Model::IntelServer,
            (INTEL, _) => Model::IntelClient,
            _ => Model::Other,
        }
    }

    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    fn detect() -> Model {
        Model::Other
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Zen3 => "AMD, Zen 3",
            Model::Zen4 => "AMD, Zen 4",
            Model::Zen5 => "AMD, Zen 5",
            Model::IntelServer => "Intel, with AVX-512",
            Model::IntelClient => "Intel, without AVX-512",
            Model::Other => "another processor",
        })
    }
}

/// The extensions that may be used, as a value, and the kind of processor that has them.
///
/// ```
/// use carrysave_kernels::{Cpu, Isa};
/// let lesser = Cpu::native().without(Isa::ADX);
/// assert!(!lesser.has(Isa::ADX));
/// assert!(lesser.has(Isa::NONE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cpu {
    isa: Isa,
    model: Model,
}

impl Cpu {
    /// The processor of this machine, less what the program [does without](Cpu::restrict). It is detected once, on first
    /// use: CPUID makes a virtual machine leave its guest.
    pub fn native() -> Cpu {
        static NATIVE: OnceLock<Cpu> = OnceLock::new();
        let cpu = NATIVE.get().unwrap_or_else(|| {
            // Outside of the lock: a process may fork meanwhile, whose child would have a lock that no thread releases.
            let cpu = Cpu {
                isa: Isa::detect(),
                model: Model::detect(),
            };
            NATIVE.get_or_init(|| cpu)
        });
        cpu.without(Isa(WITHOUT.load(Relaxed)))
    }

    /// Has the whole program do without some extensions, and returns what is left to it. What has chosen its kernels before
    /// keeps them, so this comes first.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, Isa};
    /// let cpu = Cpu::restrict(Isa::AVX512F);
    /// assert!(!cpu.has(Isa::AVX512F));
    /// assert_eq!(Cpu::native(), cpu);
    /// ```
    pub fn restrict(without: Isa) -> Cpu {
        WITHOUT.fetch_or(without.0, Relaxed);
        Cpu::native()
    }

    /// Plain Rust only.
    pub const fn portable() -> Cpu {
        Cpu {
            isa: Isa::NONE,
            model: Model::Other,
        }
    }

    /// A processor asserted to have `isa`, whatever detection says.
    ///
    /// For checkers such as valgrind, which hide from CPUID extensions that they do run.
    ///
    /// # Safety
    /// The processor, or its emulator, executes every instruction of `isa`.
    pub const unsafe fn assume(isa: Isa) -> Cpu {
        Cpu {
            isa,
            model: Model::Other,
        }
    }

    /// This processor with the extensions in `isa` masked off.
    #[must_use]
    pub const fn without(self, isa: Isa) -> Cpu {
        Cpu {
            isa: Isa(self.isa.0 & !isa.0),
            ..self
        }
    }

    /// Whether every extension in `isa` may be used.
    pub const fn has(self, isa: Isa) -> bool {
        self.isa.contains(isa)
    }

    /// Everything that may be used.
    pub const fn isa(self) -> Isa {
        self.isa
    }

    /// What kind of processor it is: masking extensions does not change that.
    pub const fn model(self) -> Model {
        self.model
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
        fmt::Display::fmt(&self.isa, f)
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cpu({}: {})", self.model, self.isa)
    }
}
