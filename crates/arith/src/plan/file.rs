//! Plans as files: TOML, a line a setting, with what each means beside it.
//!
//! ```toml
//! # Method of products by limbs of the factors.
//! mul = [{ up_to = 47, use = "schoolbook" }, { use = "toom22" }]
//! # Limbs of a quotient from which division is recursive.
//! divide = 30
//! ```

use super::{Head, NEVER, Plan, Product, Steps};
use crate::Isa;
use carrysave_kernels::REGISTRY;
use std::{fmt, fmt::Write};
use toml::{Table, Value};

/// What is wrong with a plan, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl PlanError {
    pub(super) fn new(message: String) -> PlanError {
        PlanError(message)
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

/// What plans of earlier versions have, and this one works out for itself.
const GONE: &[&str] = &["sliding_window"];

impl Plan {
    /// The plan as a file, which [`Plan::from_toml`] reads.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# A plan of carrysave: which algorithm, kernel and window for which size.\n\n",
        );
        let mut line = |name: &str, value: &Value, meaning: &str| {
            let _ = write!(text, "# {meaning}\n{name} = {value}\n");
        };
        let string = |s: &str| Value::String(s.to_owned());
        line(
            "machine",
            &string(self.machine),
            "The processor it was measured on.",
        );
        line("date", &string(self.date), "The day it was measured.");
        line(
            "needs",
            &string(&self.needs.to_string()),
            "The extensions without which it makes no sense.",
        );
        for (name, value, meaning) in self.written() {
            line(name, &value, &meaning);
        }
        text
    }

    /// The plan that a file holds. What it names stays in memory as long as the program runs.
    ///
    /// A file of an earlier version may have the setting `sliding_window`, which means nothing any more: the width of
    /// windows over a public exponent follows from the exponent.
    ///
    /// # Errors
    /// It is not TOML, a setting is missing, unknown or of the wrong kind, or the plan would not work (see
    /// [`Plan::check`]).
    ///
    /// ```
    /// use carrysave_arith::Plan;
    /// let plan = Plan::native();
    /// assert_eq!(Plan::from_toml(&plan.to_toml()).unwrap().to_toml(), plan.to_toml());
    /// ```
    pub fn from_toml(text: &str) -> Result<Plan, PlanError> {
        let mut table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| PlanError(format!("it is not TOML: {}", e.message())))?;
        let head = Head {
            machine: take::<Text>(&mut table, "machine")?.0,
            date: take::<Text>(&mut table, "date")?.0,
            needs: take(&mut table, "needs")?,
        };
        let plan = Plan::read(head, &mut table)?;
        for name in GONE {
            table.remove(*name);
        }
        match table.keys().next() {
            Some(name) => Err(PlanError(format!("a plan has no setting {name}"))),
            None => plan.check().map(|()| plan),
        }
    }
}

/// A setting of a table, which loses it.
pub(super) fn take<T: Read>(table: &mut Table, name: &str) -> Result<T, PlanError> {
    let value = table.remove(name);
    let value = value
        .ok_or_else(|| PlanError(format!("the plan lacks the setting {name}: tune it again")))?;
    T::read(&value).ok_or_else(|| {
        let allowed = T::allowed();
        PlanError(format!(
            "a plan's {name} cannot be {value}: it is {allowed}"
        ))
    })
}

/// What can be read from a value.
pub(super) trait Read: Sized {
    /// `None` if it is of the wrong kind.
    fn read(value: &Value) -> Option<Self>;

    /// What is of the right kind, in words.
    fn allowed() -> String;
}

