//! Every kernel that promises constant time takes the same steps for every secret, on the processor itself: a test a
//! kernel, such as `mpn_add_n/adc`.
#![cfg(target_arch = "x86_64")]

use carrysave_arith::curve::{
    BaseTable, Curve, Edwards25519Table, P256, P384, P521, P521Digits, Point, Secp256k1,
    x25519_in_lanes,
};
use carrysave_arith::field::{
    F127, F128M159, F25519, Fe, FeBatch, Field, Ifma512, InLanes, Secp256k1Field, Vectors,
};
use carrysave_arith::{Modulus, Nat};
use carrysave_contract::{Case, Rng, dimensions};
use carrysave_kernels::{
    Cpu, Isa, Limb, REGISTRY,
    op::{Dims, Len, Op, Raw, Scalar, Timing, Word},
};
use carrysave_proof::config::Config;
use carrysave_schemes::ec::{
    Algorithm, AnyPrivateKey, Ed25519PrivateKey, Error, Named, PrivateKey, PublicKey,
};
use carrysave_schemes::hash::Hash;
use carrysave_secrets::planted;
use carrysave_secrets::trace::{Step, trace};
use carrysave_team::task::Primitive;
use getrandom::SysRng;
use libtest_mimic::{Arguments, Failed, Trial};
use rand_core::{TryCryptoRng, TryRng, UnwrapErr};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::process::ExitCode;
use std::{hint::black_box, ptr};

/// The number of secrets compared with `CARRYSAVE_SLOW=1`, and without.
const SECRETS: [usize; 2] = [8, 5];
/// The number of secrets for calls of many steps, which have many places for a leak to show.
const FEW: usize = 2;
/// More steps than this are many. Each stops the processor, which takes some 20 microseconds on virtual machines.
const MANY: usize = 1000;

struct Call<'a> {
    kernel: &'a dyn Fn(&Raw) -> Limb,
    raw: Raw,
}

unsafe extern "C" fn pass_on(call: *const Call<'_>) -> Limb {
    // SAFETY: a live call.
    let call = unsafe { &*call };
    (call.kernel)(&call.raw)
}

/// The first difference of two traces, if there is one.
fn parting(one: &[Step], another: &[Step]) -> Option<String> {
    if let Some(i) = one.iter().zip(another).position(|(a, b)| a != b) {
        return Some(format!("step {i}: {:?} or {:?}", one[i], another[i]));
    }
    (one.len() != another.len()).then(|| format!("{} or {} steps", one.len(), another.len()))
}

/// The first step at which the traces of two secrets of the same sizes differ, if there is one.
fn difference(
    op: &'static Op,
    kernel: &dyn Fn(&Raw) -> Limb,
    (n, m): (usize, usize),
    slow: bool,
) -> Option<String> {
    let mut rng = Rng::new(1, op.name);
    // Every secret at the same addresses.
    let mut memory: Vec<Vec<Limb>> = Case::generate(op, (n, m), &mut rng).values;
    // The argument that time may depend on does not change.
    let mut public = None;
    let mut another = || -> Vec<Step> {
        let case = Case::generate(op, (n, m), &mut rng);
        let s = match op.contract.scalar.is_public() {
            true => *public.get_or_insert(case.s),
            false => case.s,
        };
        let mut p = [ptr::null_mut(); Raw::OPERANDS];
        let operands = op.contract.operands;
        for (((p, place), value), operand) in p
            .iter_mut()
            .zip(&mut memory)
            .zip(&case.values)
            .zip(operands)
        {
            // Public operands do not change.
            if !operand.public {
                place.copy_from_slice(value);
            }
            *p = place.as_mut_ptr();
        }
        let call = Call {
            kernel,
            raw: Raw { p, n, m, s },
        };
        // SAFETY: the call meets the contract; kernels take no locks and allocate nothing.
        let steps = unsafe { trace(pass_on, &call) };
        assert!(steps.len() > n, "nothing was traced");
        steps
    };
    let before = another();
    let secrets = match before.len() > MANY {
        true => FEW,
        false if slow => SECRETS[0],
        false => SECRETS[1],
    };
    for _ in 1..secrets {
        let parting = parting(&before, &another());
        if parting.is_some() {
            return parting;
        }
    }
    None
}

