"""Random programs of try statements in one another, with jumps out of them: which lines
have run when a handler, an else or a finally block does."""

from __future__ import annotations

import random

from tests.fuzz.writer import HEADER

FUNCTIONS = """
def near(value):
    if value > 0.5:
        raise ValueError
    if value < -0.6:
        raise KeyError
    return value * value


def below(value):
    if value > 0.9:
        raise ZeroDivisionError
    return value * 0.9
"""
STEPS = (
    *("y = y * x", "x = x + 0.2", "y += x * x", "z = x * y", "x = x * z", "y = y + z"),
    *("z = z * 1.1", "v[0] *= y", "v[1] = x * z", "log.append(x)", "log[0] *= y"),
)
MAY_RAISE = (
    *("y = near(x)", "x += near(y)", "z = z + near(z)", "y = math.log(x + 0.3)"),
    *("z = below(y) + x", "x = below(x)", "v[1] += near(v[0])", "log.append(near(x))"),
    *("if k == 1: raise ValueError", "if k == 2: raise KeyError"),
    *("if x > 0.3: raise ZeroDivisionError", "if y > x: raise ValueError"),
)
TESTS = ("x > 0.1", "k % 2", "y > z", "z < 0.4")
CAUGHT = (
    *("ValueError", "KeyError", "(ValueError, ZeroDivisionError)"),
    *("ArithmeticError", "LookupError"),
)


def attempts_program(seed: int) -> str:
    """The text of a module with ``program``."""
    writer = _Writer(seed)
    body: list[str] = []
    while not any("try:" in line for line in body):
        body = writer.block(3)
    lines = [
        *("y = 0.3 + x", "z = 0.1", "log = [x, y]", "try:"),
        *_indented(body),
        "except (ValueError, KeyError, ZeroDivisionError):",
        f"    {writer.pick(STEPS)}",
        "return x * y + z + np.sum(v * v) + sum(log)",
    ]
    text = "\n".join(["def program(x, v, k):", *_indented(lines)])
    return f"{HEADER}{FUNCTIONS}\n\n{text}\n"


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, options: tuple[str, ...]) -> str:
        return self.random.choice(options)

    def block(self, depth: int, loop: bool = False, final: bool = False) -> list[str]:
        """Some statements, in a ``loop`` that may be left, or in a finally block, which
        nothing may leave."""
        count = self.random.randint(1, 3)
        return [
            line for _ in range(count) for line in self.statement(depth, loop, final)
        ]

    def statement(self, depth: int, loop: bool, final: bool) -> list[str]:
        drawn = self.random.random()
        if depth == 0 or drawn < 0.45:
            return [self.pick(self.random.choice((STEPS, MAY_RAISE)))]
        if drawn < 0.52 and loop:
            jump = self.pick(("break", "continue"))
            return [f"if {self.pick(('x > 0.4', 'k == 0', 'y < x'))}:", f"    {jump}"]
        if drawn < 0.57 and not final:
            result = self.pick(("x * y", "z + x", "v[0] * x"))
            test = self.pick(("x > 0.8", "k == 3", "y < -0.2"))
            return [f"if {test}:", f"    return {result}"]
        if drawn < 0.67:
            head = f"for i in range({self.pick(('2', '3', 'k'))}):"
            return [head, *_indented(self.block(depth - 1, not final, final))]
        if drawn < 0.75:
            lines = [f"if {self.pick(TESTS)}:"]
            lines += _indented(self.block(depth - 1, loop, final))
            if self.random.random() < 0.5:
                lines += ["else:", *_indented(self.block(depth - 1, loop, final))]
            return lines
        return self.attempt(depth - 1, loop, final)

    def attempt(self, depth: int, loop: bool, final: bool) -> list[str]:
        lines = ["try:", *_indented(self.block(depth, loop, final))]
        caught = self.random.sample(CAUGHT, self.random.randint(0, 2))
        for classes in caught:
            body = self.block(depth, loop, final)
            if self.random.random() < 0.15:
                body.append(self.pick(("raise", "raise KeyError")))
            lines += [f"except {classes}:", *_indented(body)]
        if caught and self.random.random() < 0.3:
            lines += ["else:", *_indented(self.block(depth, loop, final))]
        if not caught or self.random.random() < 0.4:
            lines += ["finally:", *_indented(self.block(depth, False, True))]
        return lines
