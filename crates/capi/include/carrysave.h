/* carrysave 0.1.0: public-key and symmetric cryptographic arithmetic that uses every level of parallelism of a machine.
 *
 * Every function returns a cs_error, unless it returns a number or text that cannot fail. Numbers are arrays of 64-bit
 * limbs, the least significant first, as GMP's. A pointer may be null if its length is 0, or where the description says so;
 * any other null pointer and any wrong length gives an error and changes nothing but *_len and status; a constructor that
 * fails sets its object to NULL. Outputs may be inputs of the same call where the description says so. No function sets
 * errno to report something, or writes to anything but its outputs; a bug also writes to standard error. No function starts a thread that was
 * not asked for. Secrets are wiped when their object is freed; buffers of the caller are the caller's to wipe. After fork,
 * the child uses no cs_threads and no cs_service of its parent. The guide is docs/guide/c.md. */


#ifndef CARRYSAVE_H
#define CARRYSAVE_H

/* Made by cbindgen of the sources in crates/capi/src: do not edit. */

#include <stddef.h>
#include <stdint.h>

// Both top bits of a random prime are set, so that a product of two has the full length.
#define CS_PRIME_TOP_TWO 1

// A random prime p is a safe prime: (p - 1) / 2 is prime, too. The search takes hundreds of times as long.
#define CS_PRIME_SAFE 2

// The salt of PSS is as long as the hash; a verification accepts any length.
#define CS_SALT_AS_HASH 0

// The salt of PSS is empty; a verification accepts no other.
#define CS_SALT_NONE -1

// What a function returns: `CS_OK`, or why it failed. `cs_error_text` has a sentence for each.
typedef enum cs_error {
  // Success.
  CS_OK = 0,
  // A pointer is null or not aligned.
  CS_ERROR_NULL = 1,
  // A length does not fit the function or another length.
  CS_ERROR_LENGTH = 2,
  // The output has too little room.
  CS_ERROR_ROOM = 3,
  // A number that selects something selects nothing.
  CS_ERROR_ARGUMENT = 4,
  // Input and output overlap.
  CS_ERROR_OVERLAP = 5,
  // A number is not below the modulus.
  CS_ERROR_RANGE = 6,
  // The modulus is even, or 1.
  CS_ERROR_MODULUS = 7,
  // Division by zero, or the modulus 0.
  CS_ERROR_ZERO = 8,
  // There is no inverse.
  CS_ERROR_NO_INVERSE = 9,
  // The bytes are no key in a known format.
  CS_ERROR_KEY_FORMAT = 10,
  // The key is for an unknown algorithm.
  CS_ERROR_KEY_ALGORITHM = 11,
  // The key is encrypted and there is no password.
  CS_ERROR_KEY_PASSWORD_NEEDED = 12,
  // The password is wrong.
  CS_ERROR_KEY_PASSWORD = 13,
  // The key's numbers do not fit each other, or have a size that is not supported.
  CS_ERROR_KEY_INVALID = 14,
  // The operation needs another kind of key.
  CS_ERROR_KEY_KIND = 15,
  // The key is too small for the padding.
  CS_ERROR_KEY_SIZE = 16,
  // The two keys are of different curves or groups.
  CS_ERROR_KEYS_DIFFER = 17,
  // The signature does not fit. Every failed verification is this one.
  CS_ERROR_VERIFICATION = 18,
  // The ciphertext cannot be decrypted. Every failed decryption is this one.
  CS_ERROR_DECRYPTION = 19,
  // The message is longer than the key can encrypt.
  CS_ERROR_MESSAGE_LENGTH = 20,
  // The digest is not as long as its hash says.
  CS_ERROR_DIGEST_LENGTH = 21,
  // The shared secret would be known to all.
  CS_ERROR_SMALL_ORDER = 22,
  // The key or the hash must not be used so.
  CS_ERROR_REFUSED = 23,
  // The result of a private operation failed its check and was destroyed.
  CS_ERROR_FAULT = 24,
  // The service takes no more calls.
  CS_ERROR_SHUT_DOWN = 25,
  // The operating system refused a thread.
  CS_ERROR_SYSTEM = 26,
  // A bug of carrysave, or an operating system without randomness.
  CS_ERROR_BUG = 27,
} cs_error;

