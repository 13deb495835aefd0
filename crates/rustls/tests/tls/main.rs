//! Whole handshakes in memory, between this provider and the one that it is over.

mod keys;
mod service;
mod signatures;

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::server::{NoClientAuth, WebPkiClientVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, Connection, Error, NamedGroup, RootCertStore, ServerConfig,
    ServerConnection, SignatureScheme, SupportedProtocolVersion,
};
use std::io::{Read, Write};
use std::sync::Arc;

/// A certificate and its key.
pub(crate) struct Identity {
    certificate: &'static str,
    key: &'static str,
}

macro_rules! identity {
    ($name:literal) => {
        Identity {
            certificate: include_str!(concat!("../keys/", $name, ".crt")),
            key: include_str!(concat!("../keys/", $name, ".key")),
        }
    };
}

pub(crate) const RSA_2048: Identity = identity!("rsa2048");
pub(crate) const RSA_4096: Identity = identity!("rsa4096");
pub(crate) const P256: Identity = identity!("p256");
pub(crate) const P384: Identity = identity!("p384");
pub(crate) const P521: Identity = identity!("p521");
pub(crate) const ED25519: Identity = identity!("ed25519");

impl Identity {
    pub(crate) fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap()
    }

    fn certificate(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()
    }

    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate()).unwrap();
        roots
    }

    /// A server that shows this identity.
    pub(crate) fn server(&self, provider: &CryptoProvider) -> Arc<ServerConfig> {
        let config = ServerConfig::builder_with_provider(provider.clone().into())
            .with_protocol_versions(&[&TLS13, &TLS12])
            .unwrap()
            .with_client_cert_verifier(Arc::new(NoClientAuth))
            .with_single_cert(vec![self.certificate()], self.key());
        Arc::new(config.unwrap())
    }

    /// A client that trusts this identity.
    pub(crate) fn client(
        &self,
        provider: &CryptoProvider,
        version: &'static SupportedProtocolVersion,
    ) -> Arc<ClientConfig> {
        let mut config = ClientConfig::builder_with_provider(provider.clone().into())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(self.roots())
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        Arc::new(config)
    }
}

fn send(from: &mut Connection, to: &mut Connection) -> Result<(), Error> {
    let mut records = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut records).unwrap();
    }
    let mut records = &records[..];
    while !records.is_empty() {
        to.read_tls(&mut records).unwrap();
        to.process_new_packets()?;
    }
    Ok(())
}

/// Carries out a handshake, has both sides say something, and returns them.
pub(crate) fn talk(
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
) -> Result<[Connection; 2], Error> {
    let name = "localhost".try_into().unwrap();
    let mut client = Connection::from(ClientConnection::new(client, name)?);
    let mut server = Connection::from(ServerConnection::new(server)?);
    while client.is_handshaking() || server.is_handshaking() {
        send(&mut client, &mut server)?;
        send(&mut server, &mut client)?;
    }
    for _ in 0..2 {
        client.writer().write_all(b"said").unwrap();
        send(&mut client, &mut server)?;
        let mut heard = [0; 4];
        server.reader().read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"said");
        (client, server) = (server, client);
    }
    Ok([client, server])
}

fn group(connection: &Connection) -> NamedGroup {
    connection.negotiated_key_exchange_group().unwrap().name()
}

#[test]
fn both_sides_agree() {
    let base = rustls_graviola::default_provider();
    let ours = carrysave_rustls::default_provider();
    let served = carrysave_rustls::with_service(service::start(2));
    let versions = [&TLS13, &TLS12];
    for (identity, versions) in [
        (RSA_2048, &versions[..]),
        (RSA_4096, &versions),
        (P256, &versions),
        (P384, &versions),
        // The suites of the base leave it out of TLS 1.2.
        (ED25519, &versions[..1]),
    ] {
        for &version in versions {
            for (client, server) in [
                (&ours, &ours),
                (&ours, &base),
                (&base, &ours),
                (&base, &served),
            ] {
                let connections = talk(identity.client(client, version), identity.server(server));
                for connection in &connections.unwrap() {
                    assert_eq!(connection.protocol_version(), Some(version.version));
                }
            }
        }
    }
}

#[test]
fn the_hybrid_group_stays_first() {
    let ours = carrysave_rustls::default_provider();
    let connections = talk(RSA_2048.client(&ours, &TLS13), RSA_2048.server(&ours)).unwrap();
    assert_eq!(group(&connections[0]), NamedGroup::X25519MLKEM768);
}

