"""Ed25519 (RFC 8032): keys and signatures, one and many."""

from ._carrysave import ed25519 as _ed25519

PrivateKey = _ed25519.PrivateKey
PublicKey = _ed25519.PublicKey
load_pem_private_key = _ed25519.load_pem_private_key
load_pem_public_key = _ed25519.load_pem_public_key

__all__ = ["PrivateKey", "PublicKey", "load_pem_private_key", "load_pem_public_key"]