// What a key is for. The groups are those of RFC 7919 and RFC 3526.
typedef enum cs_algorithm {
  // RSA.
  CS_RSA = 1,
  // DSA, or Diffie-Hellman in another group.
  CS_GROUP = 2,
  // ECDSA and ECDH on P-224.
  CS_P224 = 10,
  // ECDSA and ECDH on P-256.
  CS_P256 = 11,
  // ECDSA and ECDH on P-384.
  CS_P384 = 12,
  // ECDSA and ECDH on P-521.
  CS_P521 = 13,
  // ECDSA and ECDH on secp256k1.
  CS_SECP256K1 = 14,
  // ECDSA and ECDH on brainpoolP256r1.
  CS_BRAINPOOL_P256 = 15,
  // ECDSA and ECDH on brainpoolP384r1.
  CS_BRAINPOOL_P384 = 16,
  // ECDSA and ECDH on brainpoolP512r1.
  CS_BRAINPOOL_P512 = 17,
  // X25519.
  CS_X25519 = 20,
  // Ed25519.
  CS_ED25519 = 21,
  // Diffie-Hellman in ffdhe2048.
  CS_FFDHE2048 = 30,
  // Diffie-Hellman in ffdhe3072.
  CS_FFDHE3072 = 31,
  // Diffie-Hellman in ffdhe4096.
  CS_FFDHE4096 = 32,
  // Diffie-Hellman in ffdhe6144.
  CS_FFDHE6144 = 33,
  // Diffie-Hellman in ffdhe8192.
  CS_FFDHE8192 = 34,
  // Diffie-Hellman in the group of 2048 bits of RFC 3526.
  CS_MODP2048 = 40,
  // Diffie-Hellman in the group of 3072 bits of RFC 3526.
  CS_MODP3072 = 41,
  // Diffie-Hellman in the group of 4096 bits of RFC 3526.
  CS_MODP4096 = 42,
  // Diffie-Hellman in the group of 6144 bits of RFC 3526.
  CS_MODP6144 = 43,
  // Diffie-Hellman in the group of 8192 bits of RFC 3526.
  CS_MODP8192 = 44,
} cs_algorithm;

// A prime field. An element is a number below the prime, as limbs, the least significant first.
typedef enum cs_field {
  // 2^127 - 1: 2 limbs.
  CS_FIELD_127_1 = 1,
  // 2^127 - 735: 2 limbs.
  CS_FIELD_127_735 = 2,
  // 2^128 - 159: 2 limbs.
  CS_FIELD_128_159 = 3,
  // 2^255 - 19: 4 limbs.
  CS_FIELD_255_19 = 4,
  // 2^256 - 189: 4 limbs.
  CS_FIELD_256_189 = 5,
  // 2^256 - 2^32 - 977, of secp256k1: 4 limbs.
  CS_FIELD_SECP256K1 = 6,
} cs_field;

// The form of a key in a file.
typedef enum cs_format {
  // The private key: PKCS #8, DER.
  CS_PRIVATE_DER = 1,
  // The private key: PKCS #8, PEM.
  CS_PRIVATE_PEM = 2,
  // The public key: SubjectPublicKeyInfo, DER.
  CS_PUBLIC_DER = 3,
  // The public key: SubjectPublicKeyInfo, PEM.
  CS_PUBLIC_PEM = 4,
} cs_format;

// A hash function of FIPS 180-4 and FIPS 202.
typedef enum cs_hash {
  // SHA-1, for verification and OAEP only.
  CS_SHA1 = 1,
  // SHA-224.
  CS_SHA224 = 2,
  // SHA-256.
  CS_SHA256 = 3,
  // SHA-384.
  CS_SHA384 = 4,
  // SHA-512.
  CS_SHA512 = 5,
  // SHA-512/224.
  CS_SHA512_224 = 6,
  // SHA-512/256.
  CS_SHA512_256 = 7,
  // SHA3-224.
  CS_SHA3_224 = 8,
  // SHA3-256.
  CS_SHA3_256 = 9,
  // SHA3-384.
  CS_SHA3_384 = 10,
  // SHA3-512.
  CS_SHA3_512 = 11,
  // SHAKE128 with 32 bytes of output, for PSS.
  CS_SHAKE128 = 12,
  // SHAKE256 with 64 bytes of output, for PSS.
  CS_SHAKE256 = 13,
} cs_hash;

// What a job does. The time of a verification depends on all of its inputs, that of an encryption and of `CS_RSA_PUBLIC`
// on the key and on lengths, and that of the others on lengths and on what is public of the keys.
typedef enum cs_operation {
  // RSASSA-PSS: `input` is a digest, `output` the signature.
  CS_SIGN_PSS = 1,
  // RSASSA-PKCS1-v1_5: `input` is a digest, `output` the signature.
  CS_SIGN_PKCS1 = 2,
  // ECDSA: `input` is a digest, `output` the signature as DER.
  CS_SIGN_ECDSA = 3,
  // DSA: `input` is a digest, `output` the signature as DER.
  CS_SIGN_DSA = 4,
  // Ed25519: `input` is a message, `output` the signature of 64 bytes.
  CS_SIGN_ED25519 = 5,
  // RSASSA-PSS: `input` is a digest, `extra` the signature.
  CS_VERIFY_PSS = 11,
  // RSASSA-PKCS1-v1_5: `input` is a digest, `extra` the signature.
  CS_VERIFY_PKCS1 = 12,
  // ECDSA: `input` is a digest, `extra` the signature as DER.
  CS_VERIFY_ECDSA = 13,
  // DSA: `input` is a digest, `extra` the signature as DER.
  CS_VERIFY_DSA = 14,
  // Ed25519 as most programs verify: `input` is a message, `extra` the signature.
  CS_VERIFY_ED25519 = 15,
  // Ed25519 by the rules of ZIP 215, which many at once verify together.
  CS_VERIFY_ED25519_ZIP215 = 16,
  // RSAES-OAEP: `input` is a message, `extra` a label or nothing, `output` the ciphertext.
  CS_ENCRYPT_OAEP = 21,
  // RSAES-OAEP: `input` is a ciphertext, `extra` a label or nothing, `output` the message.
  CS_DECRYPT_OAEP = 22,
  // RSAES-PKCS1-v1_5 with implicit rejection: `input` is a ciphertext, `output` the message. A ciphertext that was
  // made otherwise gives random bytes instead of an error.
  CS_DECRYPT_PKCS1 = 23,
  // ECDH, X25519 or Diffie-Hellman of `key` with the public key `other`: `output` is the shared secret.
  CS_AGREE = 31,
  // RSA without padding, with the private exponent: `input` and `output` are numbers, big-endian.
  CS_RSA_PRIVATE = 41,
  // RSA without padding, with the public exponent.
  CS_RSA_PUBLIC = 42,
} cs_operation;

