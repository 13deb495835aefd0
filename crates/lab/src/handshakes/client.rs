//! The clients.

use super::server::Key;
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

/// A server that says nothing for so long fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of TLS 1.3 that never resumes a session.
pub(super) struct Client(Arc<ClientConfig>);

impl Client {
    /// One that takes any certificate of a key, and verifies the signature of each handshake.
    pub fn new(key: Key) -> Client {
        let provider = Arc::new(rustls_graviola::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("it is a version that the provider has")
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Any { provider, key }))
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        Client(Arc::new(config))
    }

    fn connect(&self, port: u16) -> io::Result<(TcpStream, ClientConnection)> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
        let tls = ClientConnection::new(self.0.clone(), name).map_err(io::Error::other)?;
        Ok((stream, tls))
    }

    /// Shakes hands, and gives the connection.
    pub fn shake_hands(&self, port: u16) -> io::Result<Connection> {
        let (mut stream, mut tls) = self.connect(port)?;
        while tls.is_handshaking() {
            tls.complete_io(&mut stream)?;
        }
        Ok(Connection(stream, tls))
    }

    /// Asks for a handshake, and hangs up while the server signs.
    pub fn hang_up(&self, port: u16) -> io::Result<()> {
        let (mut stream, mut tls) = self.connect(port)?;
        while tls.wants_write() {
            tls.write_tls(&mut stream)?;
        }
        Ok(())
    }
}

/// A connection after its handshake.
pub(super) struct Connection(TcpStream, ClientConnection);

impl Connection {
    /// Ends it as TLS has it.
    pub fn close(mut self) {
        self.1.send_close_notify();
        // The server may be gone already.
        _ = self.1.complete_io(&mut self.0);
    }
}

#[derive(Debug)]
struct Any {
    provider: Arc<CryptoProvider>,
    /// The key of the certificate that the server is to show.
    key: Key,
}

impl ServerCertVerifier for Any {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        match self.key {
            // The second is that of the certificate; haproxy looks for it to see that RSA is understood.
            Key::Rsa(_) => vec![
                SignatureScheme::RSA_PSS_SHA256,
                SignatureScheme::RSA_PKCS1_SHA256,
            ],
            Key::P256 => vec![SignatureScheme::ECDSA_NISTP256_SHA256],
        }
    }
}
