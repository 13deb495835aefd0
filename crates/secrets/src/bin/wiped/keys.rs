//! Private keys: made, used, written to files and read back.

use super::{below, filled, rng};
use carrysave_arith::{
    Modulus, Nat, Plan,
    curve::{
        BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, Curve, Edwards448Order,
        Edwards25519Order, P224, P256, P384, P521, Secp256k1,
    },
    field::Field,
};
use carrysave_kernels::{Cpu, fp::Residue, off_stack};
use carrysave_schemes::{
    dl::{self, Named},
    ec::{
        self, Algorithm, AnyPrivateKey, Ed448PrivateKey, Ed25519PrivateKey, X448PrivateKey,
        X25519PrivateKey,
    },
    hash::Hash,
    legacy::{
        self, esign,
        mqv::{Party, Role, fhmqv_agree, hmqv_agree, mqv_agree},
        nr, rabin, rw,
    },
    rsa::{KeygenOptions, PrivateKey, batch},
};
use carrysave_secrets::memory::Needles;
use carrysave_team::task::Primitive;
use core::array;
use shake::{ExtendableOutput, Shake256, Update, XofReader};
use zeroize::Zeroizing;

/// The digits of the kernels for IFMA.
const DIGIT: usize = 52;

/// Looks for a number, and for its Montgomery form modulo `modulus`, an odd number.
fn add_residue(needles: &mut Needles, name: &'static str, residue: &Nat, modulus: &Nat) {
    needles.add_limbs(name, residue.limbs());
    let form = residue.shl(64 * modulus.width()).rem(modulus);
    needles.add_limbs(name, form.limbs());
}

/// Looks for a prime of a key, in words and in digits, and for the contents of its contexts.
fn add_prime(needles: &mut Needles, prime: &Nat) {
    needles.add_limbs("a prime", prime.limbs());
    let mut rest = prime.clone();
    let mut digits = Zeroizing::new(Vec::with_capacity(prime.limbs().len() * 64 / DIGIT + 1));
    for _ in 0..digits.capacity() {
        digits.push(rest.limbs()[0] & ((1 << DIGIT) - 1));
        rest = rest.shr(DIGIT);
    }
    needles.add_limbs("a prime in digits", &digits);
    let square = Nat::one().shl(128 * prime.width()).rem(prime);
    needles.add_limbs("R^2 modulo a prime", square.limbs());
}

/// Looks for all parts of a key.
pub fn add_rsa(needles: &mut Needles, key: &PrivateKey) {
    needles.add_limbs("d", key.d().limbs());
    let primes: Vec<&Nat> = key.primes().collect();
    for prime in &primes {
        add_prime(needles, prime);
        let less = prime.sub(&Nat::one()).expect("a prime");
        needles.add_limbs("an exponent modulo a prime", key.d().rem(&less).limbs());
    }
    if let [p, q, ..] = primes[..] {
        let inverse = carrysave_arith::inv_mod(&q.rem(p), p).expect("two primes");
        add_residue(needles, "the coefficient", &inverse, p);
    }
}

pub fn rsa_key(needles: &mut Needles, bits: usize) -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        ..KeygenOptions::default()
    };
    let key = below(|| PrivateKey::generate_with(rng, bits, &options, &|_| ())).expect("a key");
    add_rsa(needles, &key);
    key
}