// AES with a key, which is wiped when it is freed. No mode authenticates. `to` and `from` of the functions are the
// same buffer or two apart, and `to` is apart from their other inputs; from 1 MiB on they use `threads`, or the calling
// thread alone if that is null.
//
// Threads: any number may use one object at once; one frees it.
typedef struct cs_aes cs_aes;

// Elements of a field side by side, eight to a vector where the processor has such. Wiped when it is freed.
//
// Threads: one at a time a vector that changes; any number may read one as `b`.
typedef struct cs_field_vector cs_field_vector;

// A key of any algorithm: public, or private with its public half. It never changes, and is wiped when it is freed.
//
// Threads: any number may use one key at once; one frees it.
typedef struct cs_key cs_key;

// Groups the calls of many threads: a call that finds a processor free runs at once on its own thread, and calls that
// wait run side by side.
//
// Threads: any number may use one service at once; one frees it.
typedef struct cs_service cs_service;

// A running hash. Its state is wiped when it is freed.
//
// Threads: one at a time.
typedef struct cs_skein cs_skein;

// Threads for many operations at once, or for a long one. They sleep in between.
//
// Where a function takes such a pointer, null stands for the calling thread alone. Threads: any number of threads may
// use one object at once; a call that comes while another has the threads runs on its caller's thread alone, or waits.
typedef struct cs_threads cs_threads;

// Threefish with a key, which is wiped when it is freed. No mode authenticates. Tweaks are two words. `to` and `from`
// of the functions are the same buffer or two apart, and `to` is apart from their other inputs; from 256 KiB on they use
// `threads`, or the calling thread alone if that is null.
//
// Threads: any number may use one object at once; one frees it.
typedef struct cs_threefish cs_threefish;

// A power for `cs_powm_many`.
typedef struct cs_power {
  // The result, of `modulus_len` limbs. It may be an input of this power, and of no other.
  uint64_t *r;
  // The base.
  const uint64_t *base;
  // Its limbs.
  size_t base_len;
  // The exponent.
  const uint64_t *exp;
  // Its limbs.
  size_t exp_len;
  // The modulus: odd and above 1. Neighbours with one address share what is computed of it.
  const uint64_t *modulus;
  // Its limbs.
  size_t modulus_len;
  // Set by the function: a `cs_error`. It is `CS_ERROR_BUG` until the power has its result, and stays so if the call
  // fails as a whole.
  int status;
} cs_power;

// One operation with its key, its input and a place for its result. Fill it with zeros first, then set what
// `cs_operation` names and the fields that fit.
typedef struct cs_job {
  // A `cs_operation`.
  int operation;
  // A `cs_hash`: the one that made the digest, or that of OAEP. Not for Ed25519, agreements and raw operations.
  int hash;
  // The `cs_hash` of MGF1 in PSS and OAEP; 0 is that of `hash`.
  int mgf_hash;
  // The length of the salt of PSS, `CS_SALT_AS_HASH` or `CS_SALT_NONE`. A verification accepts no other length than
  // the one asked for, and any with `CS_SALT_AS_HASH`.
  int salt_len;
  // The key: private for signatures, decryptions and agreements. Operations with a public key take a private one,
  // too.
  const struct cs_key *key;
  // The other's key of an agreement, else null.
  const struct cs_key *other;
  // A digest, a message or a ciphertext.
  const uint8_t *input;
  // Its bytes.
  size_t input_len;
  // The signature to verify, or the label of OAEP.
  const uint8_t *extra;
  // Its bytes.
  size_t extra_len;
  // The place for the result: of `cs_output_size` bytes. It may be `input`.
  uint8_t *output;
  // The bytes of this place.
  size_t output_size;
  // Set by the function: the bytes of the result, or how many are needed if there is too little room; 0 before that.
  size_t output_len;
  // Set by the function: a `cs_error`. It is `CS_ERROR_BUG` until the job has ended, and stays so if the call fails as
  // a whole.
  int status;
} cs_job;

// What a service has done.
typedef struct cs_service_counters {
  // Jobs that ran, including those that failed.
  uint64_t jobs;
  // Groups in which they ran.
  uint64_t groups;
  // Calls that wait for a group at this moment.
  uint64_t queued;
  // The time from a call to the start of its group, summed over all calls, in nanoseconds.
  uint64_t queue_ns;
  // The longest of these times.
  uint64_t queue_ns_max;
} cs_service_counters;

