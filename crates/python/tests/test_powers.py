"""powmod and its forms, against gmpy2 and Python's pow."""

import array
import operator

import carrysave
import gmpy2
import pytest

from conftest import number, signed


def expected(b, e, m):
    """What pow gives, or the type of what it raises."""
    try:
        return pow(b, e, m)
    except ValueError:
        return ValueError


def got(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except ValueError:
        return ValueError


@pytest.mark.parametrize("bits, cases", [(64, 6000), (65, 6000), (130, 6000), (260, 3000), (600, 600), (1100, 100), (4600, 6)])
def test_any_integers(rng, count, bits, cases):
    for _ in range(cases):
        b, e, m = signed(rng, rng.randrange(2 * bits)), signed(rng, rng.randrange(bits)), signed(rng, bits)
        if abs(e) > 2**70 and bits > 600:
            e %= 2**70
        assert got(carrysave.powmod, b, e, m) == expected(b, e, m), (b, e, m)
    count(cases)


@pytest.mark.parametrize("bits, cases", [(65, 8000), (128, 8000), (256, 8000), (521, 1600), (1024, 240), (2048, 40), (3072, 16)])
@pytest.mark.parametrize("threads", [1, 2])
def test_lists_agree_with_gmpy2(rng, count, bits, cases, threads):
    m = number(rng, bits) | 1 << (bits - 1) | 1
    e = number(rng, bits)
    bases = [number(rng, bits + rng.randrange(3)) for _ in range(cases // 2)]
    assert carrysave.powmod_base_list(bases, e, m, threads=threads) == gmpy2.powmod_base_list(bases, e, m)
    exps = [number(rng, bits) for _ in range(cases // 2)]
    assert carrysave.powmod_exp_list(bases[0], exps, m, threads=threads) == gmpy2.powmod_exp_list(bases[0], exps, m)
    count(2 * (cases // 2))


@pytest.mark.parametrize("bits", [256, 700, 1024, 2048])
def test_many_exponents_of_one_width(rng, count, bits):
    """From 640 bits on by a table of powers, which is of the base or of its inverse: exponents of both signs have none."""
    m, b = 3 ** (bits * 5 // 8), 2 * rng.getrandbits(bits)
    b += b % 3 == 0
    exps = [rng.getrandbits(bits) | 1 << (bits - 1) for _ in range(100)]
    right = gmpy2.powmod_exp_list(b, exps, m)
    assert carrysave.powmod_exp_list(b, exps, m, threads=2) == right
    assert carrysave.powmod_exp_list(b, [-e for e in exps], m) == [gmpy2.invert(power, m) for power in right]
    mixed = [-e if i % 2 else e for i, e in enumerate(exps)]
    assert carrysave.powmod_exp_list(b, mixed, m) == [gmpy2.powmod(b, e, m) for e in mixed]
    assert carrysave.powmod_exp_list(-b, mixed, m) == [gmpy2.powmod(-b, e, m) for e in mixed]
    count(400)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_base_without_an_inverse(threads):
    m = 3**100
    for bases in ([2, 3, 4], [6]):
        with pytest.raises(ValueError, match="base is not invertible for the given modulus"):
            carrysave.powmod_base_list(bases, -5, m, threads=threads)
    assert carrysave.powmod_list([2, 3, 4], [-5, 5, 0], [m, m, 1], threads=threads) == [pow(2, -5, m), 3**5, 0]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_different_moduli_and_signs(rng, count, threads):
    for _ in range(40):
        triples = []
        while len(triples) < 50:
            bits = rng.choice([1, 63, 64, 65, 128, 200, 256, 512])
            b, e, m = signed(rng, bits + 70), signed(rng, 130), signed(rng, bits)
            if expected(b, e, m) is not ValueError:
                triples.append((b, e, m))
        bases, exps, mods = zip(*triples)
        assert carrysave.powmod_list(bases, exps, mods, threads=threads) == [pow(*triple) for triple in triples]
        count(50)


def test_secret_exponents(rng, count):
    for bits in (65, 256, 1024):
        for _ in range(20):
            m = number(rng, bits) | 1 << (bits - 1) | 1
            bases = [signed(rng, bits + 64) for _ in range(10)]
            exps = [number(rng, rng.randrange(bits)) for _ in range(10)]
            right = [pow(b, e, m) for b, e in zip(bases, exps)]
            assert carrysave.powmod_sec_list(bases, exps, m, threads=2) == right
            assert [carrysave.powmod_sec(b, e, m) for b, e in zip(bases, exps)] == right
            count(20)


@pytest.mark.parametrize("arguments", [(2, 3, 8), (2, 3, 1), (2, 3, 0), (2, 3, -7), (2, -3, 7)])
def test_secret_exponents_refuse_what_shows_them(arguments):
    with pytest.raises(ValueError):
        carrysave.powmod_sec(*arguments)
    with pytest.raises(ValueError):
        carrysave.powmod_sec_list([arguments[0]], arguments[1], arguments[2])


def test_one_long_power_on_two_threads(rng, count):
    bits = 9000
    m, b, e = rng.getrandbits(bits) | 1 << (bits - 1) | 1, rng.getrandbits(bits), rng.getrandbits(bits)
    right = gmpy2.powmod(b, e, m)
    assert carrysave.powmod(b, e, m, threads=2) == right == carrysave.powmod(b, e, m)
    assert carrysave.powmod_sec(b, e, m, threads=2) == right
    count(3)


def test_rows_of_limbs(rng, count):
    for width in (1, 2, 4, 32):
        m = rng.getrandbits(64 * width) | 1 << (64 * width - 1) | 1
        e = rng.getrandbits(100)
        bases = [rng.getrandbits(64 * width) for _ in range(19)]
        octets = b"".join(base.to_bytes(8 * width, "little") for base in bases)
        right = b"".join(pow(base, e, m).to_bytes(8 * width, "little") for base in bases)
        words = array.array("Q", octets)
        assert carrysave.powmod_limbs(words, e, m, threads=2) == right
        assert carrysave.powmod_limbs(words, e, m, out=words) is None
        assert words.tobytes() == right
        count(38)


def test_numpy_arrays(rng, count):
    numpy = pytest.importorskip("numpy")
    m = 2**127 - 1
    rows = numpy.array([[rng.getrandbits(64), rng.getrandbits(62)] for _ in range(9)], dtype=numpy.uint64)
    out = numpy.zeros_like(rows)
    carrysave.powmod_limbs(rows, 65537, m, out=out)
    for row, power in zip(rows, out):
        assert pow(int(row[0]) + (int(row[1]) << 64), 65537, m) == int(power[0]) + (int(power[1]) << 64)
    assert carrysave.powmod(numpy.int64(3), numpy.uint8(7), m) == 3**7
    assert carrysave.powmod_list(numpy.arange(5), 3, m) == [0, 1, 8, 27, 64]
    with pytest.raises(TypeError):
        carrysave.powmod_limbs(rows.astype(float), 3, m)
    with pytest.raises(TypeError):
        carrysave.powmod_limbs(numpy.zeros((4, 4), dtype=numpy.uint64)[:, ::2], 3, m)
    rows.flags.writeable = False
    with pytest.raises(TypeError):
        carrysave.powmod_limbs(rows, 3, m, out=rows)
    count(9)


@pytest.mark.parametrize("wrong", ["2", 2.0, None, 1j, b"2", [2], object()])
def test_what_is_no_integer_is_named(wrong):
    for place, name in enumerate("bem"):
        arguments = [3, 5, 2**100 + 1]
        arguments[place] = wrong
        with pytest.raises(TypeError, match=f"^{name} is of type {type(wrong).__name__}: use an int$"):
            carrysave.powmod(*arguments)
    with pytest.raises(TypeError):
        carrysave.powmod_base_list([wrong], 3, 5)
    with pytest.raises(TypeError):
        carrysave.powmod_base_list(5, 3, 5)


def test_integers_of_other_kinds():
    class Index:
        def __index__(self):
            return 2**100 + 1

    assert carrysave.powmod(True, Index(), Index()) == 1
    assert carrysave.powmod(gmpy2.mpz(3), gmpy2.mpz(2) ** 90, Index()) == pow(3, 2**90, 2**100 + 1)
    assert type(carrysave.powmod(gmpy2.mpz(3), 5, 2**100 + 1)) is int
    assert operator.index(carrysave.powmod(3, 5, 2**100)) == 243


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_errors_that_are_not_about_the_kind_stay(error):
    class Index:
        def __index__(self):
            raise error("of its own")

    for arguments in [(Index(), 5, 7), (3, Index(), 7), (3, 5, Index())]:
        with pytest.raises(error, match="^of its own$"):
            carrysave.powmod(*arguments)
    with pytest.raises(error, match="^of its own$"):
        carrysave.powmod_base_list([3, Index()], 5, 7)

    class Iterable:
        def __iter__(self):
            raise error("of its own")

    with pytest.raises(error, match="^of its own$"):
        carrysave.powmod_base_list(Iterable(), 5, 7)


def test_classes_of_integers_do_not_change_them():
    class Odd(int):
        def wrong(self, *_):
            return -7

        __neg__ = __abs__ = __int__ = __index__ = __rpow__ = __pow__ = __rmod__ = bit_length = wrong

        def to_bytes(self, *_):
            return b"wrong"

    b, e, m = -(3**100), -(5**90), 7**80
    assert carrysave.powmod(Odd(b), Odd(e), Odd(m)) == pow(b, e, m)
    assert carrysave.powmod_list([Odd(b)], [Odd(e)], [Odd(-m)]) == [pow(b, e, -m)]
    assert carrysave.powmod_sec(Odd(b), Odd(-e), Odd(m)) == pow(b, -e, m)
    assert carrysave.mul(Odd(-(3**2000)), Odd(5**2000)) == -(15**2000)
    assert carrysave.divmod(Odd(-(3**2000)), Odd(-(5**500))) == divmod(-(3**2000), -(5**500))
    assert carrysave.invert(Odd(b), Odd(m)) == pow(b, -1, m)
    assert carrysave.is_prime(Odd(2**127 - 1))


def test_lists_of_other_lengths():
    with pytest.raises(ValueError, match="2 and 3 items"):
        carrysave.powmod_list([1, 2], [1, 2, 3], 7)
    with pytest.raises(TypeError):
        carrysave.powmod_list(1, 2, 7)
    assert carrysave.powmod_list([], 2, 7) == []
    assert carrysave.powmod_base_list((b for b in range(3)), 2, 2**70 + 1) == [0, 1, 4]


@pytest.mark.parametrize("threads", [0, 1025])
def test_numbers_of_threads_have_limits(threads):
    with pytest.raises(ValueError, match=f"threads={threads}"):
        carrysave.powmod_list([1, 2], 3, 2**70 + 1, threads=threads)
    with pytest.raises(OverflowError):
        carrysave.powmod(1, 2, 2**70 + 1, threads=-1)
