//! What key pairs of Ed25519 and Ed448 have in common: a seed, and a point (RFC 8032, section 5).

/// Key pairs in a module that has the public key, with its octets, `Expanded`, with a scalar and a prefix, and `public`, the
/// public key of an expanded seed.
macro_rules! seeded {
    ($Private:ident, $Public:ident, $size:literal, $name:literal) => {
        impl $Public {
            /// The octets.
            pub fn as_bytes(&self) -> &[u8; $size] {
                &self.octets
            }
        }

        /// By the octets.
        impl PartialEq for $Public {
            fn eq(&self, other: &Self) -> bool {
                self.octets == other.octets
            }
        }

        impl Eq for $Public {}

        impl AsRef<[u8]> for $Public {
            fn as_ref(&self) -> &[u8] {
                &self.octets
            }
        }

        impl core::fmt::Debug for $Public {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($Public)).field(&self.octets).finish()
            }
        }

        #[doc = concat!("An ", $name, " private key: any ", $size, " octets, the seed. Cloning is cheap and shares the key, which is")]
        /// wiped with the last clone.
        ///
        /// ```
        #[doc = concat!("use carrysave_schemes::ec::", stringify!($Private), ";")]
        #[doc = concat!("let key = ", stringify!($Private), "::generate();")]
        #[doc = concat!("assert_eq!(", stringify!($Private), "::from_bytes(key.as_bytes()).public(), key.public());")]
        /// ```
        ///
        /// It implements the traits [`Signer`](signature::Signer) and [`Keypair`](signature::Keypair) of the crate
        /// `signature`, for code that is generic over them.
        #[derive(Clone)]
        pub struct $Private(
            /// On the heap: a move on the stack would leave a copy there.
            pub(super) std::sync::Arc<Secret>,
        );

        pub(super) struct Secret {
            seed: zeroize::Zeroizing<[u8; $size]>,
            pub(super) expanded: Expanded,
            public: $Public,
            /// The octets of the public key once more, for the check of signatures.
            pub(super) octets: [u8; $size],
        }

        impl Drop for Expanded {
            fn drop(&mut self) {
                zeroize::Zeroize::zeroize(&mut self.scalar);
                zeroize::Zeroize::zeroize(&mut self.prefix);
            }
        }

        impl $Private {
            /// Generates a key with the operating system's randomness.
            ///
            /// # Panics
            /// If the operating system has no randomness.
            ///
            /// # Timing
            /// Depends on no secret.
            pub fn generate() -> Self {
                Self::generate_with(&mut rand_core::UnwrapErr(getrandom::SysRng))
            }

            /// Generates a key from `rng`.
            ///
            /// # Timing
            /// Depends on no secret.
            pub fn generate_with<R: rand_core::CryptoRng + ?Sized>(rng: &mut R) -> Self {
                Self::fill(|octets| rng.fill_bytes(octets))
            }

            /// The key of these octets.
            ///
            /// # Timing
            /// Depends on no secret.
            pub fn from_bytes(octets: &[u8; $size]) -> Self {
                Self::fill(|own| own.copy_from_slice(octets))
            }

            fn fill(write: impl FnOnce(&mut [u8])) -> Self {
                carrysave_arith::off_stack::<{ crate::STACK }, _>(|| {
                    let mut seed = zeroize::Zeroizing::new([0; $size]);
                    write(&mut *seed);
                    let expanded = Expanded::new(&seed);
                    let public = public(&expanded);
                    Self::of(seed, expanded, public)
                })
            }

            /// The key of a seed, what it stands for, and its public key.
            fn of(
                seed: zeroize::Zeroizing<[u8; $size]>,
                expanded: Expanded,
                public: $Public,
            ) -> Self {
                let octets = public.octets;
                Self(std::sync::Arc::new(Secret {
                    seed,
                    expanded,
                    public,
                    octets,
                }))
            }

            /// The octets of the seed. Secret.
            pub fn as_bytes(&self) -> &[u8; $size] {
                &self.0.seed
            }

            /// The public key.
            pub fn public(&self) -> &$Public {
                &self.0.public
            }

            /// The public key, as every signature scheme here names it.
            pub fn verifying_key(&self) -> $Public {
                self.0.public
            }
        }

        /// Without the octets.
        impl core::fmt::Debug for $Private {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(stringify!($Private))
            }
        }
    };
}

pub(super) use seeded;