/// Whether the steps grow with n, not with its square: such kernels are traced at larger sizes, to reach all their
/// loops.
fn linear(op: &Op) -> bool {
    let products = matches!(op.contract.scalar, Scalar::Secret(Word::NegInverse(..)));
    !products && op.contract.operands.iter().all(|o| o.len == Len::N)
}

/// A kernel takes the same steps for every secret.
fn kernel_steps(op: &'static Op, i: usize, slow: bool) -> Result<(), Failed> {
    // SAFETY: this processor admits the kernel; `difference` meets the contract.
    let kernel = |x: &Raw| unsafe { op.invoke(i, x) };
    // Vector kernels take few steps for a product, and leave short products to other kernels.
    let vectors = op.kernels[i].1.contains(Isa::AVX512IFMA);
    let far = linear(op) || op.name.ends_with("basecase") && vectors;
    let most = if far { 33 } else { 9 };
    // In radix 2^52 every number of blocks up to 20 has its own code, from 11 on with wiped sums in memory;
    // larger ones share another. Without IFMA those above 10 are the portable kernel's.
    let blocks = op.kernels[i].1.contains(Isa::AVX512F) && op.name.starts_with("radix52");
    let lanes = op.name.starts_with("mb8");
    let blocks_of_words = op.name.starts_with("threefish");
    let portable = i == op.portable();
    let all = dimensions(op.contract);
    let powers = |(n, _): &(usize, usize)| n.is_power_of_two();
    let transforms = op.name.starts_with("ntt") && all.iter().all(powers);
    let products = op.name.starts_with("radix52_am");
    let chosen = |&(n, m): &(usize, usize)| match blocks {
        // One block, part of a vector, and more than a flight, also with the round counts that have their own
        // code, and counter mode with windows.
        _ if op.name.starts_with("aes") => {
            let long = n == 33 || n > 512 && op.name == "aes_ctr";
            let written_out = !portable && [10, 12, 14].contains(&m) && long;
            written_out || m <= 3 && ([1, 5].contains(&n) || n == 33 && !portable)
        }
        // One block, part of a vector, and groups of several vectors, alone and with a block behind.
        _ if blocks_of_words => {
            let groups = match op.kernels[i].0 {
                "avx512" => [(48, 4), (49, 4), (24, 8), (25, 8)].contains(&(n, m)),
                _ => [(8, 4), (9, 4)].contains(&(n, m)),
            };
            n == 1 || n == 2 && !portable || groups
        }
        _ if matches!(op.contract.dims, Dims::OneOf(_)) || op.name.starts_with("fp8") => true,
        // A block and two, of four hashes and of eight.
        _ if op.name == "sha512_compress" => n <= 2,
        // The least length, and a level of its own before; for vectors also one more level of fours, and the
        // least length of eight lanes.
        _ if transforms => m != 1 && n <= if portable { 32 } else { 128 },
        // Groups of four coefficients, and some more.
        _ if op.name.starts_with("ntt") => [1, 9].contains(&n),
        // A block of its own, two of them, three, and two in each half.
        _ if lanes && portable => n <= 2 && m <= 16,
        _ if lanes => n <= 2 || [9, 20, 30, 40].contains(&n),
        // Pairs of rows and a row, of a block and more.
        true if !products => n <= 5 && m <= 3,
        true => {
            let own_code = n <= 10 || vectors && [11, 21].contains(&n);
            own_code && (m == 8 * n || n <= 3 && m + 3 == 8 * n)
        }
        // One limb, less than a block of eight, a block, and one limb more than blocks.
        false => n <= most && [1, 2, 8, 33].contains(&n) && [0, 1, 2, 8, 16, 33].contains(&m),
    };
    // Each kernel gets the first size, and one in three of the others, shifted from kernel to kernel.
    let sampled = |(place, _): &(usize, _)| slow || *place == 0 || place % 3 == i % 3;
    let sizes = all.into_iter().filter(chosen);
    let mut traced = 0;
    for (_, (n, m)) in sizes.enumerate().filter(sampled) {
        traced += 1;
        if let Some(difference) = difference(op, &kernel, (n, m), slow) {
            return Err(format!("for n = {n}, m = {m}: {difference}").into());
        }
    }
    if traced == 0 {
        return Err("no size was traced".into());
    }
    Ok(())
}

