"""The functions of gmpy2 that programs of cryptography use, on Python's integers: `import carrysave.gmpy2 as gmpy2`.

`mpz` is `int`. Functions that are not here raise AttributeError, as the module has none of that name. `powmod` is not
constant time, as gmpy2's: Paillier decryption raises to a secret exponent and needs `powmod_sec`.

>>> import carrysave.gmpy2 as gmpy2
>>> gmpy2.powmod(gmpy2.mpz(3), 100, 2**127 - 1) == pow(3, 100, 2**127 - 1)
True
"""

from math import gcd, isqrt, lcm

from . import (
    invert,
    is_prime,
    mul,
    powmod,
    powmod_base_list,
    powmod_exp_list,
    powmod_sec,
)

__all__ = [
    "bit_set",
    "gcd",
    "invert",
    "is_prime",
    "isqrt",
    "lcm",
    "mod",
    "mpz",
    "mul",
    "next_prime",
    "powmod",
    "powmod_base_list",
    "powmod_exp_list",
    "powmod_sec",
]

mpz = int


def bit_set(x: int, n: int, /) -> int:
    """Return `x` with the bit `n` set.

    >>> from carrysave.gmpy2 import bit_set
    >>> bit_set(1, 3)
    9
    """
    return x | 1 << n


def mod(x: int, y: int, /) -> int:
    """Return `x % y`.

    >>> from carrysave.gmpy2 import mod
    >>> mod(-7, 3)
    2
    """
    return x % y


def next_prime(x: int, /) -> int:
    """Return the next number above `x` that is probably a prime. Not constant time.

    >>> from carrysave.gmpy2 import next_prime
    >>> next_prime(7)
    11
    """
    if x < 2:
        return 2
    x += 1 + x % 2
    while not is_prime(x):
        x += 2
    return x
