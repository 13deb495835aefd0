"""Threads, forks, other processes and signals."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading

import carrysave
import pytest

M = 2**521 - 1
RIGHT = [pow(b, 65537, M) for b in range(200)]


def powers(threads=2):
    return carrysave.powmod_base_list(range(200), 65537, M, threads=threads)


def run(code, timeout=120):
    """Runs a program of its own."""
    code = textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)


def test_importing_starts_no_thread():
    code = """
        import os
        before = len(os.listdir("/proc/self/task"))
        import carrysave
        assert len(os.listdir("/proc/self/task")) == before
        carrysave.powmod(3, 2**300, 2**521 - 1)
        assert len(os.listdir("/proc/self/task")) == before
    """
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("no /proc")
    done = run(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_has_threads_of_its_own():
    assert powers() == RIGHT
    for _ in range(5):
        child = os.fork()
        if child == 0:
            right = powers() == RIGHT and carrysave.mul(3**70_000, 3**70_000, threads=2) == 3**140_000
            os._exit(0 if right else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert powers() == RIGHT


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_threads_compute():
    end = threading.Event()

    def compute():
        while not end.is_set():
            powers()

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0 if powers() == RIGHT else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        end.set()
        for thread in threads:
            thread.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_service_is_of_its_process():
    with carrysave.Service(threads=1) as service:
        assert service.powmod(2, 10, 1001) == 23
        child = os.fork()
        if child == 0:
            try:
                service.powmod(2, 10, 1001)
            except RuntimeError as error:
                os._exit(0 if "fork" in str(error) else 2)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert service.powmod(2, 10, 1001) == 23
    with pytest.raises(RuntimeError, match="shut down"):
        service.powmod(2, 10, 1001)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method):
    assert powers() == RIGHT
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(powers, [1, 2, 2]) == [RIGHT] * 3


def test_64_threads_on_one_service(count):
    key = carrysave.rsa.generate_private_key(key_size=2048)
    mine, theirs = carrysave.x25519.PrivateKey.generate(), carrysave.x25519.PrivateKey.generate()
    secret = theirs.exchange(mine.public_key())
    curve = carrysave.ecdsa.generate_private_key()

    def call(i):
        message = i.to_bytes(4, "big")
        assert service.powmod(-i, 65537, M) == pow(-i, 65537, M)
        key.public_key().verify(service.sign(key, message), message)
        curve.public_key().verify(service.sign(curve, message), message)
        with pytest.raises(ValueError, match="^padding is for keys of rsa: leave it out$"):
            service.sign(curve, message, padding="pss")
        assert service.exchange(mine, theirs.public_key()) == secret
        assert service.decrypt(key, key.public_key().encrypt(message)) == message

    with carrysave.Service(threads=2) as service, concurrent.futures.ThreadPoolExecutor(64) as pool:
        list(pool.map(call, range(320)))
        metrics = service.metrics()
    assert metrics["jobs"] == 5 * 320
    assert metrics["groups"] * metrics["mean_fill"] == pytest.approx(metrics["jobs"])
    count(5 * 320)


@pytest.mark.parametrize("threads, error", [("threads", TypeError), (0, ValueError), (1025, ValueError), (-1, OverflowError)])
def test_numbers_of_threads_of_a_service(threads, error):
    with pytest.raises(error):
        carrysave.Service(threads=threads)


@pytest.mark.parametrize("wait", [-1e-9, 1.001, float("inf"), float("nan")])
def test_waits_of_a_service(wait):
    with pytest.raises(ValueError, match="use 0 to 1 seconds"):
        carrysave.Service(threads=1, wait=wait)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc")
def test_threads_of_few_numbers_are_kept():
    code = """
        import carrysave, os
        for threads in range(2, 12):
            carrysave.powmod_base_list(range(9), 3, 2**100 + 1, threads=threads)
        # The caller's, and those of the latest four.
        assert len(os.listdir("/proc/self/task")) <= 1 + 10 + 9 + 8 + 7
    """
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_64_threads_on_the_functions(count):
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        assert all(got == RIGHT for got in pool.map(powers, [1, 2, 3] * 40))
    count(200 * 120)


@pytest.mark.parametrize("nanos", [0, 10**6, 10**9])
def test_a_panic_is_an_exception(nanos):
    """In the caller's thread with the GIL and without it, and in a thread of its own."""
    from carrysave import _carrysave

    with pytest.raises(RuntimeError, match=f"asked for with {nanos} ns"):
        _carrysave._panic(nanos)
    assert powers() == RIGHT