// Which function of the family, for `cs_skein_new`. Fill it with zeros first.
typedef struct cs_skein_parameters {
  // The bits of the state: 256, 512 or 1024.
  int state_bits;
  // Whether to hash as a tree, whose leaves are hashed side by side and on several threads: 0 for a chain, 1 for the
  // usual tree, or 2 for that of `leaf`, `node` and `height`.
  int tree;
  // Leaves have 2^leaf blocks: 1 to 48.
  uint8_t leaf;
  // Nodes have 2^node blocks: 1 to 48.
  uint8_t node;
  // The most levels: 2 to 255.
  uint8_t height;
  // The bytes of the output.
  size_t out_len;
  // A key, for a message authentication code; null and 0 without one.
  const uint8_t *key;
  // Its bytes.
  size_t key_len;
  // A personalization, or null and 0.
  const uint8_t *personalization;
  // Its bytes.
  size_t personalization_len;
  // A nonce, or null and 0.
  const uint8_t *nonce;
  // Its bytes.
  size_t nonce_len;
} cs_skein_parameters;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// A sentence for a code of `cs_error` that says what is wrong and what to do: text that ends with a null and lives as
// long as the program. Any other number gets a sentence, too.
//
// Threads: any number at once.
const char *cs_error_text(int code);

// The version of the library, as text that lives as long as the program.
//
// Threads: any number at once.
const char *cs_version(void);

// Writes which kernel each operation has on this processor: a line each, operation and kernel, after one with the
// processor's extensions. `*out_len` gets the text's length, also where there is too little room; `out` may be null
// then and `size` 0. There is no null at its end.
//
// Threads: any number at once.
enum cs_error cs_kernels(uint8_t *out,
                         size_t size,
                         size_t *out_len);

// Writes the plan for this machine, which chooses methods by size, as TOML. The rest is as for `cs_kernels`.
//
// Threads: any number at once.
enum cs_error cs_plan(uint8_t *out,
                      size_t size,
                      size_t *out_len);

// Makes an object for `count` threads, the caller's included: 1 to 1024. The others start with the first call that can
// use them. There are fewer if the operating system starts no more.
//
// Threads: any number at once.
enum cs_error cs_threads_new(size_t count,
                             struct cs_threads **threads);

// Ends the threads and frees the object; null is nothing. Nobody may use it any more.
//
// Threads: one, the last to use it.
void cs_threads_free(struct cs_threads *threads);

// `r := a b`. `r` has `a_len + b_len` limbs and may be `a` or `b`. Constant time. Long products use `threads`, or the
// calling thread alone if that is null. As `mpn_mul`, without its conditions.
//
// Threads: any number at once.
enum cs_error cs_mul(const struct cs_threads *threads,
                     uint64_t *r,
                     const uint64_t *a,
                     size_t a_len,
                     const uint64_t *b,
                     size_t b_len);

// `r := a^2`. `r` has `2 a_len` limbs and may be `a`. Constant time. As `mpn_sqr`.
//
// Threads: any number at once.
enum cs_error cs_sqr(uint64_t *r, const uint64_t *a, size_t a_len);

// `q := floor(a / d)`, `r := a mod d`. `q` has `a_len` limbs, `r` has `d_len`; each may be null if it is not wanted,
// and may be `a` or `d`; `q` and `r` are apart. `d` may have zeros at its top. The time depends on the numbers. As
// `mpn_tdiv_qr`.
//
// Threads: any number at once.
enum cs_error cs_div(uint64_t *q,
                     uint64_t *r,
                     const uint64_t *a,
                     size_t a_len,
                     const uint64_t *d,
                     size_t d_len);

// `r := a^-1 mod m`, or `CS_ERROR_NO_INVERSE`. `r` has `m_len` limbs and may be an input. Any `m` above 0; modulo 1 the
// inverse is 0. The time depends on the numbers: for secrets use `cs_invert_sec`. As `mpz_invert`.
//
// Threads: any number at once.
enum cs_error cs_invert(uint64_t *r,
                        const uint64_t *a,
                        size_t a_len,
                        const uint64_t *m,
                        size_t m_len);

// `cs_invert` for secrets: the time depends on the lengths, on that of `m` in bits, on whether `m` is 1, even or odd,
// and on whether there is an inverse. As `mpn_sec_invert`, also with an even `m`.
//
// Threads: any number at once.
enum cs_error cs_invert_sec(uint64_t *r,
                            const uint64_t *a,
                            size_t a_len,
                            const uint64_t *m,
                            size_t m_len);

// `r := base^exp mod modulus` for public numbers. `r` has `modulus_len` limbs and may be an input. Any `modulus` above
// 0. The time depends on the exponent: for secret exponents use `cs_powm_sec`. As `mpz_powm`.
//
// Threads: any number at once.
enum cs_error cs_powm(uint64_t *r,
                      const uint64_t *base,
                      size_t base_len,
                      const uint64_t *exp,
                      size_t exp_len,
                      const uint64_t *modulus,
                      size_t modulus_len);

// `cs_powm` in constant time, for secrets: the time depends on the lengths and on that of the modulus in bits. `modulus` is
// odd and above 1. A long power uses `threads`, or the calling thread alone if that is null. As `mpz_powm_sec`.
//
// Threads: any number at once.
enum cs_error cs_powm_sec(const struct cs_threads *threads,
                          uint64_t *r,
                          const uint64_t *base,
                          size_t base_len,
                          const uint64_t *exp,
                          size_t exp_len,
                          const uint64_t *modulus,
                          size_t modulus_len);

