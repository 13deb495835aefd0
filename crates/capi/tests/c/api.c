/* Calls every function of carrysave.h from C and C++: with values that are known, and with null pointers and wrong lengths. */
#include <carrysave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

static void numbers(void) {
  /* 3^(2^127 - 2) = 1 modulo the prime 2^127 - 1. */
  const uint64_t prime[2] = {UINT64_MAX, UINT64_MAX >> 1}, exp[2] = {UINT64_MAX - 1, UINT64_MAX >> 1}, three[1] = {3};
  const uint64_t bases[4] = {3, 5, 7, 11}, zero[1] = {0};
  uint64_t r[8];
  int is_prime;
  cs_power power;
  cs_threads *threads;

  CHECK(cs_threads_new(2, &threads) == CS_OK);
  CHECK(cs_powm(r, three, 1, exp, 2, prime, 2) == CS_OK && r[0] == 1 && r[1] == 0);
  CHECK(cs_powm_sec(threads, r, three, 1, exp, 2, prime, 2) == CS_OK && r[0] == 1 && r[1] == 0);
  CHECK(cs_powm_bases(threads, r, bases, 1, 4, exp, 2, prime, 2) == CS_OK);
  CHECK(r[0] == 1 && r[2] == 1 && r[4] == 1 && r[6] == 1 && (r[1] | r[3] | r[5] | r[7]) == 0);
  CHECK(cs_powm_exps(NULL, r, three, 1, bases, 1, 4, prime, 2) == CS_OK);
  CHECK(r[0] == 27 && r[2] == 243 && r[4] == 2187 && r[6] == 177147);
  memset(&power, 0, sizeof power);
  power.r = r;
  power.base = three;
  power.base_len = 1;
  power.exp = bases;
  power.exp_len = 1;
  power.modulus = prime;
  power.modulus_len = 2;
  CHECK(cs_powm_many(threads, &power, 1) == CS_OK && power.status == CS_OK && r[0] == 27);
  power.modulus = NULL;
  CHECK(cs_powm_many(threads, &power, 1) == CS_ERROR_NULL && power.status == CS_ERROR_NULL);
  CHECK(cs_mul(NULL, r, prime, 2, three, 1) == CS_OK && r[0] == UINT64_MAX - 2 && r[1] == UINT64_MAX >> 1 && r[2] == 1);
  CHECK(cs_div(r, r + 3, r, 3, three, 1) == CS_OK && r[0] == UINT64_MAX && r[1] == UINT64_MAX >> 1 && r[2] == 0 && r[3] == 0);
  CHECK(cs_sqr(r, three, 1) == CS_OK && r[0] == 9 && r[1] == 0);
  CHECK(cs_invert(r, three, 1, bases + 2, 1) == CS_OK && r[0] == 5);
  CHECK(cs_invert_sec(r, three, 1, bases + 2, 1) == CS_OK && r[0] == 5);
  CHECK(cs_is_prime(prime, 2, 1, &is_prime) == CS_OK && is_prime == 1);
  CHECK(cs_random_prime(r, 100, CS_PRIME_TOP_TWO) == CS_OK && r[1] >> 34 == 3);
  CHECK(cs_random_primes(threads, r, 64, 0, 4) == CS_OK && cs_is_prime(r + 3, 1, 0, &is_prime) == CS_OK && is_prime == 1);

  CHECK(cs_powm(NULL, three, 1, exp, 2, prime, 2) == CS_ERROR_NULL);
  CHECK(cs_powm(r, three, 1, exp, 2, zero, 1) == CS_ERROR_ZERO);
  CHECK(cs_powm(r, three, SIZE_MAX, exp, 2, prime, 2) == CS_ERROR_LENGTH);
  CHECK(cs_powm_sec(NULL, r, three, 1, exp, 2, NULL, 2) == CS_ERROR_NULL);
  CHECK(cs_powm_bases(NULL, r, bases, SIZE_MAX, 4, exp, 2, prime, 2) == CS_ERROR_LENGTH);
  CHECK(cs_powm_exps(NULL, r, three, 1, NULL, 1, 4, prime, 2) == CS_ERROR_NULL);
  CHECK(cs_powm_many(NULL, NULL, 4) == CS_ERROR_NULL);
  CHECK(cs_mul(NULL, NULL, prime, 2, three, 1) == CS_ERROR_NULL && cs_sqr(r, NULL, 1) == CS_ERROR_NULL);
  CHECK(cs_div(r, r, prime, 2, zero, 1) == CS_ERROR_ZERO && cs_div(r, r, prime, 2, NULL, 0) == CS_ERROR_ZERO);
  CHECK(cs_invert(r, zero, 1, prime, 2) == CS_ERROR_NO_INVERSE && cs_invert_sec(r, NULL, 1, prime, 2) == CS_ERROR_NULL);
  CHECK(cs_is_prime(prime, 2, 1, NULL) == CS_ERROR_NULL && cs_random_prime(r, 0, 0) == CS_ERROR_ARGUMENT);
  CHECK(cs_random_primes(NULL, NULL, 64, 0, 4) == CS_ERROR_NULL);
  cs_threads_free(threads);
  CHECK(cs_threads_new(0, &threads) == CS_ERROR_ARGUMENT && threads == NULL && cs_threads_new(1, NULL) == CS_ERROR_NULL);
  cs_threads_free(threads);
}

