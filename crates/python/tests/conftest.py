"""What the tests share: numbers that break carries, and the count of cases."""

import random

import pytest

COUNT = {"cases": 0}


@pytest.fixture
def rng(request):
    """A generator that is the same for every run of a test."""
    return random.Random(request.node.name)


@pytest.fixture
def count():
    """Call it with the number of cases that a test has compared."""

    def add(cases):
        COUNT["cases"] += cases

    return add


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{COUNT['cases']} cases compared")


def number(rng, bits):
    """A number of at most so many bits: noise, all ones, a single bit, runs of ones, or nothing."""
    kind = rng.randrange(8)
    top = 1 << max(bits - 1, 0)
    if kind == 0:
        return (1 << bits) - 1
    if kind == 1:
        return top
    if kind == 2:
        return ((1 << bits) - 1) ^ ((1 << rng.randrange(bits + 1)) - 1)
    if kind == 3:
        return (1 << rng.randrange(bits + 1)) - 1
    if kind == 4:
        return rng.choice([0, 1, 2])
    return rng.getrandbits(bits) if bits else 0


def signed(rng, bits):
    """As number, of either sign."""
    x = number(rng, bits)
    return -x if rng.randrange(2) else x
