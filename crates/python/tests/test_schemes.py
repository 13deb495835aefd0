"""Keys, signatures and agreements, against cryptography."""

import pytest
from cryptography.exceptions import InvalidSignature as TheirInvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric import ed25519 as their_ed25519
from cryptography.hazmat.primitives.asymmetric import rsa as their_rsa
from cryptography.hazmat.primitives.asymmetric import x25519 as their_x25519

import carrysave
from carrysave import ecdsa, ed25519, rsa, x25519

MESSAGES = [b"", b"a message", bytearray(b"another"), memoryview(b"one more"), bytes(1000)] * 4
PSS = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


def theirs(key):
    return serialization.load_pem_private_key(key.private_bytes(), None)


def pem(key, password=None):
    kind = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, kind)


def public_pem(key):
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


@pytest.fixture(scope="module")
def rsa_key():
    return rsa.generate_private_key(key_size=2048, threads=2)


@pytest.mark.parametrize("name, their_padding", [("pss", PSS), ("pkcs1v15", padding.PKCS1v15())])
def test_rsa_signatures(rsa_key, count, name, their_padding):
    their_key, public = theirs(rsa_key), rsa_key.public_key()
    signatures = rsa_key.sign_many(MESSAGES, padding=name, threads=2)
    for message, signature in zip(MESSAGES, signatures):
        their_key.public_key().verify(signature, bytes(message), their_padding, hashes.SHA256())
        public.verify(signature, message, padding=name)
    made = [their_key.sign(bytes(message), their_padding, hashes.SHA256()) for message in MESSAGES]
    assert public.verify_many(made, MESSAGES, padding=name, threads=2) == [True] * len(MESSAGES)
    made[3] = made[3][:-1] + bytes([made[3][-1] ^ 1])
    made[5] = b"short"
    verdicts = public.verify_many(made, MESSAGES, padding=name)
    assert [i for i, verdict in enumerate(verdicts) if not verdict] == [3, 5]
    for wrong in (made[3], b""):
        with pytest.raises(carrysave.InvalidSignature):
            public.verify(wrong, MESSAGES[3], padding=name)
    their_key.public_key().verify(rsa_key.sign(b"x", padding=name), b"x", their_padding, hashes.SHA256())
    count(4 * len(MESSAGES))


def test_rsa_encryption(rsa_key, count):
    their_key, public = theirs(rsa_key), rsa_key.public_key()
    texts = [bytes([i]) * i for i in range(20)]
    made = [their_key.public_key().encrypt(text, OAEP) for text in texts]
    assert rsa_key.decrypt_many(made, threads=2) == texts
    assert [their_key.decrypt(public.encrypt(text), OAEP) for text in texts] == texts
    assert rsa_key.decrypt(public.encrypt(b"a", padding="pkcs1v15"), padding="pkcs1v15") == b"a"
    assert rsa_key.decrypt(public.encrypt(b"a", label=b"l", hash="sha512"), label=b"l", hash="sha512") == b"a"
    with pytest.raises(carrysave.DecryptionError):
        rsa_key.decrypt(made[0], label=b"another")
    for call in (
        lambda: public.encrypt(b"a", padding="pkcs1v15", label=b"l"),
        lambda: rsa_key.decrypt(made[0], padding="pkcs1v15", label=b"l"),
    ):
        with pytest.raises(ValueError, match="^label is for padding='oaep': leave it out$"):
            call()
    with pytest.raises(ValueError, match="too long"):
        public.encrypt(bytes(300))
    made[3], made[7], made[11] = bytes(256), b"short", made[11][:-1] + bytes([made[11][-1] ^ 1])
    got = rsa_key.decrypt_many(made, threads=2)
    assert [i for i, text in enumerate(got) if isinstance(text, carrysave.DecryptionError)] == [3, 7, 11]
    assert all(text == texts[i] for i, text in enumerate(got) if i not in (3, 7, 11))
    assert len({str(got[i]) for i in (3, 7, 11)}) == 1
    count(60)


def test_rsa_keys(rsa_key):
    their_key = theirs(rsa_key)
    numbers = their_key.public_key().public_numbers()
    public = rsa.load_pem_public_key(public_pem(their_key.public_key()))
    assert public == rsa_key.public_key() and (public.n, public.e) == (numbers.n, numbers.e)
    assert rsa.load_pem_private_key(pem(their_key, b"secret"), b"secret").public_key() == public
    with pytest.raises(ValueError, match="password"):
        rsa.load_pem_private_key(pem(their_key, b"secret"))
    with pytest.raises(ValueError, match="this is not"):
        rsa.load_pem_private_key(b"no key")
    with pytest.raises(ValueError, match="1000 bits"):
        rsa.generate_private_key(key_size=1000)
    with pytest.raises(ValueError, match="hash='md5'"):
        rsa_key.sign(b"", hash="md5")
    with pytest.raises(ValueError, match="padding='oaep'"):
        rsa_key.sign(b"", padding="oaep")
    for wrong in ("text", 5, None):
        with pytest.raises(TypeError, match="use bytes"):
            rsa_key.sign(wrong)
    for wrong in (b"one message", 5):
        with pytest.raises(TypeError, match="use a list of bytes"):
            rsa_key.sign_many(wrong)
    assert rsa_key.sign_many([]) == []
    assert "PrivateKey of 2048 bits" in repr(rsa_key)
    assert their_rsa.RSAPrivateKey