static void keys(void) {
  const uint8_t message[3] = {'a', 'b', 'c'};
  uint8_t digest[64], out[256], file[2048];
  size_t len, size;
  cs_key *key, *public_half, *again;
  cs_job job;
  cs_service *service;
  cs_service_counters counters;

  CHECK(cs_digest(CS_SHA256, message, 3, digest, sizeof digest, &len) == CS_OK && len == 32 && digest[0] == 0xba);
  CHECK(cs_digest(0, message, 3, digest, sizeof digest, &len) == CS_ERROR_ARGUMENT);
  CHECK(cs_key_generate(CS_P256, 0, &key) == CS_OK && cs_key_public_half(key, &public_half) == CS_OK);
  CHECK(cs_key_algorithm(key) == CS_P256 && cs_key_bits(key) == 256);
  CHECK(cs_key_is_private(key) && !cs_key_is_private(public_half) && !cs_key_is_private(NULL));
  CHECK(cs_key_write(key, CS_PRIVATE_PEM, NULL, 0, &size) == CS_ERROR_ROOM && size < sizeof file);
  CHECK(cs_key_write(key, CS_PRIVATE_PEM, file, sizeof file, &len) == CS_OK && len == size);
  CHECK(cs_key_read(file, len, NULL, 0, &again) == CS_OK && cs_key_is_private(again));
  CHECK(cs_key_write(public_half, CS_PRIVATE_DER, file, sizeof file, &len) == CS_ERROR_KEY_KIND);

  CHECK(cs_output_size(CS_SIGN_ECDSA, key) == 72 && cs_output_size(CS_SIGN_PSS, key) == 0);
  CHECK(cs_sign(CS_SIGN_ECDSA, again, CS_SHA256, digest, 32, out, sizeof out, &len) == CS_OK);
  CHECK(cs_verify(CS_VERIFY_ECDSA, public_half, CS_SHA256, digest, 32, out, len) == CS_OK);
  out[len - 1] ^= 1;
  CHECK(cs_verify(CS_VERIFY_ECDSA, public_half, CS_SHA256, digest, 32, out, len) == CS_ERROR_VERIFICATION);
  CHECK(cs_sign(CS_SIGN_ECDSA, key, CS_SHA256, digest, 31, out, sizeof out, &len) == CS_ERROR_DIGEST_LENGTH);
  CHECK(cs_sign(CS_SIGN_ECDSA, key, CS_SHA256, NULL, 32, out, sizeof out, &len) == CS_ERROR_NULL);
  CHECK(cs_sign(CS_SIGN_ECDSA, key, CS_SHA256, digest, 32, out, 71, &len) == CS_ERROR_ROOM && len == 72);
  CHECK(cs_sign(CS_SIGN_PSS, key, CS_SHA256, digest, 32, out, sizeof out, &len) == CS_ERROR_KEY_KIND);
  CHECK(cs_agree(key, public_half, out, sizeof out, &len) == CS_OK && len == 32);
  CHECK(cs_agree(key, NULL, out, sizeof out, &len) == CS_ERROR_NULL);
  CHECK(cs_encrypt_oaep(key, CS_SHA256, NULL, 0, message, 3, out, sizeof out, &len) == CS_ERROR_KEY_KIND);
  CHECK(cs_decrypt_oaep(NULL, CS_SHA256, NULL, 0, message, 3, out, sizeof out, &len) == CS_ERROR_NULL);

  CHECK(cs_key_public_octets(key, file, sizeof file, &len) == CS_OK && len == 65 && file[0] == 4);
  cs_key_free(public_half);
  CHECK(cs_key_public(CS_P256, file, len, &public_half) == CS_OK);
  CHECK(cs_key_private_octets(key, file, sizeof file, &len) == CS_OK && len == 32);
  cs_key_free(again);
  CHECK(cs_key_private(CS_P256, file, len, &again) == CS_OK);

  CHECK(cs_service_new(2, 50, &service) == CS_OK);
  memset(&job, 0, sizeof job);
  job.operation = CS_AGREE;
  job.key = again;
  job.other = public_half;
  job.output = out;
  job.output_size = 31;
  CHECK(cs_service_run(service, &job) == CS_ERROR_ROOM && job.output_len == 32 && job.status == CS_ERROR_ROOM);
  job.output_size = sizeof out;
  CHECK(cs_service_run(service, &job) == CS_OK && cs_run(&job) == CS_OK && cs_run_many(NULL, &job, 1) == CS_OK);
  CHECK(cs_service_run(service, NULL) == CS_ERROR_NULL && cs_run(NULL) == CS_ERROR_NULL);
  CHECK(cs_run_many(NULL, NULL, 1) == CS_ERROR_NULL);
  CHECK(cs_service_count(service, &counters) == CS_OK && counters.jobs == 1);
  CHECK(cs_service_shutdown(service) == CS_OK && cs_service_run(service, &job) == CS_ERROR_SHUT_DOWN);
  cs_service_free(service);

  cs_key_free(key);
  cs_key_free(again);
  cs_key_free(public_half);
  cs_key_free(NULL);
  CHECK(cs_key_read(message, 3, NULL, 0, &key) == CS_ERROR_KEY_FORMAT && key == NULL);
  CHECK(cs_key_rsa_public(message, 3, message, 3, &key) == CS_ERROR_KEY_INVALID);
  CHECK(cs_key_rsa_private(NULL, 3, message, 3, message, 3, &key) == CS_ERROR_NULL);
  CHECK(cs_key_generate(CS_P256, 1, &key) == CS_ERROR_ARGUMENT && cs_key_generate(CS_P256, 0, NULL) == CS_ERROR_NULL);

  memset(file, 9, 64);
  CHECK(cs_x25519_public(file + 64, file, 2) == CS_OK);
  CHECK(cs_x25519(NULL, out, file, file + 64, 2) == CS_OK && memcmp(out, out + 32, 32) == 0);
  CHECK(cs_x25519(NULL, out, file, NULL, 2) == CS_ERROR_NULL && cs_x25519_public(out, file, SIZE_MAX) == CS_ERROR_LENGTH);
}