// Powers of `count` bases to one exponent and one modulus, many at a time: `r[i] := base[i]^exp mod modulus`. `bases`
// has `base_len` limbs for each base, `r` has `modulus_len` for each power, one after the other, and may be an input.
// `modulus` is odd and above 1. Bases and exponent may be secret: the time is as for `cs_powm_sec`.
//
// Threads: any number at once.
enum cs_error cs_powm_bases(const struct cs_threads *threads,
                            uint64_t *r,
                            const uint64_t *bases,
                            size_t base_len,
                            size_t count,
                            const uint64_t *exp,
                            size_t exp_len,
                            const uint64_t *modulus,
                            size_t modulus_len);

// Powers of one base to `count` exponents, many at a time: `r[i] := base^exp[i] mod modulus`. `exps` has `exp_len`
// limbs for each exponent, `r` has `modulus_len` for each power, one after the other, and may be an input. `modulus` is
// odd and above 1. Base and exponents may be secret: the time is as for `cs_powm_sec`. Where it pays, a table of the base
// is made first.
//
// Threads: any number at once.
enum cs_error cs_powm_exps(const struct cs_threads *threads,
                           uint64_t *r,
                           const uint64_t *base,
                           size_t base_len,
                           const uint64_t *exps,
                           size_t exp_len,
                           size_t count,
                           const uint64_t *modulus,
                           size_t modulus_len);

// `count` powers, each with its own base, exponent and modulus of any length. Those of moduli of equal length run side
// by side. Bases and exponents may be secret: the time is as for `cs_powm_sec`. Each gets its status; a wrong one does
// not affect the others. Returns the first status that is not `CS_OK`.
//
// Threads: any number at once, with different arrays.
enum cs_error cs_powm_many(const struct cs_threads *threads,
                           struct cs_power *powers,
                           size_t count);

// Sets `*result` to 1 if `n` is a prime and to 0 if not: the Baillie-PSW test and `rounds` rounds of Miller-Rabin with
// random bases. The time depends on the number. 0 rounds are enough unless an opponent has chosen the number. As
// `mpz_probab_prime_p`.
//
// Threads: any number at once.
enum cs_error cs_is_prime(const uint64_t *n,
                          size_t n_len,
                          size_t rounds,
                          int *result);

// A random prime of exactly `bits` bits, 17 to 32768, with the operating system's randomness: `r` has as many limbs as
// `bits` needs. `flags` is 0, `CS_PRIME_TOP_TWO` or `CS_PRIME_SAFE`. The prime may be secret.
//
// Threads: any number at once.
enum cs_error cs_random_prime(uint64_t *r,
                              size_t bits,
                              int flags);

// `count` primes of `cs_random_prime`, one after the other, found on `threads` at once.
//
// Threads: any number at once.
enum cs_error cs_random_primes(const struct cs_threads *threads,
                               uint64_t *r,
                               size_t bits,
                               int flags,
                               size_t count);

// Reads the first key of a file in any form: PKCS #8, also encrypted, PKCS #1, SEC 1, SubjectPublicKeyInfo,
// certificates, OpenSSH, PKCS #12; PEM or DER. `password` may be null. Certificates give their public key and are not
// verified. The time depends on lengths, and on which keys are accepted.
//
// Threads: any number at once.
enum cs_error cs_key_read(const uint8_t *file,
                          size_t file_len,
                          const uint8_t *password,
                          size_t password_len,
                          struct cs_key **key);

// Generates a key with the operating system's randomness. `bits` is the length of an RSA modulus, 2048 to 16384 and a
// multiple of 8, and 0 for any other algorithm. RSA keys have two primes and the exponent 65537. Not for `CS_GROUP`, whose
// keys `cs_key_read` reads.
//
// Threads: any number at once.
enum cs_error cs_key_generate(int algorithm,
                              size_t bits,
                              struct cs_key **key);

// A private key of its octets: big-endian as many as the curve's order has, the 32 octets of X25519 or Ed25519 (RFC
// 7748, RFC 8032), or the exponent of a standard group. Not for RSA: see `cs_key_read` and `cs_key_rsa_private`.
//
// Threads: any number at once.
enum cs_error cs_key_private(int algorithm,
                             const uint8_t *octets,
                             size_t octets_len,
                             struct cs_key **key);

// A public key of its octets: a point as 04 and both coordinates (SEC 1), the 32 octets of X25519 or Ed25519, or the
// big-endian number of a standard group. Not for RSA: see `cs_key_rsa_public`.
//
// Threads: any number at once.
enum cs_error cs_key_public(int algorithm,
                            const uint8_t *octets,
                            size_t octets_len,
                            struct cs_key **key);

// A public RSA key of its modulus and exponent, big-endian.
//
// Threads: any number at once.
enum cs_error cs_key_rsa_public(const uint8_t *n,
                                size_t n_len,
                                const uint8_t *e,
                                size_t e_len,
                                struct cs_key **key);

// A private RSA key of two primes and the public exponent, big-endian. The primes are tested.
//
// Threads: any number at once.
enum cs_error cs_key_rsa_private(const uint8_t *p,
                                 size_t p_len,
                                 const uint8_t *q,
                                 size_t q_len,
                                 const uint8_t *e,
                                 size_t e_len,
                                 struct cs_key **key);

