#!/usr/bin/env python3
"""Writes the two generated tables of this room: xid_table.h and pow10_table.h.

Run it by the interpreter that calc has as its reference (CPython 3.13), from anywhere:

    python3.13 src/calc/gen_tables.py

The result depends on nothing but that interpreter's Unicode database.
"""

import pathlib
import sys
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
HEAD = "/* {what}\n * Made by gen_tables.py; edit that instead. */\n/* clang-format off */\n"


def rows(cells, width=100):
    line = "\t"
    room = width - 8
    out = []
    used = 0
    for cell in cells:
        if used and used + 1 + len(cell) > room:
            out.append(line)
            line, used = "\t", 0
        if used:
            line, used = line + " ", used + 1
        line, used = line + cell, used + len(cell)
    return "\n".join(out + [line]) + "\n"


def kind(point):
    """0: no part of an identifier; 1: may go on with it; 2: may start one."""
    char = chr(point)
    if 0xD800 <= point <= 0xDFFF:
        return 0
    return 2 if char.isidentifier() else 1 if ("a" + char).isidentifier() else 0


def xid():
    ranges = []
    for point in range(0x80, 0x110000):
        found = kind(point)
        if not found:
            continue
        if ranges and ranges[-1][1] == point - 1 and ranges[-1][2] == found:
            ranges[-1][1] = point
        else:
            ranges.append([point, point, found])
    cells = [f"{{{a:#x},{b:#x},{int(found == 2)}}}," for a, b, found in ranges]
    head = HEAD.format(
        what="The characters from U+0080 up of which Python makes identifiers, Unicode "
        f"{unicodedata.unidata_version}:\n * first, last, whether they may start one."
    )
    return head + f"static const struct xid_range xid_ranges[{len(ranges)}] = {{\n{rows(cells)}}};\n"


def pow10(first=-292, last=324):
    cells = []
    for power in range(first, last + 1):
        # 10**power = mantissa * 2**shift with 2**127 <= mantissa < 2**128, rounded up.
        num, den = (10**power, 1) if power >= 0 else (1, 10**-power)
        shift = num.bit_length() - den.bit_length() - 128
        while True:
            top, bottom = (num, den << shift) if shift >= 0 else (num << -shift, den)
            mantissa = -(-top // bottom)
            if mantissa >= 1 << 128:
                shift += 1
            elif mantissa < 1 << 127:
                shift -= 1
            else:
                break
        cells.append(f"{{{mantissa >> 64:#018x},{mantissa & (1 << 64) - 1:#018x}}},")
    head = HEAD.format(
        what=f"The powers of ten from {first} to {last}: the upper 128 bits, rounded up, high half first."
    )
    return (
        head
        + f"#define POW10_FIRST ({first})\n"
        + f"static const struct pow10 pow10_table[{len(cells)}] = {{\n{rows(cells)}}};\n"
    )


def main():
    if sys.version_info[:2] != (3, 13):
        sys.exit("gen_tables.py: run it by CPython 3.13, whose identifiers these are")
    (HERE / "xid_table.h").write_text(xid())
    (HERE / "pow10_table.h").write_text(pow10())


main()
