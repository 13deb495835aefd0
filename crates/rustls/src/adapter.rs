//! The traits of rustls 0.23. All that a newer version of rustls changes is in this file.

use crate::rsa::{Key, Scheme};
use carrysave::{
    KeyError,
    ec::{X25519PrivateKey, X25519PublicKey},
    engine::{self, Service},
    hash::Hash::{Sha256, Sha384, Sha512},
    rsa::PrivateKey,
};
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

/// The provider that this one is over, which has what is not here. It needs no C compiler.
fn base() -> CryptoProvider {
    rustls_graviola::default_provider()
}

/// A provider whose RSA keys sign on the thread that calls rustls.
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

/// A provider whose RSA keys sign by `service`, where the signatures of several threads share the lanes of vectors.
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
        NamedGroup::X25519 => &X25519,
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

type Algorithms = &'static [&'static dyn SignatureVerificationAlgorithm];

/// The algorithms of the base, with those of RSA here in place of its own.
static ALGORITHMS: LazyLock<WebPkiSupportedAlgorithms> = LazyLock::new(|| {
    let ours = |algorithms: Algorithms| -> Algorithms {
        let ours = algorithms.iter().map(|&algorithm| {
            let ours = RSA
                .iter()
                .find(|rsa| rsa.id == algorithm.signature_alg_id());
            ours.map_or(algorithm, |rsa| rsa)
        });
        ours.collect::<Vec<_>>().leak()
    };
    let WebPkiSupportedAlgorithms { all, mapping } = base().signature_verification_algorithms;
    let mapping = mapping
        .iter()
        .map(|&(scheme, algorithms)| (scheme, ours(algorithms)));
    WebPkiSupportedAlgorithms {
        all: ours(all),
        mapping: mapping.collect::<Vec<_>>().leak(),
    }
});

/// Makes private keys from files: of RSA here, others by the base.
#[derive(Debug)]
struct Keys {
    signer: Option<engine::Signer>,
}

impl KeyProvider for Keys {
    fn load_private_key(&self, der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        let read = match &der {
            PrivateKeyDer::Pkcs1(key) => PrivateKey::from_pkcs1_der(key.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(key) => PrivateKey::from_pkcs8_der(key.secret_pkcs8_der()),
            _ => return other(der),
        };
        match read {
            Ok(key) => {
                let key = Key::new(key, self.signer.clone()).map_err(Error::General)?;
                Ok(Arc::new(RsaKey(key)))
            }
            Err(KeyError::Algorithm { .. }) => other(der),
            Err(refusal) => Err(Error::General(refusal.to_string())),
        }
    }
}

/// A key for another algorithm than RSA.
fn other(der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
    base().key_provider.load_private_key(der).map_err(|_| {
        Error::General(
            "this is no private key to sign with: use one for RSA, ECDSA on P-256 or P-384, or Ed25519"
                .to_owned(),
        )
    })
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
