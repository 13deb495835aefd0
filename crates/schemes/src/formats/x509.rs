//! The key in a certificate (RFC 5280, section 4.1).

use super::FormatError;
use crate::cms::x509::Certificate;

/// The `SubjectPublicKeyInfo` of a certificate. Nothing in the certificate is verified.
pub(crate) fn spki(der: &[u8]) -> Result<Vec<u8>, FormatError> {
    let damaged = |_| FormatError::new("a certificate", "it is damaged, or something else");
    Ok(Certificate::from_der(der).map_err(damaged)?.spki)
}
