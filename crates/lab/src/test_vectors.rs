//! Test vectors: files with data and their answers, which `bench ways` times and `carrysave-lab vectors` runs.
//!
//! A file has lines `name = value`, and blank lines between its parts. The first part says what all cases have in
//! common, each other one is a case; numbers are hexadecimal, the most significant digit first. The files in
//! `data/vectors` were made once, and their answers by another program.

use crate::{
    Error, Row,
    clock::{self, Stopwatch},
    experiments::rsa::pkcs8,
    race::Measurement,
    record::Size,
};
use carrysave_arith::{
    Modulus, Nat,
    curve::{CryptoPP168, Point},
    field::{Fe, Field},
};
use carrysave_kernels::Cpu;
use carrysave_schemes::rsa::PrivateKey;
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::{collections::BTreeMap, rc::Rc, time::Duration};

/// The files of this crate: their names, and what is in them.
pub static FILES: [(&str, &str); 5] = [
    (
        "modexp-1024",
        include_str!("../data/vectors/modexp-1024.txt"),
    ),
    (
        "modexp-2048",
        include_str!("../data/vectors/modexp-2048.txt"),
    ),
    ("rsadp-1024", include_str!("../data/vectors/rsadp-1024.txt")),
    ("rsadp-2048", include_str!("../data/vectors/rsadp-2048.txt")),
    ("point-168", include_str!("../data/vectors/point-168.txt")),
];

/// The experiment of their [rows](TestVectors::row).
pub const EXPERIMENT: &str = "vectors";

/// The cases of a file, ready to run.
pub struct TestVectors {
    /// What they do: `modexp`, `rsadp` or `point`.
    pub operation: String,
    /// The size of their numbers.
    pub size: Size,
    cases: Vec<Case>,
}

/// Does the operation once, and says whether its answer is the one in the file.
type Case = Box<dyn Fn() -> bool>;

impl TestVectors {
    /// Those of this crate for an operation at a size, if there are any.
    ///
    /// # Errors
    /// None but those of [`TestVectors::read`], which the tests exclude.
    pub fn named(cpu: Cpu, operation: &str, bits: usize) -> Result<Option<TestVectors>, Error> {
        let name = format!("{operation}-{bits}");
        let file = FILES.iter().find(|(file, _)| *file == name);
        file.map(|(_, text)| TestVectors::read(cpu, text))
            .transpose()
    }

    /// Reads a file, for computing with the instructions of `cpu`.
    ///
    /// # Errors
    /// A line or an operation that is none, a number that is missing or wrong, or a file without cases.
    ///
    /// ```
    /// use carrysave_kernels::Cpu;
    /// use carrysave_lab::test_vectors::TestVectors;
    /// let text = "operation = modexp\nbits = 64\nmodulus = 1f\n\nbase = 3\nexponent = 4\npower = 13\n";
    /// let vectors = TestVectors::read(Cpu::native(), text)?;
    /// assert_eq!((vectors.len(), vectors.wrong()), (1, 0));
    /// # Ok::<(), carrysave_lab::Error>(())
    /// ```
    pub fn read(cpu: Cpu, text: &str) -> Result<TestVectors, Error> {
        let parts = parts(text)?;
        let (head, cases) = parts.split_first().ok_or_else(|| wrong("it is empty"))?;
        if cases.is_empty() {
            return Err(wrong("it has no cases"));
        }
        let operation = head.text("operation")?;
        let bits: usize = head
            .text("bits")?
            .parse()
            .map_err(|_| wrong("bits is no number"))?;
        let read = match operation {
            "modexp" => power(cpu, head)?,
            "rsadp" => private(cpu, bits, head)?,
            "point" => Box::new(move |case: &Part| point(cpu, case)),
            other => {
                let known = "there are modexp, rsadp and point";
                return Err(wrong(&format!("there is no operation {other}: {known}")));
            }
        };
        Ok(TestVectors {
            operation: operation.to_owned(),
            size: Size::Bits(bits),
            cases: cases.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// How many cases there are.
    #[expect(
        clippy::len_without_is_empty,
        reason = "a file without cases is refused"
    )]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Runs every case once, and counts those whose answer is wrong.
    pub fn wrong(&self) -> usize {
        self.cases.iter().filter(|case| !case()).count()
    }

    /// Runs every case so many times, and takes the processor's time.
    ///
    /// # Panics
    /// If an answer is wrong.
    pub fn time(&self, passes: usize) -> Duration {
        let start = Stopwatch::Processor.now();
        for _ in 0..passes {
            for case in &self.cases {
                assert!(case(), "it was right before");
            }
        }
        Stopwatch::Processor.now() - start
    }

    /// Runs every case once, and makes a row of what one takes.
    ///
    /// # Panics
    /// If an answer is wrong.
    pub fn row(&self) -> Row {
        let measured = Measurement {
            name: "carrysave".to_owned(),
            ns_median: self.time(1).as_nanos() as f64 / self.len() as f64,
            ns_spread: 0.0,
            samples: 1,
            core_ghz: clock::core_ghz(),
        };
        Row::new(EXPERIMENT, &self.operation, self.size, 1, &measured)
    }
}

/// The lines of a part.
struct Part(BTreeMap<String, String>);

impl Part {
    fn text(&self, name: &str) -> Result<&str, Error> {
        let value = self.0.get(name).map(String::as_str);
        value.ok_or_else(|| wrong(&format!("a part has no {name}")))
    }

