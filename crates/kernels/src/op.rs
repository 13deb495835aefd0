//! What an operation is: a contract as data, a table of kernels, a handle.
//!
//! Each operation lives in one folder. Its `mod.rs` states the contract for people and, through [`op!`](crate::op!),
//! the same contract as data; lists the kernels, best first; and gives the handle its safe call.
//! Everything else (tests, masks, benches, listings) walks [`REGISTRY`](crate::REGISTRY) and needs no change
//! when a kernel is added.

use crate::{Cpu, Isa, Limb};
use core::fmt;

/// One row of an operation's table: a way to compute it.
pub struct Kernel<F> {
    /// What makes this kernel different: `portable`, `mulx_adx`, ...
    pub name: &'static str,
    /// The extensions it executes.
    pub needs: Isa,
    /// Its own timing class.
    pub timing: Timing,
    /// Its entry.
    pub f: F,
}

/// The length of an operand, in limbs, as a function of the call's dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Len {
    /// `n` limbs.
    N,
    /// `m` limbs.
    M,
    /// `n + m` limbs.
    NPlusM,
    /// `n + c` limbs.
    NPlus(usize),
    /// `m + c` limbs.
    MPlus(usize),
    /// `2n` limbs.
    TwoN,
    /// `2n + c` limbs.
    TwoNPlus(usize),
    /// `2m + c` limbs.
    TwoMPlus(usize),
    /// `n * m` limbs: `m` rows of `n`.
    NTimesM,
    /// `8n` digits: n blocks.
    EightN,
    /// `8m` digits: m blocks.
    EightM,
    /// `8(n + m)` digits: n + m blocks.
    EightNPlusM,
    /// `8(n + 1)` digits: n + 1 blocks.
    EightNPlusOne,
    /// `16n` digits: two numbers of n blocks.
    SixteenN,
    /// So many times n octets.
    EightNTimes(usize),
    /// `8n * m` digits: m rows of n octets.
    EightNTimesM,
    /// `n / 2` limbs.
    HalfN,
    /// `c` limbs, and those of n coefficients of `3m - 1` bytes.
    Coefficients(usize),
    /// So many limbs, whatever the dimensions.
    Const(usize),
}

impl Len {
    /// The length for dimensions `n` and `m`.
    pub const fn limbs(self, n: usize, m: usize) -> usize {
        match self {
            Len::N => n,
            Len::M => m,
            Len::NPlusM => n + m,
            Len::NPlus(c) => n + c,
            Len::MPlus(c) => m + c,
            Len::TwoN => 2 * n,
            Len::TwoNPlus(c) => 2 * n + c,
            Len::TwoMPlus(c) => 2 * m + c,
            Len::NTimesM => n * m,
            Len::EightN => 8 * n,
            Len::EightM => 8 * m,
            Len::EightNPlusOne => 8 * (n + 1),
            Len::EightNPlusM => 8 * (n + m),
            Len::SixteenN => 16 * n,
            Len::EightNTimes(c) => 8 * n * c,
            Len::EightNTimesM => 8 * n * m,
            Len::HalfN => n / 2,
            Len::Coefficients(c) => crate::ntt::limbs(n, m) + c,
            Len::Const(c) => c,
        }
    }
}

impl fmt::Display for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Len::N => f.write_str("n"),
            Len::M => f.write_str("m"),
            Len::NPlusM => f.write_str("n+m"),
            Len::NPlus(c) => write!(f, "n+{c}"),
            Len::MPlus(0) => f.write_str("m"),
            Len::MPlus(c) => write!(f, "m+{c}"),
            Len::TwoN => f.write_str("2n"),
            Len::TwoNPlus(c) => write!(f, "2n+{c}"),
            Len::TwoMPlus(c) => write!(f, "2m+{c}"),
            Len::NTimesM => f.write_str("n*m"),
            Len::EightN => f.write_str("8n"),
            Len::EightM => f.write_str("8m"),
            Len::EightNPlusOne => f.write_str("8(n+1)"),
            Len::EightNPlusM => f.write_str("8(n+m)"),
            Len::SixteenN => f.write_str("16n"),
            Len::EightNTimes(c) => write!(f, "{}n", 8 * c),
            Len::EightNTimesM => f.write_str("8n*m"),
            Len::HalfN => f.write_str("n/2"),
            Len::Coefficients(0) => f.write_str("n(3m-1)/8"),
            Len::Coefficients(c) => write!(f, "n(3m-1)/8+{c}"),
            Len::Const(c) => write!(f, "{c}"),
        }
    }
}