/// The system's allocator, except for traced operations: each gets the same memory at the same addresses.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

/// Total bytes that an operation may allocate.
const ARENA: usize = 1 << 22;
/// The alignment of this memory.
const PAGE: usize = 4096;

thread_local! {
    /// The arena of this thread's traced operation, and its used bytes.
    static PLACE: Cell<(*mut u8, Option<usize>)> = const { Cell::new((ptr::null_mut(), None)) };
}

// SAFETY: returned memory is aligned and free: each byte of the arena is returned once until a reset, which happens
// when nothing of an operation is left.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (arena, Some(taken)) = PLACE.get() else {
            // SAFETY: the same contract.
            return unsafe { System.alloc(layout) };
        };
        let start = taken.next_multiple_of(layout.align());
        let end = start + layout.size();
        if end > ARENA || layout.align() > PAGE {
            return ptr::null_mut();
        }
        PLACE.set((arena, Some(end)));
        arena.wrapping_add(start)
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        if (p as usize).wrapping_sub(PLACE.get().0 as usize) >= ARENA {
            // SAFETY: it is not from the arena.
            unsafe { System.dealloc(p, layout) };
        }
    }
}

/// The operand of an operation.
type Secret = [Limb; 8];

struct Whole<'a> {
    operation: &'a dyn Fn(&Secret),
    secret: &'a Cell<Secret>,
}

unsafe extern "C" fn perform(whole: *const Whole<'_>) -> Limb {
    // SAFETY: a live one, and no code changes the secret meanwhile.
    let (operation, secret) = unsafe { ((*whole).operation, &*(*whole).secret.as_ptr()) };
    PLACE.set((PLACE.get().0, Some(0)));
    operation(secret);
    PLACE.set((PLACE.get().0, None));
    0
}

/// A random secret.
fn random(rng: &mut Rng) -> Secret {
    core::array::from_fn(|_| rng.next())
}

/// The first step at which the traces of a whole operation differ for two secrets. As a number of 256 bits the second one has
/// a short top word.
fn difference_of_whole(operation: &dyn Fn(&Secret)) -> Option<String> {
    let mut rng = Rng::new(1, "whole");
    let mut secrets = [(); 2].map(|()| random(&mut rng));
    secrets[1][3] >>= 40;
    difference_for(operation, secrets)
}

/// The first step at which the traces of a whole operation differ for these secrets.
fn difference_for(operation: &dyn Fn(&Secret), secrets: [Secret; 2]) -> Option<String> {
    let secret = Cell::new(secrets[0]);
    if PLACE.get().0.is_null() {
        let layout = Layout::from_size_align(ARENA, PAGE).expect("a layout");
        // SAFETY: the size is not 0. The arena is never freed, as objects made in it may be kept.
        PLACE.set((unsafe { System.alloc(layout) }, None));
        assert!(!PLACE.get().0.is_null());
    }
    // Then caches are filled.
    operation(&secrets[0]);
    let whole = Whole {
        operation,
        secret: &secret,
    };
    let [one, another] = secrets.map(|value| {
        secret.set(value);
        // SAFETY: operations do not wait for other threads.
        unsafe { trace(perform, &whole) }
    });
    assert!(one.len() > 1000, "nothing was traced");
    parting(&one, &another)
}

