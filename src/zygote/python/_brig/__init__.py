"""The Python half of a cell: runs one job's code and reports what came of it.

The zygote imports `_brig.warm` once and calls `prepare`; the sealed child calls
`_brig.run.make_ready` and then `_brig.run.run_job`. docs/runtime.md describes the frames and the
choices made here.

Nothing in this package is a boundary: the job can change all of it. What it reports can be wrong
for that very job, and the service treats it so.
"""
