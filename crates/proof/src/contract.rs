//! The walk that every kernel must survive.

use crate::{
    guard::{Fence, Place, Region},
    reference::{Outcome, outcome},
};
use carrysave_contract::{Case, Hex, Rng, dimensions, overlaps};
use carrysave_kernels::{
    Limb,
    op::{Op, Raw, Returns, Role},
};
use std::ptr;

/// Something that claims to be a kernel of an operation.
pub struct Subject<'a> {
    /// What to call it.
    pub name: String,
    /// Its entry. The walk meets the contract of the operation.
    pub call: &'a dyn Fn(&Raw) -> Limb,
    /// How often it was called.
    pub calls: usize,
}

impl<'a> Subject<'a> {
    /// A subject that was not called yet.
    pub fn new(name: impl Into<String>, call: &'a dyn Fn(&Raw) -> Limb) -> Subject<'a> {
        Subject {
            name: name.into(),
            call,
            calls: 0,
        }
    }
}

/// Memory for the operands of a call.
pub struct Arena(Vec<Region>);

impl Arena {
    /// Regions for the most operands that a call has.
    pub fn new(fence: Fence) -> Arena {
        Arena((0..Raw::OPERANDS).map(|_| Region::new(fence)).collect())
    }
}

/// Calls every subject at every size, in every overlap, with operands at both fences and at every alignment, and
/// compares what it leaves behind with the reference. The first difference ends the walk with its description. With a
/// `share` above one only one in `share` operands is tried at each size.
pub fn walk(
    op: &'static Op,
    subjects: &mut [Subject<'_>],
    arena: &mut Arena,
    seed: u64,
    share: usize,
) -> Result<(), String> {
    let mut rng = Rng::new(seed, op.name);
    let all = dimensions(op.contract);
    let few = all.len();
    for (n, m) in all {
        let overlaps = overlaps(op.contract, (n, m));
        // Small sizes are where most branches of a kernel are, and cheap; where sizes are few, each is tried more often.
        let size = n.max(m);
        let patterns: usize = match few {
            ..5 => 2000,
            5..10 if n <= 64 => 300,
            10..50 if n <= 64 => 100,
            _ => {
                let sizes = [12, 40, 300].iter().filter(|&&most| size > most);
                [120, 30, 6, 1][sizes.count()]
            }
        };
        for pattern in 0..patterns.div_ceil(share) {
            let apart = Case::generate(op, (n, m), &mut rng);
            let skew = rng.below(8);
            for overlap in &overlaps {
                let case = apart.overlapping(overlap);
                let places = [Place::First, Place::Last, Place::Middle(skew + pattern)];
                attempt(&case, &places, subjects, arena, Some(seed))?;
            }
        }
    }
    Ok(())
}

/// Calls every subject with the same operands at each of these places, and compares what it leaves behind with the
/// reference. The first difference is described; a walk says by which seed it can be seen again.
pub fn attempt(
    case: &Case,
    places: &[Place],
    subjects: &mut [Subject<'_>],
    arena: &mut Arena,
    seed: Option<u64>,
) -> Result<(), String> {
    let outcome = outcome(case);
    for &place in places {
        for subject in &mut *subjects {
            subject.calls += 1;
            let call = Call {
                case,
                name: &subject.name,
                place,
                seed,
            };
            call.run(subject.call, &outcome, arena)
                .map_err(|what| call.describe(&what))?;
        }
    }
    Ok(())
}

/// One call of one subject.
struct Call<'a> {
    case: &'a Case,
    name: &'a str,
    place: Place,
    seed: Option<u64>,
}

impl Call<'_> {
    /// The call and everything that must be true after it.
    fn run(
        &self,
        kernel: &dyn Fn(&Raw) -> Limb,
        outcome: &Outcome,
        arena: &mut Arena,
    ) -> Result<(), String> {
        let Case {
            op,
            n,
            m,
            s,
            values,
            overlap,
        } = self.case;
        let operands = op.contract.operands;
        let memories = || (0..operands.len()).filter(|&i| overlap[i] == i);
        let mut raw = Raw {
            p: [ptr::null_mut(); Raw::OPERANDS],
            n: *n,
            m: *m,
            s: *s,
        };
        for i in memories() {
            let place = match self.place {
                // Each operand at an alignment of its own: that of limbs, or any.
                Place::Middle(skew) if operands[i].unaligned => Place::Middle(9 * skew * (i + 1)),
                Place::Middle(skew) => Place::Middle(8 * skew * (i + 1)),
                fenced => fenced,
            };
            raw.p[i] = arena.0[i].place(place, &values[i]);
        }
        for (i, &memory) in overlap.iter().enumerate() {
            raw.p[i] = raw.p[memory];
        }
        watch::enter(self);
        let returned = kernel(&raw);
        watch::leave();
        for i in memories() {
            if !arena.0[i].intact() {
                return Err(format!("wrote outside of {}", operands[i].name));
            }
            let got = arena.0[i].operand();
            let Some(expected) = &outcome.values[i] else {
                continue;
            };
            let Some(limb) = got
                .iter()
                .zip(expected)
                .position(|(got, expected)| got != expected)
            else {
                continue;
            };
            let written =
                (0..operands.len()).find(|&j| overlap[j] == i && operands[j].role != Role::In);
            let what = match written {
                Some(j) => format!("wrote a wrong {}", operands[j].name),
                None => format!("changed its input {}", operands[i].name),
            };
            let (len, got, expected) = (got.len(), Hex(&got), Hex(expected));
            return Err(format!(
                "{what}: limb {limb} of {len}, counted from the lowest\n  got      {got}\n  expected {expected}"
            ));
        }
        if op.contract.returns != Returns::Nothing && returned != outcome.returned {
            return Err(format!(
                "returned {returned:#x} instead of {:#x}",
                outcome.returned
            ));
        }
        Ok(())
    }

    /// What went wrong, with what, and how to see it again.
    fn describe(&self, what: &str) -> String {
        let Call {
            case,
            name,
            place,
            seed,
        } = self;
        format!(
            "{name} {what}\n{case}  operands {place}\n  to repeat: {}",
            repeat(*seed, name)
        )
    }
}

/// The command that walks one kernel again.
pub fn repeat(seed: Option<u64>, name: &str) -> String {
    match seed {
        Some(seed) => format!(
            "CARRYSAVE_SEED={seed} cargo test -p carrysave-proof --test contracts -- --exact {name}"
        ),
        None => "the fuzzer with the input that it writes".to_owned(),
    }
}

/// Says which call it was when the processor refuses an access.
pub mod watch {
    use super::{Call, repeat};
    use std::{
        cell::Cell,
        fmt::{self, Write},
        mem, ptr,
        sync::Once,
    };