/// The provider with one group alone.
fn only(name: NamedGroup, provider: &CryptoProvider) -> CryptoProvider {
    let mut provider = provider.clone();
    provider.kx_groups.retain(|group| group.name() == name);
    assert_eq!(provider.kx_groups.len(), 1);
    provider
}

/// The base has no P-521.
#[test]
fn keys_on_p521_sign() {
    let ours = carrysave_rustls::default_provider();
    for version in [&TLS13, &TLS12] {
        talk(P521.client(&ours, version), P521.server(&ours)).unwrap();
    }
}

/// The groups that are here.
const GROUPS: [NamedGroup; 3] = [
    NamedGroup::X25519,
    NamedGroup::secp256r1,
    NamedGroup::secp384r1,
];

#[test]
fn each_group_alone() {
    let base = rustls_graviola::default_provider();
    let ours = carrysave_rustls::default_provider();
    for name in GROUPS {
        for version in [&TLS13, &TLS12] {
            for (client, server) in [(&ours, &ours), (&ours, &base), (&base, &ours)] {
                let client = only(name, client);
                let [_, server] = talk(P256.client(&client, version), P256.server(server)).unwrap();
                assert_eq!(group(&server), name);
            }
        }
    }
}

#[test]
fn bad_shares_are_refused() {
    for name in GROUPS {
        let ours = only(name, &carrysave_rustls::default_provider());
        let exchange = || ours.kx_groups[0].start().unwrap();
        assert_eq!((exchange().group(), ours.kx_groups[0].name()), (name, name));
        let good = exchange().pub_key().to_vec();
        assert!(exchange().complete(&good).is_ok());
        let mut longer = good.clone();
        longer.push(0);
        let zero = vec![0; good.len()];
        for share in [&good[1..], &longer, &zero, &[9; 31], &[9; 33], &[]] {
            assert!(exchange().complete(share).is_err(), "{name:?} {share:?}");
        }
        if name != NamedGroup::X25519 {
            // A point on no curve, and a compressed one.
            let mut other = good.clone();
            other[20] ^= 1;
            let mut compressed = good[..=good.len() / 2].to_vec();
            compressed[0] = 2 + (good[good.len() - 1] & 1);
            for share in [other, compressed] {
                assert!(exchange().complete(&share).is_err(), "{name:?} {share:?}");
            }
        }
    }
}

#[test]
fn a_client_signs_too() {
    let ours = carrysave_rustls::default_provider();
    let base = rustls_graviola::default_provider();
    let pairs = [(&ours, &base), (&base, &ours)];
    let identities = [RSA_4096, P256, P384, ED25519];
    for (own, (client, server)) in identities
        .iter()
        .flat_map(|own| pairs.map(|pair| (own, pair)))
    {
        let (client, server) = (Arc::new(client.clone()), Arc::new(server.clone()));
        let roots = Arc::new(own.roots());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, server.clone());
        let server = ServerConfig::builder_with_provider(server)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(vec![P256.certificate()], P256.key());
        let client = ClientConfig::builder_with_provider(client)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(P256.roots())
            .with_client_auth_cert(vec![own.certificate()], own.key());
        let [_, server] = talk(Arc::new(client.unwrap()), Arc::new(server.unwrap())).unwrap();
        assert_eq!(server.peer_certificates().unwrap(), [own.certificate()]);
    }
}

#[test]
fn a_certificate_of_another_is_refused() {
    let ours = carrysave_rustls::default_provider();
    for (trusted, shown) in [
        (RSA_2048, RSA_4096),
        (P256, RSA_2048),
        (RSA_2048, P256),
        (P384, ED25519),
    ] {
        let result = talk(trusted.client(&ours, &TLS13), shown.server(&ours));
        assert!(matches!(result, Err(Error::InvalidCertificate(_))));
    }
}

/// A client that offers only schemes of SHA-256 gets one of these.
#[test]
fn the_client_limits_the_schemes() {
    let ours = carrysave_rustls::default_provider();
    let mut client = rustls_graviola::default_provider();
    let algorithms = &mut client.signature_verification_algorithms;
    let mapping = algorithms.mapping.iter().copied();
    let few = [
        SignatureScheme::RSA_PKCS1_SHA256,
        SignatureScheme::RSA_PSS_SHA256,
    ];
    algorithms.mapping = Vec::leak(mapping.filter(|(scheme, _)| few.contains(scheme)).collect());
    for version in [&TLS13, &TLS12] {
        talk(RSA_2048.client(&client, version), RSA_2048.server(&ours)).unwrap();
    }
}
