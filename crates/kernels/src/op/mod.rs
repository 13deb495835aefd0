//! Operations: a contract as data, a table of kernels, a handle.
//!
//! Each operation lives in one folder. Its `mod.rs` states the contract for people and, through [`op!`](crate::op!),
//! the same contract as data; lists the kernels, best first; and gives the handle its safe call.
//! Everything else (tests, masks, benches, listings) walks [`REGISTRY`](crate::REGISTRY) and needs no change
//! when a kernel is added.

mod dims;
mod draft;
mod len;
mod value;

use crate::{Cpu, Isa, Limb, Model};
pub(crate) use dims::lengths;
pub use dims::{Dims, Sizes};
pub use draft::{Draft, Source};
pub use len::Len;
pub(crate) use value::DIVISOR;
pub use value::{Bound, Generator, Scalar, Value, Word};

/// One row of an operation's table: a way to compute it.
pub struct Kernel<F> {
    /// What makes this kernel different: `portable`, `mulx_adx`, ...
    pub name: &'static str,
    /// The extensions that it needs.
    pub needs: Isa,
    /// When it is chosen.
    pub choice: Choice,
    /// The function.
    pub f: F,
}

/// When a kernel is chosen on a processor that runs it.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Whether its time depends on values: it is never chosen where the contract promises that it does not.
    pub timing: Timing,
    /// The kinds of processors on which it is the best one; all if it names none. By name it is had on every kind.
    pub models: &'static [Model],
}

impl Choice {
    /// Whether a handle of this contract takes the kernel on a processor of this kind, if it runs there and no other comes
    /// first.
    pub fn takes(&self, contract: &Contract, model: Model) -> bool {
        self.timing == contract.timing && (self.models.is_empty() || self.models.contains(&model))
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
    /// Read; its content after the call is unspecified.
    Destroyed,
    /// Working space: its content before and after is unspecified, and may be secret after.
    Scratch,
}

impl Role {
    /// Whether an operand of this role means something on entry.
    pub const fn is_read(self) -> bool {
        matches!(self, Role::In | Role::InOut | Role::Destroyed)
    }
}

/// One vector of limbs that a kernel takes, least significant limb first.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its name in the contract.
    pub name: &'static str,
    /// What the kernel does to it.
    pub role: Role,
    /// Its length.
    pub len: Len,
    /// What it may hold on entry.
    pub value: Value,
    /// Whether it is no secret: time may depend on it where [`Timing::Constant`] is promised, too.
    pub public: bool,
    /// Whether it may stand at any address, not only at those of limbs: bytes, the lowest of a word first.
    pub unaligned: bool,
}

impl Operand {
    const fn new(name: &'static str, role: Role, len: Len) -> Operand {
        Operand {
            name,
            role,
            len,
            value: Value::Any,
            public: false,
            unaligned: false,
        }
    }
    /// A written operand.
    pub const fn out(name: &'static str, len: Len) -> Operand {
        Operand::new(name, Role::Out, len)
    }
    /// A read and written operand of any value.
    pub const fn in_out(name: &'static str, len: Len) -> Operand {
        Operand::new(name, Role::InOut, len)
    }
    /// A read operand of any value.
    pub const fn input(name: &'static str, len: Len) -> Operand {
        Operand::new(name, Role::In, len)
    }
    /// Working space.
    pub const fn scratch(name: &'static str, len: Len) -> Operand {
        Operand::new(name, Role::Scratch, len)
    }
    /// Lets the operand stand at any address.
    pub const fn unaligned(self) -> Operand {
        Operand {
            unaligned: true,
            ..self
        }
    }
    /// Says that the call destroys the operand.
    pub const fn destroyed(self) -> Operand {
        Operand {
            role: Role::Destroyed,
            ..self
        }
    }
    /// Says that the operand is no secret.
    pub const fn public(self) -> Operand {
        Operand {
            public: true,
            ..self
        }
    }
    /// Restricts the operand to `value`.
    pub const fn holding(self, value: Value) -> Operand {
        Operand { value, ..self }
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
    /// What the function returns.
    pub returns: Returns,
    /// Pairs (written, read) of operands that may be the same memory, exactly.
    pub same: &'static [(&'static str, &'static str)],
    /// The dimensions that a call may have.
    pub dims: Dims,
    /// The timing class of every kernel that a handle chooses. A row of the table may say otherwise for itself.
    pub timing: Timing,
    /// Where the operation or its method is described.
    pub source: &'static str,
}

/// A call by addresses and dimensions only, whatever the operation. For tests and benches; users call handles.
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
    choices: &'static [Choice],
    invoke: unsafe fn(usize, &Raw) -> Limb,
}

