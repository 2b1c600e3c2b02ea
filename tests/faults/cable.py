"""A cable between two hosts that are network namespaces: it delays, loses packets, and can be cut and mended.

``python cable.py NAMESPACE ADDRESS NAMESPACE ADDRESS DELAY LOSS`` makes an interface in each namespace (made
before, by ``ip netns add``), says "ready", and then obeys lines on its standard input: "cut" and "mend". It
ends with its input. Where the kernel has netem, ``tc qdisc add ... netem delay ... loss ...`` does the same.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import random
import struct
import subprocess
import sys
from heapq import heappop, heappush
from selectors import EVENT_READ, DefaultSelector
from threading import Thread
from time import monotonic

_CLONE_NEWNET = 0x40000000
_TUNSETIFF = 0x400454CA
_TUN_WITHOUT_HEADER = 0x0001 | 0x1000

Packet = tuple[float, int, int, bytes]


def end_of_cable(namespace: str, address: str) -> int:
    """The file from which packets of a namespace come, and into which those for it go."""
    made: list[int] = []

    def enter() -> None:
        # Of this thread alone; what it opens belongs to the namespace for good.
        place = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
        if ctypes.CDLL(None, use_errno=True).setns(place, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
        os.close(place)
        tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH22x", b"cable", _TUN_WITHOUT_HEADER))
        made.append(tun)

    thread = Thread(target=enter)
    thread.start()
    thread.join()
    for what in (f"address add {address}/24 dev cable", "link set cable up", "link set lo up"):
        subprocess.run(["ip", "-n", namespace, *what.split()], check=True)
    return made[0]


def main(one: str, address: str, other: str, address_there: str, delay: str, loss: str) -> None:
    """Carry packets until the input ends."""
    ends = {end_of_cable(one, address): 0, end_of_cable(other, address_there): 1}
    files = list(ends)
    # Seeded, so that a run that fails is lost the same packets the next time.
    chance = random.Random(1)
    underway: list[Packet] = []
    is_cut, n_packets = False, 0
    selector = DefaultSelector()
    for file in (*files, sys.stdin.fileno()):
        selector.register(file, EVENT_READ)
    print("ready", flush=True)
    while True:
        wait = max(0.0, underway[0][0] - monotonic()) if underway else None
        for key, _ in selector.select(wait):
            if key.fd not in ends:
                said = os.read(key.fd, 100)
                if not said:
                    return
                is_cut = said.strip() == b"cut"
                continue
            packet = os.read(key.fd, 1 << 16)
            if not is_cut and chance.random() >= float(loss):
                n_packets += 1
                heappush(underway, (monotonic() + float(delay), n_packets, files[1 - ends[key.fd]], packet))
        while underway and underway[0][0] <= monotonic():
            _, _, file, packet = heappop(underway)
            try:
                os.write(file, packet)
            except OSError:
                # The far end is not up, as with a real one.
                continue


if __name__ == "__main__":
    main(*sys.argv[1:])
