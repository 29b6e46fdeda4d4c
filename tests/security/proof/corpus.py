"""All cases, in the order of the corpus."""

from . import (across, artifacts, exhaustion, files, kernel, leaks, lifetime, network, privilege,
               second, supervisor)

ALL = [case for part in (network, files, leaks, privilege, exhaustion, artifacts, lifetime, across,
                         supervisor, kernel, second) for case in part.CASES]

assert len({case.id for case in ALL}) == len(ALL), "two cases share an id"
