// MPFQ as a rival of `carrysave-lab bench fields`: its functions, inlined into our loops over pairs of elements. It is no part of
// carrysave, so whoever has it compiles this file against its headers, as installed in MPFQ/include:
//
//   cc -O3 -march=native -shared -fPIC -I MPFQ/include crates/lab/src/rivals/mpfq.c -lgmp -o libmpfq_loops.so
//
// A function of a field and a step puts the step's result in the place of each a: carrysave_mpfq_p_127_1_mul multiplies. With
// a stride of 0 all results are in the place of the first a, and each step waits for the one before. Elements are limbs, the
// lowest first, below the prime.

#include <stddef.h>

#include "mpfq/mpfq_p_127_1.h"
#include "mpfq/mpfq_p_127_735.h"
#include "mpfq/mpfq_p_25519.h"

#define LOOP(tag, step, act)                                                                                      \
    void carrysave_mpfq_##tag##_##step(mpfq_##tag##_elt *a, const mpfq_##tag##_elt *b, size_t pairs, size_t stride) \
    {                                                                                                             \
        for (size_t i = 0; i < pairs; i++) {                                                                      \
            unsigned long *x = a[i * stride];                                                                     \
            const unsigned long *y = b[i];                                                                        \
            (void)y;                                                                                              \
            act;                                                                                                  \
        }                                                                                                         \
    }

#define FIELD(tag)                                                                   \
    static mpfq_##tag##_field tag;                                                   \
    __attribute__((constructor)) static void tag##_init(void)                        \
    {                                                                                \
        mpfq_##tag##_field_init(tag);                                                \
    }                                                                                \
    LOOP(tag, mul, mpfq_##tag##_mul(tag, x, x, y))                                   \
    LOOP(tag, sqr, mpfq_##tag##_sqr(tag, x, x))                                      \
    LOOP(tag, add, mpfq_##tag##_add(tag, x, x, y))                                   \
    LOOP(tag, sub, mpfq_##tag##_sub(tag, x, x, y))                                   \
    LOOP(tag, inv, mpfq_##tag##_inv(tag, x, x); mpfq_##tag##_add(tag, x, x, y))

FIELD(p_127_1)
FIELD(p_127_735)
FIELD(p_25519)