/// Elements of a field, each from the words of a secret.
fn elements<F: Field>(secret: &Secret) -> [Fe<F>; 8] {
    core::array::from_fn(|i| {
        let bytes: [u8; 72] =
            core::array::from_fn(|j| secret[(i + j / 8) % 8].to_le_bytes()[j % 8]);
        Fe::reduce_le_bytes(&bytes)
    })
}

/// All operations of elements on vectors, for a field that has lanes.
fn in_lanes<F: Field>(vectors: Vectors, secret: &Secret)
where
    F::Residue: InLanes,
{
    let [x, y, ..] = elements::<F>(secret);
    let mut a = FeBatch::on(vectors, &elements::<F>(secret));
    let mut b = FeBatch::on(vectors, &[x, y, x, y, y, y, x, x]);
    a.mul(&b);
    b.sqr();
    a.add(&b);
    b.sub(&a);
    a.neg();
    b.mul_small(121_665);
    let bits: Vec<Limb> = secret.iter().map(|word| word & 1).collect();
    a.select(&b, &bits);
    FeBatch::swap(&mut a, &mut b, &bits);
    black_box((a.to_elements(), b.to_elements()));
}

/// The operations that valgrind cannot run, including the code between kernels.
fn operations_on_vectors_take_the_same_steps_for_every_secret() {
    let cpu = Cpu::native();
    let expect = |name: &str, operation: &dyn Fn(&Secret)| {
        if let Some(difference) = difference_of_whole(operation) {
            panic!("{name}: {difference}");
        }
    };
    for vectors in Vectors::all(cpu).filter(|vectors| vectors.have_ifma()) {
        expect("2^127 - 1", &|secret| in_lanes::<F127>(vectors, secret));
        expect("2^128 - 159", &|secret| {
            in_lanes::<F128M159>(vectors, secret)
        });
        expect("2^255 - 19", &|secret| in_lanes::<F25519>(vectors, secret));
        expect("secp256k1", &|secret| {
            in_lanes::<Secp256k1Field>(vectors, secret)
        });
    }
    if let Some(m) = Ifma512::new(cpu) {
        expect("P-521 in digits", &|secret| {
            let [mut x, mut y, z, ..] = elements::<P521Digits>(secret).map(|x| x.by(m));
            for _ in 0..4 {
                x = x * y + z.sqr() - y;
                y = (-x).half().mul_small(3) * z;
                Fe::swap(&mut x, &mut y, secret[0] & 1);
                x = Fe::select(&x, &z, secret[1] & 1);
            }
            black_box((x.to_le_bytes(), y.to_le_bytes()));
        });
    }
    let n = Nat::power_of_two(1024).sub_limb(105).unwrap();
    let n = Modulus::with_cpu(&n, cpu).unwrap();
    let base = Nat::from_limb(7).resize(n.width()).unwrap();
    expect("a power", &|secret| {
        black_box(n.pow(&base, &Nat::from_limbs(&secret[..1])));
    });
}

/// A computation with a secret, made for a processor.
type Subject = fn(Cpu) -> Box<dyn Fn(&Secret)>;

/// What is computed on curves in lanes, which valgrind cannot run with IFMA: multiples of base points and of eight points, and
/// ladders.
const IN_LANES: &[(&str, Subject)] = &[
    ("P-256/base", base_multiples::<P256>),
    ("P-384/base", base_multiples::<P384>),
    ("P-521/base", base_multiples::<P521>),
    ("secp256k1/base", base_multiples::<Secp256k1>),
    ("Edwards25519/base", |cpu| {
        let (table, vectors) = (Edwards25519Table::new(cpu), Vectors::best(cpu));
        Box::new(move |secret: &Secret| {
            let _ = black_box(table.mul_in_lanes(vectors, &elements(secret)));
        })
    }),
    ("P-256/points", multiples::<P256>),
    ("secp256k1/points", multiples::<Secp256k1>),
    ("X25519/ladders", |cpu| {
        let points: [[u8; 32]; 8] = core::array::from_fn(|i| [i as u8 + 9; 32]);
        Box::new(move |secret: &Secret| {
            let scalars = elements::<F25519>(secret).map(|k| k.to_le_bytes());
            black_box(x25519_in_lanes(Vectors::best(cpu), &scalars, &points));
        })
    }),
];

