//! Many handshakes at once by one service.

use super::{P256, RSA_2048, talk};
use carrysave::{
    engine::{Service, ServiceOptions},
    rsa::PrivateKey,
};
use rustls::version::TLS13;
use std::sync::{Arc, Barrier};
use std::thread;

pub(crate) fn start(threads: usize) -> Arc<Service> {
    let options = ServiceOptions {
        threads,
        ..Default::default()
    };
    Arc::new(Service::new(options).unwrap())
}

#[test]
fn handshakes_of_many_threads_share_groups() {
    const THREADS: usize = 16;
    const EACH: usize = 8;
    let service = start(1);
    let provider = carrysave_rustls::with_service(service.clone());
    let server = RSA_2048.server(&provider);
    let client = RSA_2048.client(&rustls_graviola::default_provider(), &TLS13);
    let together = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                together.wait();
                for _ in 0..EACH {
                    talk(client.clone(), server.clone()).unwrap();
                }
            });
        }
    });
    let metrics = service.metrics();
    assert_eq!(metrics.jobs, (THREADS * EACH) as u64);
    let key = PrivateKey::from_pkcs8_der(RSA_2048.key().secret_der()).unwrap();
    if key.lanes_from().is_some() {
        assert!(metrics.mean_fill() > 1.0, "{metrics:?}");
    }
}

#[test]
fn other_keys_need_no_service() {
    let service = start(1);
    let provider = carrysave_rustls::with_service(service.clone());
    talk(P256.client(&provider, &TLS13), P256.server(&provider)).unwrap();
    assert_eq!(service.metrics().jobs, 0);
}

#[test]
fn after_a_shutdown_handshakes_fail() {
    let service = start(1);
    let provider = carrysave_rustls::with_service(service.clone());
    let (client, server) = (
        RSA_2048.client(&provider, &TLS13),
        RSA_2048.server(&provider),
    );
    talk(client.clone(), server.clone()).unwrap();
    service.shutdown();
    let error = talk(client, server).map(drop).unwrap_err();
    assert!(
        error.to_string().contains("the service was shut down"),
        "{error}"
    );
}
