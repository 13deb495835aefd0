"""Races carrysave against gmpy2 and Python's own arithmetic, and writes a record: python bench.py [--record FILE].

Contenders run in turns, A B A B, and each answer is compared first. A line of the record has the median of the time of one
operation, the spread (upper less lower quartile), and the number of samples. Integers are Python's on both sides, as
programs have them; `gmpy2/mpz` has its own, converted before. On one thread the time is the process's own, on several the
wall clock's; `carrysave/cpu` is the process's own on several threads, which neighbours on the machine do not disturb.
"""

import argparse
import concurrent.futures
import datetime
import os
import pathlib
import platform
import random
import statistics
import subprocess
import time

import gmpy2

import carrysave

MPZ = gmpy2.mpz
FIELDS = "experiment,operation,bits,bytes,implementation,threads,ops_per_second,ns_median,ns_spread,core_ghz,samples"


def shell(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=pathlib.Path(__file__).parent)
    return done.stdout.strip()


def processor():
    """The name of the processor, with its numbers, as the laboratory writes it; its extensions; and its clock in GHz, as Linux
    has it, which is a nominal one under a hypervisor."""
    fields = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    name = f"{fields['model name']} (family {fields['cpu family']} model {fields['model']})"
    return name, fields.get("flags", ""), float(fields["cpu MHz"]) / 1000


def head():
    name, flags, _ = processor()
    wanted = ["avx2", "bmi2", "adx", "avx512f", "avx512ifma", "vaes", "hypervisor"]
    lines = {
        "machine": f"{platform.system().lower()} {platform.machine()}, {os.cpu_count()} cores",
        "cpu": name,
        "features": "+".join(flag for flag in wanted if flag in flags.split()),
        "compiler": shell("rustc", "--version"),
        "commit": shell("git", "rev-parse", "--short=12", "HEAD"),
        "date": datetime.date.today().isoformat(),
        "clock": "as /proc/cpuinfo has it, not measured",
        "hypervisor": "yes" if "hypervisor" in flags.split() else "no",
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "rivals": f"carrysave {carrysave.__version__}; gmpy2 {gmpy2.version()}, {gmpy2.mp_version()}; "
        f"Python {platform.python_version()}",
    }
    return [f"# {key}: {value}" for key, value in lines.items()]


class Race:
    """Contenders for one operation: each a name, a number of threads, and a function that does it `times` times."""

    def __init__(self, operation, bits, samples):
        self.operation, self.bits, self.samples = operation, bits, samples
        self.contenders = []

    def add(self, name, function, threads=1, times=1):
        self.contenders.append((name, threads, times, function))
        return self

    def run(self):
        *_, ghz = processor()
        answers = [function() for *_, function in self.contenders]
        if any(answer is not None and answer != answers[0] for answer in answers):
            raise SystemExit(f"{self.operation} of {self.bits} bits: the answers differ")
        taken = [[] for _ in self.contenders]
        for turn in range(self.samples):
            for i in range(len(self.contenders)):
                place = (i + turn) % len(self.contenders)
                name, threads, times, function = self.contenders[place]
                of_process = threads == 1 or name.endswith("/cpu")
                clock = time.process_time_ns if of_process else time.perf_counter_ns
                start = clock()
                function()
                taken[place].append((clock() - start) / times)
        for (name, threads, _, _), nanos in zip(self.contenders, taken):
            median = statistics.median(nanos)
            lower, _, upper = statistics.quantiles(nanos, n=4)
            yield ",".join(
                [
                    "python",
                    self.operation,
                    str(self.bits),
                    "",
                    name,
                    str(threads),
                    f"{1e9 / median:.6g}",
                    f"{median:.0f}",
                    f"{upper - lower:.0f}",
                    f"{ghz:.3f}",
                    str(self.samples),
                ]
            )


def again(times, function, *arguments, **options):
    """A function that calls another several times."""

    def run():
        for _ in range(times):
            result = function(*arguments, **options)
        return result

    return run


def odd(bits):
    return random.getrandbits(bits) | 1 << (bits - 1) | 1


def lists(samples, bits, count):
    m, e = odd(bits), odd(bits)
    bases = [random.randrange(m) for _ in range(count)]
    for name, argument in (("powmod_base_list", "bases"), ("powmod_exp_list", "exponents")):
        race = Race(f"{count} powers with many {argument}", bits, samples)
        exps = [odd(bits) for _ in range(count)]
        first, second = (bases, e) if argument == "bases" else (bases[0], exps)
        race.add("gmpy2", lambda f=getattr(gmpy2, name), a=first, b=second: f(a, b, m), times=count)
        for label, threads in (("carrysave", 1), ("carrysave", 2), ("carrysave/cpu", 2)):
            race.add(
                label,
                lambda f=getattr(carrysave, name), a=first, b=second, t=threads: f(a, b, m, threads=t),
                threads,
                count,
            )
        yield race