/// What takes millions of steps, for `CARRYSAVE_SLOW=1`.
const LONG_IN_LANES: &[(&str, Subject)] = &[
    ("P-384/points", multiples::<P384>),
    ("P-521/points", multiples::<P521>),
];

/// Whole operations with keys, of which groups take lanes where the processor has them.
const OPERATIONS: &[(&str, Subject)] = &[
    ("secp256k1/spread", |cpu| {
        let table = BaseTable::<Secp256k1>::new(cpu);
        Box::new(move |secret: &Secret| {
            let [k, ..] = elements(secret);
            black_box(table.mul(&k));
        })
    }),
    ("P-256/ECDSA", ecdsa::<P256>),
    ("P-521/ECDSA", ecdsa::<P521>),
    ("P-521/ECDH", ecdh::<P521>),
    ("Ed25519/signature", |_| {
        Box::new(|secret: &Secret| {
            black_box(Ed25519PrivateKey::from_bytes(&octets(secret)).sign(b"a message"));
        })
    }),
    ("Ed25519/signatures", |_| {
        let messages: [Vec<u8>; 8] = core::array::from_fn(|i| vec![i as u8; 20]);
        Box::new(move |secret: &Secret| {
            let key = Ed25519PrivateKey::from_bytes(&octets(secret));
            let group = messages.each_ref().map(|message| (&key, message));
            black_box(Ed25519PrivateKey::run_group(&mut UnwrapErr(SysRng), &group));
        })
    }),
    ("P-256/keys", |_| keys(Algorithm::P256)),
    ("Ed25519/keys", |_| keys(Algorithm::Ed25519)),
];

/// This processor, and with its next best vectors, as far as they have IFMA.
fn with_ifma() -> Vec<Cpu> {
    let masks = Cpu::native().masks();
    let mut cpus: Vec<Cpu> = masks
        .filter(|cpu| Vectors::best(*cpu).have_ifma())
        .collect();
    cpus.dedup_by_key(|cpu| Vectors::best(*cpu));
    cpus
}

/// A test that a computation takes the same steps for every secret.
fn trial(name: &str, subject: Subject, cpu: Cpu) -> Trial {
    Trial::test(
        format!("every_secret/{name}"),
        move || match difference_of_whole(&*subject(cpu)) {
            Some(difference) => Err(difference.into()),
            None => Ok(()),
        },
    )
}

/// Eight secret multiples of a base point.
fn base_multiples<C: Curve>(cpu: Cpu) -> Box<dyn Fn(&Secret)> {
    let table = BaseTable::<C>::new(cpu);
    Box::new(move |secret: &Secret| {
        black_box(C::base_products(&table, &elements::<C::Scalar>(secret)));
    })
}

/// Secret multiples of eight points.
fn multiples<C: Curve>(cpu: Cpu) -> Box<dyn Fn(&Secret)> {
    let point = |i: usize| Point::<C>::generator().mul(cpu, &[i as Limb + 2]);
    let points: [Point<C>; 8] = core::array::from_fn(point);
    Box::new(move |secret: &Secret| {
        black_box(C::products(cpu, &points, &elements::<C::Scalar>(secret)));
    })
}

/// 32 octets of a secret.
fn octets(secret: &Secret) -> [u8; 32] {
    core::array::from_fn(|i| secret[i / 8].to_le_bytes()[i % 8])
}

