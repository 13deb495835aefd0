"""ECDSA (FIPS 186-5) and ECDH on eight curves, one and many."""

from ._carrysave import ecdsa as _ecdsa

PrivateKey = _ecdsa.PrivateKey
PublicKey = _ecdsa.PublicKey
generate_private_key = _ecdsa.generate_private_key
load_pem_private_key = _ecdsa.load_pem_private_key
load_pem_public_key = _ecdsa.load_pem_public_key

__all__ = ["PrivateKey", "PublicKey", "generate_private_key", "load_pem_private_key", "load_pem_public_key"]
