"""Types of the package: the docstrings are in the module."""

from collections.abc import Iterable
from types import TracebackType
from typing import SupportsIndex, final, overload

from _typeshed import ReadableBuffer as Buffer

from . import ecdsa as ecdsa
from . import ed25519 as ed25519
from . import rsa as rsa
from . import x25519 as x25519

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

__version__: str

class DecryptionError(Exception): ...
class InvalidSignature(Exception): ...

def aes_ctr(
    key: Buffer, counter: Buffer, data: Buffer, *, out: Buffer | None = None, threads: int = 1
) -> bytes | None: ...
def divmod(a: SupportsIndex, b: SupportsIndex, /) -> tuple[int, int]: ...
def invert(a: SupportsIndex, m: SupportsIndex, /) -> int: ...
def invert_list(values: Iterable[SupportsIndex], m: SupportsIndex, /, *, threads: int = 1) -> list[int]: ...
def is_prime(n: SupportsIndex, rounds: int = 25, /) -> bool: ...
def mul(a: SupportsIndex, b: SupportsIndex, /, *, threads: int = 1) -> int: ...
def powmod(b: SupportsIndex, e: SupportsIndex, m: SupportsIndex, /, *, threads: int = 1) -> int: ...
def powmod_base_list(
    base_lst: Iterable[SupportsIndex], exp: SupportsIndex, mod: SupportsIndex, /, *, threads: int = 1
) -> list[int]: ...
def powmod_exp_list(
    base: SupportsIndex, exp_lst: Iterable[SupportsIndex], mod: SupportsIndex, /, *, threads: int = 1
) -> list[int]: ...
def powmod_limbs(
    bases: Buffer, exp: SupportsIndex, mod: SupportsIndex, /, *, out: Buffer | None = None, threads: int = 1
) -> bytearray | None: ...
def powmod_list(
    bases: SupportsIndex | Iterable[SupportsIndex],
    exps: SupportsIndex | Iterable[SupportsIndex],
    mods: SupportsIndex | Iterable[SupportsIndex],
    /,
    *,
    threads: int = 1,
) -> list[int]: ...
def powmod_sec(b: SupportsIndex, e: SupportsIndex, m: SupportsIndex, /, *, threads: int = 1) -> int: ...
def powmod_sec_list(
    bases: SupportsIndex | Iterable[SupportsIndex],
    exps: SupportsIndex | Iterable[SupportsIndex],
    mods: SupportsIndex | Iterable[SupportsIndex],
    /,
    *,
    threads: int = 1,
) -> list[int]: ...
def random_prime(bits: int, *, safe: bool = False, threads: int = 1) -> int: ...
def random_primes(count: int, bits: int, *, safe: bool = False, threads: int = 1) -> list[int]: ...
def skein(
    data: Buffer,
    *,
    bytes: int = 64,
    state: int = 512,
    key: Buffer | None = None,
    tree: bool = False,
    threads: int = 1,
) -> bytes: ...

@final
class Service:
    def __new__(cls, threads: int | None = None, *, wait: float = 50e-6) -> Service: ...
    def __enter__(self) -> Service: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def decrypt(self, key: rsa.PrivateKey, ciphertext: Buffer, *, hash: str = "sha256") -> bytes: ...
    def exchange(self, key: x25519.PrivateKey, peer: x25519.PublicKey) -> bytes: ...
    def metrics(self) -> dict[str, float]: ...
    def powmod(self, b: SupportsIndex, e: SupportsIndex, m: SupportsIndex) -> int: ...
    def shutdown(self) -> None: ...
    @overload
    def sign(
        self, key: rsa.PrivateKey, message: Buffer, *, padding: str | None = None, hash: str | None = None
    ) -> bytes: ...
    @overload
    def sign(self, key: ecdsa.PrivateKey, message: Buffer, *, hash: str | None = None) -> bytes: ...
