//! Plans as TOML files: one line a setting, with its meaning beside it.
//!
//! ```toml
//! # Method of products by limbs of the factors.
//! mul = [{ up_to = 47, use = "schoolbook" }, { use = "toom22" }]
//! # Limbs of a quotient from which division is recursive.
//! divide = 30
//! ```

use carrysave_arith::{Found, NEVER, Plan, PlanError, Value};
use std::fmt::Write;
use toml::Table;

/// Settings of earlier versions that this version derives itself.
const GONE: &[&str] = &["sliding_window"];

/// A plan as a file, which [`from_toml`] reads.
///
/// ```
/// use carrysave_arith::Plan;
/// use carrysave_engine::plan;
/// let text = plan::to_toml(Plan::native());
/// assert_eq!(plan::to_toml(&plan::from_toml(&text).unwrap()), text);
/// ```
pub fn to_toml(plan: &Plan) -> String {
    let mut text = String::from(
        "# A plan of carrysave: which algorithm, kernel and window for which size.\n\n",
    );
    for (name, value, meaning) in plan.values() {
        let _ = write!(text, "# {meaning}\n{name} = {}\n", to_value(&value));
    }
    text
}

/// The plan in a file. Its texts and steps are leaked, because a plan borrows them for `'static`.
///
/// The setting `sliding_window` of earlier versions is ignored: the exponent determines the window width for public
/// exponents.
///
/// # Errors
/// If it is not TOML, a setting is missing, unknown or of the wrong kind, or the plan is invalid (see [`Plan::check`]).
///
/// ```
/// use carrysave_engine::plan;
/// let error = plan::from_toml("divide = 30").unwrap_err();
/// assert_eq!(error.to_string(), "the plan lacks the setting machine: tune it again");
/// ```
pub fn from_toml(text: &str) -> Result<Plan, PlanError> {
    let not_toml = |e: toml::de::Error| {
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let place = e.span().map(|span| format!(", line {}", line(span.start)));
        let place = place.unwrap_or_default();
        PlanError::new(format!("it is not TOML{place}: {}", e.message()))
    };
    let mut table: Table = text.parse().map_err(not_toml)?;
    let plan = Plan::from_values(|name| {
        let value = table.remove(name)?;
        Some(Found {
            value: from_value(&value),
            text: value.to_string(),
        })
    })?;
    for name in GONE {
        table.remove(*name);
    }
    match table.keys().next() {
        Some(name) => Err(PlanError::new(format!("a plan has no setting {name}"))),
        None => plan.check().map(|()| plan),
    }
}

/// A choice as written in a file.
fn to_value(value: &Value) -> toml::Value {
    match value {
        Value::Number(number) => match i64::try_from(*number) {
            Ok(number) => toml::Value::Integer(number),
            Err(_) => toml::Value::String("never".to_owned()),
        },
        Value::Name(name) => toml::Value::String(name.clone()),
        Value::Steps(steps) => {
            let step = |(up_to, choice): &(usize, Value)| {
                let mut step = Table::new();
                if *up_to != NEVER {
                    step.insert("up_to".to_owned(), to_value(&Value::Number(*up_to)));
                }
                step.insert("use".to_owned(), to_value(choice));
                toml::Value::Table(step)
            };
            toml::Value::Array(steps.iter().map(step).collect())
        }
    }
}

/// The choice that a value of the file stands for; `None` if no choice has this kind of value.
fn from_value(value: &toml::Value) -> Option<Value> {
    match value {
        toml::Value::Integer(number) => (*number).try_into().ok().map(Value::Number),
        toml::Value::String(name) => Some(Value::Name(name.clone())),
        toml::Value::Array(steps) => {
            let step = |step: &toml::Value| {
                let step = step.as_table()?;
                let up_to = match step.get("up_to") {
                    Some(up_to) => from_value(up_to)?.size()?,
                    None => NEVER,
                };
                let known = step.keys().all(|key| matches!(&key[..], "up_to" | "use"));
                let choice = step.get("use").filter(|_| known)?;
                Some((up_to, from_value(choice)?))
            };
            let steps: Option<Vec<(usize, Value)>> = steps.iter().map(step).collect();
            steps.map(Value::Steps)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_arith::PLANS;

    #[test]
    fn files_hold_plans() {
        for plan in PLANS {
            let text = to_toml(plan);
            let again = from_toml(&text).unwrap();
            // A file's plan is for the machine that it names, not for a kind of processors.
            let models = plan.models;
            let again = Plan { models, ..again };
            assert_eq!(format!("{again:?}"), format!("{plan:?}"));
            assert_eq!(to_toml(&again), text);
        }
    }

    #[test]
    fn plans_of_earlier_versions_are_read() {
        let now = to_toml(&PLANS[0]);
        let earlier = format!("{now}sliding_window = [{{ up_to = 11, use = 1 }}, {{ use = 3 }}]\n");
        assert_eq!(to_toml(&from_toml(&earlier).unwrap()), now);
    }

    #[test]
    fn what_is_no_plan_gets_a_sentence() {
        let good = to_toml(&PLANS[PLANS.len() - 1]);
        let with = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            good.replacen(from, to, 1)
        };
        for (text, message) in [
            (with("machine = ", "machine "), "it is not TOML, line "),
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
            let error = from_toml(&text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
            let products = "a choice is one of schoolbook, toom22, toom33, toom44, fft";
            assert_eq!(error.ends_with(products), message.contains("'s mul "));
        }
    }
}
