"""os.system and its kin: they tell nobody that no program was started, so a note does."""

import functools
import os

from .job import note

_NOTE = "programs cannot be started here: os.system() did nothing; do it in Python"


def install():
    """Wraps os.system, which the kernel refuses without an exception."""
    system = os.system

    @functools.wraps(system)
    def told(command):
        status = system(command)
        if status != 0:
            note(_NOTE)
        return status

    os.system = told