def powers(samples, bits, times, threads=(1,)):
    m, e, b = odd(bits), odd(bits), random.getrandbits(bits)
    race = Race("power", bits, samples)
    race.add("gmpy2", again(times, gmpy2.powmod, b, e, m), times=times)
    race.add("gmpy2/mpz", again(times, gmpy2.powmod, MPZ(b), MPZ(e), MPZ(m)), times=times)
    for number in threads:
        options = {"threads": number} if number > 1 else {}
        race.add("carrysave", again(times, carrysave.powmod, b, e, m, **options), number, times)
        if number > 1:
            race.add("carrysave/cpu", again(times, carrysave.powmod, b, e, m, **options), number, times)
    if bits < 5000:
        race.add("carrysave/powmod_sec", again(times, carrysave.powmod_sec, b, e, m), times=times)
        race.add("python/pow", again(max(times // 8, 1), pow, b, e, m), times=max(times // 8, 1))
    return race


def products(samples, bits, times):
    a, b = odd(bits), odd(bits)
    race = Race("product", bits, samples)
    race.add("gmpy2", again(times, lambda x, y: int(gmpy2.mul(x, y)), a, b), times=times)
    race.add("gmpy2/mpz", again(times, gmpy2.mul, MPZ(a), MPZ(b)), times=times)
    race.add("carrysave", again(times, carrysave.mul, a, b), times=times)
    if bits < 500_000:
        race.add("python/*", again(times, lambda x, y: x * y, a, b), times=times)
    return race


def quotients(samples, bits, times):
    a, b = odd(2 * bits), odd(bits)
    race = Race("divmod", bits, samples)
    race.add("gmpy2", again(times, lambda x, y: tuple(map(int, gmpy2.f_divmod(x, y))), a, b), times=times)
    race.add("carrysave", again(times, carrysave.divmod, a, b), times=times)
    race.add("python/divmod", again(times, divmod, a, b), times=times)
    return race


def inverses(samples, bits, count):
    m = odd(bits)
    values = [value for value in (random.randrange(m) for _ in range(count)) if gmpy2.gcd(value, m) == 1]
    race = Race("inverses of a list", bits, samples)
    race.add("gmpy2", lambda: [gmpy2.invert(value, m) for value in values], times=len(values))
    race.add("carrysave", lambda: carrysave.invert_list(values, m), times=len(values))
    return race


def service(samples, bits, count):
    """64 threads of Python with a power each at a time."""
    m, e = odd(bits), odd(bits)
    bases = [random.randrange(m) for _ in range(count)]
    race = Race("powers of 64 threads", bits, samples)
    pool = concurrent.futures.ThreadPoolExecutor(64)
    calls = carrysave.Service()
    race.add("gmpy2", lambda: list(pool.map(lambda b: gmpy2.powmod(b, e, m), bases)), 64, count)
    race.add("carrysave/powmod", lambda: list(pool.map(lambda b: carrysave.powmod(b, e, m), bases)), 64, count)
    race.add("carrysave/Service", lambda: list(pool.map(lambda b: calls.powmod(b, e, m), bases)), 64, count)
    yield from race.run()
    print(f"# service: {calls.metrics()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=pathlib.Path, help="the file of the record")
    parser.add_argument("--samples", type=int, default=9, help="samples of each contender")
    arguments = parser.parse_args()
    samples = arguments.samples
    random.seed(1)
    lines = [*head(), FIELDS]
    print(*lines, sep="\n")

    def races():
        yield from (line for race in lists(samples, 2048, 1000) for line in race.run())
        yield from (line for race in lists(samples, 256, 1000) for line in race.run())
        for bits, times in ((128, 1000), (256, 1000), (512, 400), (1024, 100), (2048, 20), (4096, 3)):
            yield from powers(2 * samples, bits, times).run()
        yield from powers(max(samples // 2, 3), 26880, 1, (1, 2)).run()
        for bits in (1024, 2048, 4096, 16_384, 100_000, 1_000_000):
            times = max(1_000_000 // bits, 1)
            yield from products(2 * samples, bits, times).run()
            if bits < 500_000:
                yield from quotients(2 * samples, bits, max(times // 4, 1)).run()
        yield from inverses(samples, 2048, 1000).run()
        yield from service(samples, 2048, 640)

    for line in races():
        print(line, flush=True)
        lines.append(line)
    if arguments.record:
        arguments.record.parent.mkdir(parents=True, exist_ok=True)
        arguments.record.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
