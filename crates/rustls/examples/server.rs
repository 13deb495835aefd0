//! A server with one page, and without an async runtime: a pool of threads, whose RSA signatures share vector lanes.
//!
//! `cargo run --release -p carrysave-rustls --example server -- CERTIFICATE KEY [PORT]`, then for example
//! `curl --cacert CERTIFICATE https://localhost:8443/`

use carrysave_rustls::Service;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::{env, error::Error, io, sync::Arc, thread, time::Duration};

/// More than the processors: while some threads sign, others wait to sign with them.
const THREADS: usize = 32;
/// In bytes.
const LONGEST_REQUEST: u64 = 16_384;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(certificate), Some(key)) = (arguments.next(), arguments.next()) else {
        return Err("name a file with a certificate and one with its key".into());
    };
    let port = arguments.next().map_or(Ok(8443), |port| port.parse())?;

    let service = Arc::new(Service::new(Default::default())?);
    let provider = carrysave_rustls::with_service(service.clone());
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<_, _>>()?;
    let config = ServerConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    let config = Arc::new(config);

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("https://localhost:{}/", listener.local_addr()?.port());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let answered = listener
                        .accept()
                        .and_then(|(tcp, _)| answer(tcp, &config, &service));
                    if let Err(error) = answered {
                        eprintln!("{error}");
                    }
                }
            });
        }
    });
    Ok(())
}

/// Shakes hands, reads a request, and answers how many signatures there were.
fn answer(tcp: TcpStream, config: &Arc<ServerConfig>, service: &Service) -> io::Result<()> {
    tcp.set_read_timeout(Some(Duration::from_secs(10)))?;
    tcp.set_write_timeout(Some(Duration::from_secs(10)))?;
    let connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
    let stream = StreamOwned::new(connection, tcp);
    let mut request = BufReader::new(stream).take(LONGEST_REQUEST);
    let mut line = String::new();
    while request.read_line(&mut line)? > 2 {
        line.clear();
    }
    let metrics = service.metrics();
    let body = format!("{} signatures in {} groups\n", metrics.jobs, metrics.groups);
    let mut stream = request.into_inner().into_inner();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}