    fn number(&self, name: &str) -> Result<Nat, Error> {
        let number = Nat::from_hex(self.text(name)?);
        number.ok_or_else(|| wrong(&format!("{name} is no hexadecimal number")))
    }
}

fn parts(text: &str) -> Result<Vec<Part>, Error> {
    let mut parts = vec![];
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            open = false;
        } else if !line.starts_with('#') {
            let (name, value) = line.split_once('=').ok_or_else(|| {
                wrong(&format!(
                    "the line {line:?} is not of the form name = value"
                ))
            })?;
            if !open {
                parts.push(Part(BTreeMap::new()));
                open = true;
            }
            let part = parts.last_mut().expect("one was begun");
            part.0
                .insert(name.trim().to_owned(), value.trim().to_owned());
        }
    }
    Ok(parts)
}

fn wrong(what: &str) -> Error {
    Error(format!("this is no file of test vectors: {what}"))
}

/// Makes a case of its part.
type Read = Box<dyn Fn(&Part) -> Result<Case, Error>>;

fn power(cpu: Cpu, head: &Part) -> Result<Read, Error> {
    let modulus = Modulus::with_cpu(&head.number("modulus")?, cpu);
    let modulus = modulus.ok_or_else(|| wrong("the modulus is even"))?;
    Ok(Box::new(move |case| {
        let [base, exponent, power] = ["base", "exponent", "power"].map(|name| case.number(name));
        let (modulus, base, exponent, power) = (modulus.clone(), base?, exponent?, power?);
        Ok(Box::new(move || {
            modulus.pow_vartime(&base, &exponent) == power
        }))
    }))
}

/// By the benchmark key of that many bits.
fn private(cpu: Cpu, bits: usize, head: &Part) -> Result<Read, Error> {
    let key = PrivateKey::from_any(pkcs8(bits)?, None).map_err(|error| Error(error.to_string()))?;
    let key = Rc::new(key.with_cpu(cpu));
    if *key.public().n() != head.number("modulus")? {
        return Err(wrong("the modulus is not that of the benchmark key"));
    }
    Ok(Box::new(move |case| {
        let (key, c, m) = (
            Rc::clone(&key),
            case.number("ciphertext")?,
            case.number("message")?,
        );
        Ok(Box::new(move || {
            key.rsadp(&mut UnwrapErr(SysRng), &c)
                .is_ok_and(|answer| answer == m)
        }))
    }))
}

fn point(cpu: Cpu, case: &Part) -> Result<Case, Error> {
    let [x, y] = ["x", "y"].map(|name| coordinate(&case.number(name)?, name));
    let point = Point::<CryptoPP168>::from_affine(x?, y?);
    let (scalar, point) = (
        case.number("scalar")?,
        point.ok_or_else(|| wrong("a point is not on the curve"))?,
    );
    let base = Point::<CryptoPP168>::generator();
    Ok(Box::new(move || base.mul_vartime(cpu, &scalar) == point))
}

fn coordinate<F: Field>(number: &Nat, name: &str) -> Result<Fe<F>, Error> {
    let bytes = number.to_be_bytes_vartime();
    let mut padded = [0; 21];
    let place = padded.len().checked_sub(bytes.len());
    let element = place.and_then(|place| {
        padded[place..].copy_from_slice(&bytes);
        Fe::from_be_bytes(&padded)
    });
    element.ok_or_else(|| wrong(&format!("{name} is not below the prime")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_right_with_every_set_of_instructions() {
        for cpu in [Cpu::native(), Cpu::portable()] {
            for (name, text) in FILES {
                let vectors = TestVectors::read(cpu, text).unwrap();
                assert_eq!((vectors.len(), vectors.wrong()), (16, 0), "{name}");
                let Size::Bits(bits) = vectors.size else {
                    panic!("{name} has no bits");
                };
                assert_eq!(format!("{}-{bits}", vectors.operation), name);
            }
        }
    }

    #[test]
    fn a_wrong_answer_is_counted_and_a_wrong_file_refused() {
        let text = FILES[0].1;
        let (before, power) = text.rsplit_once("power = ").unwrap();
        let other = format!("{before}power = {}1\n", &power.trim()[1..]);
        assert_eq!(TestVectors::read(Cpu::native(), &other).unwrap().wrong(), 1);
        let head = text.split_once("\n\n").unwrap().0;
        for (text, why) in [
            ("", "it is empty"),
            (head, "it has no cases"),
            ("operation", "not of the form"),
            ("operation = modexp\n\na = 1", "has no bits"),
            (
                "operation = modexp\nbits = 64\nmodulus = 2\n\na = 1",
                "the modulus is even",
            ),
            (
                "operation = modexp\nbits = 64\nmodulus = 3\n\na = 1",
                "has no base",
            ),
            (
                "operation = rsadp\nbits = 1024\nmodulus = 3\n\na = 1",
                "not that of the benchmark key",
            ),
            (
                "operation = point\nbits = 168\n\nscalar = 1\nx = 1\ny = 1",
                "not on the curve",
            ),
            (
                "operation = point\nbits = 168\n\nscalar = 1\nx = xy\ny = 1",
                "x is no hexadecimal number",
            ),
            ("operation = dance\nbits = 1\n\na = 1", "no operation dance"),
        ] {
            let error = TestVectors::read(Cpu::native(), text).err().unwrap();
            assert!(error.to_string().contains(why), "{text}: {error}");
        }
    }
}
