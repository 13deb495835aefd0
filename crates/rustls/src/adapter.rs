//! The traits of rustls 0.23. All that a newer version of rustls changes is in this file.

use crate::ec::{self, Verify, ecdsa_verifies, ed25519_verifies};
use crate::rsa::{Key, Scheme};
use carrysave::{
    KeyError,
    ec::{
        Algorithm, Named, P256, P384, P521, PrivateKey as Scalar, X25519PrivateKey, X25519PublicKey,
    },
    engine::{self, Service},
    hash::Hash::{Sha256, Sha384, Sha512},
    rsa::PrivateKey,
};
use core::{fmt::Debug, marker::PhantomData};
use rustls::crypto::{
    ActiveKeyExchange, CryptoProvider, KeyProvider, SharedSecret, SupportedKxGroup,
    WebPkiSupportedAlgorithms,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, PrivateKeyDer, SignatureVerificationAlgorithm,
    SubjectPublicKeyInfoDer, alg_id,
};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, NamedGroup, PeerMisbehaved, SignatureAlgorithm, SignatureScheme};
use std::sync::{Arc, LazyLock};
use zeroize::Zeroizing;

/// The provider that this one is over, which has what is not here. It needs no C compiler.
fn base() -> CryptoProvider {
    rustls_graviola::default_provider()
}

/// A provider whose keys sign on the thread that calls rustls.
///
/// # Panics
/// Never. Its operations do where the operating system has no randomness, and those of graviola on a processor without
/// the instructions that it needs.
///
/// # Timing
/// How long signatures and key agreements take depends on no secret. Keys are read as by [`PrivateKey::from_pkcs1_der`].
pub fn default_provider() -> CryptoProvider {
    provider(&Keys { signer: None })
}

/// A provider whose RSA keys sign by `service`, where the signatures of several threads share the lanes of vectors. Other
/// keys sign on the thread that calls rustls.
///
/// rustls wants a provider of keys that lasts as long as the program. So the service is never dropped: call this once.
/// After [`Service::shutdown`] handshakes with RSA keys fail.
///
/// # Panics
/// As [`default_provider`].
///
/// # Timing
/// As [`default_provider`] and [`Service::run`].
pub fn with_service(service: Arc<Service>) -> CryptoProvider {
    let signer = Some(engine::Signer::new(service));
    provider(Box::leak(Box::new(Keys { signer })))
}

fn provider(key_provider: &'static Keys) -> CryptoProvider {
    let base = base();
    let ours = |group: &'static dyn SupportedKxGroup| match group.name() {
        NamedGroup::X25519 => &X25519 as &dyn SupportedKxGroup,
        NamedGroup::secp256r1 => &ECDH_P256,
        NamedGroup::secp384r1 => &ECDH_P384,
        _ => group,
    };
    CryptoProvider {
        kx_groups: base.kx_groups.into_iter().map(ours).collect(),
        signature_verification_algorithms: *ALGORITHMS,
        key_provider,
        ..base
    }
}

/// A signature of TLS by RSA: its name, the algorithm of its like in certificates, and what it is here.
#[derive(Debug)]
struct Rsa {
    scheme: SignatureScheme,
    id: AlgorithmIdentifier,
    ours: Scheme,
}

/// The signatures by RSA, the preferred ones first.
static RSA: [Rsa; 6] = [
    Rsa {
        scheme: SignatureScheme::RSA_PSS_SHA512,
        id: alg_id::RSA_PSS_SHA512,
        ours: Scheme::pss(Sha512),
    },
    Rsa {
        scheme: SignatureScheme::RSA_PSS_SHA384,
        id: alg_id::RSA_PSS_SHA384,
        ours: Scheme::pss(Sha384),
    },
    Rsa {
        scheme: SignatureScheme::RSA_PSS_SHA256,
        id: alg_id::RSA_PSS_SHA256,
        ours: Scheme::pss(Sha256),
    },
    Rsa {
        scheme: SignatureScheme::RSA_PKCS1_SHA512,
        id: alg_id::RSA_PKCS1_SHA512,
        ours: Scheme::pkcs1(Sha512),
    },
    Rsa {
        scheme: SignatureScheme::RSA_PKCS1_SHA384,
        id: alg_id::RSA_PKCS1_SHA384,
        ours: Scheme::pkcs1(Sha384),
    },
    Rsa {
        scheme: SignatureScheme::RSA_PKCS1_SHA256,
        id: alg_id::RSA_PKCS1_SHA256,
        ours: Scheme::pkcs1(Sha256),
    },
];