// A key with the public half of `key` alone.
//
// Threads: any number at once.
enum cs_error cs_key_public_half(const struct cs_key *key, struct cs_key **public_);

// Wipes and frees a key; null is nothing. Nobody may use it any more.
//
// Threads: one, the last to use it.
void cs_key_free(struct cs_key *key);

// The `cs_algorithm` of a key; 0 for null.
//
// Threads: any number at once.
int cs_key_algorithm(const struct cs_key *key);

// Whether a key has its private half: 1 or 0; 0 for null.
//
// Threads: any number at once.
int cs_key_is_private(const struct cs_key *key);

// The length of a modulus, of a group's prime or of a curve's order in bits, 255 for X25519 and Ed25519; 0 for null.
//
// Threads: any number at once.
size_t cs_key_bits(const struct cs_key *key);

// Writes a key in a `cs_format`. `*out_len` gets its length, also where there is too little room; `out` may be null
// then and `size` 0. PEM has no null at its end.
//
// Threads: any number at once.
enum cs_error cs_key_write(const struct cs_key *key,
                           int format,
                           uint8_t *out,
                           size_t size,
                           size_t *out_len);

// Writes the octets of a public half as `cs_key_public` reads them; of an RSA key the modulus, big-endian. `*out_len`
// gets their number, also where there is too little room.
//
// Threads: any number at once.
enum cs_error cs_key_public_octets(const struct cs_key *key,
                                   uint8_t *out,
                                   size_t size,
                                   size_t *out_len);

// Writes the octets of a private key as `cs_key_private` reads them. Not for RSA: see `cs_key_write`. `*out_len` gets
// their number, also where there is too little room.
//
// Threads: any number at once.
enum cs_error cs_key_private_octets(const struct cs_key *key,
                                    uint8_t *out,
                                    size_t size,
                                    size_t *out_len);

// The digest of `data` by a `cs_hash`: at most 64 bytes. `*out_len` gets its length.
//
// Threads: any number at once.
enum cs_error cs_digest(int hash,
                        const uint8_t *data,
                        size_t data_len,
                        uint8_t *out,
                        size_t size,
                        size_t *out_len);

// Runs one job on the calling thread. Returns its status.
//
// Threads: any number at once, with different jobs.
enum cs_error cs_run(struct cs_job *job);

// Runs `count` jobs of any kinds with any keys. Those that are alike run side by side where that is faster, on
// `threads` at once, or on the calling thread alone if that is null. Each gets its status; one that fails does not
// affect the others. Returns the first status that is not `CS_OK`.
//
// Threads: any number at once, with different jobs.
enum cs_error cs_run_many(const struct cs_threads *threads,
                          struct cs_job *jobs,
                          size_t count);

// The bytes that the output of an operation with this key needs at most; 0 if the operation has none, or is not for
// this key.
//
// Threads: any number at once.
size_t cs_output_size(int operation,
                      const struct cs_key *key);

// Signs: `operation` is one of `CS_SIGN_*`, `input` the digest that `hash` made, or the message for Ed25519, with 0
// for `hash`. PSS takes MGF1 with the same hash and a salt as long; other choices need a `cs_job`. `out` has
// `cs_output_size` bytes; `*out_len` gets the signature's.
//
// Threads: any number at once.
enum cs_error cs_sign(int operation,
                      const struct cs_key *key,
                      int hash,
                      const uint8_t *input,
                      size_t input_len,
                      uint8_t *out,
                      size_t size,
                      size_t *out_len);

// Verifies: `operation` is one of `CS_VERIFY_*`, the others as for `cs_sign`. `CS_OK` if the signature fits. The salt
// of PSS may have any length; to accept one alone takes a `cs_job`. The time depends on all of them.
//
// Threads: any number at once.
enum cs_error cs_verify(int operation,
                        const struct cs_key *key,
                        int hash,
                        const uint8_t *input,
                        size_t input_len,
                        const uint8_t *signature,
                        size_t signature_len);

// Encrypts a short message by RSAES-OAEP with `hash`, also for MGF1, and a label, which may be empty. `out` has
// `cs_output_size` bytes. The time depends on the key and on lengths.
//
// Threads: any number at once.
enum cs_error cs_encrypt_oaep(const struct cs_key *key,
                              int hash,
                              const uint8_t *label,
                              size_t label_len,
                              const uint8_t *message,
                              size_t message_len,
                              uint8_t *out,
                              size_t size,
                              size_t *out_len);

// Decrypts what `cs_encrypt_oaep` encrypted. Every ciphertext that is refused gives `CS_ERROR_DECRYPTION`, and takes
// as long as one that is not.
// `out` has `cs_output_size` bytes, which are more than the message's.
//
// Threads: any number at once.
enum cs_error cs_decrypt_oaep(const struct cs_key *key,
                              int hash,
                              const uint8_t *label,
                              size_t label_len,
                              const uint8_t *ciphertext,
                              size_t ciphertext_len,
                              uint8_t *out,
                              size_t size,
                              size_t *out_len);

