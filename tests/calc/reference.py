"""CPython's own answers, for tests/calc/driver to compare calc's with.

    python3.13 -I -c "$(cat reference.py)" trees|mutations|seeds COUNT SEED < seeds

Writes one frame for each expression: length and text of the expression, length and text of the
answer, lengths as 32-bit little-endian numbers. The answer is one of

    syntax                        Python does not parse it
    node NAME COLUMN              the first forbidden node in pre-order, and where its caret stands
    value BITS REPR [EXACT]       the double's bits, its repr; the exact value: text, "none" where
                                  there is none, "?" where it was not computed
    fault NAME COLUMN             an evaluation without a value

It reads its seeds, one expression a line, from standard input, so that it needs no file at all and
can run in any root. `⏎` in a seed stands for a line's end.
"""

import ast
import math
import random
import re
import struct
import sys
import warnings
from fractions import Fraction

warnings.simplefilter("ignore")
sys.setrecursionlimit(5000)

BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "**"}
# What string contents can be refused for; parity leaves strings' contents out.
OPAQUE = (
    "(unicode error)", "(value error)", "bytes can only", "f-string: invalid conversion",
    "too many nested",
)
# A field or a line's end within an f-string's format: there CPython 3.13's patch releases differ,
# and a format is a string's content.
FORMAT = re.compile(r"f[rR]?['\"](?s:.*):[^}]*[{\r\n]", re.IGNORECASE)


class Skip(Exception):
    """Neither side is held to this one."""


class Fault(Exception):
    pass


class Source:
    """Character offsets of ast's line numbers and byte columns."""

    def __init__(self, text):
        self.text = text
        self.simple = text.isascii() and "\n" not in text and "\r" not in text
        if not self.simple:
            self.lines = text.replace("\r\n", "\n\0").replace("\r", "\n").split("\n")
            self.starts = [0]
            for line in self.lines:
                self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, line, column):
        if self.simple:
            return column
        # The second half of a \r\n stands, as \0, at the start of the next line.
        raw = self.lines[line - 1]
        extra = raw.startswith("\0")
        data = raw.removeprefix("\0").encode()
        return self.starts[line - 1] + extra + len(data[:column].decode())

    def start(self, node):
        return self.offset(node.lineno, node.col_offset) + 1

    def operator(self, node):
        """Column of a BinOp's operator: the first thing behind its left side but brackets."""
        at = self.offset(node.left.end_lineno, node.left.end_col_offset)
        while self.text[at] in " \t\f\r\n\\)#":
            if self.text[at] == "#":
                while self.text[at] not in "\r\n":
                    at += 1
            else:
                at += 1
        return at + 1


def first_forbidden(root):
    stack = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is ast.BinOp and type(node.op) in BINARY:
            stack.append(node.right)
            stack.append(node.left)
        elif kind is ast.UnaryOp and type(node.op) is ast.USub:
            stack.append(node.operand)
        elif kind is not ast.Constant or type(node.value) not in (int, float):
            return node
    return None


def power(left, right):
    fractional = left < 0 and math.isfinite(left) and math.isfinite(right) and right != math.floor(right)
    result = left**right  # of its own accord an OverflowError, also where it would be complex
    if fractional:
        raise Fault("ValueError")
    return result


def double(node, source):
    """The tree with every constant taken as a float."""
    kind = type(node)
    try:
        if kind is ast.Constant:
            return float(node.value)
        if kind is ast.UnaryOp:
            return -double(node.operand, source)
        left, right = double(node.left, source), double(node.right, source)
        op = type(node.op)
        if op is ast.Add:
            return left + right
        if op is ast.Sub:
            return left - right
        if op is ast.Mult:
            return left * right
        if op is ast.Div:
            return left / right
        if op is ast.Mod:
            return left % right
        return power(left, right)
    except (OverflowError, ZeroDivisionError) as error:
        name = type(error).__name__
    except Fault as fault:
        if len(fault.args) > 1:
            raise
        name = fault.args[0]
    raise Fault(name, source.operator(node) if kind is ast.BinOp else source.start(node))


class Undefined(Exception):
    pass


def size(value):
    return value.numerator.bit_length() + value.denominator.bit_length()


def exact(node, source):
    """The tree over the rationals; Skip where that would be large."""
    kind = type(node)
    if kind is ast.Constant:
        if type(node.value) is int:
            return Fraction(node.value)
        begin, end = source.start(node) - 1, source.offset(node.end_lineno, node.end_col_offset)
        text = source.text[begin:end]
        written = text.lower().partition("e")[2]
        if len(text) > 60 or (written and abs(int(written)) > 100):
            raise Skip
        return Fraction(text)
    if kind is ast.UnaryOp:
        return -exact(node.operand, source)
    left, right = exact(node.left, source), exact(node.right, source)
    op = type(node.op)
    if op is ast.Pow:
        if right.denominator != 1:
            raise Undefined
        if left == 0 and right < 0:
            raise Undefined
        if size(left) * abs(right.numerator) > 600:
            raise Skip
        return left ** right.numerator
    if op in (ast.Div, ast.Mod) and right == 0:
        raise Undefined
    result = (
        left + right if op is ast.Add else
        left - right if op is ast.Sub else
        left * right if op is ast.Mult else
        left / right if op is ast.Div else
        left % right
    )
    if size(result) > 600:
        raise Skip
    return result


