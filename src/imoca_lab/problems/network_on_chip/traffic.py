"""When which core asks which memory controller: bursts, the same for every design, version and machine.

Random numbers come from SplitMix64 [Steele2014]: the n-th is a fixed scramble of ``seed + n * gamma``, so
that those of all cores and cycles are computed at once, in integers.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from imoca.arrays import IntArray

GAMMA = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio times 2^64, made odd
SEED = 2020
N_PURPOSES = 3  # numbers per core and cycle: change of state, request, destination
N_BITS = 53  # of a number that are compared with a probability

Unsigned = NDArray[np.uint64]


def scrambled(counters: Unsigned, seed: int = SEED) -> Unsigned:
    """The numbers of the sequence at these places, counted from 0."""
    bits = np.uint64(seed) + (counters + np.uint64(1)) * GAMMA
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))


@lru_cache(maxsize=8)
def bursts(
    n_cores: int,
    n_destinations: int,
    n_cycles: int,
    change_probability: float,  # per cycle: from asking to silent and back
    request_probability: float,  # per cycle, while asking
) -> tuple[IntArray, IntArray, IntArray]:  # cycles (n,) ascending, cores (n,), destinations (n,)
    """Requests of cores that ask and are silent in turn, each for a geometric time of the same mean.

    A shorter run sees the beginning of a longer one.
    """
    places = np.arange(n_cycles * n_cores, dtype=np.uint64).reshape(n_cycles, n_cores) * np.uint64(N_PURPOSES)
    has_changed = _happens(scrambled(places), change_probability)
    has_changed[0] = _happens(scrambled(places[0]), 0.5)  # every other core starts silent
    is_asking = np.cumsum(has_changed, axis=0) % 2 == 1
    is_request = is_asking & _happens(scrambled(places + np.uint64(1)), request_probability)
    cycles, cores = np.nonzero(is_request)
    chosen = scrambled(places[is_request] + np.uint64(2)) % np.uint64(n_destinations)
    requests = cycles.astype(np.int64), cores.astype(np.int64), chosen.astype(np.int64)
    for column in requests:
        column.flags.writeable = False
    return requests


def _happens(numbers: Unsigned, probability: float) -> NDArray[np.bool_]:
    threshold = np.uint64(round(probability * 2.0**N_BITS))
    return np.asarray(numbers >> np.uint64(64 - N_BITS) < threshold)
