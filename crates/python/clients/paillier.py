"""Times encryptions by python-paillier, whose package `phe` is beside this file, with the gmpy2 that it imports.

With carrysave for that, also all encryptions at once: the random factors of all numbers are one list of powers.
"""

import random
import sys
import time

from phe import EncodedNumber, EncryptedNumber, generate_paillier_keypair, util

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
BITS = 2048

public, private = generate_paillier_keypair(n_length=BITS)
numbers = [random.randrange(10**9) for _ in range(COUNT)]


def at_once(threads):
    """Encrypts all numbers. The exponent n and the modulus n^2 are public."""
    encoded = [EncodedNumber.encode(public, number) for number in numbers]
    bases = [public.get_random_lt_n() for _ in numbers]
    factors = util.gmpy2.powmod_base_list(bases, public.n, public.nsquare, threads=threads)
    return [
        EncryptedNumber(public, (1 + public.n * number.encoding) * factor % public.nsquare, number.exponent)
        for number, factor in zip(encoded, factors)
    ]


def timed(name, encrypt):
    start = time.perf_counter()
    encrypted = encrypt()
    seconds = time.perf_counter() - start
    assert [private.decrypt(number) for number in encrypted[:20]] == numbers[:20]
    print(f"{util.gmpy2.__name__}: {COUNT} numbers, n of {BITS} bits, {name}: {seconds:.2f} s")


timed("one by one", lambda: [public.encrypt(number) for number in numbers])
if util.gmpy2.__name__ == "carrysave.gmpy2":
    timed("at once, one thread", lambda: at_once(1))
    timed("at once, two threads", lambda: at_once(2))
