/* Functions of Intel's crypto_mb by their names and with their arguments, over carrysave.h: X25519, and RSA without padding for
 * a modulus with a public or a private exponent. A program that includes crypto_mb/x25519.h or crypto_mb/rsa.h for these
 * includes this file instead. Private operations here are as in crypto_mb: neither blinded nor checked. Those that are, and
 * those with the Chinese remainder theorem, need a cs_key and cs_run_many: see docs/guide/c.md. An operation that fails
 * writes no output. */

#ifndef CARRYSAVE_MBX_H
#define CARRYSAVE_MBX_H

#include "carrysave.h"

typedef uint8_t int8u;
typedef uint64_t int64u;
/* Four bits for each of eight operations. */
typedef uint32_t mbx_status;
/* Sizes need no method, and no operation a buffer: both may be null. */
typedef struct mbx_RSA_Method mbx_RSA_Method;

#define MBX_STATUS_OK 0
#define MBX_STATUS_MISMATCH_PARAM_ERR 1
#define MBX_STATUS_NULL_PARAM_ERR 2
#define MBX_STATUS_LOW_ORDER_ERR 4

#define MBX_GET_STS(status, number) (((status) >> ((number) * 4)) & 0x0f)
#define MBX_SET_STS(status, number, value) \
  (((status) & ~((mbx_status)0x0f << ((number) * 4))) | ((mbx_status)(value) << ((number) * 4)))
#define MBX_SET_STS_ALL(value) ((mbx_status)(value) * 0x11111111u)
#define MBX_IS_ANY_OK_STS(status) (!(MBX_GET_STS(status, 0) && MBX_GET_STS(status, 1) && MBX_GET_STS(status, 2) && \
    MBX_GET_STS(status, 3) && MBX_GET_STS(status, 4) && MBX_GET_STS(status, 5) && MBX_GET_STS(status, 6) && \
    MBX_GET_STS(status, 7)))

/* The longest modulus of crypto_mb, in limbs. */
#define CARRYSAVE_MBX_LIMBS 64

static inline void carrysave_mbx_wipe(void *at, size_t len) {
  volatile uint8_t *byte = (volatile uint8_t *)at;
  while (len--)
    *byte++ = 0;
}

static inline mbx_status carrysave_mbx_code(int error) {
  return error == CS_OK ? MBX_STATUS_OK
         : error == CS_ERROR_NULL ? MBX_STATUS_NULL_PARAM_ERR
         : error == CS_ERROR_SMALL_ORDER ? MBX_STATUS_LOW_ORDER_ERR : MBX_STATUS_MISMATCH_PARAM_ERR;
}

/* X25519 of the operations that have all pointers; without `points` the public keys. */
static inline mbx_status carrysave_mbx_x25519(int8u *const out[8], const int8u *const scalars[8],
                                              const int8u *const *points) {
  uint8_t k[8][32], u[8][32], r[8][32] = {{0}};
  int place[8], count = 0, error;
  mbx_status status = 0;

  if (!out || !scalars)
    return MBX_SET_STS_ALL(MBX_STATUS_NULL_PARAM_ERR);
  for (int i = 0; i < 8; i++) {
    if (!out[i] || !scalars[i] || (points && !points[i])) {
      status = MBX_SET_STS(status, i, MBX_STATUS_NULL_PARAM_ERR);
      continue;
    }
    for (int j = 0; j < 32; j++) {
      k[count][j] = scalars[i][j];
      u[count][j] = points ? points[i][j] : 0;
    }
    place[count++] = i;
  }
  if (points)
    error = cs_x25519(NULL, r[0], k[0], u[0], (size_t)count);
  else
    error = cs_x25519_public(r[0], k[0], (size_t)count);
  for (int i = 0; i < count; i++) {
    uint8_t any = 0;
    if (error != CS_OK && error != CS_ERROR_SMALL_ORDER) {
      status = MBX_SET_STS(status, place[i], carrysave_mbx_code(error));
      continue;
    }
    for (int j = 0; j < 32; j++)
      any |= r[i][j];
    if (!any) {
      status = MBX_SET_STS(status, place[i], MBX_STATUS_LOW_ORDER_ERR);
      continue;
    }
    for (int j = 0; j < 32; j++)
      out[place[i]][j] = r[i][j];
  }
  carrysave_mbx_wipe(k, sizeof k);
  carrysave_mbx_wipe(r, sizeof r);
  return status;
}

