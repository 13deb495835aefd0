"""RSA (RFC 8017): keys, signatures and encryption, one and many."""

from ._carrysave import rsa as _rsa

PrivateKey = _rsa.PrivateKey
PublicKey = _rsa.PublicKey
generate_private_key = _rsa.generate_private_key
load_pem_private_key = _rsa.load_pem_private_key
load_pem_public_key = _rsa.load_pem_public_key

__all__ = ["PrivateKey", "PublicKey", "generate_private_key", "load_pem_private_key", "load_pem_public_key"]