/// What a kernel does to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Written, never read before.
    Out,
    /// Read and written.
    InOut,
    /// Read only.
    In,
    /// Read, and left holding nothing that means anything.
    Destroyed,
    /// Working space: its content before and after means nothing, and may be secret after.
    Scratch,
}

/// Which values an input operand may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Any.
    Any,
    /// Any, at any address: bytes, the lowest of a word first.
    Bytes,
    /// Odd, so that it can be a Montgomery modulus.
    Odd,
    /// Below the operand of that name.
    Below(&'static str),
    /// Below the operand of that name times `2^(64n)`.
    BelowTimesR(&'static str),
    /// Odd numbers below R / 4 in radix 2^52, laid out as [`Dim`] says.
    AlmostModulus,
    /// Numbers below twice those of the operand of that name in radix 2^52, laid out likewise.
    AlmostBelow(&'static str),
    /// Any words in radix 2^52, often such that a carry of one runs through several.
    Owing,
    /// The same, such that no two words add up to 2^64.
    OwingLess,
    /// `-v^-1 mod 2^52` for each number v of the operand of that name.
    NegInverses52(&'static str),
    /// Numbers below `m`.
    Indices,
    /// Below 2 to this power.
    BelowPower(usize),
    /// Numbers of four limbs, each below 2^255 + 2^198.
    Near25519,
    /// In radix 2^52, laid out as [`Dim::PrimeBits`] says: numbers below twice 2^m.
    Residues52,
    /// Laid out likewise, in digits as long as [`place`](crate::fp8::place) says, and 2^20 more in all but the lowest.
    ResiduesSlack,
    /// Residues as in [`ntt`](crate::ntt), modulo the prime of this index, or that of the one-word argument.
    Residues(Option<usize>),
    /// The first table of [`ntt::roots`](crate::ntt::roots) that is as long, for the prime of the one-word argument.
    Roots,
    /// The second one.
    InverseRoots,
}

/// One vector of limbs that a kernel takes, least significant limb first.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its name in the contract.
    pub name: &'static str,
    /// What happens to it.
    pub role: Role,
    /// Its length.
    pub len: Len,
    /// What it may hold on entry.
    pub value: Value,
    /// Whether it is no secret: time may depend on it where [`Timing::Constant`] is promised, too.
    pub public: bool,
}

impl Operand {
    /// A written operand.
    pub const fn out(name: &'static str, len: Len) -> Operand {
        Operand {
            name,
            role: Role::Out,
            len,
            value: Value::Any,
            public: false,
        }
    }
    /// A read and written operand of any value.
    pub const fn in_out(name: &'static str, len: Len) -> Operand {
        Operand {
            name,
            role: Role::InOut,
            len,
            value: Value::Any,
            public: false,
        }
    }
    /// A read operand of any value.
    pub const fn input(name: &'static str, len: Len) -> Operand {
        Operand {
            name,
            role: Role::In,
            len,
            value: Value::Any,
            public: false,
        }
    }
    /// Working space.
    pub const fn scratch(name: &'static str, len: Len) -> Operand {
        Operand {
            name,
            role: Role::Scratch,
            len,
            value: Value::Any,
            public: false,
        }
    }
    /// The same operand, destroyed by the call.
    pub const fn destroyed(self) -> Operand {
        Operand {
            role: Role::Destroyed,
            ..self
        }
    }
    /// The same operand, which is no secret.
    pub const fn public(self) -> Operand {
        Operand {
            public: true,
            ..self
        }
    }
    /// The same operand restricted to `value`.
    pub const fn holding(self, value: Value) -> Operand {
        Operand { value, ..self }
    }
}

/// The one-word argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// None.
    None,
    /// Any limb.
    Limb,
    /// A shift count, 1 to 63.
    Shift,
    /// A condition, 0 or 1.
    Bit,
    /// An index below `m`.
    Index,
    /// A divisor of `2^64 - 1`.
    Cofactor,
    /// A divisor of `n`, which is public.
    Divisor,
    /// `-v^-1 mod 2^64` for the operand `v` of that name.
    NegInverse(&'static str),
    /// `-v^-1 mod 2^52` for the operand `v` of that name.
    NegInverse52(&'static str),
    /// What `2^(64n)` is modulo a number: any limb but 0.
    Fold,
    /// What a prime of m bits is below 2^m: odd, of no more bits than its highest digit of 52 has.
    Offset,
    /// The state of division steps: any limb, often near 0.
    Zeta,
    /// The index of one of [`ntt::PRIMES`](crate::ntt::PRIMES).
    Prime,
    /// What a number that is public grows by from block to block: any limb, often 0.
    Step,
}

impl Scalar {
    /// Whether the argument is public, so that time may depend on it.
    pub const fn is_public(self) -> bool {
        matches!(
            self,
            Scalar::Shift
                | Scalar::Divisor
                | Scalar::Fold
                | Scalar::Offset
                | Scalar::Prime
                | Scalar::Step
        )
    }
}

/// What a kernel returns in a limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Nothing.
    Nothing,
    /// A carry or borrow bit, 0 or 1.
    Bit,
    /// A whole limb carried out.
    Limb,
    /// An ordering: 0 for equal, 1 for above, `Limb::MAX` for below.
    Ordering,
}

/// Whether the sequence of instructions and addresses depends on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// It depends on the dimensions (and a shift count, a divisor of n or an operand that is public) only.
    Constant,
    /// It depends on values: never for secrets.
    Variable,
}

/// A contract as data, for everything that walks the registry.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// The effect in one line, in the field's notation.
    pub effect: &'static str,
    /// The vectors, in call order.
    pub operands: &'static [Operand],
    /// The one-word argument.
    pub scalar: Scalar,
    /// The result besides the vectors.
    pub returns: Returns,
    /// Pairs (written, read) of operands that may be the same memory, exactly.
    pub same: &'static [(&'static str, &'static str)],
    /// Whether `m` is a dimension (otherwise it is 0), and then whether `m <= n` is required.
    pub m: Dim,
    /// The timing class of every kernel that a handle chooses. A row of the table may say otherwise for itself.
    pub timing: Timing,
    /// Where the operation or its method is described.
    pub source: &'static str,
}