def exact_text(value):
    num, den = value.numerator, value.denominator
    if den == 1:
        return str(num)
    twos = (den & -den).bit_length() - 1
    rest, fives = den >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{num}/{den}"
    places = max(twos, fives)
    digits = str(abs(num) * 10**places // den).rjust(places + 1, "0")
    return ("-" if num < 0 else "") + digits[:-places] + "." + digits[-places:]


def answer(text, with_exact):
    text = text.strip()
    if FORMAT.search(text):
        raise Skip
    try:
        root = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        if str(error.msg).startswith(OPAQUE):
            raise Skip from None
        return "syntax"
    except Exception:
        # Caps, and faults of CPython itself (ValueError: field 'value' is required for Constant).
        raise Skip from None
    source = Source(text)
    node = first_forbidden(root)
    if node is not None:
        column = source.operator(node) if type(node) is ast.BinOp else source.start(node)
        return f"node {type(node).__name__} {column}"
    try:
        value = double(root, source)
    except Fault as fault:
        return f"fault {fault.args[0]} {fault.args[1]}"
    bits = "nan" if math.isnan(value) else struct.pack(">d", value).hex()
    told = "?"
    if with_exact:
        try:
            told = exact_text(exact(root, source))
        except Undefined:
            told = "none"
        except Skip:
            pass
    return f"value {bits} {value!r} {told}"


class Trees:
    """Random expressions, nearly all of allowed nodes."""

    SPACES = ["", "", "", "", " ", " ", "  ", "\t"]
    FORBIDDEN = [
        "x", "f(1)", "x.y", "x[1]", "'s'", "True", "None", "2j", "[1]", "(1, 2)", "{1}", "{1: 2}", "(yield)",
        "(lambda: 1)", "(1 if 2 else 3)", "(1 < 2)", "(not 1)", "(1 or 2)", "f'{1}'", "(a := 1)", "...",
        "[a for a in b]", "(await x)", "~1", "+1", "1 .real", "b''", "{**a}", "(a for a in b)",
    ]
    OTHER_OPS = ["//", "@", "<<", ">>", "&", "|", "^"]

    def __init__(self, rng):
        self.rng = rng

    def integer(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.6:
            return str(rng.randrange(20))
        if roll < 0.8:
            return str(rng.randrange(10 ** rng.randrange(1, 20)))
        if roll < 0.84:
            return str(rng.getrandbits(rng.randrange(1, 200)))
        if roll < 0.86:
            return f"{rng.randrange(10**7):_}"
        if roll < 0.92:
            return rng.choice((hex, oct, bin))(rng.getrandbits(rng.randrange(1, 90)))
        if roll < 0.93:
            return str(rng.getrandbits(rng.randrange(1000, 1060)))
        if roll < 0.935:
            return rng.choice((hex, oct, bin))(rng.getrandbits(rng.randrange(1000, 1060)))
        if roll < 0.97:
            return str(2 ** rng.randrange(50, 70) + rng.randrange(-2, 3))
        return "0"

    def floating(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.4:
            return f"{rng.randrange(1000)}.{rng.randrange(1000)}"
        if roll < 0.5:
            return f".{rng.randrange(10000)}"
        if roll < 0.55:
            return f"{rng.randrange(100)}."
        if roll < 0.75:
            return repr(abs(struct.unpack(">d", rng.getrandbits(64).to_bytes(8, "big"))[0])).replace("inf", "1e999").replace("nan", "1e-999")
        if roll < 0.9:
            return f"{rng.randrange(10000)}{rng.choice(('', '.', '.5'))}{rng.choice('eE')}{rng.choice(('', '+', '-'))}{rng.randrange(30)}"
        if roll < 0.93:
            return f"{rng.getrandbits(70)}e-{rng.randrange(280, 345)}"
        if roll < 0.96:
            return f"{rng.getrandbits(rng.randrange(60, 300))}.{rng.getrandbits(rng.randrange(1, 300))}"
        return rng.choice(("1e999", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "1e-400", "0.0", "0e5", "1e22", "1e23"))

    def atom(self, wild):
        rng = self.rng
        if wild and rng.random() < 0.08:
            return rng.choice(self.FORBIDDEN)
        return self.integer() if rng.random() < 0.6 else self.floating()

    def tree(self, depth, wild):
        rng = self.rng
        roll = rng.random()
        if depth == 0 or roll < 0.15:
            return self.atom(wild)
        if roll < 0.25:
            return "-" + rng.choice(("", "", " ")) + self.operand(depth - 1, wild)
        op = rng.choice(("+", "-", "*", "/", "%", "**", "+", "-", "*"))
        if wild and rng.random() < 0.03:
            op = rng.choice(self.OTHER_OPS)
        left = self.operand(depth - 1, wild)
        if op == "**" and rng.random() < 0.7:
            right = rng.choice(("2", "3", "-1", "0.5", "0", "-2", "(1/3)", "10", "-3", "2.0", "63", "-0.5", "1e3", "99.5", "1_000.5", "-400.25"))
        else:
            right = self.operand(depth - 1, wild)
        before, after = rng.choice(self.SPACES), rng.choice(self.SPACES)
        # "1 if" needs its blank no more than Python does, but "- -1" reads like people write it.
        return left + before + op + after + right

    def operand(self, depth, wild):
        inner = self.tree(depth, wild)
        return "(" + inner + ")" if self.rng.random() < 0.55 else inner

    def next(self):
        rng = self.rng
        text = self.tree(rng.choice((1, 2, 2, 3, 3, 4, 5)), rng.random() < 0.15)
        return " " + text + "\n" if rng.random() < 0.02 else text


class Mutations:
    """Seeds with a few characters or tokens changed, and soups of tokens."""

    PIECES = (
        "+ - * / % ** // @ << >> & | ^ ~ < > <= >= == != <> = := -> += ( ) [ ] { } , : ; . ... ! $ ? ` \\ # ' \" ''' \"\"\" "
        "0 1 2 9 10 0x1f 0o7 0b1 07 00 1_0 1. .5 1e5 1e 1j 0xfor 1_ __ _ a b x e j f r u rb f' b' f\" "
        "and or not in is if else for async await lambda yield from None True False as class def match case print type "
        "é π ² × ÷ − ０ ｉｆ ℘ · \u0301 \ufeff \u00a0 \u200b 🙂 \n \r\n \r \t \f \x00 \x0b \\\n "
        "{x} {{ }} {x!r} {x:>3} {x=} (x) [x] f'{x}' 'a' b'a' x.y x[1] x(1) x:=1 x=1 *x **x *a, 1:2 : "
        "lambda_x: lambda*a,b=1: for_x_in_y if_x else_x async_for_x_in_y not_in is_not yield_from "
    ).split(" ") + [" ", "  "]

    def __init__(self, rng, seeds):
        self.rng = rng
        self.seeds = seeds
        self.pieces = [p.replace("_in_", " in ").replace("for_", "for ").replace("if_", "if ").replace("else_", "else ")
                       .replace("async_", "async ").replace("not_in", "not in").replace("is_not", "is not")
                       .replace("yield_", "yield ").replace("lambda_", "lambda ") for p in self.PIECES if p]

    def next(self):
        rng = self.rng
        if rng.random() < 0.15:
            glue = rng.choice(("", " "))
            return glue.join(rng.choices(self.pieces, k=rng.randrange(1, 9)))
        text = rng.choice(self.seeds)
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
            at = rng.randrange(len(text) + 1)
            roll = rng.random()
            if roll < 0.3:
                text = text[:at] + rng.choice(self.pieces) + text[at:]
            elif roll < 0.55:
                text = text[:at] + text[at + rng.choice((1, 1, 1, 2, 4)):]
            elif roll < 0.75:
                text = text[:at] + rng.choice(self.pieces) + text[at + 1:]
            elif roll < 0.85:
                other = rng.choice(self.seeds)
                text = text[:at] + other[rng.randrange(len(other) + 1):]
            elif roll < 0.95:
                other = rng.choice(self.seeds)
                text = text[:at] + other + text[at:]
            else:
                end = rng.randrange(at, len(text) + 1)
                text = text[:end] + text[at:end] + text[end:]
        return text


def main():
    kind, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if sys.version_info[:2] != (3, 13):
        sys.exit(f"reference.py: CPython 3.13 is the reference, this is {sys.version.split()[0]}")
    seeds = [line.replace("⏎", "\n") for line in sys.stdin.buffer.read().decode().split("\n") if line]
    rng = random.Random(seed)
    if kind == "seeds":
        source = iter(seeds).__next__
        count = len(seeds)
    elif kind == "trees":
        source = Trees(rng).next
    else:
        source = Mutations(rng, seeds).next
    out, parts, done, skipped = sys.stdout.buffer, [], 0, 0
    while done < count:
        text = source()
        try:
            told = answer(text, kind == "seeds" or (kind == "trees" and done % 4 == 0))
        except Skip:
            skipped += 1
            if kind != "seeds":
                continue
            told = "skip"
        done += 1
        one, two = text.encode(), told.encode()
        parts += (len(one).to_bytes(4, "little"), one, len(two).to_bytes(4, "little"), two)
        if len(parts) > 4000:
            out.write(b"".join(parts))
            parts.clear()
    out.write(b"".join(parts))
    print(f"{kind}: {skipped} more left out: caps, and what strings hold", file=sys.stderr)


main()
