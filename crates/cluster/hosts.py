#!/usr/bin/env python3
"""Runs a program under Open MPI's mpirun on hosts that are network namespaces of this machine, with a delay between them.

    crates/cluster/hosts.py --hosts 4 --delay 0.5 -- target/release/carrysave-mpi sign --key key.pem files

Each host has a name, an address and one network device of its own, and shares files and processors with the others. Their
frames pass through a hub in this program, which holds each back for the delay, in milliseconds: Linux's own qdisc for that,
netem, is missing in many kernels of virtual machines. --kill RANK@SECONDS ends a rank in the middle. Needs root, Linux with
/dev/net/tun, and the tools ip and unshare. Ends with the status of mpirun.
"""

import argparse
import fcntl
import heapq
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

TUNSETIFF = 0x400454CA
TAP_WITHOUT_HEADER = 0x0002 | 0x1000
LONGEST_FRAME = 65536


def run(*command):
    subprocess.run(command, check=True)


class Hosts:
    """Namespaces of which each has one end of the hub."""

    def __init__(self, number):
        self.names = [f"host{i}-{os.getpid()}" for i in range(1, number + 1)]
        self.made = []
        self.taps = []

    def __enter__(self):
        try:
            for i, name in enumerate(self.names, 1):
                run("ip", "netns", "add", name)
                self.made.append(name)
                self.taps.append(tap(f"t{i}-{os.getpid()}"))
                run("ip", "link", "set", f"t{i}-{os.getpid()}", "netns", name, "name", "eth0")
                run("ip", "-n", name, "link", "set", "lo", "up")
                run("ip", "-n", name, "addr", "add", f"10.77.0.{i}/24", "dev", "eth0")
                run("ip", "-n", name, "link", "set", "eth0", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", name])
        for fd in self.taps:
            os.close(fd)


def tap(name):
    """A network device whose frames this program reads and writes."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_HEADER))
    return fd


def hub(taps, delay, ended):
    """Sends each frame on after the delay: to the host that has its address, or to all others until that is known."""
    waiting = []
    place = {}
    order = 0
    while not ended.is_set():
        until = waiting[0][0] - time.monotonic() if waiting else 0.1
        ready, _, _ = select.select(taps, [], [], max(until, 0))
        for fd in ready:
            try:
                while True:
                    frame = os.read(fd, LONGEST_FRAME)
                    place[frame[6:12]] = fd
                    order += 1
                    heapq.heappush(waiting, (time.monotonic() + delay, order, fd, frame))
            except BlockingIOError:
                pass
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, sender, frame = heapq.heappop(waiting)
            known = place.get(frame[:6])
            for fd in [known] if known else taps:
                if fd != sender:
                    try:
                        os.write(fd, frame)
                    except OSError:
                        pass  # A full queue drops frames, as networks do.


def kill(rank, seconds):
    """Kills a rank that this user runs, after so many seconds."""
    time.sleep(seconds)
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as environ:
                variables = environ.read().split(b"\0")
            if f"OMPI_COMM_WORLD_RANK={rank}".encode() in variables and MARK in variables:
                os.kill(int(process), signal.SIGKILL)
        except OSError:
            pass


MARK = f"CARRYSAVE_HOSTS={os.getpid()}".encode()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--hosts", type=int, default=2, choices=range(1, 255))
    parser.add_argument("--ranks", type=int, help="of all hosts together, one each if not said")
    parser.add_argument("--delay", type=float, default=0.0, help="of a frame, in milliseconds")
    parser.add_argument("--kill", metavar="RANK@SECONDS")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    program = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not program:
        parser.error("a program is missing")
    ranks = options.ranks or options.hosts
    ended = threading.Event()
    # So that the hosts are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Hosts(options.hosts) as hosts, tempfile.NamedTemporaryFile("w", suffix=".sh") as agent:
        # In the place of ssh: a command on the host with an address, under the name of that host.
        agent.write('#!/bin/sh\nhost="host${1##*.}-' + str(os.getpid()) + '"; shift\n')
        agent.write('exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"\n')
        agent.flush()
        slots = -(-ranks // options.hosts)
        places = ",".join(f"10.77.0.{i}:{slots}" for i in range(1, options.hosts + 1))
        network = [f"{part}_tcp_if_include" for part in ("btl", "oob")]
        settings = {name: "eth0" for name in network}
        settings |= {"plm_rsh_agent": f"sh {agent.name}", "mpi_yield_when_idle": "1"}
        command = ["sh", "-c", 'hostname "$0"; exec "$@"', hosts.names[0], "mpirun", "--enable-recovery"]
        command += ["--bind-to", "none", "--map-by", "node", "-x", "CARRYSAVE_HOSTS", "-n", str(ranks)]
        command += [word for setting in settings.items() for word in ("--mca", *setting)]
        environment = dict(os.environ, CARRYSAVE_HOSTS=str(os.getpid()))
        relay = threading.Thread(target=hub, args=(hosts.taps, options.delay / 1000, ended))
        relay.start()
        if options.kill:
            rank, seconds = options.kill.split("@")
            threading.Thread(target=kill, args=(rank, float(seconds)), daemon=True).start()
        try:
            command = ["ip", "netns", "exec", hosts.names[0], "unshare", "--uts", *command]
            launcher = subprocess.Popen([*command, "--host", places, *program], env=environment)
            try:
                return launcher.wait()
            finally:
                launcher.terminate()
                launcher.wait()
        finally:
            ended.set()
            relay.join()


sys.exit(main())