/// What the second dimension means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// There is none.
    Unused,
    /// From 1 to `n`.
    UpToN,
    /// The number of rows of a table, from 1.
    Rows,
    /// How often something is done, from 1.
    Times,
    /// The digits that count in n blocks of eight: from 8n - 7 to 8n, where n is at most this. R = 2^(52m), and a number
    /// is one in every 8n digits.
    Digits(usize),
    /// There is none, and n is a number of digits that `mb8::digits` returns: R = 2^(52n), and digit i of number l is
    /// word 8i + l.
    Lanes,
    /// The same, and the rows of a table, 16 or 32: digit i of number l in row j is word 8(mi + j) + l.
    LanesAndRows,
    /// The words of a block, 4, 8 or 16, where n is the number of blocks.
    BlockWords,
    /// The bits of a prime, 127, 128, 255 or 256, where n is 3 or 5, the digits of 52 bits that it takes: digit i of
    /// number l is word 8i + l.
    PrimeBits,
    /// There is none, and n is one of these.
    OneOf(&'static [usize]),
    /// The rounds of AES, 1 to 16, where n is the number of blocks.
    Rounds,
    /// How many of [`ntt::PRIMES`](crate::ntt::PRIMES): from 3 on.
    Primes,
    /// There is none, and n is a power of two from [`ntt::LEAST`](crate::ntt::LEAST) on.
    PowerOfTwo,
    /// From 1 to n, how many words there are in n, which is such a power.
    Filled,
}

