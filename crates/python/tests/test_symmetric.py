"""Skein against its published values, AES against cryptography, and what they take as data."""

import array

import carrysave
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from conftest import number


def test_aes_ctr(rng, count):
    for size in (16, 24, 32):
        for length in [*range(0, 70), 1000, 100_000, 3 << 20]:
            key, data = rng.randbytes(size), rng.randbytes(length)
            counter = number(rng, 128).to_bytes(16, "big")
            right = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)
            assert carrysave.aes_ctr(key, counter, data, threads=2) == right
            count(1)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array.array("H", data)])
def test_any_buffer_is_data(rng, kind):
    data = rng.randbytes(1000)
    key, counter = bytearray(16), memoryview(bytes(16))
    right = carrysave.aes_ctr(key, counter, data)
    assert carrysave.aes_ctr(key, counter, kind(data)) == right
    assert carrysave.skein(kind(data)) == carrysave.skein(data)
    assert carrysave.skein(kind(data), tree=True) == carrysave.skein(data, tree=True)


def test_numpy_arrays_are_data():
    numpy = pytest.importorskip("numpy")
    data = numpy.arange(1000, dtype=numpy.uint64)
    right = carrysave.aes_ctr(bytes(16), bytes(16), data.tobytes())
    assert carrysave.aes_ctr(bytes(16), bytes(16), data) == right
    assert carrysave.aes_ctr(bytes(16), bytes(16), data, out=data) is None
    assert data.tobytes() == right
    with pytest.raises(TypeError):
        carrysave.aes_ctr(bytes(16), bytes(16), data[::2])


def test_results_go_where_they_shall():
    data, out = bytes(1000), bytearray(1000)
    assert carrysave.aes_ctr(bytes(16), bytes(16), data, out=out) is None
    assert out == carrysave.aes_ctr(bytes(16), bytes(16), data)
    for wrong in (bytes(1000), bytearray(999)):
        with pytest.raises(ValueError, match="writable buffer of 1000"):
            carrysave.aes_ctr(bytes(16), bytes(16), data, out=wrong)


def test_wrong_keys_and_data():
    with pytest.raises(ValueError, match="17 bytes: use 16, 24 or 32"):
        carrysave.aes_ctr(bytes(17), bytes(16), b"")
    with pytest.raises(ValueError, match="15 bytes: use 16"):
        carrysave.aes_ctr(bytes(16), bytes(15), b"")
    for wrong in ("text", 5, None, [1]):
        with pytest.raises(TypeError, match="use bytes"):
            carrysave.aes_ctr(bytes(16), bytes(16), wrong)
        with pytest.raises(TypeError, match="use bytes"):
            carrysave.skein(wrong)
    with pytest.raises(ValueError, match="state=500"):
        carrysave.skein(b"", state=500)
    for wrong in (2**61, 2**64 - 1):
        with pytest.raises(ValueError, match=f"bytes={wrong} is not possible: use less than 2..61"):
            carrysave.skein(b"", bytes=wrong)


def test_skein():
    # The paper's appendix C: the byte ff by Skein-256-256, Skein-512-512 and Skein-1024-1024.
    known = {
        256: "0b98dcd198ea0e50a7a244c444e25c23da30c10fc9a1f270a6637f1f34e67ed2",
        512: "71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8ca698d864307ed3e80b6ef1570812ac5"
        "272dc409b5a012df2a579102f340617a",
        1024: "e62c05802ea0152407cdd8787fda9e35703de862a4fbc119cff8590afe79250bccc8b3faf1bd2422ab5c0d263fb2f8af"
        "b3f796f048000381531b6f00d85161bc0fff4bef2486b1ebcd3773fabf50ad4ad5639af9040e3f29c6c931301bf79832"
        "e9da09857e831e82ef8b4691c235656515d437d2bda33bcec001c67ffde15ba8",
    }
    for state, value in known.items():
        assert carrysave.skein(b"\xff", bytes=state // 8, state=state).hex() == value
    data = bytes(5 << 20)
    assert carrysave.skein(data, tree=True, threads=2) == carrysave.skein(data, tree=True)
    values = {carrysave.skein(data), carrysave.skein(data, tree=True), carrysave.skein(data, key=b"a key")}
    assert len(values) == 3
