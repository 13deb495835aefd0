//! The key in a certificate (RFC 5280, section 4.1).

use super::{FormatError, joined};
use der::asn1::AnyRef;
use der::{Decode, Tag, Tagged};

fn refuse(_: impl Sized) -> FormatError {
    FormatError::new("a certificate", "it is damaged, or something else")
}

/// The `SubjectPublicKeyInfo` of a certificate, of which nothing is verified.
pub(crate) fn spki(der: &[u8]) -> Result<Vec<u8>, FormatError> {
    let certificate = Vec::<AnyRef<'_>>::from_der(der).map_err(refuse)?;
    let to_be_signed: &AnyRef<'_> = certificate.first().ok_or(()).map_err(refuse)?;
    let parts = to_be_signed
        .decode_as::<Vec<AnyRef<'_>>>()
        .map_err(refuse)?;
    // version, if there is one; serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo
    let version = parts
        .first()
        .is_some_and(|part| part.tag().is_context_specific());
    let key = parts.get(if version { 6 } else { 5 });
    let key = key.filter(|key| key.tag() == Tag::Sequence);
    Ok(joined(*key.ok_or(()).map_err(refuse)?).to_vec())
}
