/* The functions of carrysave_mbx.h, as a program for crypto_mb calls them. */
#include <carrysave.h>

/* What the library would return and write if it had a bug. */
static int broken;

static cs_error x25519_or_bug(const cs_threads *threads, uint8_t *out, const uint8_t *scalars, const uint8_t *points,
                              size_t count) {
  return broken ? CS_ERROR_BUG : cs_x25519(threads, out, scalars, points, count);
}

static cs_error x25519_public_or_bug(uint8_t *out, const uint8_t *scalars, size_t count) {
  return broken ? CS_ERROR_BUG : cs_x25519_public(out, scalars, count);
}

static cs_error powm_many_or_bug(const cs_threads *threads, cs_power *powers, size_t count) {
  return broken ? CS_ERROR_BUG : cs_powm_many(threads, powers, count);
}

#define cs_x25519 x25519_or_bug
#define cs_x25519_public x25519_public_or_bug
#define cs_powm_many powm_many_or_bug
#include <carrysave_mbx.h>
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

static void x25519(void) {
  int8u own[8][32], other[8][32], own_public[8][32], other_public[8][32], secret[8][32], same[8][32];
  int8u *own_pa[8], *other_pa[8], *own_public_pa[8], *other_public_pa[8], *secret_pa[8], *same_pa[8];
  const int8u *own_in[8], *other_in[8], *own_public_in[8], *other_public_in[8];

  for (int i = 0; i < 8; i++) {
    memset(own[i], 1 + i, 32);
    memset(other[i], 100 + i, 32);
    own_in[i] = own_pa[i] = own[i];
    other_in[i] = other_pa[i] = other[i];
    own_public_in[i] = own_public_pa[i] = own_public[i];
    other_public_in[i] = other_public_pa[i] = other_public[i];
    secret_pa[i] = secret[i];
    same_pa[i] = same[i];
  }
  CHECK(mbx_x25519_public_key_mb8(own_public_pa, own_in) == MBX_STATUS_OK);
  CHECK(mbx_x25519_public_key_mb8(other_public_pa, other_in) == MBX_STATUS_OK);
  CHECK(mbx_x25519_mb8(secret_pa, own_in, other_public_in) == MBX_STATUS_OK);
  CHECK(mbx_x25519_mb8(same_pa, other_in, own_public_in) == MBX_STATUS_OK);
  CHECK(memcmp(secret, same, sizeof secret) == 0 && memcmp(secret[0], secret[1], 32) != 0);

  memset(other_public[2], 0, 32);
  own_in[5] = NULL;
  mbx_status status = mbx_x25519_mb8(secret_pa, own_in, other_public_in);
  CHECK(MBX_GET_STS(status, 2) == MBX_STATUS_LOW_ORDER_ERR && MBX_GET_STS(status, 5) == MBX_STATUS_NULL_PARAM_ERR);
  CHECK(memcmp(secret[2], same[2], 32) == 0);
  CHECK(MBX_GET_STS(status, 7) == MBX_STATUS_OK && MBX_IS_ANY_OK_STS(status) && memcmp(secret[7], same[7], 32) == 0);
  CHECK(mbx_x25519_mb8(NULL, own_in, other_public_in) == MBX_SET_STS_ALL(MBX_STATUS_NULL_PARAM_ERR));

  memcpy(same, secret, sizeof same);
  broken = 1;
  status = MBX_SET_STS(MBX_SET_STS_ALL(MBX_STATUS_MISMATCH_PARAM_ERR), 5, MBX_STATUS_NULL_PARAM_ERR);
  CHECK(mbx_x25519_mb8(secret_pa, own_in, other_public_in) == status);
  CHECK(mbx_x25519_public_key_mb8(secret_pa, own_in) == status);
  CHECK(memcmp(secret, same, sizeof secret) == 0);
  broken = 0;
}

/* A number to the power 65537, and back, modulo the prime 2^1024 - 105. */
static void rsa(void) {
  int64u p[16], d[16], e[1] = {65537}, order[16], inverse[16];
  int8u text[8][128], cipher[8][128], back[8][128];
  int8u *cipher_pa[8], *back_pa[8];
  const int8u *text_in[8], *cipher_in[8];
  const int64u *p_pa[8], *d_pa[8];

  memset(p, 0xff, sizeof p);
  p[0] -= 104;
  memcpy(order, p, sizeof p);
  order[0] -= 1;
  CHECK(cs_invert(inverse, e, 1, order, 16) == CS_OK);
  memcpy(d, inverse, sizeof d);
  for (int i = 0; i < 8; i++) {
    memset(text[i], 17 * i + 1, 128);
    text_in[i] = text[i];
    cipher_in[i] = cipher_pa[i] = cipher[i];
    back_pa[i] = back[i];
    p_pa[i] = p;
    d_pa[i] = d;
  }
  CHECK(mbx_rsa_public_mb8(text_in, cipher_pa, p_pa, 1024, NULL, NULL) == MBX_STATUS_OK);
  CHECK(memcmp(text, cipher, sizeof text) != 0);
  CHECK(mbx_rsa_private_mb8(cipher_in, back_pa, d_pa, p_pa, 1024, NULL, NULL) == MBX_STATUS_OK);
  CHECK(memcmp(text, back, sizeof text) == 0);
  p_pa[3] = NULL;
  CHECK(mbx_rsa_public_mb8(text_in, cipher_pa, p_pa, 1024, NULL, NULL) == MBX_SET_STS(0u, 3, MBX_STATUS_NULL_PARAM_ERR));
  CHECK(mbx_rsa_public_mb8(text_in, cipher_pa, p_pa, 1000, NULL, NULL) == MBX_SET_STS_ALL(MBX_STATUS_MISMATCH_PARAM_ERR));

  broken = 1;
  CHECK(mbx_rsa_private_mb8(cipher_in, cipher_pa, d_pa, p_pa, 1024, NULL, NULL) == MBX_SET_STS_ALL(MBX_STATUS_MISMATCH_PARAM_ERR));
  memset(back, 0, sizeof back);
  broken = 0;
  p_pa[3] = p;
  CHECK(mbx_rsa_private_mb8(cipher_in, back_pa, d_pa, p_pa, 1024, NULL, NULL) == MBX_STATUS_OK);
  CHECK(memcmp(text, back, sizeof text) == 0);
}

int main(void) {
  x25519();
  rsa();
  puts("functions of crypto_mb do what their names say");
  return 0;
}