/// A call with everything erased but the addresses. For the harnesses; users call handles.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    /// The operands in contract order.
    pub p: [*mut Limb; Raw::OPERANDS],
    /// The first dimension.
    pub n: usize,
    /// The second dimension, or 0.
    pub m: usize,
    /// The one-word argument, or 0.
    pub s: Limb,
}

impl Raw {
    /// The most operands of a call.
    pub const OPERANDS: usize = 7;
}

/// An operation with its kernels' types erased: a row of [`REGISTRY`](crate::REGISTRY).
pub struct Op {
    /// The operation's name, such as `mpn_add_n`.
    pub name: &'static str,
    /// Its contract.
    pub contract: &'static Contract,
    /// Name and needs of each kernel, best first.
    pub kernels: &'static [(&'static str, Isa)],
    timings: &'static [Timing],
    invoke: unsafe fn(usize, &Raw) -> Limb,
}

impl Op {
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        contract: &'static Contract,
        kernels: &'static [(&'static str, Isa)],
        timings: &'static [Timing],
        invoke: unsafe fn(usize, &Raw) -> Limb,
    ) -> Op {
        Op {
            name,
            contract,
            kernels,
            timings,
            invoke,
        }
    }

    /// The positions of the kernels that `cpu` admits, best first.
    pub fn admitted(&self, cpu: Cpu) -> impl Iterator<Item = usize> {
        self.kernels
            .iter()
            .enumerate()
            .filter(move |(_, k)| cpu.has(k.1))
            .map(|(i, _)| i)
    }

    /// The timing class of the kernel at position `kernel`.
    pub fn timing(&self, kernel: usize) -> Timing {
        self.timings[kernel]
    }

    /// The position of the kernel that a handle chooses on `cpu`.
    pub fn best(&self, cpu: Cpu) -> usize {
        self.admitted(cpu)
            .find(|&i| self.timing(i) == self.contract.timing)
            .expect("every table has a portable kernel")
    }

    /// The position of the kernel in plain Rust, which every processor runs.
    pub fn portable(&self) -> usize {
        let found = self
            .kernels
            .iter()
            .position(|k| *k == ("portable", Isa::NONE));
        found.expect("every table has a portable kernel")
    }

    /// Calls the kernel at position `kernel`.
    ///
    /// # Safety
    /// The processor has what the kernel needs, and `raw` meets the contract: every address is valid for its
    /// operand's length and direction, operands that overlap are listed in `same`, dimensions are in range.
    pub unsafe fn invoke(&self, kernel: usize, raw: &Raw) -> Limb {
        // SAFETY: passed on to the caller.
        unsafe { (self.invoke)(kernel, raw) }
    }
}

