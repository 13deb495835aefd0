//! Type-erased tasks, so that tasks of several types share groups.
//!
//! A group has one type of [`Primitive`], which [`Any`] recovers. Inputs and outputs pass through options that tasks
//! take as `dyn Any`, so none is boxed.

use carrysave_arith::BufferedRng;
use carrysave_team::Team;
use carrysave_team::task::{Primitive, Task};
use core::any::{Any, TypeId};
use core::borrow::Borrow;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use rand_core::CryptoRng;
use std::sync::{Mutex, PoisonError};

/// A task of any type: a [`Task`], or a list of some made by [`jobs!`](crate::jobs).
///
/// [`Batch`](crate::Batch) and [`Service`](crate::Service) take it. A caller of one task alone needs [`Task::run`]
/// only.
pub trait AnyTask: Send + Sync {
    /// What the task gives.
    type Output: Send;
    /// Why it gives nothing.
    type Error: Send;

    /// [`Task::primitive`].
    fn any_primitive(&self) -> &dyn AnyPrimitive;

    /// [`Task::start`]: puts the input into `input`, an empty [`Option`] of the primitive's input.
    ///
    /// # Errors
    /// As [`Task::start`].
    ///
    /// # Panics
    /// If `input` is of another type.
    fn start_any(&self, rng: &mut dyn CryptoRng, input: &mut dyn Any) -> Result<(), Self::Error>;

    /// [`Task::finish`]: takes the output from `output`, an [`Option`] of the primitive's output.
    ///
    /// # Errors
    /// As [`Task::finish`].
    ///
    /// # Panics
    /// If `output` is of another type, or empty.
    fn finish_any(&self, output: &mut dyn Any) -> Result<Self::Output, Self::Error>;
}

impl<T: Task> AnyTask for T {
    type Output = T::Output;
    type Error = T::Error;

    fn any_primitive(&self) -> &dyn AnyPrimitive {
        self.primitive()
    }

    fn start_any(&self, rng: &mut dyn CryptoRng, input: &mut dyn Any) -> Result<(), T::Error> {
        let input: &mut Option<<T::Primitive as Primitive>::Input> =
            input.downcast_mut().expect(OF_ITS_PRIMITIVE);
        *input = Some(self.start(rng)?);
        Ok(())
    }

    fn finish_any(&self, output: &mut dyn Any) -> Result<T::Output, T::Error> {
        let output: &mut Option<<T::Primitive as Primitive>::Output> =
            output.downcast_mut().expect(OF_ITS_PRIMITIVE);
        self.finish(output.take().expect("an output for each input"))
    }
}

const OF_ITS_PRIMITIVE: &str = "an option of the primitive's own type";

/// Runs one task alone, with its primitive on a team: [`Task::run_on`] for any task.
///
/// # Errors
/// Those of the task.
///
/// # Panics
/// If a member of the team or the generator does.
///
/// # Timing
/// Depends on the operation, and on when the system schedules the threads.
///
/// ```
/// use carrysave_engine::{Job, Output, Threads, run_on};
/// use carrysave_schemes::hash::Hash;
/// use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, task::SignPss};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let team = Threads::new(2).unwrap();
/// let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(b"a message"));
/// let job = SignPss { key: key.clone(), hash, mgf: hash, salt_len: 32, digest: digest.clone() };
/// let signature = run_on(&job, &team, &mut UnwrapErr(SysRng)).unwrap();
/// key.public().rsassa_pss_verify(hash, hash, Some(32), &digest, &signature).unwrap();
/// ```
pub fn run_on<J: AnyTask>(
    task: &J,
    team: &dyn Team,
    rng: &mut dyn CryptoRng,
) -> Result<J::Output, J::Error> {
    let pending = Pending::<J, &J>::new(task);
    task.any_primitive().run_entry_on(team, rng, &pending);
    pending.into_result()
}

/// A primitive of any type: every [`Primitive`] is one.
pub trait AnyPrimitive: Send + Sync {
    /// The primitive as a value of its own type.
    fn as_any(&self) -> &dyn Any;

    /// The class; primitives of different types never share one.
    fn any_class(&self) -> TaskClass;

    /// Whether `class` is this primitive's class.
    fn is_of(&self, class: &TaskClass) -> bool;

    /// [`Primitive::cost`].
    fn any_cost(&self) -> u64;

    /// [`Primitive::GROUP`].
    fn group_most(&self) -> usize;

    /// [`Primitive::group_from`].
    fn any_group_from(&self) -> Option<usize>;

    /// [`Primitive::group_cost`] of a group of this size; `None` if it is not faster than its primitives one by one.
    fn any_group_cost(&self, size: usize) -> Option<u64>;

    /// Runs entries whose primitives have this one's class.
    fn run_entries(&self, rng: &mut dyn CryptoRng, entries: &[&dyn Entry]);

    /// Runs the entry of this primitive on a team.
    fn run_entry_on(&self, team: &dyn Team, rng: &mut dyn CryptoRng, entry: &dyn Entry);
}

impl<P: Primitive> AnyPrimitive for P {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn any_class(&self) -> TaskClass {
        TaskClass(Box::new(ClassOf::<P>(self.class())))
    }