/// The key that is a secret number. Its public key is the base point: signatures and agreements do not use it.
fn key<C: Named>(secret: &Secret) -> PrivateKey<C> {
    let mut number = C::Scalar::ZERO_BYTES;
    let secret = secret.iter().flat_map(|word| word.to_le_bytes());
    for (octet, of_secret) in number.as_mut().iter_mut().rev().zip(secret) {
        *octet = of_secret;
    }
    let public = public_key(&Point::<C>::generator());
    PrivateKey::from_pair(number.as_ref(), public).expect("below the order")
}

/// The public key that is this point.
fn public_key<C: Named>(point: &Point<C>) -> PublicKey<C> {
    let octets = point.to_sec1().expect("it is not at infinity");
    PublicKey::from_sec1(&octets).expect("a point of the curve")
}

/// A signature of ECDSA.
fn ecdsa<C: Named>(_: Cpu) -> Box<dyn Fn(&Secret)> {
    let digest = C::HASH.digest(b"a message");
    Box::new(move |secret: &Secret| {
        let signature = key::<C>(secret).ecdsa_sign(C::HASH, &digest);
        black_box(signature.expect("no fault"));
    })
}

/// An agreement with the owner of a public key.
fn ecdh<C: Named>(cpu: Cpu) -> Box<dyn Fn(&Secret)> {
    let other = public_key(&Point::<C>::generator().mul(cpu, &[7]));
    Box::new(move |secret: &Secret| {
        black_box(key::<C>(secret).agree(&other).expect("no fault"));
    })
}

/// Eight keys at once.
fn keys(algorithm: Algorithm) -> Box<dyn Fn(&Secret)> {
    Box::new(move |secret: &Secret| {
        let rng = &mut FromSecret { secret, drawn: 0 };
        black_box(AnyPrivateKey::generate_many_with(algorithm, rng, 8));
    })
}

/// Random numbers that follow from a secret.
struct FromSecret<'a> {
    secret: &'a Secret,
    /// The number of words that were drawn.
    drawn: usize,
}

impl TryRng for FromSecret<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.try_next_u64()? as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let (turn, i) = (self.drawn / 8, self.drawn % 8);
        self.drawn += 1;
        Ok(self.secret[i].rotate_left(turn as u32))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for FromSecret<'_> {}

/// Eight signatures of ECDSA at once, as DER. They are public, and so are the lengths of their numbers: those of both secrets
/// are the same.
fn signatures_of_a_group_take_the_same_steps_for_every_secret() {
    let input = |i: usize| (Hash::Sha256, Hash::Sha256.digest(&[i as u8]));
    let inputs: [(Hash, Vec<u8>); 8] = core::array::from_fn(input);
    let sign = |secret: &Secret| -> Vec<Result<Vec<u8>, Error>> {
        let key = AnyPrivateKey::from(key::<P256>(secret));
        let group = inputs.each_ref().map(|input| (&key, input));
        AnyPrivateKey::run_group(&mut UnwrapErr(SysRng), &group)
    };
    // How long r and s are, and whether a zero is before their first bit.
    let lengths = |signature: Result<Vec<u8>, Error>| -> [(u8, bool); 2] {
        let der = signature.expect("no fault");
        [4, 6 + usize::from(der[3])].map(|at| (der[at - 1], der[at] == 0))
    };
    let (mut rng, mut seen) = (Rng::new(1, "whole"), HashMap::new());
    let secrets = loop {
        let secret = random(&mut rng);
        let lengths: Vec<_> = sign(&secret).into_iter().map(lengths).collect();
        if let Some(other) = seen.insert(lengths, secret) {
            break [other, secret];
        }
    };
    let operation = |secret: &Secret| {
        black_box(sign(secret));
    };
    if let Some(difference) = difference_for(&operation, secrets) {
        panic!("{difference}");
    }
}