def der(tag, *contents):
    body = b"".join(contents)
    length = [len(body)] if len(body) < 128 else [0x81, len(body)]
    return bytes([tag, *length]) + body


def slow_key():
    """EncryptedPrivateKeyInfo (RFC 5958) that asks for ten million rounds of PBKDF2, the most that are done."""
    sequence, octets, identifier = 0x30, 4, 6
    prf = der(sequence, der(identifier, bytes.fromhex("2a864886f70d020b")), b"\x05\x00")  # HMAC with SHA-512
    rounds = der(2, (10_000_000).to_bytes(4, "big"))
    derivation = der(identifier, bytes.fromhex("2a864886f70d01050c")), der(sequence, der(octets, bytes(8)), rounds, prf)
    cipher = der(identifier, bytes.fromhex("60864801650304012a")), der(octets, bytes(16))  # AES-256 in CBC
    scheme = der(sequence, der(sequence, *derivation), der(sequence, *cipher))
    scheme = der(sequence, der(identifier, bytes.fromhex("2a864886f70d01050d")), scheme)
    return der(sequence, scheme, der(octets, bytes(48)))


LONG = {
    "powmod": "carrysave.powmod(3, m - 1, m)",
    "powmod on threads": "carrysave.powmod(3, m - 1, m, threads=2)",
    "powmod_list": "carrysave.powmod_base_list(range(10_000), m >> 390_000, m >> 390_000 | 1, threads=2)",
    "random_prime": "carrysave.random_prime(9000, safe=True, threads=2)",
    "random_primes": "carrysave.random_primes(1000, 4096)",
    "is_prime": "carrysave.is_prime(2**216091 - 1)",
    "generate_private_key": "carrysave.rsa.generate_private_key(key_size=16_384, threads=2)",
    "inverses": "carrysave.powmod_base_list([m - 2**i for i in range(500)], -1, m)",
    "Service": "carrysave.Service(threads=1).powmod(3, m - 1, m)",
    "load_pem_private_key": f"carrysave.ecdsa.load_pem_private_key({slow_key()}, b'secret')",
}


@pytest.mark.parametrize("name", LONG)
def test_a_signal_ends_what_is_long(name):
    """Each call takes many seconds. What interrupts it is a timer's signal; then the module still works."""
    code = f"""
        import carrysave, signal
        m = 3**252_372 | 1
        class Now(Exception):
            pass
        def handler(*_):
            raise Now
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            {LONG[name]}
        except Now:
            pass
        else:
            raise SystemExit("it was not long")
        assert carrysave.powmod_base_list(range(9), 3, 2**100 + 1, threads=2) == [b**3 for b in range(9)]
        print("works")
    """
    done = run(code, timeout=30)
    assert done.returncode == 0 and done.stdout == "works\n", done.stderr


def test_a_signal_ends_the_search_for_a_key():
    """Not only the call: no thread goes on with a search that takes minutes."""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("no /proc")
    code = """
        import os, signal, time
        from carrysave import rsa
        class Now(Exception):
            pass
        def handler(*_):
            raise Now
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        before = len(os.listdir("/proc/self/task"))
        try:
            rsa.generate_private_key(key_size=16_384, threads=2)
        except Now:
            pass
        else:
            raise SystemExit("it was not long")
        while len(os.listdir("/proc/self/task")) > before:
            time.sleep(0.01)
    """
    done = run(code, timeout=30)
    assert done.returncode == 0, done.stderr


def test_control_c():
    """The handler of Python itself."""
    code = """
        import carrysave, os, signal, threading
        # It is ignored where these tests run in the background of a shell.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        m = 3**252_372 | 1
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        carrysave.powmod(3, m - 1, m)
    """
    done = run(code, timeout=30)
    assert done.returncode == -signal.SIGINT and "KeyboardInterrupt" in done.stderr
