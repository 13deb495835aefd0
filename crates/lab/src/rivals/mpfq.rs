//! MPFQ, which "A Galois Field Arithmetic Library" (Şanal 2017) compares itself with: its functions inlined into the loops of
//! `mpfq.c`, which a user compiles against it and names by `--peer-lib`.

use super::{
    Answer, Arithmetic, Refusal, Rival,
    elements::{Pass, Prime, Step},
    loaded::Loaded,
};
use carrysave_kernels::Limb;
use libloading::Library;

pub(super) const RIVAL: Rival = Rival {
    field: Some(prepare),
    ..Rival::new(NAME, version)
};

/// Its name in tables and records.
pub(crate) const NAME: &str = "mpfq";

pub(super) static LIBRARY: Loaded = Loaded::none();

/// A step on so many pairs, with a stride between the results.
type Loop = unsafe extern "C" fn(*mut Limb, *const Limb, usize, usize);

/// Whether a library was made of `mpfq.c`; any processor that loads it can run it.
pub(super) fn recognise(library: &Library) -> Option<Result<(), &'static str>> {
    // SAFETY: it is declared so in mpfq.c, and not called.
    let found = unsafe { library.get::<Loop>(name("p_127_1", "mul").as_bytes()) };
    found.ok().map(|_| Ok(()))
}

fn version() -> String {
    match LIBRARY.is_there() {
        true => "MPFQ, the user's".to_owned(),
        false => String::new(),
    }
}

/// The loop of a field and a step.
fn name(field: &str, step: &str) -> String {
    format!("carrysave_mpfq_{field}_{step}")
}

/// The pass by MPFQ, in fields that it has.
pub(crate) fn prepare(pass: &Pass) -> Answer<Box<dyn Arithmetic>> {
    let (field, n) = match pass.prime {
        Prime { w: 127, c: 1 } => ("p_127_1", 2),
        Prime { w: 127, c: 735 } => ("p_127_735", 2),
        Prime { w: 255, c: 19 } => ("p_25519", 4),
        Prime { .. } => return Err(Refusal::NotOffered),
    };
    let step = match pass.step {
        Step::Mul => "mul",
        Step::Sqr => "sqr",
        Step::Add => "add",
        Step::Sub => "sub",
        Step::Inv => "inv",
    };
    let [a, b] = [&pass.a, &pass.b].map(|all| all.iter().flat_map(|x| limbs(x, n)).collect());
    Ok(Box::new(Loops {
        call: LIBRARY.symbol(&name(field, step))?,
        stride: usize::from(!pass.chain),
        bytes: pass.prime.bytes(),
        n,
        a,
        b,
    }))
}

/// An encoded element in n limbs.
fn limbs(bytes: &[u8], n: usize) -> Vec<Limb> {
    let mut padded = bytes.to_vec();
    padded.resize(8 * n, 0);
    let (limbs, _) = padded.as_chunks();
    limbs.iter().copied().map(Limb::from_le_bytes).collect()
}

struct Loops {
    call: Loop,
    stride: usize,
    /// Of an encoded element.
    bytes: usize,
    /// The limbs of an element.
    n: usize,
    a: Vec<Limb>,
    b: Vec<Limb>,
}

impl Arithmetic for Loops {
    fn run(&mut self) {
        let (pairs, stride) = (self.b.len() / self.n, self.stride);
        // SAFETY: as mpfq.c has it: there are as many elements as pairs on either side, of n limbs each.
        unsafe { (self.call)(self.a.as_mut_ptr(), self.b.as_ptr(), pairs, stride) }
    }

    fn answer(&self) -> Vec<Vec<u8>> {
        let encode = |limbs: &[Limb]| {
            let bytes = limbs.iter().flat_map(|limb| limb.to_le_bytes());
            bytes.take(self.bytes).collect()
        };
        self.a.chunks(self.n).map(encode).collect()
    }
}