impl SignatureVerificationAlgorithm for Rsa {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.id
    }

    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        match self.ours.verifies(public_key, message, signature) {
            true => Ok(()),
            false => Err(InvalidSignature),
        }
    }
}

/// A signature by a key on a curve in certificates: the algorithms of the key and of the signature, and what it is here.
#[derive(Debug)]
struct Curve {
    key: AlgorithmIdentifier,
    id: AlgorithmIdentifier,
    verifies: Verify,
}

impl Curve {
    /// ECDSA on a curve with each of [`ec::HASHES`].
    const fn ecdsa<C: Named>(key: AlgorithmIdentifier) -> [Curve; 3] {
        [
            Curve {
                key,
                id: alg_id::ECDSA_SHA256,
                verifies: ecdsa_verifies::<C, 0>,
            },
            Curve {
                key,
                id: alg_id::ECDSA_SHA384,
                verifies: ecdsa_verifies::<C, 1>,
            },
            Curve {
                key,
                id: alg_id::ECDSA_SHA512,
                verifies: ecdsa_verifies::<C, 2>,
            },
        ]
    }
}

static ON_P256: [Curve; 3] = Curve::ecdsa::<P256>(alg_id::ECDSA_P256);
static ON_P384: [Curve; 3] = Curve::ecdsa::<P384>(alg_id::ECDSA_P384);
static ON_P521: [Curve; 3] = Curve::ecdsa::<P521>(alg_id::ECDSA_P521);
static ED25519: Curve = Curve {
    key: alg_id::ED25519,
    id: alg_id::ED25519,
    verifies: ed25519_verifies,
};

impl SignatureVerificationAlgorithm for Curve {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.key
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.id
    }

    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        match (self.verifies)(public_key, message, signature) {
            true => Ok(()),
            false => Err(InvalidSignature),
        }
    }
}

type Verifier = &'static dyn SignatureVerificationAlgorithm;

/// All algorithms that are here.
fn verifiers() -> impl Iterator<Item = Verifier> {
    let curves = [&ON_P256, &ON_P384, &ON_P521].into_iter().flatten();
    let curves = curves.chain([&ED25519]).map(|curve| curve as Verifier);
    RSA.iter().map(|rsa| rsa as Verifier).chain(curves)
}

/// The algorithms of the base, with those here in place of its own, and P-521.
static ALGORITHMS: LazyLock<WebPkiSupportedAlgorithms> = LazyLock::new(|| {
    let ids = |one: Verifier| (one.public_key_alg_id(), one.signature_alg_id());
    let ours = |algorithms: &[Verifier]| -> Vec<Verifier> {
        let own = |&one: &Verifier| verifiers().find(|own| ids(*own) == ids(one)).unwrap_or(one);
        algorithms.iter().map(own).collect()
    };
    let WebPkiSupportedAlgorithms { all, mapping } = base().signature_verification_algorithms;
    let more = ON_P521.iter().map(|curve| curve as Verifier);
    let all: Vec<_> = ours(all).into_iter().chain(more).collect();
    let mapping = mapping
        .iter()
        .map(|&(scheme, algorithms)| (scheme, &*ours(algorithms).leak()));
    let p521: &[Verifier] = vec![&ON_P521[2] as Verifier].leak();
    let p521 = (SignatureScheme::ECDSA_NISTP521_SHA512, p521);
    WebPkiSupportedAlgorithms {
        all: all.leak(),
        mapping: mapping.chain([p521]).collect::<Vec<_>>().leak(),
    }
});

/// Makes private keys from files.
#[derive(Debug)]
struct Keys {
    signer: Option<engine::Signer>,
}

impl KeyProvider for Keys {
    fn load_private_key(&self, der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        let der = Zeroizing::new(der);
        let read = match &*der {
            PrivateKeyDer::Pkcs1(key) => PrivateKey::from_pkcs1_der(key.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(key) => PrivateKey::from_pkcs8_der(key.secret_pkcs8_der()),
            _ => return on_curve(&der),
        };
        match read {
            Ok(key) => {
                let key = Key::new(key, self.signer.clone()).map_err(Error::General)?;
                Ok(Arc::new(RsaKey(key)))
            }
            Err(KeyError::Algorithm { .. }) => on_curve(&der),
            Err(refusal) => Err(Error::General(refusal.to_string())),
        }
    }
}

/// A key for another algorithm than RSA.
fn on_curve(der: &PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
    let other = "this is no private key to sign with: use one for RSA, ECDSA on P-256, P-384 or P-521, or Ed25519";
    let key = match ec::Key::from_der(der.secret_der()) {
        Ok(key) => key,
        Err(KeyError::Algorithm { .. }) => return Err(Error::General(other.to_owned())),
        Err(refusal) => return Err(Error::General(refusal.to_string())),
    };
    let kind = CURVES.iter().find(|kind| kind.of == key.algorithm());
    let kind = kind.ok_or_else(|| Error::General(other.to_owned()))?;
    Ok(Arc::new(CurveKey { key, kind }))
}

#[derive(Debug)]
struct RsaKey(Key);

impl SigningKey for RsaKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let rsa = RSA.iter().find(|rsa| offered.contains(&rsa.scheme))?;
        let key = self.0.clone();
        Some(Box::new(RsaSigner { key, rsa }))
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(self.0.public().into())
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::RSA
    }
}