pub fn rsa(needles: &mut Needles) {
    let (key, rng, hash) = (rsa_key(needles, 2048), &mut rng(), Hash::Sha256);
    let digest = hash.digest(b"a message");
    for _ in 0..2 {
        below(|| key.rsassa_pss_sign(rng, hash, hash, 32, &digest)).expect("a signature");
        below(|| key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest)).expect("a signature");
    }
    let secret = filled(32);
    needles.add("the message", &secret);
    let (public, oaep) = (key.public(), &*secret);
    let c = below(|| public.rsaes_oaep_encrypt(rng, hash, hash, b"", oaep)).expect("it is short");
    assert!(
        below(|| key.rsaes_oaep_decrypt(rng, hash, hash, b"", &c)).expect("a message")[..]
            == oaep[..]
    );
    // What a wrong padding is answered from, and the blocks of HMAC that begin with it.
    let d = key
        .d()
        .to_be_bytes(public.size())
        .expect("below the modulus");
    let rejection = hashed(hash, &[&d]);
    needles.add("the secret of rejections", &rejection);
    for pad in [0x36, 0x5c] {
        let block = rejection.iter().map(|octet| octet ^ pad);
        let block = Zeroizing::new(block.collect::<Vec<u8>>());
        needles.add("the secret of rejections in HMAC", &block);
    }
    drop((d, rejection));
    let c = below(|| public.rsaes_pkcs1_v1_5_encrypt(rng, oaep)).expect("it is short");
    assert!(below(|| key.rsaes_pkcs1_v1_5_decrypt(rng, &c)).expect("a message")[..] == oaep[..]);
    let wrong = [&[0], &c[1..]].concat();
    below(|| key.rsaes_pkcs1_v1_5_decrypt(rng, &wrong)).expect("a message");
}

pub fn rsa_files_2048(needles: &mut Needles) {
    rsa_files(needles, 2048);
}

pub fn rsa_files_3072(needles: &mut Needles) {
    rsa_files(needles, 3072);
}

pub fn rsa_files_4096(needles: &mut Needles) {
    rsa_files(needles, 4096);
}

fn rsa_files(needles: &mut Needles, bits: usize) {
    let (key, rng) = (rsa_key(needles, bits), &mut rng());
    let password = filled(32);
    needles.add("the password", &password);
    let again = below(|| PrivateKey::from_any(&key.to_pkcs1_der(), None)).expect("a key");
    let again =
        below(|| PrivateKey::from_any(again.to_pkcs1_pem().as_bytes(), None)).expect("a key");
    let again = below(|| PrivateKey::from_any(&again.to_pkcs8_der(), None)).expect("a key");
    let text = below(|| again.to_pkcs8_pem());
    needles.add("the text of the file", &text.as_bytes()[64..]);
    let again = below(|| PrivateKey::from_any(text.as_bytes(), None)).expect("a key");
    let sealed = below(|| again.to_pkcs8_encrypted_pem(&password, rng));
    let again = below(|| PrivateKey::from_any(sealed.as_bytes(), Some(&password))).expect("a key");
    let primes = again.primes().cloned().collect();
    below(|| PrivateKey::from_primes(primes, again.public().e().clone())).expect("a key");
    below(|| again.validate()).expect("a key");
}

pub fn rsa_lanes(needles: &mut Needles) {
    let (key, rng) = (rsa_key(needles, 2048), &mut rng());
    let plan = Plan::best(Cpu::native()).always_in_lanes();
    let key = key.with_plan(Cpu::native(), plan);
    let two = Nat::from_limb(2);
    for root in below(|| batch::rsasp1(rng, &[(&key, &two); 8])) {
        root.expect("a right result");
    }
}

pub fn dl(needles: &mut Needles) {
    let (rng, hash) = (&mut rng(), Hash::Sha256);
    let group = Named::Ffdhe2048.group();
    let [a, b] = [(); 2].map(|()| below(|| dl::PrivateKey::generate_with(&group, rng)));
    needles.add_limbs("x", a.x().limbs());
    let z = below(|| a.agree(b.public())).expect("one group");
    needles.add("what was agreed on", &z);
    drop(z);
    let digest = hash.digest(b"a message");
    for key in [&a, &a.precomputed()] {
        below(|| key.dsa_sign(hash, &digest)).expect("a signature");
        below(|| nr::sign(key, hash, &digest)).expect("a signature");
    }
    for signature in below(|| dl::batch::dsa_sign(&[(&a, hash, &digest[..]); 8])) {
        signature.expect("a signature");
    }
    // A group that a peer states.
    let p = Named::Modp1536Legacy.group().p().clone();
    let stated = dl::Parameters::new(p, Nat::from_limb(7)).expect("a group");
    let bits = stated.bits() - 2;
    let x = below(|| stated.random_exponent(bits, None, rng));
    needles.add_limbs("an exponent of a stated group", x.limbs());
    let y = below(|| stated.power(&x, bits));
    let z = below(|| stated.agree(&y, &x, bits)).expect("no small order");
    needles.add("what was agreed on in a stated group", &z);
    drop((x, z));
    let der = below(|| a.to_pkcs8_der(dl::Form::X942)).expect("a form for it");
    below(|| dl::PrivateKey::from_pkcs8_der(&der)).expect("a key");
}