CURVES = {
    "P-224": (ec.SECP224R1(), hashes.SHA224()),
    "P-256": (ec.SECP256R1(), hashes.SHA256()),
    "P-384": (ec.SECP384R1(), hashes.SHA384()),
    "P-521": (ec.SECP521R1(), hashes.SHA512()),
    "secp256k1": (ec.SECP256K1(), hashes.SHA256()),
    "brainpoolP256r1": (ec.BrainpoolP256R1(), hashes.SHA256()),
}


@pytest.mark.parametrize("name", CURVES)
def test_ecdsa_and_ecdh(count, name):
    curve, hash = CURVES[name]
    their_key = ec.generate_private_key(curve)
    key = ecdsa.load_pem_private_key(pem(their_key))
    public = ecdsa.load_pem_public_key(public_pem(their_key.public_key()))
    assert public == key.public_key() and key.curve.lower() == name.lower()
    signatures = key.sign_many(MESSAGES, hash=hash.name, threads=2)
    for message, signature in zip(MESSAGES, signatures):
        their_key.public_key().verify(signature, bytes(message), ec.ECDSA(hash))
    made = [their_key.sign(bytes(message), ec.ECDSA(hash)) for message in MESSAGES]
    made[4] = made[5]
    verdicts = public.verify_many(made, MESSAGES, hash=hash.name, threads=2)
    assert verdicts == [i != 4 for i in range(len(MESSAGES))]
    with pytest.raises(carrysave.InvalidSignature):
        public.verify(made[4], MESSAGES[4], hash=hash.name)
    peers = [ec.generate_private_key(curve) for _ in range(12)]
    ours = [ecdsa.load_pem_public_key(public_pem(peer.public_key())) for peer in peers]
    secrets = [peer.exchange(ec.ECDH(), their_key.public_key()) for peer in peers]
    assert key.exchange_many(ours, threads=2) == secrets == [key.exchange(peer) for peer in ours]
    count(2 * len(MESSAGES) + 24)


def test_ecdsa_refuses_other_keys():
    key = ecdsa.generate_private_key("secp256r1")
    assert key.curve == "P-256"
    other = ecdsa.generate_private_key("P-384").public_key()
    with pytest.raises(ValueError, match="different curves"):
        key.exchange(other)
    peers = [ecdsa.generate_private_key() for _ in range(9)]
    ours = [peer.public_key() for peer in peers]
    first, error, *rest = key.exchange_many([ours[0], other, *ours[1:]], threads=2)
    assert isinstance(error, ValueError) and "different curves" in str(error)
    assert [first, *rest] == [peer.exchange(key.public_key()) for peer in peers]
    with pytest.raises(ValueError, match="curve='P-257'"):
        ecdsa.generate_private_key("P-257")
    with pytest.raises(ValueError, match="use the module ed25519"):
        ecdsa.load_pem_private_key(ed25519.PrivateKey.generate().private_bytes())
    with pytest.raises(ValueError, match="use the module ecdsa"):
        x25519.load_pem_private_key(key.private_bytes())
    with pytest.raises(TypeError):
        key.exchange(b"key")


def test_ed25519(count):
    key = ed25519.PrivateKey.generate()
    their_key = their_ed25519.Ed25519PrivateKey.from_private_bytes(key.private_bytes_raw())
    public = ed25519.PublicKey.from_public_bytes(their_key.public_key().public_bytes_raw())
    assert public == key.public_key() == ed25519.load_pem_public_key(public.public_bytes())
    assert ed25519.load_pem_private_key(key.private_bytes()).private_bytes_raw() == key.private_bytes_raw()
    right = [their_key.sign(bytes(message)) for message in MESSAGES]
    assert key.sign_many(MESSAGES, threads=2) == right == [key.sign(message) for message in MESSAGES]
    right[2], right[7] = bytes(64), b"short"
    for zip215 in (False, True):
        verdicts = public.verify_many(right, MESSAGES, zip215=zip215, threads=2)
        assert [i for i, verdict in enumerate(verdicts) if not verdict] == [2, 7]
        for wrong in (right[2], right[7]):
            with pytest.raises(carrysave.InvalidSignature):
                public.verify(wrong, MESSAGES[2], zip215=zip215)
    with pytest.raises(TheirInvalidSignature):
        their_key.public_key().verify(right[2], bytes(MESSAGES[2]))
    with pytest.raises(ValueError, match="31 bytes: use 32"):
        ed25519.PrivateKey.from_private_bytes(bytes(31))
    count(3 * len(MESSAGES))


def test_x25519(count):
    key = x25519.PrivateKey.generate()
    their_key = their_x25519.X25519PrivateKey.from_private_bytes(key.private_bytes_raw())
    assert key.public_key().public_bytes_raw() == their_key.public_key().public_bytes_raw()
    assert x25519.load_pem_private_key(pem(their_key)).public_key() == key.public_key()
    assert x25519.load_pem_public_key(key.public_key().public_bytes()) == key.public_key()
    peers = [their_x25519.X25519PrivateKey.generate() for _ in range(100)]
    ours = [x25519.PublicKey.from_public_bytes(peer.public_key().public_bytes_raw()) for peer in peers]
    secrets = [their_key.exchange(peer.public_key()) for peer in peers]
    assert key.exchange_many(ours, threads=2) == secrets == [key.exchange(peer) for peer in ours]
    small = x25519.PublicKey.from_public_bytes(bytes(32))
    with pytest.raises(ValueError, match="small order"):
        key.exchange(small)
    error, *rest = key.exchange_many([small, *ours])
    assert isinstance(error, ValueError) and "small order" in str(error) and rest == secrets
    count(200)