static inline mbx_status mbx_x25519_mb8(int8u *const pa_shared_key[8], const int8u *const pa_private_key[8],
                                        const int8u *const pa_public_key[8]) {
  if (!pa_public_key)
    return MBX_SET_STS_ALL(MBX_STATUS_NULL_PARAM_ERR);
  return carrysave_mbx_x25519(pa_shared_key, pa_private_key, pa_public_key);
}

static inline mbx_status mbx_x25519_public_key_mb8(int8u *const pa_public_key[8], const int8u *const pa_private_key[8]) {
  return carrysave_mbx_x25519(pa_public_key, pa_private_key, NULL);
}

/* Powers of big-endian octets to exponents of `exp_len` limbs. */
static inline mbx_status carrysave_mbx_powers(const int8u *const from[8], int8u *const to[8], const int64u *const *exps,
                                              size_t exp_len, const int64u *const n[8], int bits) {
  static const int64u e = 65537;
  uint64_t x[8][CARRYSAVE_MBX_LIMBS] = {{0}};
  cs_power powers[8];
  mbx_status status = 0;

  if (!from || !to || !n)
    return MBX_SET_STS_ALL(MBX_STATUS_NULL_PARAM_ERR);
  if (bits <= 0 || bits > 64 * CARRYSAVE_MBX_LIMBS || bits % 64)
    return MBX_SET_STS_ALL(MBX_STATUS_MISMATCH_PARAM_ERR);
  carrysave_mbx_wipe(powers, sizeof powers);
  for (int i = 0; i < 8; i++) {
    const int len = bits / 8;
    powers[i].r = from[i] && to[i] ? x[i] : NULL;
    powers[i].base = x[i];
    powers[i].exp = exps ? exps[i] : &e;
    powers[i].modulus = n[i];
    powers[i].base_len = powers[i].modulus_len = (size_t)len / 8;
    powers[i].exp_len = exp_len;
    powers[i].status = CS_ERROR_BUG;
    for (int j = 0; powers[i].r && j < len; j++)
      x[i][j / 8] |= (uint64_t)from[i][len - 1 - j] << (8 * (j % 8));
  }
  (void)cs_powm_many(NULL, powers, 8);
  for (int i = 0; i < 8; i++) {
    const int len = bits / 8;
    status = MBX_SET_STS(status, i, carrysave_mbx_code(powers[i].status));
    for (int j = 0; powers[i].status == CS_OK && j < len; j++)
      to[i][len - 1 - j] = (int8u)(x[i][j / 8] >> (8 * (j % 8)));
  }
  carrysave_mbx_wipe(x, sizeof x);
  return status;
}

/* With the exponent 65537. */
static inline mbx_status mbx_rsa_public_mb8(const int8u *const from_pa[8], int8u *const to_pa[8], const int64u *const n_pa[8],
                                            int rsaBitlen, const mbx_RSA_Method *m, int8u *pBuffer) {
  (void)m, (void)pBuffer;
  return carrysave_mbx_powers(from_pa, to_pa, NULL, 1, n_pa, rsaBitlen);
}

/* Neither blinded nor checked for faults, as in crypto_mb: the result of a fault may give the key away. */
static inline mbx_status mbx_rsa_private_mb8(const int8u *const from_pa[8], int8u *const to_pa[8], const int64u *const d_pa[8],
                                             const int64u *const n_pa[8], int rsaBitlen, const mbx_RSA_Method *m,
                                             int8u *pBuffer) {
  (void)m, (void)pBuffer;
  if (!d_pa)
    return MBX_SET_STS_ALL(MBX_STATUS_NULL_PARAM_ERR);
  return carrysave_mbx_powers(from_pa, to_pa, d_pa, (size_t)(rsaBitlen > 0 ? rsaBitlen : 0) / 64, n_pa, rsaBitlen);
}

#endif /* CARRYSAVE_MBX_H */