/// The prime of a field.
fn prime<F: Field>() -> Nat {
    let limbs = F::Residue::BITS.div_ceil(64);
    Nat::from_limbs(&F::Residue::MODULUS[..limbs])
}

/// Looks for a number modulo the prime of a field, of which these are the big-endian octets.
fn add_number<F: Field>(needles: &mut Needles, name: &'static str, octets: &[u8]) {
    needles.add(name, octets);
    let modulus = prime::<F>();
    let number = Nat::from_be_bytes(octets).resize(modulus.width());
    add_residue(needles, name, &number.expect("below the prime"), &modulus);
}

/// Looks for the scalar of a key of this curve.
fn add_scalar<C: Curve>(needles: &mut Needles, octets: &[u8]) {
    add_number::<C::Scalar>(needles, "the scalar", octets);
}

/// Looks for the scalar of a key of any curve.
pub fn add_any(needles: &mut Needles, key: &AnyPrivateKey) {
    let octets = key.to_octets();
    match key.algorithm() {
        Algorithm::P224 => add_scalar::<P224>(needles, &octets),
        Algorithm::P256 => add_scalar::<P256>(needles, &octets),
        Algorithm::P384 => add_scalar::<P384>(needles, &octets),
        Algorithm::P521 => add_scalar::<P521>(needles, &octets),
        Algorithm::Secp256k1 => add_scalar::<Secp256k1>(needles, &octets),
        Algorithm::BrainpoolP256r1 => add_scalar::<BrainpoolP256r1>(needles, &octets),
        Algorithm::BrainpoolP384r1 => add_scalar::<BrainpoolP384r1>(needles, &octets),
        Algorithm::BrainpoolP512r1 => add_scalar::<BrainpoolP512r1>(needles, &octets),
        _ => needles.add("the scalar", &octets),
    }
}

pub fn curve<C: ec::Named>(needles: &mut Needles)
where
    AnyPrivateKey: From<ec::PrivateKey<C>>,
{
    let rng = &mut rng();
    let [a, b] = [(); 2].map(|()| below(|| ec::PrivateKey::<C>::generate_with(rng)));
    let many = below(|| ec::PrivateKey::<C>::generate_many_with(rng, 10));
    for key in [&a, &b].into_iter().chain(&many) {
        add_scalar::<C>(needles, &key.to_be_bytes());
    }
    drop(many);
    let z = below(|| a.agree(b.public())).expect("two good keys");
    add_number::<C::Base>(needles, "what was agreed on", &z);
    // Ten: a whole group of lanes, and two one by one.
    let secrets = below(|| Primitive::run_group(rng, &[(&a, b.public()); 10]));
    assert!(secrets.iter().all(|secret| secret.as_ref() == Ok(&z)));
    drop(secrets);
    drop(z);
    drop(b);
    // Each lane has a nonce of its own.
    let any = AnyPrivateKey::from(a.clone());
    let inputs: [(Hash, Vec<u8>); 10] = array::from_fn(|i| (C::HASH, C::HASH.digest(&[i as u8])));
    let group = inputs.each_ref().map(|input| (&any, input));
    let signatures = below(|| AnyPrivateKey::run_group(rng, &group));
    for (made, (hash, digest)) in signatures.iter().zip(&inputs) {
        let signature = below(|| a.ecdsa_sign(*hash, digest)).expect("a signature");
        assert!(made.as_ref() == Ok(&signature.to_der()));
        below(|| add_ecdsa_nonce(needles, &a, digest, &signature));
    }
    drop(any);
    let digest = C::HASH.digest(b"a message");
    let signature = below(|| nr::ecnr_sign(&a, C::HASH, &digest)).expect("a signature");
    below(|| add_ecnr_nonce(needles, &a, &signature));
    let a = below(|| ec::PrivateKey::<C>::from_pkcs8_der(&a.to_pkcs8_der())).expect("a key");
    let a = below(|| ec::PrivateKey::<C>::from_be_bytes(&a.to_be_bytes())).expect("a key");
    files_of_curves(needles, &AnyPrivateKey::from(a));
}