static void fields(void) {
  const uint64_t a[4] = {5, 0, 0, 0};
  uint64_t r[4], all[4 * 9];
  cs_field_vector *x;

  CHECK(cs_field_limbs(CS_FIELD_255_19) == 4 && cs_field_limbs(0) == 0);
  CHECK(cs_field_inv(CS_FIELD_255_19, r, a, 4) == CS_OK && cs_field_mul(CS_FIELD_255_19, r, r, a, 4) == CS_OK && r[0] == 1);
  CHECK(cs_field_add(CS_FIELD_255_19, r, a, a, 4) == CS_OK && cs_field_sub(CS_FIELD_255_19, r, r, a, 4) == CS_OK && r[0] == 5);
  CHECK(cs_field_sqr(CS_FIELD_255_19, r, a, 4) == CS_OK && r[0] == 25);
  CHECK(cs_field_neg(CS_FIELD_255_19, r, a, 4) == CS_OK && r[0] == UINT64_MAX - 23);
  CHECK(cs_field_mul(CS_FIELD_255_19, r, a, a, 3) == CS_ERROR_LENGTH && cs_field_mul(99, r, a, a, 4) == CS_ERROR_ARGUMENT);
  for (int i = 0; i < 9; i++)
    memcpy(all + 4 * i, a, sizeof a);
  CHECK(cs_field_vector_new(CS_FIELD_255_19, all, 36, &x) == CS_OK);
  CHECK(cs_field_vector_sqr(x) == CS_OK && cs_field_vector_add(x, x) == CS_OK && cs_field_vector_mul(x, x) == CS_OK);
  CHECK(cs_field_vector_neg(x) == CS_OK && cs_field_vector_neg(x) == CS_OK);
  CHECK(cs_field_vector_inv(x) == CS_OK && cs_field_vector_inv(x) == CS_OK);
  CHECK(cs_field_vector_read(x, all, 36) == CS_OK && all[0] == 2500 && all[32] == 2500);
  CHECK(cs_field_vector_sub(x, x) == CS_OK && cs_field_vector_sub(x, NULL) == CS_ERROR_NULL);
  CHECK(cs_field_vector_read(x, all, 35) == CS_ERROR_LENGTH);
  cs_field_vector_free(x);
}

