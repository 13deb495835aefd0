/* A benchmark of GMP's mpz_powm as one would write it, and what it takes to port it: many_powm, ten lines. */
#include <carrysave.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  timespec_get(&at, TIME_UTC);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* r[i] = base[i]^exp mod modulus */
static int many_powm(const cs_threads *threads, mpz_t *r, mpz_t *base, size_t count, const mpz_t exp, const mpz_t modulus) {
  size_t len = mpz_size(modulus);
  uint64_t *limbs = (uint64_t *)calloc(count, len * sizeof *limbs);
  cs_error error = limbs ? CS_OK : CS_ERROR_SYSTEM;
  for (size_t i = 0; limbs && i < count; i++)
    memcpy(limbs + i * len, mpz_limbs_read(base[i]), mpz_size(base[i]) * sizeof *limbs); /* below the modulus */
  if (error == CS_OK)
    error = cs_powm_bases(threads, limbs, limbs, len, count, mpz_limbs_read(exp), mpz_size(exp), mpz_limbs_read(modulus), len);
  for (size_t i = 0; error == CS_OK && i < count; i++)
    mpz_import(r[i], len, -1, sizeof *limbs, 0, 0, limbs + i * len);
  free(limbs);
  return error;
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 32;
  mp_bitcnt_t bits = argc > 2 ? strtoul(argv[2], NULL, 10) : 2048;
  size_t threads_count = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
  mpz_t *base = (mpz_t *)malloc(count * sizeof *base), *r = (mpz_t *)malloc(count * sizeof *r);
  mpz_t *s = (mpz_t *)malloc(count * sizeof *s), exp, modulus;
  gmp_randstate_t state;
  cs_threads *threads;
  double start, gmp, ours;
  int differ = 0;

  if (!base || !r || !s || cs_threads_new(threads_count, &threads) != CS_OK)
    return 1;
  gmp_randinit_default(state);
  mpz_inits(exp, modulus, NULL);
  mpz_urandomb(exp, state, bits);
  mpz_urandomb(modulus, state, bits);
  mpz_setbit(modulus, bits - 1);
  mpz_setbit(modulus, 0);
  for (size_t i = 0; i < count; i++) {
    mpz_inits(base[i], r[i], s[i], NULL);
    mpz_urandomm(base[i], state, modulus);
  }

  start = now();
  for (size_t i = 0; i < count; i++)
    mpz_powm(r[i], base[i], exp, modulus);
  gmp = now() - start;
  start = now();
  if (many_powm(threads, s, base, count, exp, modulus) != CS_OK)
    return 1;
  ours = now() - start;

  for (size_t i = 0; i < count; i++) {
    differ |= mpz_cmp(r[i], s[i]) != 0;
    mpz_clears(base[i], r[i], s[i], NULL);
  }
  printf("%zu powers of %lu bits: mpz_powm %.0f us each, carrysave %.0f us each on %zu threads: %.1f times as fast\n", count,
         (unsigned long)bits, 1e6 * gmp / (double)count, 1e6 * ours / (double)count, threads_count, gmp / ours);
  mpz_clears(exp, modulus, NULL);
  gmp_randclear(state);
  cs_threads_free(threads);
  free(base);
  free(r);
  free(s);
  return differ;
}
