"""Random numbers: every job its own, though all cells come from one process.

The generators that exist in the zygote would give each child the same numbers. They are found
once, before the first fork, and seeded anew in each child from the kernel's random bytes.
"""

import gc
import sys

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
    """Seeds every generator of the zygote from 16 random bytes, each differently."""
    random = sys.modules.get("random")
    if random is not None and random._inst not in _found:
        _found.append(random._inst)
    words = [int.from_bytes(seed[i : i + 4], "little") for i in range(0, len(seed), 4)]
    for i, generator in enumerate(_found):
        try:
            _seed(generator, [*words, i])
        except Exception:
            continue


def _seed(generator, words):
    if hasattr(generator, "bit_generator"):
        generator.bit_generator.state = type(generator.bit_generator)(words).state
    elif hasattr(generator, "set_state"):
        generator.seed(words)
    else:
        generator.seed(b"".join(word.to_bytes(4, "little") for word in words))