/// The order of a curve, and the numbers of a signature and its key: r, s and d.
fn numbers<C: ec::Named>(
    key: &ec::PrivateKey<C>,
    signature: &ec::ecdsa::Signature<C>,
) -> (Modulus, [Nat; 3]) {
    let order = Modulus::new(&prime::<C::Scalar>()).expect("a prime");
    let number = |octets: &[u8]| order.reduce(&Nat::from_be_bytes(octets));
    let [r, s] = [signature.r(), signature.s()].map(|x| number(x.to_be_bytes().as_ref()));
    let d = number(&key.to_be_bytes());
    (order, [r, s, d])
}

/// Looks for a number modulo the prime of a field.
fn add_nat<F: Field>(needles: &mut Needles, name: &'static str, number: &Nat) {
    let octets = number.to_be_bytes(F::ZERO_BYTES.as_ref().len());
    add_number::<F>(needles, name, &octets.expect("below the prime"));
}

/// Looks for the nonce of a signature of ECDSA, which follows from the key, and for its inverse.
fn add_ecdsa_nonce<C: ec::Named>(
    needles: &mut Needles,
    key: &ec::PrivateKey<C>,
    digest: &[u8],
    signature: &ec::ecdsa::Signature<C>,
) {
    let (n, [r, s, d]) = numbers(key, signature);
    let sum = n.add(&n.reduce(&Nat::from_be_bytes(digest)), &n.mul(&d, &r));
    let nonce = n.mul(&sum, &n.inv(&s).expect("not 0"));
    add_nat::<C::Scalar>(needles, "the nonce", &nonce);
    let inverse = n.inv(&nonce).expect("not 0");
    add_nat::<C::Scalar>(needles, "the inverse of the nonce", &inverse);
}

/// Looks for the nonce of a signature of ECNR, which follows from the key.
fn add_ecnr_nonce<C: ec::Named>(
    needles: &mut Needles,
    key: &ec::PrivateKey<C>,
    signature: &ec::ecdsa::Signature<C>,
) {
    let (n, [r, s, d]) = numbers(key, signature);
    let nonce = n.add(&s, &n.mul(&d, &r));
    add_nat::<C::Scalar>(needles, "the nonce of ECNR", &nonce);
}

/// Writes a key and reads it back.
fn files_of_curves(needles: &mut Needles, key: &AnyPrivateKey) {
    let password = filled(32);
    needles.add("the password", &password);
    let again = below(|| AnyPrivateKey::from_any(&key.to_pkcs8_der(), None)).expect("a key");
    let text = below(|| again.to_pkcs8_pem());
    // The number is within the first two lines.
    let body = text.split_once("-----\n").expect("two lines").1;
    needles.add("the text of the file", &body.as_bytes()[40..64]);
    let again = below(|| AnyPrivateKey::from_any(text.as_bytes(), None)).expect("a key");
    let sealed = below(|| again.to_pkcs8_encrypted_pem(&password, &mut rng()));
    let again =
        below(|| AnyPrivateKey::from_any(sealed.as_bytes(), Some(&password))).expect("a key");
    below(|| again.agree(&key.public())).expect("one curve");
    drop(below(|| {
        again.to_openssh("a comment", Some(&password), &mut rng())
    }));
}

