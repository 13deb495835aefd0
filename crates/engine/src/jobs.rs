//! The macro [`jobs!`](crate::jobs) for lists of tasks, which batches of several kinds take.

/// Defines an enum of tasks, one row a task, that implements [`AnyTask`](crate::AnyTask). Outputs and errors of the
/// tasks are converted to those of the enum by [`From`].
///
/// ```
/// use carrysave_engine::{Batch, jobs};
/// use carrysave_schemes::{hash::Hash, rsa};
/// use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, task::{SignPkcs1v15, SignPss}};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
///
/// jobs! {
///     /// A signature by RSA.
///     pub enum Sign -> Result<Vec<u8>, rsa::Error> {
///         /// The signature scheme with a random salt.
///         Pss(SignPss),
///         /// The older one.
///         Pkcs1v15(SignPkcs1v15),
///     }
/// }
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(b"a message"));
/// let pss = SignPss { key: key.clone(), hash, mgf: hash, salt_len: 32, digest: digest.clone() };
/// let pkcs1v15 = SignPkcs1v15 { key, hash, digest };
/// let jobs: [Sign; 2] = [pss.into(), pkcs1v15.into()];
/// for signature in Batch::new(2).run(&jobs) {
///     assert_eq!(signature.unwrap().len(), 128);
/// }
/// ```
#[macro_export]
macro_rules! jobs {
    (
        $(#[$attribute:meta])*
        $visible:vis enum $Jobs:ident -> Result<$Output:ty, $Error:ty> {
            $($(#[$of:meta])* $Job:ident($Task:ty),)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $visible enum $Jobs {
            $($(#[$of])* $Job($Task),)*
        }

        $(
            impl ::core::convert::From<$Task> for $Jobs {
                fn from(task: $Task) -> $Jobs {
                    $Jobs::$Job(task)
                }
            }
        )*

        impl $crate::AnyTask for $Jobs {
            type Output = $Output;
            type Error = $Error;

            fn any_primitive(&self) -> &dyn $crate::AnyPrimitive {
                match self {
                    $($Jobs::$Job(task) => $crate::AnyTask::any_primitive(task),)*
                }
            }

            fn start_any(
                &self,
                rng: &mut dyn $crate::CryptoRng,
                input: &mut dyn ::core::any::Any,
            ) -> ::core::result::Result<(), $Error> {
                match self {
                    $($Jobs::$Job(task) => {
                        let started = $crate::AnyTask::start_any(task, rng, input);
                        ::core::result::Result::map_err(started, <$Error>::from)
                    })*
                }
            }

            fn finish_any(
                &self,
                output: &mut dyn ::core::any::Any,
            ) -> ::core::result::Result<$Output, $Error> {
                match self {
                    $($Jobs::$Job(task) => match $crate::AnyTask::finish_any(task, output) {
                        ::core::result::Result::Ok(output) => {
                            ::core::result::Result::Ok(<$Output>::from(output))
                        }
                        ::core::result::Result::Err(error) => {
                            ::core::result::Result::Err(<$Error>::from(error))
                        }
                    },)*
                }
            }
        }
    };
}
