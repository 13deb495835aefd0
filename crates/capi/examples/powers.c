/* Powers of 2,048 bits: one after the other, and many at once. Prints what each takes. */
#include <carrysave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMBS = 32 };

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

/* Numbers that need no secrecy. */
static void fill(uint64_t *limbs, size_t len) {
  static uint64_t x = 88172645463325252u;
  for (size_t i = 0; i < len; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    limbs[i] = x;
  }
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 32;
  size_t size = count * LIMBS * sizeof(uint64_t);
  uint64_t exp[LIMBS], modulus[LIMBS];
  uint64_t *bases = (uint64_t *)malloc(size), *one = (uint64_t *)malloc(size), *many = (uint64_t *)malloc(size);
  cs_threads *threads;
  double start, alone, together;

  if (!bases || !one || !many)
    return 1;
  fill(bases, count * LIMBS);
  fill(exp, LIMBS);
  fill(modulus, LIMBS);
  modulus[0] |= 1;
  check(cs_threads_new(2, &threads));

  start = now();
  for (size_t i = 0; i < count; i++)
    check(cs_powm(one + i * LIMBS, bases + i * LIMBS, LIMBS, exp, LIMBS, modulus, LIMBS));
  alone = now() - start;
  start = now();
  check(cs_powm_bases(threads, many, bases, LIMBS, count, exp, LIMBS, modulus, LIMBS));
  together = now() - start;

  printf("%zu powers: %.0f us each alone, %.0f us each at once on two threads\n", count, 1e6 * alone / (double)count,
         1e6 * together / (double)count);
  if (memcmp(one, many, size) != 0)
    return 1;
  cs_threads_free(threads);
  free(bases);
  free(one);
  free(many);
  return 0;
}
