"""Public-key and symmetric cryptographic arithmetic that uses every level of parallelism a machine has.

Integers are Python's. Functions for many take `threads=`, and none holds the GIL while it computes.

>>> import carrysave
>>> carrysave.powmod(3, 2**200, 1001)
718
>>> carrysave.powmod_base_list([2, 3], 65537, 1001, threads=2)
[942, 152]
"""

from . import ecdsa, ed25519, rsa, x25519
from ._carrysave import (
    DecryptionError,
    InvalidSignature,
    Service,
    __version__,
    aes_ctr,
    divmod,
    invert,
    invert_list,
    is_prime,
    mul,
    powmod,
    powmod_base_list,
    powmod_exp_list,
    powmod_limbs,
    powmod_list,
    powmod_sec,
    powmod_sec_list,
    random_prime,
    random_primes,
    skein,
)

__all__ = [
    "DecryptionError",
    "InvalidSignature",
    "Service",
    "aes_ctr",
    "divmod",
    "ecdsa",
    "ed25519",
    "invert",
    "invert_list",
    "is_prime",
    "mul",
    "powmod",
    "powmod_base_list",
    "powmod_exp_list",
    "powmod_limbs",
    "powmod_list",
    "powmod_sec",
    "powmod_sec_list",
    "random_prime",
    "random_primes",
    "rsa",
    "skein",
    "x25519",
]
