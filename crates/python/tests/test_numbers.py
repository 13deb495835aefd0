"""Products, quotients, inverses and primes, against gmpy2 and Python's own."""

import math

import carrysave
import carrysave.gmpy2
import gmpy2
import pytest

from conftest import number, signed


def test_products(rng, count):
    for bits, cases in ((64, 10_000), (2000, 4000), (14_000, 300), (40_000, 60), (300_000, 10)):
        for _ in range(cases):
            a, b = signed(rng, bits), signed(rng, rng.randrange(1, bits + 1))
            assert carrysave.mul(a, b) == a * b
        count(cases)


def test_products_by_two_threads(rng, count):
    for bits in (100_000, 1_000_000):
        a, b = signed(rng, bits) | 1 << bits, signed(rng, bits) | 1 << bits
        assert carrysave.mul(a, b, threads=2) == int(gmpy2.mul(a, b)) == carrysave.mul(a, b)
        assert carrysave.mul(a, a, threads=2) == int(gmpy2.square(a)) == carrysave.mul(a, a)
        count(4)


def test_quotients(rng, count):
    for bits, cases in ((64, 6000), (3000, 6000), (9000, 2000), (60_000, 60)):
        for _ in range(cases):
            a, b = signed(rng, 2 * bits), signed(rng, rng.randrange(1, bits + 1)) or 1
            assert carrysave.divmod(a, b) == divmod(a, b)
        count(cases)
    for a in (5, 2**6000):
        with pytest.raises(ZeroDivisionError):
            carrysave.divmod(a, 0)


def inverse(invert, a, m):
    try:
        return invert(a, m)
    except ZeroDivisionError:
        return None


def test_inverses(rng, count):
    for bits, cases in ((3, 2000), (64, 5000), (256, 4000), (2048, 200)):
        for _ in range(cases):
            a, m = signed(rng, rng.randrange(2 * bits)), signed(rng, bits)
            assert inverse(carrysave.invert, a, m) == inverse(gmpy2.invert, a, m), (a, m)
        count(cases)


@pytest.mark.parametrize("threads", [1, 2])
def test_lists_of_inverses(rng, count, threads):
    for bits in (1, 64, 256, 1024):
        for odd in (0, 1):
            m = number(rng, bits) | odd or 2
            values = [a for a in (signed(rng, bits + 9) for _ in range(300)) if math.gcd(a, m) == 1]
            right = [gmpy2.invert(a, m) for a in values]
            assert carrysave.invert_list(values, m, threads=threads) == right
            count(len(values))
    with pytest.raises(ZeroDivisionError, match="item 2"):
        carrysave.invert_list([1, 2, 3, 4, 6], 2**3 * 3 + 3, threads=threads)
    with pytest.raises(ZeroDivisionError):
        carrysave.invert_list([1], 0)
    assert carrysave.invert_list([], 7) == []


def test_primes(rng, count):
    for n in range(-10, 5000):
        assert carrysave.is_prime(n) == (n > 1 and gmpy2.is_prime(n)), n
    for bits in (64, 65, 128, 256):
        for _ in range(500):
            n = number(rng, bits) | 1
            assert carrysave.is_prime(n) == gmpy2.is_prime(n), n
    # Carmichael numbers, and strong pseudoprimes to several bases (Jaeschke; Arnault).
    for n in (561, 41041, 825265, 3215031751, 3825123056546413051, 318665857834031151167461):
        assert not carrysave.is_prime(n)
    count(7000)


def test_random_primes(count):
    for bits in (16, 64, 256, 512):
        primes = carrysave.random_primes(10, bits, threads=2)
        assert all(p.bit_length() == bits and gmpy2.is_prime(p) for p in primes)
        assert bits == 16 or len(set(primes)) == 10
        count(10)
    p = carrysave.random_prime(128, safe=True, threads=2)
    assert p.bit_length() == 128 and gmpy2.is_prime(p) and gmpy2.is_prime(p // 2)
    for bits in (0, 15, 2**20 + 1):
        with pytest.raises(ValueError, match=f"bits={bits}"):
            carrysave.random_prime(bits)
    with pytest.raises(ValueError, match="count=1000000000000"):
        carrysave.random_primes(10**12, 64)


def test_the_names_of_gmpy2(rng, count):
    ours = carrysave.gmpy2
    for _ in range(1000):
        a, b, m = number(rng, 300), number(rng, 300), number(rng, 200) | 1
        assert ours.mod(ours.mul(ours.mpz(a), b), m) == gmpy2.mod(gmpy2.mul(a, b), m)
        assert ours.isqrt(a) == gmpy2.isqrt(a)
        assert ours.gcd(a, b) == gmpy2.gcd(a, b)
        assert ours.bit_set(a, 17) == gmpy2.bit_set(a, 17)
    for _ in range(60):
        n = signed(rng, 150)
        assert ours.next_prime(n) == gmpy2.next_prime(n)
    count(4060)


@pytest.mark.parametrize("wrong", ["2", 2.0, None])
def test_what_is_no_integer_is_refused(wrong):
    for function in (carrysave.mul, carrysave.divmod, carrysave.invert):
        for arguments in ((wrong, 7), (7, wrong)):
            with pytest.raises(TypeError, match="use an int"):
                function(*arguments)
    with pytest.raises(TypeError, match="use an int"):
        carrysave.is_prime(wrong)
