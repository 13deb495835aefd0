/* RSA, ECDSA and Ed25519 signatures: an array of jobs of all kinds, signed and verified at once. */
#include <carrysave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 64, MOST = 256 };

static double now(void) {
  struct timespec at;
  timespec_get(&at, TIME_UTC);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void check(cs_error error) {
  if (error != CS_OK) {
    fprintf(stderr, "%s\n", cs_error_text(error));
    exit(1);
  }
}

/* Signs with one key and verifies, one by one and all at once. */
static void race(const char *name, const cs_key *key, int sign, int verify, int hash) {
  static uint8_t digests[COUNT][32], signatures[COUNT][MOST];
  static cs_job jobs[COUNT];
  size_t len;
  double start = now(), alone, together;

  for (int i = 0; i < COUNT; i++) {
    check(cs_digest(CS_SHA256, (const uint8_t *)&i, sizeof i, digests[i], 32, &len));
    check(cs_sign(sign, key, hash, digests[i], 32, signatures[i], MOST, &len));
  }
  alone = now() - start;

  memset(jobs, 0, sizeof jobs);
  for (int i = 0; i < COUNT; i++) {
    jobs[i].operation = sign;
    jobs[i].hash = hash;
    jobs[i].key = key;
    jobs[i].input = digests[i];
    jobs[i].input_len = 32;
    jobs[i].output = signatures[i];
    jobs[i].output_size = MOST;
  }
  start = now();
  check(cs_run_many(NULL, jobs, COUNT));
  together = now() - start;

  for (int i = 0; i < COUNT; i++) {
    jobs[i].operation = verify;
    jobs[i].extra = signatures[i];
    jobs[i].extra_len = jobs[i].output_len;
  }
  check(cs_run_many(NULL, jobs, COUNT));
  digests[5][0] ^= 1;
  if (cs_run_many(NULL, jobs, COUNT) != CS_ERROR_VERIFICATION || jobs[5].status != CS_ERROR_VERIFICATION || jobs[6].status != CS_OK)
    exit(1);
  printf("%-10s %4.0f us each alone, %4.0f us each at once\n", name, 1e6 * alone / COUNT, 1e6 * together / COUNT);
}

int main(void) {
  cs_key *rsa, *p256, *ed25519;
  check(cs_key_generate(CS_RSA, 2048, &rsa));
  check(cs_key_generate(CS_P256, 0, &p256));
  check(cs_key_generate(CS_ED25519, 0, &ed25519));
  race("RSA-2048", rsa, CS_SIGN_PSS, CS_VERIFY_PSS, CS_SHA256);
  race("P-256", p256, CS_SIGN_ECDSA, CS_VERIFY_ECDSA, CS_SHA256);
  race("Ed25519", ed25519, CS_SIGN_ED25519, CS_VERIFY_ED25519, 0);
  cs_key_free(rsa);
  cs_key_free(p256);
  cs_key_free(ed25519);
  return 0;
}