    thread_local! {
        /// The call that this thread is in, or null.
        static CALL: Cell<*const Call<'static>> = const { Cell::new(ptr::null()) };
    }

    pub(super) fn enter(call: &Call<'_>) {
        CALL.set(ptr::from_ref(call).cast());
    }

    pub(super) fn leave() {
        CALL.set(ptr::null());
    }

    /// From now on an access out of bounds is reported with its operands before it ends the process.
    pub fn install() {
        static ONCE: Once = Once::new();
        // SAFETY: an all-zero sigaction is valid, and the handler has the type that SA_SIGINFO asks for.
        ONCE.call_once(|| unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = report;
            action.sa_sigaction = handler as *const () as usize;
            libc::sigaction(libc::SIGSEGV, &action, ptr::null_mut());
        });
    }

    /// Writes the report; returning repeats the access, which then ends the process.
    ///
    /// The signal came from within a kernel, which holds no lock, so that formatting is safe here.
    extern "C" fn report(_: i32, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: null, or what this thread has borrowed until `leave`.
        let call = unsafe { CALL.get().as_ref() };
        if let Some(Call {
            case,
            name,
            place,
            seed,
        }) = call
        {
            let _ = writeln!(
                Stderr,
                "\n{name} touched memory out of bounds\n{case}  operands {place}"
            );
            let _ = writeln!(Stderr, "  to repeat: {}", repeat(*seed, name));
        }
    }

    /// Standard error without a buffer or a lock.
    struct Stderr;

    impl Write for Stderr {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            // SAFETY: the address and length are those of a string.
            unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
            Ok(())
        }
    }
}