// The secret shared with the owner of a public key, by ECDH, X25519 or Diffie-Hellman: the input of a key derivation
// function, not a key. `out` has `cs_output_size` bytes.
//
// Threads: any number at once.
enum cs_error cs_agree(const struct cs_key *key,
                       const struct cs_key *other,
                       uint8_t *out,
                       size_t size,
                       size_t *out_len);

// X25519 (RFC 7748) of `count` scalars and as many points, 32 bytes each, one after the other: eight at a time in
// vector lanes. `out` has `32 count` bytes, and may be an input. A shared secret that would be zero is left zero, and
// `CS_ERROR_SMALL_ORDER` is returned; the others are right then.
//
// Threads: any number at once.
enum cs_error cs_x25519(const struct cs_threads *threads,
                        uint8_t *out,
                        const uint8_t *scalars,
                        const uint8_t *points,
                        size_t count);

// The public octets of `count` scalars of X25519, 32 bytes each. `out` may be `scalars`.
//
// Threads: any number at once.
enum cs_error cs_x25519_public(uint8_t *out, const uint8_t *scalars, size_t count);

// Starts a service: `threads` of callers and of the service compute at a time, 1 to 1024; 0 is the number of
// processors, at most 1024. A call waits at most `wait_us` microseconds for others to join it, up to 1000000, and a lone
// one never; 50 are usual.
//
// Threads: any number at once.
enum cs_error cs_service_new(size_t threads,
                             uint64_t wait_us,
                             struct cs_service **service);

// Runs one job, alone or together with those of other threads, and returns its status when its result is there.
//
// Threads: any number at once, with different jobs.
enum cs_error cs_service_run(const struct cs_service *service,
                             struct cs_job *job);

// Refuses new calls from now on with `CS_ERROR_SHUT_DOWN`, and returns when all pending ones have their results.
//
// Threads: any number at once.
enum cs_error cs_service_shutdown(const struct cs_service *service);

// Reads the counters of a service.
//
// Threads: any number at once.
enum cs_error cs_service_count(const struct cs_service *service,
                               struct cs_service_counters *counters);

// Ends the threads of a service and frees it; null is nothing. Nobody may use it any more.
//
// Threads: one, the last to use it.
void cs_service_free(struct cs_service *service);

// The limbs of an element; 0 for an unknown field.
//
// Threads: any number at once.
size_t cs_field_limbs(int field);

// `r := a + b`. `len` is `cs_field_limbs`. `r` may be an input. Constant time.
//
// Threads: any number at once.
enum cs_error cs_field_add(int field,
                           uint64_t *r,
                           const uint64_t *a,
                           const uint64_t *b,
                           size_t len);

// `r := a - b`, as `cs_field_add`.
//
// Threads: any number at once.
enum cs_error cs_field_sub(int field,
                           uint64_t *r,
                           const uint64_t *a,
                           const uint64_t *b,
                           size_t len);

// `r := a b`, as `cs_field_add`.
//
// Threads: any number at once.
enum cs_error cs_field_mul(int field,
                           uint64_t *r,
                           const uint64_t *a,
                           const uint64_t *b,
                           size_t len);

// `r := -a`, as `cs_field_add`.
//
// Threads: any number at once.
enum cs_error cs_field_neg(int field, uint64_t *r, const uint64_t *a, size_t len);

// `r := a^2`, as `cs_field_add`.
//
// Threads: any number at once.
enum cs_error cs_field_sqr(int field, uint64_t *r, const uint64_t *a, size_t len);

// `r := a^-1`, or 0 of 0, as `cs_field_add`.
//
// Threads: any number at once.
enum cs_error cs_field_inv(int field, uint64_t *r, const uint64_t *a, size_t len);

// Makes a vector of elements, one after the other: `len` is their number times `cs_field_limbs`.
//
// Threads: any number at once.
enum cs_error cs_field_vector_new(int field,
                                  const uint64_t *elements,
                                  size_t len,
                                  struct cs_field_vector **vector);

// Writes the elements of a vector, one after the other; `len` is as for `cs_field_vector_new`.
//
// Threads: any number at once, while nobody changes it.
enum cs_error cs_field_vector_read(const struct cs_field_vector *vector,
                                   uint64_t *elements,
                                   size_t len);

// `a := a + b`, element by element. `b` has the field and the length of `a`, and may be `a`. Constant time.
//
// Threads: one at a time with this `a`.
enum cs_error cs_field_vector_add(struct cs_field_vector *a,
                                  const struct cs_field_vector *b);

// `a := a - b`, as `cs_field_vector_add`.
//
// Threads: one at a time with this `a`.
enum cs_error cs_field_vector_sub(struct cs_field_vector *a, const struct cs_field_vector *b);

// `a := a b`, as `cs_field_vector_add`.
//
// Threads: one at a time with this `a`.
enum cs_error cs_field_vector_mul(struct cs_field_vector *a, const struct cs_field_vector *b);

// `a := -a`, as `cs_field_vector_add`.
//
// Threads: one at a time with this `a`.
enum cs_error cs_field_vector_neg(struct cs_field_vector *a);

// `a := a^2`, as `cs_field_vector_add`.
//
// Threads: one at a time with this `a`.
enum cs_error cs_field_vector_sqr(struct cs_field_vector *a);

// `a := a^-1`, or 0 of 0, as `cs_field_vector_add`.
//
// Threads: one at a time with this `a`.
enum cs_error cs_field_vector_inv(struct cs_field_vector *a);