    fn is_of(&self, class: &TaskClass) -> bool {
        let class = class.0.as_any().downcast_ref::<ClassOf<P>>();
        class.is_some_and(|class| class.0 == self.class())
    }

    fn any_cost(&self) -> u64 {
        self.cost()
    }

    fn group_most(&self) -> usize {
        P::GROUP
    }

    fn any_group_from(&self) -> Option<usize> {
        self.group_from()
    }

    fn any_group_cost(&self, size: usize) -> Option<u64> {
        let from = self.group_from().filter(|&from| size >= from)?;
        Some(self.group_cost(from, size))
    }

    fn run_entries(&self, rng: &mut dyn CryptoRng, entries: &[&dyn Entry]) {
        let start = |entry: &&dyn Entry| {
            let mut input = None::<P::Input>;
            entry.start(rng, &mut input);
            input
        };
        let inputs: Vec<Option<P::Input>> = entries.iter().map(start).collect();
        let mut group = Vec::with_capacity(entries.len());
        for (entry, input) in entries.iter().zip(&inputs) {
            let Some(input) = input else { continue };
            let primitive = entry.primitive().as_any().downcast_ref::<P>();
            group.push((primitive.expect("one type in a class"), input));
        }
        if group.is_empty() {
            return;
        }
        let mut outputs = P::run_group(rng, &group).into_iter();
        for (entry, input) in entries.iter().zip(&inputs) {
            if input.is_some() {
                entry.finish(&mut outputs.next());
            }
        }
    }

    fn run_entry_on(&self, team: &dyn Team, rng: &mut dyn CryptoRng, entry: &dyn Entry) {
        let mut input = None::<P::Input>;
        entry.start(rng, &mut input);
        if let Some(input) = &input {
            entry.finish(&mut Some(P::run_on(self, team, rng, input)));
        }
    }
}

/// Runs entries of one class side by side, which take random bytes from one buffer.
pub(crate) fn run_group<R: CryptoRng + ?Sized>(rng: &mut R, entries: &[&dyn Entry]) {
    if let Some(first) = entries.first() {
        let rng = &mut BufferedRng::new(rng);
        first.primitive().run_entries(rng, entries);
    }
}

/// The class of a primitive of any type.
pub struct TaskClass(Box<dyn AnyClass>);

impl PartialEq for TaskClass {
    fn eq(&self, other: &TaskClass) -> bool {
        self.0.equals(other.0.as_any())
    }
}

impl Eq for TaskClass {}

impl Hash for TaskClass {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash_into(state);
    }
}

trait AnyClass: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &dyn Any) -> bool;
    fn hash_into(&self, state: &mut dyn Hasher);
}

/// A class of primitives of type P.
struct ClassOf<P: Primitive>(P::Class);

impl<P: Primitive> AnyClass for ClassOf<P> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn Any) -> bool {
        let other = other.downcast_ref::<ClassOf<P>>();
        other.is_some_and(|other| self.0 == other.0)
    }

    fn hash_into(&self, mut state: &mut dyn Hasher) {
        TypeId::of::<P>().hash(&mut state);
        self.0.hash(&mut state);
    }
}

/// A task with a place for its result.
pub trait Entry: Send + Sync {
    /// The long operation inside.
    fn primitive(&self) -> &dyn AnyPrimitive;

    /// Puts the input into an option, or an error into the place of the result.
    fn start(&self, rng: &mut dyn CryptoRng, input: &mut dyn Any);

    /// Makes the result of the output, which is taken from an option.
    fn finish(&self, output: &mut dyn Any);
}

/// A task, owned or borrowed, that has no result yet.
pub(crate) struct Pending<J: AnyTask, B: Borrow<J>> {
    task: B,
    result: Mutex<Option<Result<J::Output, J::Error>>>,
    of: PhantomData<fn() -> J>,
}

impl<J: AnyTask, B: Borrow<J> + Send + Sync> Pending<J, B> {
    pub(crate) fn new(task: B) -> Pending<J, B> {
        Pending {
            task,
            result: Mutex::new(None),
            of: PhantomData,
        }
    }

    /// The result.
    ///
    /// # Panics
    /// If the task has not run.
    pub(crate) fn into_result(self) -> Result<J::Output, J::Error> {
        let result = self.result.into_inner();
        result.unwrap_or_else(PoisonError::into_inner).expect(RAN)
    }

    /// The result. It can be taken once.
    ///
    /// # Panics
    /// If the task has not run.
    pub(crate) fn take_result(&self) -> Result<J::Output, J::Error> {
        self.result().take().expect(RAN)
    }

    fn result(&self) -> std::sync::MutexGuard<'_, Option<Result<J::Output, J::Error>>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const RAN: &str = "the task ran";

impl<J: AnyTask, B: Borrow<J> + Send + Sync> Entry for Pending<J, B> {
    fn primitive(&self) -> &dyn AnyPrimitive {
        self.task.borrow().any_primitive()
    }

    fn start(&self, rng: &mut dyn CryptoRng, input: &mut dyn Any) {
        if let Err(error) = self.task.borrow().start_any(rng, input) {
            *self.result() = Some(Err(error));
        }
    }

    fn finish(&self, output: &mut dyn Any) {
        let result = self.task.borrow().finish_any(output);
        *self.result() = Some(result);
    }
}
