"""Types of carrysave.rsa."""

from collections.abc import Iterable
from typing import final

from _typeshed import ReadableBuffer as Buffer

__all__ = ["PrivateKey", "PublicKey", "generate_private_key", "load_pem_private_key", "load_pem_public_key"]

@final
class PrivateKey:
    @property
    def key_size(self) -> int: ...
    def decrypt(
        self, ciphertext: Buffer, *, padding: str = "oaep", hash: str = "sha256", label: Buffer | None = None
    ) -> bytes: ...
    def decrypt_many(
        self,
        ciphertexts: Iterable[Buffer],
        *,
        padding: str = "oaep",
        hash: str = "sha256",
        label: Buffer | None = None,
        threads: int = 1,
    ) -> list[bytes | Exception]: ...
    def private_bytes(self) -> bytes: ...
    def public_key(self) -> PublicKey: ...
    def sign(
        self, message: Buffer, *, padding: str = "pss", hash: str = "sha256", salt_length: int | None = None
    ) -> bytes: ...
    def sign_many(
        self,
        messages: Iterable[Buffer],
        *,
        padding: str = "pss",
        hash: str = "sha256",
        salt_length: int | None = None,
        threads: int = 1,
    ) -> list[bytes]: ...

@final
class PublicKey:
    @property
    def e(self) -> int: ...
    @property
    def key_size(self) -> int: ...
    @property
    def n(self) -> int: ...
    def encrypt(
        self, plaintext: Buffer, *, padding: str = "oaep", hash: str = "sha256", label: Buffer | None = None
    ) -> bytes: ...
    def public_bytes(self) -> bytes: ...
    def verify(
        self,
        signature: Buffer,
        message: Buffer,
        *,
        padding: str = "pss",
        hash: str = "sha256",
        salt_length: int | None = None,
    ) -> None: ...
    def verify_many(
        self,
        signatures: Iterable[Buffer],
        messages: Iterable[Buffer],
        *,
        padding: str = "pss",
        hash: str = "sha256",
        salt_length: int | None = None,
        threads: int = 1,
    ) -> list[bool]: ...

def generate_private_key(public_exponent: int = 65537, key_size: int = 3072, *, threads: int = 1) -> PrivateKey: ...
def load_pem_private_key(data: Buffer, password: Buffer | None = None) -> PrivateKey: ...
def load_pem_public_key(data: Buffer) -> PublicKey: ...
