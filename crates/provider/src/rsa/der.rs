//! The DER of signature algorithms (RFC 4055, RFC 8017 appendix A).

use crate::der::{OBJECT, SEQUENCE, explicit, tagged};
use crate::digests::Digest;
use carrysave::hash::Hash;

const INTEGER: u8 = 0x02;
const NULL: &[u8] = &[0x05, 0x00];

/// id-RSASSA-PSS, 1.2.840.113549.1.1.10.
const PSS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a];
/// id-mgf1, 1.2.840.113549.1.1.8.
const MGF1: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x08];

/// `AlgorithmIdentifier` of signatures with PKCS #1 v1.5; `None` where the hash has none.
pub fn pkcs1(digest: Digest) -> Option<Vec<u8>> {
    let oid = digest.row().with_rsa;
    (!oid.is_empty()).then(|| tagged(SEQUENCE, &[&tagged(OBJECT, &[oid]), NULL]))
}

/// `AlgorithmIdentifier` of a hash, which is a part of its `DigestInfo`.
fn hash(hash: Hash) -> Vec<u8> {
    let info = hash.digest_info_prefix();
    info[2..info.len() - 2].to_vec()
}

/// `AlgorithmIdentifier` of RSASSA-PSS. What has its default value is left out, as DER wants.
pub fn pss(own: Hash, mgf: Hash, salt_len: usize) -> Vec<u8> {
    let mut parts = Vec::new();
    if own != Hash::Sha1 {
        parts.push(tagged(explicit(0), &[&hash(own)]));
    }
    if mgf != Hash::Sha1 {
        let mgf = tagged(SEQUENCE, &[&tagged(OBJECT, &[MGF1]), &hash(mgf)]);
        parts.push(tagged(explicit(1), &[&mgf]));
    }
    if salt_len != 20 {
        let bytes = (salt_len as u32).to_be_bytes();
        let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(3);
        // A number whose first bit is set would be negative.
        let sign: &[u8] = if bytes[start] >= 0x80 { &[0] } else { &[] };
        parts.push(tagged(
            explicit(2),
            &[&tagged(INTEGER, &[sign, &bytes[start..]])],
        ));
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    tagged(
        SEQUENCE,
        &[&tagged(OBJECT, &[PSS]), &tagged(SEQUENCE, &parts)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_that_openssl_writes() {
        // sha256WithRSAEncryption
        let expected = "300d06092a864886f70d01010b0500";
        assert_eq!(hex(&pkcs1(Digest::Of(Hash::Sha256)).unwrap()), expected);
        // openssl req -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 -sha256
        let expected = "304106092a864886f70d01010a3034a00f300d06096086480165030402010500\
                        a11c301a06092a864886f70d010108300d06096086480165030402010500a203020120";
        assert_eq!(hex(&pss(Hash::Sha256, Hash::Sha256, 32)), expected);
        // All defaults.
        assert_eq!(
            hex(&pss(Hash::Sha1, Hash::Sha1, 20)),
            "300d06092a864886f70d01010a3000"
        );
        assert_eq!(pkcs1(Digest::Md5Sha1), None);
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
