//! Every kernel that promises constant time takes the same steps for every secret, on the processor itself: a test a
//! kernel, such as `mpn_add_n/adc`.
#![cfg(target_arch = "x86_64")]

use carrysave_arith::curve::{BaseTable, Edwards25519Table, P256, P521Digits, Point, Secp256k1};
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
use carrysave_schemes::ec::{Ed25519PrivateKey, PrivateKey};
use carrysave_schemes::hash::Hash;
use carrysave_secrets::trace::{Step, trace};
use libtest_mimic::{Arguments, Failed, Trial};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
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
    for (_, (n, m)) in sizes.enumerate().filter(sampled) {
        if let Some(difference) = difference(op, &kernel, (n, m), slow) {
            return Err(format!("for n = {n}, m = {m}: {difference}").into());
        }
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

/// The first step at which the traces of a whole operation differ for two secrets.
fn difference_of_whole(operation: &dyn Fn(&Secret)) -> Option<String> {
    let mut rng = Rng::new(1, "whole");
    let secrets: [Secret; 2] = core::array::from_fn(|_| core::array::from_fn(|_| rng.next()));
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

/// Products of points in lanes, which valgrind cannot run with IFMA, and whole signatures.
fn curves_take_the_same_steps_for_every_secret() {
    let cpu = Cpu::native();
    let expect = |name: &str, operation: &dyn Fn(&Secret)| {
        if let Some(difference) = difference_of_whole(operation) {
            panic!("{name}: {difference}");
        }
    };
    let (edwards, base) = (Edwards25519Table::new(cpu), BaseTable::<P256>::new(cpu));
    for vectors in Vectors::all(cpu).filter(|vectors| vectors.have_ifma()) {
        expect("Edwards25519 in lanes", &|secret| {
            let _ = black_box(edwards.mul_in_lanes(vectors, &elements(secret)));
        });
        expect("P-256 in lanes", &|secret| {
            let _ = black_box(base.mul_in_lanes(vectors, &elements(secret)));
        });
    }
    let other = BaseTable::<Secp256k1>::new(cpu);
    expect("the base point of secp256k1", &|secret| {
        let [k, ..] = elements(secret);
        black_box(other.mul(&k));
    });
    let digest = Hash::Sha256.digest(b"a message");
    expect("ECDSA", &|secret| {
        let octets: Vec<u8> = secret[..4]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let key = PrivateKey::<P256>::from_be_bytes(&octets).expect("below the order");
        black_box(key.ecdsa_sign(Hash::Sha256, &digest).expect("no fault"));
    });
    expect("Ed25519", &|secret| {
        let octets: [u8; 32] = core::array::from_fn(|i| secret[i / 8].to_le_bytes()[i % 8]);
        black_box(Ed25519PrivateKey::from_bytes(&octets).sign(b"a message"));
    });
    // A product for verifications.
    let vartime = |secret: &Secret| {
        let [u, v, ..] = elements(secret);
        black_box(base.mul_add_vartime(&u, &Point::generator(), &v));
    };
    assert!(difference_of_whole(&vartime).is_some());
}

/// A branch, an early exit and a table look-up on secrets, which must all be detected.
fn planted_leaks_show() {
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
            "curves_take_the_same_steps_for_every_secret",
            curves_take_the_same_steps_for_every_secret,
        ),
        (
            "operations_on_vectors_take_the_same_steps_for_every_secret",
            operations_on_vectors_take_the_same_steps_for_every_secret,
        ),
        ("planted_leaks_show", planted_leaks_show),
    ];
    for (name, test) in whole {
        trials.push(Trial::test(name, move || {
            test();
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