static void symmetric(void) {
  uint8_t key[64] = {0}, iv[32] = {0}, text[256] = {0}, kept[256];
  uint64_t tweak[2] = {0, 0}, counter[8] = {0};
  cs_aes *aes;
  cs_threefish *threefish;
  cs_skein *skein;
  cs_skein_parameters parameters;

  memcpy(kept, text, sizeof text);
  CHECK(cs_aes_new(key, 32, &aes) == CS_OK);
  /* AES-256 of zeros under the key of zeros. */
  CHECK(cs_aes_ecb_encrypt(aes, NULL, text, text, 256) == CS_OK && text[0] == 0xdc && text[1] == 0x95);
  CHECK(cs_aes_ecb_decrypt(aes, NULL, text, text, 256) == CS_OK && memcmp(text, kept, 256) == 0);
  CHECK(cs_aes_cbc_encrypt(aes, NULL, iv, 32, text, text, 256) == CS_OK && memcmp(text, text + 128, 128) == 0);
  CHECK(cs_aes_cbc_decrypt(aes, NULL, iv, 16, text, text, 128) == CS_OK && memcmp(text, kept, 128) == 0);
  CHECK(cs_aes_ctr(aes, NULL, iv, 16, 64, 3, text, text, 200) == CS_OK);
  CHECK(cs_aes_ctr(aes, NULL, iv, 16, 129, 3, text, text, 200) == CS_ERROR_ARGUMENT);
  CHECK(cs_aes_ecb_encrypt(aes, NULL, text + 1, text, 128) == CS_ERROR_OVERLAP);
  CHECK(cs_aes_ecb_encrypt(aes, NULL, text, text, 255) == CS_ERROR_LENGTH);
  cs_aes_free(aes);
  CHECK(cs_aes_new(key, 15, &aes) == CS_ERROR_LENGTH && aes == NULL);
  cs_aes_free(aes);

  CHECK(cs_threefish_new(key, 64, &threefish) == CS_OK);
  memcpy(text, kept, 256);
  CHECK(cs_threefish_encrypt(threefish, NULL, tweak, text, kept, 256) == CS_OK && memcmp(text, text + 64, 64) != 0);
  CHECK(cs_threefish_decrypt(threefish, NULL, tweak, text, text, 256) == CS_OK && memcmp(text, kept, 256) == 0);
  CHECK(cs_threefish_ctr(threefish, NULL, tweak, counter, 8, 7, text, text, 100) == CS_OK);
  CHECK(cs_threefish_ctr(threefish, NULL, NULL, counter, 8, 7, text, text, 100) == CS_ERROR_NULL);
  CHECK(cs_threefish_encrypt(threefish, NULL, tweak, text, text, 65) == CS_ERROR_LENGTH);
  cs_threefish_free(threefish);

  /* Skein-512-512 of the byte ff (The Skein Hash Function Family, appendix C). */
  memset(&parameters, 0, sizeof parameters);
  parameters.state_bits = 512;
  parameters.out_len = 64;
  text[0] = 0xff;
  CHECK(cs_skein_new(&parameters, &skein) == CS_OK && cs_skein_update(skein, NULL, text, 1) == CS_OK);
  CHECK(cs_skein_final(skein, text, 63) == CS_ERROR_LENGTH && cs_skein_final(skein, text, 64) == CS_OK);
  CHECK(text[0] == 0x71 && text[1] == 0xb7 && text[2] == 0xbc);
  cs_skein_free(skein);
  parameters.tree = 1;
  CHECK(cs_skein_new(&parameters, &skein) == CS_OK && cs_skein_update(skein, NULL, NULL, 1) == CS_ERROR_NULL);
  cs_skein_free(skein);
  CHECK(cs_skein_new(NULL, &skein) == CS_ERROR_NULL);
}

static void about(void) {
  static uint8_t text[1 << 16];
  size_t len;

  CHECK(strlen(cs_version()) > 4 && strcmp(cs_error_text(CS_OK), "success") == 0 && strlen(cs_error_text(-1)) > 9);
  CHECK(cs_kernels(text, sizeof text, &len) == CS_OK && len > 100 && memcmp(text, "this processor", 14) == 0);
  CHECK(cs_plan(text, sizeof text, &len) == CS_OK && len > 100 && cs_plan(NULL, 0, NULL) == CS_ERROR_NULL);
}

int main(void) {
  numbers();
  keys();
  fields();
  symmetric();
  about();
  puts("every function does what its description says");
  return 0;
}
