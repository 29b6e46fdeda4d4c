"""Runs every case under the image's Python, one warm zygote for each level."""

import os
import sys

sys.path.insert(0, "/mnt/tests")

import harness  # noqa: E402  (before anything that a zygote would not have loaded)

LEVELS = "/usr/lib/brig/levels"


def modules(level):
    """What the image's recipe preloads at a level."""
    with open(f"{LEVELS}/{level}", encoding="utf-8") as file:
        return file.read().split()


def main():
    """Exit 0 where no case failed."""
    zygotes = {level: harness.Zygote(level, modules(level)) for level in ("bare", "data")}
    import suite

    passed, failed, skipped = suite.run(zygotes, os.environ.get("BRIG_FILTER", ""))
    for zygote in zygotes.values():
        zygote.close()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