pub fn x25519(needles: &mut Needles) {
    let rng = &mut rng();
    let [a, b] = [(); 2].map(|()| below(|| X25519PrivateKey::generate_with(rng)));
    for key in [&a, &b] {
        needles.add("the scalar", key.as_bytes());
    }
    let keys = vec![a.clone(); 10];
    assert_eq!(
        below(|| X25519PrivateKey::public_keys(&keys))[9],
        a.public()
    );
    drop(keys);
    let z = below(|| a.agree(&b.public())).expect("a point");
    needles.add("what was agreed on", &z);
    drop(z);
    drop(b);
    let a = below(|| X25519PrivateKey::from_pkcs8_der(&a.to_pkcs8_der())).expect("a key");
    files_of_curves(needles, &AnyPrivateKey::from(a));
}

pub fn x448(needles: &mut Needles) {
    let rng = &mut rng();
    let [a, b] = [(); 2].map(|()| below(|| X448PrivateKey::generate_with(rng)));
    for key in [&a, &b] {
        needles.add("the scalar", key.as_bytes());
    }
    let z = below(|| a.agree(&b.public())).expect("a point");
    needles.add("what was agreed on", &z);
    drop(z);
    drop(b);
    let a = below(|| X448PrivateKey::from_pkcs8_der(&a.to_pkcs8_der())).expect("a key");
    files_of_curves(needles, &AnyPrivateKey::from(a));
}

pub fn ed25519(needles: &mut Needles) {
    let key = below(|| Ed25519PrivateKey::generate_with(&mut rng()));
    needles.add("the seed", key.as_bytes());
    // Half of this is the scalar before its bits are fixed, and half the key of the nonces.
    let expanded = hashed(Hash::Sha512, &[key.as_bytes()]);
    needles.add("the scalar", &expanded[1..31]);
    let prefix = &expanded[32..];
    needles.add("the prefix", prefix);
    let messages: [Vec<u8>; 10] = array::from_fn(|i| vec![i as u8; 20]);
    let group = messages.each_ref().map(|message| (&key, message));
    let signatures = below(|| Ed25519PrivateKey::run_group(&mut rng(), &group));
    for (made, message) in signatures.iter().zip(&messages) {
        let signature = below(|| key.sign(message));
        assert!(made.as_ref() == Ok(&signature));
        let hash = hashed(Hash::Sha512, &[prefix, message]);
        below(|| add_hashed_nonce::<Edwards25519Order>(needles, &hash));
    }
    below(|| key.sign_ctx(b"a message", b"a context")).expect("a short context");
    let key = below(|| Ed25519PrivateKey::from_pkcs8_der(&key.to_pkcs8_der())).expect("a key");
    below(|| key.sign(b"a message"));
}

pub fn ed448(needles: &mut Needles) {
    let key = below(|| Ed448PrivateKey::generate_with(&mut rng()));
    needles.add("the seed", key.as_bytes());
    // Half of this is the scalar before its bits are fixed, and half the key of the nonces.
    let expanded = shake256(&[key.as_bytes()]);
    needles.add("the scalar", &expanded[1..55]);
    let prefix = &expanded[57..];
    needles.add("the prefix", prefix);
    below(|| key.sign(b"a message"));
    // What is hashed first, for an empty context (RFC 8032, 2).
    let hash = shake256(&[b"SigEd448\0\0", prefix, b"a message"]);
    below(|| add_hashed_nonce::<Edwards448Order>(needles, &hash));
    below(|| key.sign_ctx(b"a message", b"a context")).expect("a short context");
    let key = below(|| Ed448PrivateKey::from_pkcs8_der(&key.to_pkcs8_der())).expect("a key");
    below(|| key.sign(b"a message"));
}

/// The hash of secret parts. What it leaves on the stack here is not the key's.
fn hashed(hash: Hash, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    off_stack::<4096, _>(|| {
        let input = Zeroizing::new(parts.concat());
        Zeroizing::new(hash.digest(&input))
    })
}

/// 114 octets of SHAKE256 of secret parts, as [`hashed`].
fn shake256(parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    off_stack::<4096, _>(|| {
        let mut hasher = Shake256::default();
        parts.iter().for_each(|part| hasher.update(part));
        let mut octets = Zeroizing::new(vec![0; 114]);
        hasher.finalize_xof().read(&mut octets);
        octets
    })
}

