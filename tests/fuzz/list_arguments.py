"""Random programs over arguments that are lists of 0 to 1,000 numbers."""

from __future__ import annotations

import numpy as np

from tests.fuzz.writer import HEADER

HEADS = (
    "for x in {l}:",
    "for i, x in enumerate({l}):",
    "for x, y in zip({l}, {m}):",
    "for x, y in zip({l}, {l}[1:]):",
    "for x in reversed({l}):",
    "for x in sorted({l}):",
    "for x in [u * b for u in {l} if u > a]:",
    "for i in range(len({l})):",
    "for x in {l}[:-1]:",
    "for x in {l}[::2]:",
    "for x in [*{m}, *{l}]:",
)
LINES = (
    "total += {e} * 0.01",
    "total = 0.9 * total + {e}",
    "state = math.tanh(state * b + {e})",
    "kept.append({e})",
    "if total > 3.0:\n            break",
    "if {e} > a:\n            total -= 0.1 * {e}",
    "if {e} < a:\n            continue",
    "total += state * kept[-1] if kept else b",
)
ENDS = (
    "total += sum(kept)",
    "total += max({l}) * b",
    "total += {l}[0] * {l}[-1]",
    "total += sum(u * u for u in {l}) / len({l})",
    "first, *rest = {l}\n    total += first * sum(rest)",
    "total += np.sum(np.sin(np.array({l}) * b))",
    "{l} = [u + state for u in {l}]",
    "{l} = {l}[1:]",
    "{l}.append(total)",
    "{l}[len({l}) // 2] = a * total",
    "{l} = {l} + {m}",
    "kept = kept[-3:]",
    "total += helper({l}, b)",
    "{l}, {m} = {m}, {l}",
)
HELPER = """
def helper(numbers, scale):
    found = 0.0
    for number in numbers:
        found = found * 0.5 + number * scale
    return found

"""


def lists_program(seed: int) -> str:
    """The text of a module with ``program``."""
    return _Writer(np.random.default_rng([seed, 7])).program()


class _Writer:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def one(self, options: tuple[str, ...]) -> str:
        first, second = self.rng.permutation(["l", "j"])
        chosen = options[int(self.rng.integers(len(options)))]
        return chosen.replace("{l}", first).replace("{m}", second)

    def expression(self, head: str) -> str:
        found = ["a", "b", "state", "0.3"]
        if head.startswith("for i in"):
            measured = head.split("len(")[1][0]
            found += [f"{measured}[i]", f"{measured}[-i - 1]"] * 2
        else:
            found += ["x"] * 4
        if "x, y" in head:
            found += ["y", "y"]
        if "for i" in head:
            found.append("i * 0.01")
        a, b = self.rng.choice(found, 2)
        forms = (f"{a} * {b}", f"math.sin({a} + {b})", f"({a} - {b}) ** 2", f"{a}")
        return forms[int(self.rng.integers(len(forms)))]

    def program(self) -> str:
        lines = ["    total, state, kept = 0.0, a, []"]
        for _ in range(int(self.rng.integers(1, 4))):
            head = self.one(HEADS)
            lines.append(f"    {head}")
            for _ in range(int(self.rng.integers(1, 4))):
                line = self.one(LINES)
                while "{e}" in line:
                    line = line.replace("{e}", self.expression(head), 1)
                lines.append(f"        {line}")
            if self.rng.integers(2):
                lines.append(f"    {self.one(ENDS)}")
        body = "\n".join(lines)
        return f"{HEADER}{HELPER}def program(a, b, l, j):\n{body}\n    return total\n"
