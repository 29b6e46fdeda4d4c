"""Which of many points travel: what is left out is never the highest or the lowest."""

from itertools import pairwise


def choose(most, *columns):
    """At most `most` positions, in order: both ends, the extremes of every column, and of the
    first column those of each of many even stretches."""
    count = len(columns[0])
    if count <= most:
        return range(count)
    import numpy

    columns = [_numbers(column) for column in columns]
    kept = [0, count - 1]
    for column in columns:
        kept += _extremes(column, 0, count)
    kept = set(list(dict.fromkeys(kept))[:most])
    stretches = (most - len(kept)) // 2
    edges = numpy.linspace(1, count - 1, stretches + 1).astype(int) if stretches else ()
    for low, high in pairwise(edges):
        kept.update(_extremes(columns[0], low, high))
    return sorted(int(i) for i in kept)


def _numbers(column):
    """Floats with NaN for what is not drawn; positions where they are no numbers."""
    import numpy

    try:
        numbers = numpy.ma.filled(numpy.ma.array(column, dtype=float), numpy.nan)
    except (TypeError, ValueError):
        return numpy.arange(len(column), dtype=float)
    return numpy.where(numpy.isfinite(numbers), numbers, numpy.nan)


def _extremes(column, low, high):
    import numpy

    part = column[low:high]
    if numpy.isnan(part).all():
        return [low]
    return [low + numpy.nanargmin(part), low + numpy.nanargmax(part)]


def merge_bins(edges, counts, most, density=False, cumulative=0):
    """(edges, counts) of at most `most` bins, each some neighbours of a histogram in one."""
    import numpy

    counts, edges = numpy.asarray(counts), numpy.asarray(edges)
    if len(counts) <= most:
        return edges, counts
    starts = numpy.arange(0, len(counts), -(-len(counts) // most))
    ends = numpy.append(starts[1:], len(counts))
    if cumulative:
        merged = counts[ends - 1] if cumulative > 0 else counts[starts]
    elif density:
        area = numpy.add.reduceat(counts * numpy.diff(edges), starts)
        merged = area / (edges[ends] - edges[starts])
    else:
        merged = numpy.add.reduceat(counts, starts)
    return edges[numpy.append(starts, len(counts))], merged