impl Op {
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        contract: &'static Contract,
        kernels: &'static [(&'static str, Isa)],
        choices: &'static [Choice],
        invoke: unsafe fn(usize, &Raw) -> Limb,
    ) -> Op {
        Op {
            name,
            contract,
            kernels,
            choices,
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
        self.choices[kernel].timing
    }

    /// The kinds of processors on which the kernel at position `kernel` is the best one; all if it names none.
    pub fn models(&self, kernel: usize) -> &'static [Model] {
        self.choices[kernel].models
    }

    /// The position of the kernel that a handle chooses on `cpu`.
    pub fn best(&self, cpu: Cpu) -> usize {
        self.admitted(cpu)
            .find(|&i| self.choices[i].takes(self.contract, cpu.model()))
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
///     inlined: |i| (r.add(i * n), a.add(i * n), b.add(i * n), n);
/// }
/// ```
///
/// A row is a kernel, best first: its name, what it needs, and after `=>` the function that it is, or a block over the
/// arguments of the call, compiled for the features in quotes. A row without either is the file of its name, whose function
/// is `kernel`.
/// Kernels that are `vartime` are never chosen, as their time depends on values. A row of the form `name for MODELS: needs =>
/// function` is chosen on these kinds of processors only. Sections say where rows exist: `any`,
/// `x86_64` and `aarch64` (little-endian), but for Miri, which runs no assembly, `little_endian`, and `checked`: with the
/// feature of that name, as in tests. There loops over vectors run on plain words, which check the bounds of sums; such rows
/// are `vartime`, as words promise nothing.
///
/// `inlined`, which may be left out, has the arguments of the i-th call of a loop: with the feature `forced` there is such
/// a loop for each row, its code inlined, and the handle's `inlined` is that of its kernel.
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
        $(inlined: |$i:ident| $each:expr;)?
    ) => {
        $crate::op! { @sections
            {
                [$(#[$doc])*] $Handle $name (($($arg: $type),*) [$($returned)?])
                {$contract} [$f $x {$call}] [$($i {$each})?]
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
        $crate::op! { @rows $head $rows [#[cfg(all(target_arch = "x86_64", not(miri)))]] $in $($more)* }
    };
    (@sections $head:tt $rows:tt aarch64 $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]] $in $($more)* }
    };
    (@sections $head:tt $rows:tt little_endian $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(target_endian = "little")]] $in $($more)* }
    };
    (@sections $head:tt $rows:tt checked $in:tt $($more:tt)*) => {
        $crate::op! { @rows $head $rows [#[cfg(feature = "checked")]] $in $($more)* }
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
            {$cfg [$(#[$doc])*] {$crate::op::Timing::Variable} {&[]} $kernel {$needs} [$($features)?] [$(path $entry)?]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* vartime $kernel:ident: $needs:expr $(, $features:literal)? => $entry:block;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {$crate::op::Timing::Variable} {&[]} $kernel {$needs} [$($features)?] [block $entry]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* $kernel:ident for $models:path: $needs:expr => $entry:path;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {CONTRACT.timing} {$models} $kernel {$needs} [] [path $entry]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* $kernel:ident: $needs:expr $(, $features:literal)? $(=> $entry:path)?;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {CONTRACT.timing} {&[]} $kernel {$needs} [$($features)?] [$(path $entry)?]}
        ] $cfg {$($in)*} $($more)* }
    };
    (@rows $head:tt [$($rows:tt)*] $cfg:tt {
        $(#[$doc:meta])* $kernel:ident: $needs:expr $(, $features:literal)? => $entry:block;
        $($in:tt)*
    } $($more:tt)*) => {
        $crate::op! { @rows $head [
            $($rows)*
            {$cfg [$(#[$doc])*] {CONTRACT.timing} {&[]} $kernel {$needs} [$($features)?] [block $entry]}
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
        /// The type of a kernel.
        pub type F = unsafe fn($($type),*) $(-> $returned)?;
    };

    // Loops, for studies of code that is inlined where it is used.
    (@inlined $Handle:ident $signature:tt [] $($rows:tt)*) => {};
    (
        @inlined $Handle:ident (($($arg:ident: $type:ty),*) []) $each:tt
        $({[$($cfg:tt)*] $kernel:ident $features:tt $entry:tt $signature:tt})*
    ) => {
        #[cfg(feature = "forced")]
        impl $Handle {
            /// A loop of so many calls, into which the kernel is inlined; each has its arguments from those of the loop.
            #[allow(clippy::type_complexity)]
            fn inlined(&self) -> unsafe fn(usize, $($type),*) {
                let all: &[(&str, unsafe fn(usize, $($type),*))] = &[$(
                    $($cfg)*
                    (stringify!($kernel), $crate::op!(@loop $signature $each $kernel $features $entry))
                ),*];
                let own = all.iter().find(|(name, _)| *name == self.name);
                own.expect("a loop for each kernel").1
            }
        }
    };
    (
        @loop (($($arg:ident: $type:ty),*) []) [$i:ident {$each:expr}]
        $kernel:ident [$($features:literal)?] $entry:tt
    ) => {{
        $(#[target_feature(enable = $features)])?
        #[allow(clippy::too_many_arguments, unused_unsafe)]
        unsafe fn inlined(calls: usize, $($arg: $type),*) {
            for $i in 0..calls {
                // SAFETY: the contract, for each call.
                unsafe {
                    let ($($arg,)*) = $each;
                    $crate::op!(@body $kernel $entry $($arg)*);
                }
            }
        }
        inlined
    }};
    (@body $kernel:ident [] $($arg:ident)*) => { $kernel::kernel($($arg),*) };
    (@body $kernel:ident $entry:tt $($arg:ident)*) => { $crate::op!(@call $entry $($arg)*) };

    (
        @emit {
            [$($doc:tt)*] $Handle:ident $name:literal $signature:tt
            {$contract:expr} [$f:ident $x:ident {$call:expr}] $inlined:tt
        }
        $({
            [$($cfg:tt)*] [$($about:tt)*] {$timing:expr} {$models:expr} $kernel:ident {$needs:expr}
            $features:tt $entry:tt
        })*
    ) => {
        $($crate::op! { @item [$($cfg)*] [$($about)*] $kernel $features $entry $signature })*
        $crate::op! { @type $signature }
        $crate::op! { @inlined $Handle $signature $inlined $({[$($cfg)*] $kernel $features $entry $signature})* }

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
                choice: $crate::op::Choice { timing: $timing, models: $models },
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
                &[$($($cfg)* $crate::op::Choice { timing: $timing, models: $models }),*],
                invoke,
            )
        };

        impl $Handle {
            /// Every kernel of the contract's timing class that `cpu` admits, best first; one of them is plain Rust.
            pub fn all(cpu: $crate::Cpu) -> impl Iterator<Item = $Handle> {
                $Handle::admitted(cpu, |choice| choice.timing == CONTRACT.timing)
            }

            /// Every kernel that `cpu` admits, whatever its timing class, best first: never for secrets.
            pub fn all_vartime(cpu: $crate::Cpu) -> impl Iterator<Item = $Handle> {
                $Handle::admitted(cpu, |_| true)
            }

            /// The only constructor.
            fn admitted(
                cpu: $crate::Cpu,
                fits: impl Fn($crate::op::Choice) -> bool,
            ) -> impl Iterator<Item = $Handle> {
                KERNELS
                    .iter()
                    .filter(move |k| cpu.has(k.needs) && fits(k.choice))
                    .map(|k| $Handle { f: k.f, name: k.name })
            }

            /// The best kernel that `cpu` admits.
            pub fn best(cpu: $crate::Cpu) -> $Handle {
                let takes = |choice: $crate::op::Choice| choice.takes(&CONTRACT, cpu.model());
                let forced = $Handle::forced(cpu);
                let best = forced.or_else(|| $Handle::admitted(cpu, takes).next());
                best.expect("every table has a portable kernel")
            }

            /// The kernel of that name, if it exists and `cpu` admits it: how a plan says what it chose.
            pub fn named(cpu: $crate::Cpu, name: &str) -> Option<$Handle> {
                let named = $Handle::all(cpu).find(|handle| handle.name == name)?;
                Some($Handle::forced(cpu).unwrap_or(named))
            }

            /// The kernel that is forced upon the program, in laboratories.
            #[cfg(feature = "forced")]
            fn forced(cpu: $crate::Cpu) -> Option<$Handle> {
                $crate::forced::kernel($name).and_then(|name| $Handle::named_vartime(cpu, name))
            }

            /// None is forced upon a program, but in laboratories.
            #[cfg(not(feature = "forced"))]
            #[inline(always)]
            fn forced(_cpu: $crate::Cpu) -> Option<$Handle> {
                None
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
