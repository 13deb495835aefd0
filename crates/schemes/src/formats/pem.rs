//! PEM (RFC 7468): text around DER.

use super::FormatError;
use der::SecretDocument;
use der::pem::LineEnding;
use zeroize::Zeroizing;

/// The label and DER of the first PEM block in `text`.
fn decode(text: &str, expected: &'static str) -> Result<(String, Zeroizing<Vec<u8>>), FormatError> {
    if text.contains("Proc-Type: 4,ENCRYPTED") {
        let detail = "OpenSSL's old PEM encryption; convert it with `openssl pkcs8 -topk8`";
        return Err(FormatError::new(expected, detail));
    }
    // Often behind a block with the curve.
    if text.contains("-----BEGIN EC PRIVATE KEY-----") {
        let detail =
            "SEC 1's form of a key; convert it with `openssl pkcs8 -topk8 -nocrypt -in FILE`";
        return Err(FormatError::new(expected, detail));
    }
    let (label, document) =
        SecretDocument::from_pem(text).map_err(|e| FormatError::new(expected, e))?;
    Ok((
        label.to_owned(),
        Zeroizing::new(document.as_bytes().to_vec()),
    ))
}

/// The DER in a PEM block that must have this label.
pub(crate) fn labelled(
    text: &str,
    wanted: &'static str,
    expected: &'static str,
) -> Result<Zeroizing<Vec<u8>>, FormatError> {
    match decode(text, expected)? {
        (label, der) if label == wanted => Ok(der),
        (label, _) => Err(FormatError::new(
            expected,
            format!("its label is \"{label}\", not \"{wanted}\""),
        )),
    }
}

/// The DER in a file that may be PEM or DER already.
pub(crate) fn any(bytes: &[u8], expected: &'static str) -> Result<Zeroizing<Vec<u8>>, FormatError> {
    let text = match str::from_utf8(bytes) {
        Ok(text) if text.contains("-----BEGIN ") => text,
        _ => return Ok(Zeroizing::new(bytes.to_vec())),
    };
    let hint = match decode(text, expected)? {
        (label, der) if label.ends_with("PRIVATE KEY") && label != "OPENSSH PRIVATE KEY" => {
            return Ok(der);
        }
        (label, der) if label.ends_with("PUBLIC KEY") => return Ok(der),
        (label, _) if label == "OPENSSH PRIVATE KEY" => {
            "an OpenSSH private key; convert it with `ssh-keygen -p -m PKCS8 -f FILE`"
        }
        (label, _) if label == "CERTIFICATE" => {
            "a certificate; take its key with `openssl x509 -noout -pubkey`"
        }
        (label, _) => {
            return Err(FormatError::new(
                expected,
                format!("its label is \"{label}\""),
            ));
        }
    };
    Err(FormatError::new(expected, hint))
}

/// DER as PEM text.
pub(crate) fn encode(label: &'static str, der: &[u8]) -> Zeroizing<String> {
    let document = SecretDocument::try_from(der).expect("DER that was just written");
    document
        .to_pem(label, LineEnding::LF)
        .expect("a label of our own")
}