// Wipes and frees a vector; null is nothing.
//
// Threads: one, the last to use it.
void cs_field_vector_free(struct cs_field_vector *vector);

// AES with a key of 16, 24 or 32 bytes.
//
// Threads: any number at once.
enum cs_error cs_aes_new(const uint8_t *key, size_t key_len, struct cs_aes **aes);

// Wipes and frees; null is nothing.
//
// Threads: one, the last to use it.
void cs_aes_free(struct cs_aes *aes);

// Encrypts each block of 16 bytes by itself.
//
// Threads: any number at once.
enum cs_error cs_aes_ecb_encrypt(const struct cs_aes *aes,
                                 const struct cs_threads *threads,
                                 uint8_t *to,
                                 const uint8_t *from,
                                 size_t len);

// Inverts `cs_aes_ecb_encrypt`.
//
// Threads: any number at once.
enum cs_error cs_aes_ecb_decrypt(const struct cs_aes *aes,
                                 const struct cs_threads *threads,
                                 uint8_t *to,
                                 const uint8_t *from,
                                 size_t len);

// Encrypts consecutive streams of equal length, each whole blocks in a chain of its own: `ivs` has 16 bytes for each,
// `len` is the length of all. One stream cannot be divided; many are encrypted side by side.
//
// Threads: any number at once.
enum cs_error cs_aes_cbc_encrypt(const struct cs_aes *aes,
                                 const struct cs_threads *threads,
                                 const uint8_t *ivs,
                                 size_t ivs_len,
                                 uint8_t *to,
                                 const uint8_t *from,
                                 size_t len);

// Decrypts one stream of `cs_aes_cbc_encrypt`; `iv` has 16 bytes.
//
// Threads: any number at once.
enum cs_error cs_aes_cbc_decrypt(const struct cs_aes *aes,
                                 const struct cs_threads *threads,
                                 const uint8_t *iv,
                                 size_t iv_len,
                                 uint8_t *to,
                                 const uint8_t *from,
                                 size_t len);

// Encrypts or decrypts in counter mode, from byte `position` of the stream on. `counter` is the first counter block,
// of 16 bytes; its last `bits` bits, 1 to 128, count. A counter block must never be used twice with a key.
//
// Threads: any number at once.
enum cs_error cs_aes_ctr(const struct cs_aes *aes,
                         const struct cs_threads *threads,
                         const uint8_t *counter,
                         size_t counter_len,
                         unsigned int bits,
                         uint64_t position,
                         uint8_t *to,
                         const uint8_t *from,
                         size_t len);

// Threefish-256, -512 or -1024, by the length of the key: 32, 64 or 128 bytes, which is that of a block, too.
//
// Threads: any number at once.
enum cs_error cs_threefish_new(const uint8_t *key,
                               size_t key_len,
                               struct cs_threefish **cipher);

// Wipes and frees; null is nothing.
//
// Threads: one, the last to use it.
void cs_threefish_free(struct cs_threefish *cipher);

// Encrypts blocks, the first with `tweak`, whose word `tweak[0]` increases by one from block to block: equal blocks do
// not stay equal. For sectors of a disk, `tweak[1]` is the sector.
//
// Threads: any number at once.
enum cs_error cs_threefish_encrypt(const struct cs_threefish *cipher,
                                   const struct cs_threads *threads,
                                   const uint64_t *tweak,
                                   uint8_t *to,
                                   const uint8_t *from,
                                   size_t len);

// Inverts `cs_threefish_encrypt`.
//
// Threads: any number at once.
enum cs_error cs_threefish_decrypt(const struct cs_threefish *cipher,
                                   const struct cs_threads *threads,
                                   const uint64_t *tweak,
                                   uint8_t *to,
                                   const uint8_t *from,
                                   size_t len);

// Encrypts or decrypts in counter mode, from byte `position` of the stream on. `counter` has a block's words, of which
// `counter[0]` counts. A counter must never be used twice with a key and a tweak.
//
// Threads: any number at once.
enum cs_error cs_threefish_ctr(const struct cs_threefish *cipher,
                               const struct cs_threads *threads,
                               const uint64_t *tweak,
                               const uint64_t *counter,
                               size_t counter_len,
                               uint64_t position,
                               uint8_t *to,
                               const uint8_t *from,
                               size_t len);

// Starts a hash.
//
// Threads: any number at once.
enum cs_error cs_skein_new(const struct cs_skein_parameters *parameters, struct cs_skein **hash);

// Adds the next piece of the message. A tree uses `threads`, or the calling thread alone if that is null; pieces of 4
// MiB and more are fastest then.
//
// Threads: one at a time a hash.
enum cs_error cs_skein_update(struct cs_skein *hash,
                              const struct cs_threads *threads,
                              const uint8_t *data,
                              size_t len);

// Ends the message and writes the output: `len` is `out_len` of the parameters. The hash can only be freed then.
//
// Threads: one at a time a hash.
enum cs_error cs_skein_final(struct cs_skein *hash,
                             uint8_t *out,
                             size_t len);

// Wipes and frees; null is nothing.
//
// Threads: one, the last to use it.
void cs_skein_free(struct cs_skein *hash);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CARRYSAVE_H */