/// A text that stays.
struct Text(&'static str);

impl Read for Text {
    fn read(value: &Value) -> Option<Text> {
        Some(Text(value.as_str()?.to_owned().leak()))
    }

    fn allowed() -> String {
        "a text".to_owned()
    }
}

impl Read for Isa {
    fn read(value: &Value) -> Option<Isa> {
        let extension = |name: &str| Isa::ALL.iter().find(|row| row.1 == name);
        match value.as_str()? {
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

impl Read for Product {
    fn read(value: &Value) -> Option<Product> {
        let name = value.as_str()?;
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
impl Read for &'static str {
    fn read(value: &Value) -> Option<&'static str> {
        let name = value.as_str()?;
        let mut kernels = REGISTRY.iter().flat_map(|op| op.kernels);
        kernels
            .find(|kernel| kernel.0 == name)
            .map(|kernel| kernel.0)
    }

    fn allowed() -> String {
        "a name of a kernel, which `carrysave kernels` lists".to_owned()
    }
}

impl Read for usize {
    fn read(value: &Value) -> Option<usize> {
        match value.as_str() {
            Some("never") => Some(NEVER),
            _ => value.as_integer()?.try_into().ok(),
        }
    }

    fn allowed() -> String {
        "a whole number from 1 on, or \"never\"".to_owned()
    }
}

impl<T: Read + 'static> Read for Steps<T> {
    fn read(value: &Value) -> Option<Steps<T>> {
        let step = |step: &Value| {
            let step = step.as_table()?;
            let up_to = step.get("up_to").map_or(Some(NEVER), usize::read)?;
            let known = step
                .keys()
                .all(|key| ["up_to", "use"].contains(&key.as_str()));
            Some((up_to, T::read(step.get("use").filter(|_| known)?)?))
        };
        let steps: Option<Vec<(usize, T)>> = value.as_array()?.iter().map(step).collect();
        Some(steps?.leak())
    }

    fn allowed() -> String {
        let choice = T::allowed();
        format!(
            "a list of {{ up_to = SIZE, use = CHOICE }}, the last without up_to; a choice is {choice}"
        )
    }
}

/// A kind of choice.
pub(super) trait Setting {
    /// It in words.
    fn show(&self) -> String;

    /// It as a file's value.
    fn write(&self) -> Value;

    /// Whether every size has a choice, and each choice is one at all.
    fn check(&self, _name: &str) -> Result<(), PlanError> {
        Ok(())
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

    fn write(&self) -> Value {
        match i64::try_from(*self) {
            Ok(size) => Value::Integer(size),
            Err(_) => Value::String("never".to_owned()),
        }
    }

    fn check(&self, name: &str) -> Result<(), PlanError> {
        super::require(*self > 0, name, "is 1 at least")
    }
}

impl Setting for Product {
    fn show(&self) -> String {
        self.to_string()
    }

    fn write(&self) -> Value {
        Value::String(self.to_string())
    }
}

/// The name of a kernel.
impl Setting for &'static str {
    fn show(&self) -> String {
        (*self).to_owned()
    }

    fn write(&self) -> Value {
        Value::String((*self).to_owned())
    }
}

impl<T: Setting> Setting for Steps<T> {
    fn show(&self) -> String {
        let step = |(up_to, choice): &(usize, T)| match *up_to {
            NEVER => choice.show(),
            size => format!("{} to {size}", choice.show()),
        };
        self.iter().map(step).collect::<Vec<_>>().join(", then ")
    }

    fn write(&self) -> Value {
        let step = |(up_to, choice): &(usize, T)| {
            let mut step = Table::new();
            if *up_to != NEVER {
                step.insert("up_to".to_owned(), up_to.write());
            }
            step.insert("use".to_owned(), choice.write());
            Value::Table(step)
        };
        Value::Array(self.iter().map(step).collect())
    }

    fn check(&self, name: &str) -> Result<(), PlanError> {
        let open = self.last().is_some_and(|step| step.0 == NEVER);
        let ascending = self.is_sorted_by(|a, b| a.0 < b.0);
        super::require(
            open && ascending,
            name,
            "has an open last step and ascending sizes",
        )?;
        self.iter().try_for_each(|(_, choice)| choice.check(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PLANS;

    #[test]
    fn files_hold_plans() {
        for plan in PLANS {
            let text = plan.to_toml();
            let again = Plan::from_toml(&text).unwrap();
            assert_eq!(format!("{again:?}"), format!("{plan:?}"));
            assert_eq!(again.to_toml(), text);
        }
    }

    #[test]
    fn plans_of_earlier_versions_are_read() {
        let now = PLANS[0].to_toml();
        let earlier = format!("{now}sliding_window = [{{ up_to = 11, use = 1 }}, {{ use = 3 }}]\n");
        assert_eq!(Plan::from_toml(&earlier).unwrap().to_toml(), now);
    }

    #[test]
    fn what_is_no_plan_gets_a_sentence() {
        let good = PLANS[PLANS.len() - 1].to_toml();
        let with = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            good.replacen(from, to, 1)
        };
        for (text, message) in [
            (with("machine = ", "machine "), "it is not TOML: "),
            (
                with("divide = 30", ""),
                "the plan lacks the setting divide: tune it again",
            ),
            (
                with("divide = 30", "divide = -1"),
                "a plan's divide cannot be -1: it is a whole number from 1 on, or \"never\"",
            ),
            (
                with("divide = 30", "divide = 1"),
                "a plan's divide is 2 at least",
            ),
            (
                with("divide = 30", "divide = 30\nspeed = 1"),
                "a plan has no setting speed",
            ),
            (
                with("use = \"schoolbook\"", "use = \"toom99\""),
                "a plan's mul cannot be ",
            ),
            (with("up_to = 47", "upto = 47"), "a plan's mul cannot be "),
            (
                with("needs = \"-\"", "needs = \"mmx\""),
                "a plan's needs cannot be \"mmx\": it is \"-\", or with a + between them some of ",
            ),
        ] {
            let error = Plan::from_toml(&text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
            let products = "a choice is one of schoolbook, toom22, toom33, toom44, fft";
            assert_eq!(error.ends_with(products), message.contains("'s mul "));
        }
    }
}