/// The handle, the table of kernels and the registry row of one operation.
///
/// ```text
/// op! {
///     /// Documentation of the handle.
///     pub struct AddN("mpn_add_n");
///     call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb;
///     contract: Contract { .. };
///     kernels {
///         x86_64 {
///             /// What makes it different.
///             lookahead512: Isa::AVX512F, "avx512f" => super::lookahead::vectors::<false>;
///             vartime branchy: Isa::NONE;
///         }
///         any { portable: Isa::NONE; }
///     }
///     raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n);
/// }
/// ```
///
/// A row is a kernel, best first: its name, what it needs, and after `=>` the function that it is, or a block over the
/// arguments of the call, compiled for the features in quotes. A row without either is the file of its name, whose function
/// is `kernel`.
/// Kernels that are `vartime` are never chosen, as their time depends on values. Sections say where rows exist: `any`,
/// `x86_64`, `x86_64_asm` (but under Miri), `aarch64`, `little_endian`.
#[macro_export]
#[doc(hidden)]
macro_rules! op {
    (
        $(#[$doc:meta])*
        pub struct $Handle:ident($name:literal);
        call: ($($arg:ident: $type:ty),* $(,)?) $(-> $returned:ty)?;
        contract: $contract:expr;
        kernels { $($sections:tt)* }
        raw: |$f:ident, $x:ident| $call:expr;
    ) => {
        $crate::op! { @sections
            {
                [$(#[$doc])*] $Handle $name (($($arg: $type),*) [$($returned)?])
                {$contract} [$f $x {$call}]
            }
            [] $($sections)*
        }
    };

    // One section after the other, and in each one row after the other, into a list of rows with their conditions.
    (@sections $head:tt [$($rows:tt)*]) => {
        $crate::op! { @emit $head $($rows)* }
    };
    (@sections $head:tt $rows:tt any $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [] $in $($more)* }
    };
    (@sections $head:tt $rows:tt x86_64 $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(target_arch = "x86_64")]] $in $($more)* }
    };
    (@sections $head:tt $rows:tt x86_64_asm $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(all(target_arch = "x86_64", not(miri)))]] $in $($more)* }
    };
    (@sections $head:tt $rows:tt aarch64 $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(target_arch = "aarch64")]] $in $($more)* }
    };
    (@sections $head:tt $rows:tt little_endian $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(target_endian = "little")]] $in $($more)* }
    };
    (@rows $head:tt $rows:tt $cfg:tt {} $($more:tt)*) => {
        $crate::op! { @sections $head $rows $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* vartime $kernel:ident: $needs:expr $(, $features:literal)? $(=> $entry:path)?;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {$crate::op::Timing::Variable} $kernel {$needs} [$($features)?] [$(path $entry)?]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* vartime $kernel:ident: $needs:expr $(, $features:literal)? => $entry:block;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {$crate::op::Timing::Variable} $kernel {$needs} [$($features)?] [block $entry]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* $kernel:ident: $needs:expr $(, $features:literal)? $(=> $entry:path)?;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {CONTRACT.timing} $kernel {$needs} [$($features)?] [$(path $entry)?]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* $kernel:ident: $needs:expr $(, $features:literal)? => $entry:block;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {CONTRACT.timing} $kernel {$needs} [$($features)?] [block $entry]}
        ] $cfg {$($in)*} $($more)* }
    };

    // What a row adds beside its place in the table: the module of its file, or its function.
    (@item [$($cfg:tt)*] [] $kernel:ident [] [] $signature:tt) => {
        $($cfg)* pub(crate) mod $kernel;
    };
    (
        @item [$($cfg:tt)*] [$($doc:tt)*] $kernel:ident [$($features:literal)?] $entry:tt
        (($($arg:ident: $type:ty),*) [$($returned:ty)?])
    ) => {
        $($cfg)*
        $($doc)*
        ///
        /// # Safety
        /// The contract of the operation; the processor has what the row needs.
        $(#[target_feature(enable = $features)])?
        #[allow(clippy::too_many_arguments, unused_unsafe)]
        pub(crate) unsafe fn $kernel($($arg: $type),*) $(-> $returned)? {
            // SAFETY: the same contract.
            unsafe { $crate::op!(@call $entry $($arg)*) }
        }
    };
    (@call [path $entry:path] $($arg:ident)*) => { $entry($($arg),*) };
    (@call [block $entry:block] $($arg:ident)*) => { $entry };
    (@entry $kernel:ident []) => { $kernel::kernel };
    (@entry $kernel:ident $entry:tt) => { $kernel };
    (@type (($($arg:ident: $type:ty),*) [$($returned:ty)?])) => {
        /// What a kernel is called with.
        pub type F = unsafe fn($($type),*) $(-> $returned)?;
    };

    (
        @emit {
            [$($doc:tt)*] $Handle:ident $name:literal $signature:tt
            {$contract:expr} [$f:ident $x:ident {$call:expr}]
        }
        $({
            [$($cfg:tt)*] [$($about:tt)*] {$timing:expr} $kernel:ident {$needs:expr} $features:tt
            $entry:tt
        })*
    ) => {
        $($crate::op! { @item [$($cfg)*] [$($about)*] $kernel $features $entry $signature })*
        $crate::op! { @type $signature }

        $($doc)*
        ///
        /// A value is the proof that its kernel may run on this processor.
        #[derive(Clone, Copy)]
        pub struct $Handle {
            f: F,
            name: &'static str,
        }

        #[doc = concat!("The contract of `", $name, "`.")]
        pub static CONTRACT: $crate::op::Contract = $contract;

        static KERNELS: &[$crate::op::Kernel<F>] = &[$(
            $($cfg)*
            $crate::op::Kernel {
                name: stringify!($kernel),
                needs: $needs,
                timing: $timing,
                f: $crate::op!(@entry $kernel $entry),
            }
        ),*];

        #[doc = concat!("The registry row of `", $name, "`.")]
        pub static OP: $crate::op::Op = {
            unsafe fn invoke(kernel: usize, $x: &$crate::op::Raw) -> $crate::Limb {
                let $f = KERNELS[kernel].f;
                // SAFETY: the caller of `Op::invoke` meets the contract.
                #[allow(clippy::unit_arg)]
                $crate::op::ToLimb::to_limb(unsafe { $call })
            }
            $crate::op::Op::new(
                $name,
                &CONTRACT,
                &[$($($cfg)* (stringify!($kernel), $needs)),*],
                &[$($($cfg)* $timing),*],
                invoke,
            )
        };

        impl $Handle {
            /// Every kernel of the contract's timing class that `cpu` admits, best first; one of them is plain Rust.
            pub fn all(cpu: $crate::Cpu) -> impl Iterator<Item = $Handle> {
                $Handle::admitted(cpu, |timing| timing == CONTRACT.timing)
            }

            /// Every kernel that `cpu` admits, whatever its timing class, best first: never for secrets.
            pub fn all_vartime(cpu: $crate::Cpu) -> impl Iterator<Item = $Handle> {
                $Handle::admitted(cpu, |_| true)
            }

            /// The only constructor.
            fn admitted(
                cpu: $crate::Cpu,
                fits: impl Fn($crate::op::Timing) -> bool,
            ) -> impl Iterator<Item = $Handle> {
                KERNELS
                    .iter()
                    .filter(move |k| cpu.has(k.needs) && fits(k.timing))
                    .map(|k| $Handle { f: k.f, name: k.name })
            }

            /// The best kernel that `cpu` admits.
            pub fn best(cpu: $crate::Cpu) -> $Handle {
                $Handle::all(cpu).next().expect("every table has a portable kernel")
            }

            /// The kernel of that name, if it exists and `cpu` admits it: how a plan says what it chose.
            pub fn named(cpu: $crate::Cpu, name: &str) -> Option<$Handle> {
                $Handle::all(cpu).find(|handle| handle.name == name)
            }

            /// The kernel of that name, whatever its timing class, if it exists and `cpu` admits it: never for secrets.
            pub fn named_vartime(cpu: $crate::Cpu, name: &str) -> Option<$Handle> {
                $Handle::all_vartime(cpu).find(|handle| handle.name == name)
            }

            /// The kernel's name.
            pub fn name(&self) -> &'static str {
                self.name
            }
        }

        impl core::fmt::Debug for $Handle {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}/{}", $name, self.name)
            }
        }
    };
}

/// The result of a kernel as a limb.
#[doc(hidden)]
pub trait ToLimb {
    fn to_limb(self) -> Limb;
}

impl ToLimb for Limb {
    fn to_limb(self) -> Limb {
        self
    }
}

impl ToLimb for () {
    fn to_limb(self) -> Limb {
        0
    }
}

/// Declares the operations of a family: one row gives the module, the handle at this level, and the place in the
/// registry.
macro_rules! ops {
    ($All:ident: $($module:ident :: $Handle:ident),* $(,)?) => {
        $(pub mod $module; pub use $module::$Handle;)*

        /// Every operation of this family.
        pub static OPS: &[&$crate::op::Op] = &[$(&$module::OP),*];

        /// The best handle of every operation for one processor: what a context resolves once and keeps.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub struct $All {
            cpu: $crate::Cpu,
            $(pub $module: $Handle,)*
        }

        impl $All {
            /// The best handles that `cpu` admits.
            pub fn new(cpu: $crate::Cpu) -> $All {
                $All { cpu, $($module: $Handle::best(cpu)),* }
            }

            /// The processor that they were chosen for.
            pub fn cpu(&self) -> $crate::Cpu {
                self.cpu
            }
        }
    };
}
