"""CPython's usual safe calculator: ast.parse and a walk over an allowlist, from text to repr.

    python3.13 -c "$(cat walker.py)" ROUNDS < FILE        lines as bench/calc/calc prints them
"""

import ast
import operator
import sys
import time

PASSES = 15
BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}


def walk(node):
    kind = type(node)
    if kind is ast.Constant and type(node.value) in (int, float):
        return float(node.value)
    if kind is ast.BinOp and type(node.op) in BINARY:
        return BINARY[type(node.op)](walk(node.left), walk(node.right))
    if kind is ast.UnaryOp and type(node.op) is ast.USub:
        return -walk(node.operand)
    raise ValueError(f"forbidden node: {kind.__name__}")


def evaluate(text):
    return repr(walk(ast.parse(text.strip(), mode="eval").body))


def main():
    rounds = int(sys.argv[1])
    lines = [line for line in sys.stdin.read().split("\n") if line]
    for line in lines:
        best = float("inf")
        for _ in range(PASSES):
            start = time.perf_counter_ns()
            for _ in range(rounds):
                evaluate(line)
            best = min(best, (time.perf_counter_ns() - start) / rounds)
        print(f"{best:.1f}\t{line}")


main()
