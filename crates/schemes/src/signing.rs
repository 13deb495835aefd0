//! What the keys of every signature scheme have of the traits of the crate `signature`.

/// Implements the traits that only pass on what the types do by themselves.
macro_rules! traits {
    ($SigningKey:ty, $VerifyingKey:ty, $Signature:ty $(; $C:ident: $Bound:ident)?) => {
        impl $(<$C: $Bound>)? signature::SignatureEncoding for $Signature {
            type Repr = Box<[u8]>;
        }

        impl $(<$C: $Bound>)? signature::Keypair for $SigningKey {
            type VerifyingKey = $VerifyingKey;

            fn verifying_key(&self) -> $VerifyingKey {
                <$SigningKey>::verifying_key(self)
            }
        }

        impl $(<$C: $Bound>)? signature::Verifier<$Signature> for $VerifyingKey {
            fn verify(&self, msg: &[u8], signature: &$Signature) -> signature::Result<()> {
                Ok(<$VerifyingKey>::verify(self, msg, signature)?)
            }
        }
    };
}
pub(crate) use traits;

/// Converts the errors of a family.
macro_rules! errors {
    ($Error:ty) => {
        impl From<$Error> for signature::Error {
            fn from(error: $Error) -> signature::Error {
                signature::Error::from_source(error)
            }
        }
    };
}
pub(crate) use errors;
