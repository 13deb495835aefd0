//! The choices of a plan as neutral values, for files of any format.

use super::product::Product;
use super::steps::{NEVER, Steps};
use crate::Isa;
use carrysave_kernels::REGISTRY;
use std::fmt;

/// A choice of a plan, of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A size or a count; [`NEVER`] is the name `never`.
    Number(usize),
    /// The name of a method or a kernel, or a text.
    Name(String),
    /// Choices by size, each with the last size that it holds for; the last one has [`NEVER`].
    Steps(Vec<(usize, Value)>),
}

impl Value {
    /// The size, if this is one.
    ///
    /// ```
    /// use carrysave_arith::{NEVER, Value};
    /// assert_eq!(Value::Number(30).size(), Some(30));
    /// assert_eq!(Value::Name("never".to_owned()).size(), Some(NEVER));
    /// assert_eq!(Value::Name("toom22".to_owned()).size(), None);
    /// ```
    pub fn size(&self) -> Option<usize> {
        match self {
            Value::Number(size) => Some(*size),
            Value::Name(name) => (name == "never").then_some(NEVER),
            Value::Steps(_) => None,
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// A setting found in a file.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value; `None` if no choice has its kind.
    pub value: Option<Value>,
    /// The text in the file, for messages.
    pub text: String,
}

/// The error in a plan, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl PlanError {
    /// An error with this sentence.
    pub fn new(message: impl Into<String>) -> PlanError {
        PlanError(message.into())
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

/// Fails with a sentence on a setting, unless the condition holds.
pub(super) fn require(holds: bool, name: &str, what: &str) -> Result<(), PlanError> {
    match holds {
        true => Ok(()),
        false => Err(PlanError::new(format!("a plan's {name} {what}"))),
    }
}

/// The choice that a setting found in a file stands for.
pub(super) fn read<T: Setting>(name: &str, found: Option<Found>) -> Result<T, PlanError> {
    let lacking = || PlanError::new(format!("the plan lacks the setting {name}: tune it again"));
    let Found { value, text } = found.ok_or_else(lacking)?;
    value.as_ref().and_then(T::of).ok_or_else(|| {
        let allowed = T::allowed();
        PlanError::new(format!("a plan's {name} cannot be {text}: it is {allowed}"))
    })
}

/// A kind of choice.
pub(super) trait Setting: Sized {
    /// The choice in words.
    fn show(&self) -> String;

    /// The choice as a neutral value.
    fn value(&self) -> Value;

    /// The choice that a value stands for; `None` if it is of another kind.
    fn of(value: &Value) -> Option<Self>;

    /// The valid values of a choice, in words.
    fn allowed() -> String;

    /// Checks that every size has a choice, and that each choice is valid.
    fn check(&self, _name: &str) -> Result<(), PlanError> {
        Ok(())
    }
}

/// Leaks a text.
pub(super) struct Text(pub(super) &'static str);

impl Setting for Text {
    fn show(&self) -> String {
        self.0.to_owned()
    }

    fn value(&self) -> Value {
        Value::Name(self.show())
    }

    fn of(value: &Value) -> Option<Text> {
        Some(Text(value.name()?.to_owned().leak()))
    }

    fn allowed() -> String {
        "a text".to_owned()
    }
}

impl Setting for Isa {
    fn show(&self) -> String {
        self.to_string()
    }

    fn value(&self) -> Value {
        Value::Name(self.show())
    }

    fn of(value: &Value) -> Option<Isa> {
        let extension = |name: &str| Isa::ALL.iter().find(|row| row.1 == name);
        match value.name()? {
            "-" => Some(Isa::NONE),
            names => names
                .split('+')
                .try_fold(Isa::NONE, |all, name| Some(all.and(extension(name)?.0))),
        }
    }

    fn allowed() -> String {
        let names: Vec<_> = Isa::ALL.iter().map(|row| row.1).collect();
        format!(
            "\"-\", or with a + between them some of {}",
            names.join(", ")
        )
    }
}

/// A threshold.
impl Setting for usize {
    fn show(&self) -> String {
        match *self {
            NEVER => "never".to_owned(),
            size => size.to_string(),
        }
    }

    fn value(&self) -> Value {
        match *self {
            NEVER => Value::Name(self.show()),
            size => Value::Number(size),
        }
    }

    fn of(value: &Value) -> Option<usize> {
        value.size()
    }

    fn allowed() -> String {
        "a whole number from 1 on, or \"never\"".to_owned()
    }

    fn check(&self, name: &str) -> Result<(), PlanError> {
        require(*self > 0, name, "is 1 at least")
    }
}

impl Setting for Product {
    fn show(&self) -> String {
        self.to_string()
    }

    fn value(&self) -> Value {
        Value::Name(self.show())
    }

    fn of(value: &Value) -> Option<Product> {
        let name = value.name()?;
        Product::ALL
            .into_iter()
            .find(|product| product.to_string() == name)
    }

    fn allowed() -> String {
        let names = Product::ALL.map(|product| product.to_string());
        format!("one of {}", names.join(", "))
    }
}

/// The name of a kernel.
impl Setting for &'static str {
    fn show(&self) -> String {
        (*self).to_owned()
    }

    fn value(&self) -> Value {
        Value::Name(self.show())
    }

    fn of(value: &Value) -> Option<&'static str> {
        let name = value.name()?;
        let mut kernels = REGISTRY.iter().flat_map(|op| op.kernels);
        kernels
            .find(|kernel| kernel.0 == name)
            .map(|kernel| kernel.0)
    }

    fn allowed() -> String {
        "a name of a kernel, which `carrysave kernels` lists".to_owned()
    }
}

impl<T: Setting + 'static> Setting for Steps<T> {
    fn show(&self) -> String {
        let step = |(up_to, choice): &(usize, T)| match *up_to {
            NEVER => choice.show(),
            size => format!("{} to {size}", choice.show()),
        };
        self.iter().map(step).collect::<Vec<_>>().join(", then ")
    }

    fn value(&self) -> Value {
        Value::Steps(
            self.iter()
                .map(|(up_to, choice)| (*up_to, choice.value()))
                .collect(),
        )
    }

    fn of(value: &Value) -> Option<Steps<T>> {
        let Value::Steps(steps) = value else {
            return None;
        };
        let step = |(up_to, choice): &(usize, Value)| Some((*up_to, T::of(choice)?));
        let steps: Option<Vec<(usize, T)>> = steps.iter().map(step).collect();
        Some(steps?.leak())
    }

    fn allowed() -> String {
        let choice = T::allowed();
        format!(
            "a list of {{ up_to = SIZE, use = CHOICE }}, the last without up_to; a choice is {choice}"
        )
    }

    fn check(&self, name: &str) -> Result<(), PlanError> {
        let open = self.last().is_some_and(|step| step.0 == NEVER);
        let ascending = self.is_sorted_by(|a, b| a.0 < b.0);
        require(
            open && ascending,
            name,
            "has an open last step and ascending sizes",
        )?;
        self.iter().try_for_each(|(_, choice)| choice.check(name))
    }
}
