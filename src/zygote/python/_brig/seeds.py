"""Random numbers: every job its own, though all cells come from one process.

The generators that exist in the zygote would give each child the same numbers. They are found
once, before the first fork, and seeded anew from the job's seed.
"""

import gc
import sys
from hashlib import sha256

_found = []


def find():
    """Remembers the generators that live in the zygote."""
    _found.clear()
    kinds = []
    if "random" in sys.modules:
        kinds.append(sys.modules["random"].Random)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        kinds += [numpy_random.RandomState, numpy_random.Generator]
    if not kinds:
        return
    system = sys.modules["random"].SystemRandom if "random" in sys.modules else ()
    for thing in gc.get_objects():
        if isinstance(thing, tuple(kinds)) and not isinstance(thing, system):
            _found.append(thing)


def reseed(seed):
    """Seeds every generator of the zygote from the job's 16 bytes, each differently."""
    if not seed:
        return
    for i, generator in enumerate(_found):
        words = sha256(seed + i.to_bytes(4, "little")).digest()
        try:
            _seed(generator, words)
        except Exception:
            continue
    random = sys.modules.get("random")
    if random is not None:
        random.seed(sha256(b"random" + seed).digest())


def _seed(generator, words):
    if hasattr(generator, "bit_generator"):
        kind = type(generator.bit_generator)
        generator.bit_generator.state = kind(int.from_bytes(words, "little")).state
    elif hasattr(generator, "set_state"):
        generator.seed([int.from_bytes(words[i : i + 4], "little") for i in range(0, 32, 4)])
    else:
        generator.seed(int.from_bytes(words, "little"))