/// A branch, an early exit and a table look-up on secrets, and what depends on a number's length, which must all be detected.
fn planted_leaks_of_secrets_show() {
    // SAFETY: operands of mpn_cmp and mpn_tabselect as the contract says.
    let limb = |x: &Raw, operand: usize, i: usize| unsafe { x.p[operand].add(i).read_volatile() };
    let compare = REGISTRY.iter().find(|op| op.name == "mpn_cmp").unwrap();
    let early = |x: &Raw| {
        (0..x.n)
            .find(|&i| limb(x, 0, i) != limb(x, 1, i))
            .map_or(0, |i| limb(x, 0, i))
    };
    assert!(difference(compare, &early, (9, 0), true).is_some());
    let branch = |x: &Raw| {
        if limb(x, 0, 0) & 1 == 1 {
            limb(x, 0, 1)
        } else {
            0
        }
    };
    assert!(difference(compare, &branch, (9, 0), true).is_some());
    let select = REGISTRY
        .iter()
        .find(|op| op.name == "mpn_tabselect")
        .unwrap();
    let lookup = |x: &Raw| limb(x, 1, x.n * x.s as usize);
    assert!(difference(select, &lookup, (3, 8), true).is_some());
    let honest = |x: &Raw| limb(x, 1, 0);
    assert_eq!(difference(select, &honest, (9, 8), true), None);
    let n = Modulus::new(&Nat::power_of_two(256).sub_limb(189).unwrap()).unwrap();
    let base = Nat::from_limb(7).resize(n.width()).unwrap();
    let vartime = |secret: &Secret| {
        black_box(n.pow_vartime(&base, &Nat::from_limbs(&secret[..4])));
    };
    assert!(difference_of_whole(&vartime).is_some());
    let table = BaseTable::<P256>::new(Cpu::native());
    let verification = |secret: &Secret| {
        let [u, v, ..] = elements(secret);
        black_box(table.mul_add_vartime(&u, &Point::generator(), &v));
    };
    assert!(difference_of_whole(&verification).is_some());
    // A nonce with a short top word.
    let base = Fe::from_limb(7);
    let honest = |secret: &Secret| {
        black_box(planted::ladder(&base, &secret[..4], 256));
    };
    assert_eq!(difference_of_whole(&honest), None);
    for ladder in [planted::ladder_by_length, planted::ladder_with_exit] {
        let leak = |secret: &Secret| {
            black_box(ladder(&base, &secret[..4]));
        };
        assert!(difference_of_whole(&leak).is_some());
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let slow = Config::from_env().slow;
    let mut trials = vec![];
    for &op in REGISTRY {
        for i in op.admitted(Cpu::native()) {
            if op.timing(i) == Timing::Constant {
                let name = format!("{}/{}", op.name, op.kernels[i].0);
                trials.push(Trial::test(name, move || kernel_steps(op, i, slow)));
            }
        }
    }
    let whole: [(_, fn()); 3] = [
        (
            "operations_on_vectors_take_the_same_steps_for_every_secret",
            operations_on_vectors_take_the_same_steps_for_every_secret,
        ),
        (
            "signatures_of_a_group_take_the_same_steps_for_every_secret",
            signatures_of_a_group_take_the_same_steps_for_every_secret,
        ),
        (
            "planted_leaks_of_secrets_show",
            planted_leaks_of_secrets_show,
        ),
    ];
    for (name, test) in whole {
        trials.push(Trial::test(name, move || {
            test();
            Ok(())
        }));
    }
    let long = if slow { LONG_IN_LANES } else { &[] };
    for cpu in with_ifma() {
        for &(name, subject) in IN_LANES.iter().chain(long) {
            let name = format!("{name}/{:?}", Vectors::best(cpu));
            trials.push(trial(&name, subject, cpu));
        }
    }
    for &(name, subject) in OPERATIONS {
        trials.push(trial(name, subject, Cpu::native()));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