/// Looks for a nonce that is a hash, a little-endian number, modulo the order of a curve, and for the hash.
fn add_hashed_nonce<F: Field>(needles: &mut Needles, hash: &[u8]) {
    needles.add("the hash of the nonce", hash);
    let mut octets = Zeroizing::new(hash.to_vec());
    octets.reverse();
    let nonce = Nat::from_be_bytes(&octets).rem(&prime::<F>());
    add_nat::<F>(needles, "the nonce", &nonce);
}

pub fn mqv(needles: &mut Needles) {
    let rng = &mut rng();
    let [a, x, b, y] = [(); 4].map(|()| below(|| ec::PrivateKey::<P256>::generate_with(rng)));
    for key in [&a, &x] {
        add_scalar::<P256>(needles, &key.to_be_bytes());
    }
    blended(needles, [&a, &x], [b.public(), y.public()]);
    let group = Named::Ffdhe2048.group();
    let [a, x, b, y] = [(); 4].map(|()| below(|| dl::PrivateKey::generate_with(&group, rng)));
    for key in [&a, &x] {
        needles.add_limbs("x", key.x().limbs());
    }
    blended(needles, [&a, &x], [b.public(), y.public()]);
}

/// What four keys agree on.
fn blended<P: Party>(needles: &mut Needles, own: [&P; 2], other: [&P::Public; 2]) {
    let hash = Hash::Sha256;
    let agreed = [
        below(|| mqv_agree(own, other)),
        below(|| hmqv_agree(hash, own, other)),
        below(|| fhmqv_agree(Role::Initiator, hash, own, other)),
    ];
    for octets in agreed {
        let octets = octets.unwrap_or_else(|_| panic!("four good keys"));
        needles.add("what was agreed on", &octets);
    }
}

pub fn legacy(needles: &mut Needles) {
    let (rng, hash) = (&mut rng(), Hash::Sha256);
    let options = legacy::KeygenOptions { allow_small: true };
    let digest = hash.digest(b"a message");
    let key = below(|| rabin::PrivateKey::generate_with(rng, 1024, options)).expect("a good size");
    add_integers(needles, "Rabin", &key.to_der(), &key.public().to_der());
    below(|| key.rabinss_pssr_sign(rng, hash, b"", &digest)).expect("a signature");
    below(|| rabin::PrivateKey::from_der(&key.to_der())).expect("a key");
    let key = below(|| rw::PrivateKey::generate_with(rng, 1024, options)).expect("a good size");
    add_integers(
        needles,
        "Rabin-Williams",
        &key.to_der(),
        &key.public().to_der(),
    );
    below(|| key.rwss_emsa2_sign(rng, hash, &digest)).expect("a signature");
    below(|| rw::PrivateKey::from_der(&key.to_der())).expect("a key");
    let key = below(|| esign::PrivateKey::generate_with(rng, 1023, options)).expect("a good size");
    add_integers(needles, "ESIGN", &key.to_der(), &key.public().to_der());
    below(|| key.esign_emsa5_sign(rng, hash, &digest)).expect("a signature");
    below(|| esign::PrivateKey::from_der(&key.to_der())).expect("a key");
}

/// Looks for the integers of a key file that are not in the public key's file.
fn add_integers(needles: &mut Needles, name: &'static str, der: &[u8], public: &[u8]) {
    // Of the sequence, whose length takes up to three octets.
    let mut rest = &der[2 + (der[1] & 0x7f) as usize * usize::from(der[1] & 0x80 != 0)..];
    while let [2, length, tail @ ..] = rest {
        let (length, tail) = match length {
            0x81 => (tail[0].into(), &tail[1..]),
            0x82 => (usize::from(tail[0]) << 8 | usize::from(tail[1]), &tail[2..]),
            _ => ((*length).into(), tail),
        };
        let (integer, after) = tail.split_at(length);
        let integer = integer.strip_prefix(&[0]).unwrap_or(integer);
        if integer.len() >= 32 && !public.windows(integer.len()).any(|known| known == integer) {
            needles.add(name, integer);
        }
        rest = after;
    }
}