#[derive(Debug)]
struct RsaSigner {
    key: Key,
    rsa: &'static Rsa,
}

impl Signer for RsaSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signed = self.key.sign(self.rsa.ours, message);
        signed.map_err(Error::General)
    }

    fn scheme(&self) -> SignatureScheme {
        self.rsa.scheme
    }
}

/// The keys of a curve: how they sign in TLS.
#[derive(Debug)]
struct CurveKind {
    of: Algorithm,
    scheme: SignatureScheme,
    algorithm: SignatureAlgorithm,
}

static CURVES: [CurveKind; 4] = [
    CurveKind {
        of: Algorithm::P256,
        scheme: SignatureScheme::ECDSA_NISTP256_SHA256,
        algorithm: SignatureAlgorithm::ECDSA,
    },
    CurveKind {
        of: Algorithm::P384,
        scheme: SignatureScheme::ECDSA_NISTP384_SHA384,
        algorithm: SignatureAlgorithm::ECDSA,
    },
    CurveKind {
        of: Algorithm::P521,
        scheme: SignatureScheme::ECDSA_NISTP521_SHA512,
        algorithm: SignatureAlgorithm::ECDSA,
    },
    CurveKind {
        of: Algorithm::Ed25519,
        scheme: SignatureScheme::ED25519,
        algorithm: SignatureAlgorithm::ED25519,
    },
];

/// A key on a curve, which has one scheme.
#[derive(Clone, Debug)]
struct CurveKey {
    key: ec::Key,
    kind: &'static CurveKind,
}

impl SigningKey for CurveKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        match offered.contains(&self.kind.scheme) {
            true => Some(Box::new(self.clone())),
            false => None,
        }
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(self.key.public().into())
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.kind.algorithm
    }
}

impl Signer for CurveKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.key.sign(message).map_err(Error::General)
    }

    fn scheme(&self) -> SignatureScheme {
        self.kind.scheme
    }
}

/// Key agreement by X25519.
#[derive(Debug)]
struct X25519;

impl SupportedKxGroup for X25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let private = X25519PrivateKey::generate();
        let public = private.public();
        Ok(Box::new(ActiveX25519 { private, public }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

struct ActiveX25519 {
    private: X25519PrivateKey,
    public: X25519PublicKey,
}

impl ActiveKeyExchange for ActiveX25519 {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let shared = peer
            .try_into()
            .ok()
            .and_then(|peer| self.private.agree(&X25519PublicKey(peer)).ok());
        match shared {
            Some(shared) => Ok(shared[..].into()),
            None => Err(PeerMisbehaved::InvalidKeyShare.into()),
        }
    }

    fn pub_key(&self) -> &[u8] {
        self.public.as_ref()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// Key agreement by ECDH on a curve.
#[derive(Debug)]
struct Ecdh<C> {
    name: NamedGroup,
    curve: PhantomData<fn() -> C>,
}

static ECDH_P256: Ecdh<P256> = Ecdh {
    name: NamedGroup::secp256r1,
    curve: PhantomData,
};
static ECDH_P384: Ecdh<P384> = Ecdh {
    name: NamedGroup::secp384r1,
    curve: PhantomData,
};

impl<C: Named + Debug> SupportedKxGroup for Ecdh<C> {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let private = Scalar::<C>::generate();
        Ok(Box::new(ActiveEcdh {
            name: self.name,
            public: private.public().to_sec1(),
            private,
        }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        self.name
    }
}

struct ActiveEcdh<C: Named> {
    name: NamedGroup,
    private: Scalar<C>,
    public: Vec<u8>,
}

impl<C: Named> ActiveKeyExchange for ActiveEcdh<C> {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let shared = ec::point(peer).and_then(|peer| self.private.agree(&peer).ok());
        match shared {
            Some(shared) => Ok(shared[..].into()),
            None => Err(PeerMisbehaved::InvalidKeyShare.into()),
        }
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        self.name
    }
}
