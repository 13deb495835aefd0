"""X25519 (RFC 7748): keys and key agreement, one and many."""

from ._carrysave import x25519 as _x25519

PrivateKey = _x25519.PrivateKey
PublicKey = _x25519.PublicKey
load_pem_private_key = _x25519.load_pem_private_key
load_pem_public_key = _x25519.load_pem_public_key

__all__ = ["PrivateKey", "PublicKey", "load_pem_private_key", "load_pem_public_key"]
