//! The AlgorithmIdentifier of an RSA key: rsaEncryption (RFC 3279, 2.3.1), or id-RSASSA-PSS with or without parameters
//! (RFC 4055).

use super::{KeyError, Notes, format_error, other};
use crate::formats::algorithm_name;
use crate::formats::asn1::{self, element};
use crate::hash::Hash;
use crate::rsa::{PssParameters, Purpose};
use der::asn1::{AnyRef, ContextSpecific, ObjectIdentifier};
use der::{Decode, Encode, TagNumber};
use spki::AlgorithmIdentifierRef;

/// rsaEncryption with its parameters, which are NULL.
const RSA: AlgorithmIdentifierRef<'static> = pkcs1::ALGORITHM_ID;
const RSASSA_PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
const MGF1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.8");

/// The purpose of a key with this algorithm.
pub(super) fn purpose(
    found: AlgorithmIdentifierRef<'_>,
    expected: &'static str,
    notes: &mut Notes,
) -> Result<Purpose, KeyError> {
    match found.oid {
        oid if oid == RSA.oid => {
            match found.parameters {
                Some(null) if null == AnyRef::NULL => {}
                None => notes
                    .push("rsaEncryption is without its NULL parameters, which RFC 3279 asks for"),
                _ => {
                    return Err(format_error(
                        expected,
                        "rsaEncryption with parameters other than NULL",
                    ));
                }
            }
            Ok(Purpose::Any)
        }
        RSASSA_PSS => match found.parameters {
            None => Ok(Purpose::Pss(None)),
            Some(parameters) => pss(parameters, expected).map(|own| Purpose::Pss(Some(own))),
        },
        oid => Err(other(algorithm_name(oid))),
    }
}

/// RSASSA-PSS-params (RFC 4055, 3.1). The defaults are SHA-1 and a salt of 20 octets.
fn pss(parameters: AnyRef<'_>, expected: &'static str) -> Result<PssParameters, KeyError> {
    let read = parameters.sequence(|reader| {
        let hash =
            ContextSpecific::<AlgorithmIdentifierRef<'_>>::decode_explicit(reader, TagNumber(0))?;
        let mask =
            ContextSpecific::<AlgorithmIdentifierRef<'_>>::decode_explicit(reader, TagNumber(1))?;
        let salt_len = ContextSpecific::<u16>::decode_explicit(reader, TagNumber(2))?;
        let trailer = ContextSpecific::<u8>::decode_explicit(reader, TagNumber(3))?;
        Ok::<_, der::Error>((hash, mask, salt_len, trailer))
    });
    let (hash, mask, salt_len, trailer) = read
        .map_err(|e| format_error(expected, format_args!("its parameters of RSASSA-PSS: {e}")))?;
    let known = |algorithm: Option<AlgorithmIdentifierRef<'_>>| match algorithm {
        None => Ok(Hash::Sha1),
        Some(algorithm) => Hash::from_oid(algorithm.oid.as_bytes())
            .ok_or_else(|| other(format!("RSASSA-PSS with the hash {}", algorithm.oid))),
    };
    let mgf = match mask.map(|mask| (mask.value.oid, mask.value.parameters)) {
        None => Hash::Sha1,
        Some((MGF1, inner)) => {
            let inner = inner.map(|inner| inner.decode_as()).transpose();
            known(inner.map_err(|e: der::Error| format_error(expected, e))?)?
        }
        Some((oid, _)) => {
            return Err(other(format!(
                "RSASSA-PSS with the mask generation function {oid}"
            )));
        }
    };
    if trailer.is_some_and(|trailer| trailer.value != 1) {
        return Err(format_error(
            expected,
            "its trailer field of RSASSA-PSS is not 1",
        ));
    }
    Ok(PssParameters {
        hash: known(hash.map(|hash| hash.value))?,
        mgf,
        min_salt_len: salt_len.map_or(20, |len| len.value.into()),
    })
}

/// Calls `f` with the AlgorithmIdentifier of a key for this purpose.
pub(super) fn with<T>(purpose: Purpose, f: impl FnOnce(AlgorithmIdentifierRef<'_>) -> T) -> T {
    let own = match purpose {
        Purpose::Any => return f(RSA),
        Purpose::Pss(own) => own,
    };
    let Some(own) = own else {
        return f(AlgorithmIdentifierRef {
            oid: RSASSA_PSS,
            parameters: None,
        });
    };
    let hash = |hash: Hash| {
        element(
            asn1::SEQUENCE,
            &[
                &element(asn1::OID, &[hash.oid()]),
                &element(asn1::NULL, &[]),
            ],
        )
    };
    let mask = element(
        asn1::SEQUENCE,
        &[&element(asn1::OID, &[MGF1.as_bytes()]), &hash(own.mgf)],
    );
    let salt_len = (own.min_salt_len as u16).to_der().expect("a small number");
    // DER has no element that is as by default (X.690, 11.5).
    let elements = [
        (own.hash != Hash::Sha1, hash(own.hash)),
        (own.mgf != Hash::Sha1, mask),
        (own.min_salt_len != 20, salt_len),
    ];
    let elements = elements.iter().zip(0..);
    let elements = elements
        .filter(|((other, _), _)| *other)
        .flat_map(|((_, value), i)| element(asn1::context(i), &[&value[..]]));
    let parameters = element(asn1::SEQUENCE, &[&elements.collect::<Vec<u8>>()]);
    f(AlgorithmIdentifierRef {
        oid: RSASSA_PSS,
        parameters: Some(AnyRef::from_der(&parameters).expect("DER that was just written")),
    })
}
