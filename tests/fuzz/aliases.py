"""Random programs in which the run decides which array a name means.

Small ones, full of names that are exchanged, kept from an earlier iteration or bound in
one branch only, and of stores through them.
"""

from __future__ import annotations

import random

from tests.fuzz.writer import HEADER

_ARRAYS = ("a", "b", "c", "d")
_TABLES = ("t", "w")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.indent = 1
        self.loops: list[str] = []
        self.helpers = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def one_in(self, n: int) -> bool:
        return self.random.randrange(n) == 0

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    # ------------------------------------------------------------ expressions

    def array(self) -> str:
        return self.pick(*_ARRAYS)

    def number(self) -> str:
        name, other = self.array(), self.array()
        return self.pick(
            "x",
            f"{name}[{self.place()}]",
            f"{name}[{self.place()}] * {other}[{self.place()}]",
            f"np.sin({name}[{self.place()}])",
            f"np.sum({name} * v)",
            f"{self.pick(*_TABLES)}[{self.pick('0', '1')}, {self.place()}]",
            "0.3",
        )

    def place(self) -> str:
        known = [f"({i} + {self.pick('0', '1')}) % 3" for i in self.loops]
        return self.pick("0", "1", "2", "-1", *known, *known)

    def row(self) -> str:
        known = [f"{i} % 2" for i in self.loops]
        return self.pick("0", "1", "-1", *known, *known)

    def test(self) -> str:
        known = [
            f"{i} {self.pick('==', '>', '!=')} {self.pick('0', '1')}"
            for i in self.loops
        ]
        return self.pick(
            "k > 1", "k % 2", f"{self.number()} > 0.1", "x > 0.0", *known, *known
        )

    def fresh(self) -> str:
        """An expression for a new array."""
        name, other = self.array(), self.array()
        return self.pick(
            f"{name}.copy()",
            f"np.sin({name})",
            f"{name} + 0.5 * {other}",
            f"{name} * x",
            "v * x",
            f"0.5 * {self.pick(*_TABLES)}[{self.row()}]",
        )

    def whole(self) -> str:
        """An array of three that is somebody's already."""
        table = self.pick(*_TABLES)
        return self.pick(
            *_ARRAYS,
            *_ARRAYS,
            f"{self.array()}[:]",
            f"{self.array()}[::-1]",
            f"{table}[{self.row()}]",
            f"{table}[{self.row()}]",
            f"({self.array()} if {self.test()} else {self.array()})",
            f"({self.array()} if {self.test()} else {table}[{self.row()}])",
            f"({self.array()}, {self.array()})[{self.pick('k % 2', '0', '1')}]",
        )

    # ------------------------------------------------------------- statements

    def store(self) -> None:
        name = self.array()
        match self.random.randrange(8):
            case 0 | 1 | 2:
                op = self.pick("=", "=", "+=", "-=", "*=")
                self.emit(f"{name}[{self.place()}] {op} {self.number()}")
            case 3:
                part = self.pick(":", "1:", "::-1", ":2", f"{name} > 0.2")
                self.emit(
                    f"{name}[{part}] {self.pick('=', '*=', '+=')} {self.number()}"
                )
            case 4:
                self.emit(f"{name}[:] = {self.whole()}")
            case 5:
                other = self.pick(self.array(), self.number())
                self.emit(f"{name} {self.pick('+=', '*=', '-=')} {other}")
            case 6:
                place = f"{self.row()}, {self.place()}"
                self.emit(f"{self.pick(*_TABLES)}[{place}] = {self.number()}")
            case _ if self.one_in(4):
                self.emit(f"sink({name}, {self.pick('0', '1', 'k')}, {self.number()})")
            case _:
                self.emit(f"push({name}, {self.whole()}, {self.number()})")

    def bind(self) -> None:
        name = self.array()
        match self.random.randrange(7):
            case 0 | 1:
                self.emit(f"{name} = {self.whole()}")
            case 2:
                self.emit(f"if {self.test()}:")
                self.emit(f"    {name} = {self.whole()}")
            case 3:
                a, b = self.random.sample(_ARRAYS, 2)
                self.emit(f"{a}, {b} = {b}, {a}")
            case 4:
                a, b, c = self.random.sample(_ARRAYS, 3)
                self.emit(f"{a}, {b}, {c} = {b}, {c}, {a}")
            case 5:
                t, w = _TABLES
                self.emit(
                    self.pick(f"{t}, {w} = {w}, {t}", f"{t} = {w}", f"{t} = {w} * x")
                )
            case _:
                self.emit(f"{name} = {self.fresh()}")

    def statement(self, depth: int) -> None:
        match self.random.randrange(9 if depth else 6):
            case 0 | 1 | 2:
                self.store()
            case 3 | 4:
                self.bind()
            case 5:
                self.emit(f"total = total * 0.5 + {self.number()}")
            case 6:
                self.emit(f"if {self.test()}:")
                self.block(depth - 1)
                if self.one_in(2):
                    self.emit("else:")
                    self.block(depth - 1)
            case 7:
                name = f"i{len(self.lines)}"
                self.emit(f"for {name} in range({self.pick('2', '3', 'k')}):")
                self.loops.append(name)
                self.block(depth - 1)
                self.loops.pop()
            case _:
                table, name = self.pick(*_TABLES), self.array()
                self.emit(f"for {name} in {table}:")
                self.block(depth - 1)

    def block(self, depth: int) -> None:
        self.indent += 1
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth)
        self.indent -= 1

    def program(self) -> str:
        self.lines.append("def push(p, q, e):")
        self.emit(self.pick("p[1:] = q[:-1]", "p += e * q", "p[0] = q[1] * e"))
        self.emit(self.pick("q[0] = e", "p[-1] = q[0]", "pass"))
        self.lines += ["", "", "def sink(p, n, e):"]
        self.emit("if n <= 0:")
        self.emit(f"    {self.pick('p[0] = e', 'p += e * p[1]')}")
        self.emit("    return")
        self.emit(self.pick("p[n % 3] *= e", "p = p * 0.5", "p[1:] += p[:-1]"))
        self.emit(f"sink({self.pick('p', 'p[::-1]', 'p')}, n - 1, e)")
        self.emit(self.pick("p[1] = p[0] * e", "pass"))
        self.lines += ["", "", "def program(x, v, m, k):"]
        self.emit("total = x")
        self.emit(f"a, b = v * x, {self.pick('np.cos(v)', 'v')}")
        self.emit(f"c, d = {self.pick('a, b', 'a, v + x', 'np.zeros(3), a[::-1]')}")
        self.emit(f"t, w = m * 1.0, {self.pick('m', 'm * x', 'np.zeros((2, 3))')}")
        for _ in range(self.random.randrange(2, 5)):
            self.statement(2)
        self.emit("total = total + np.sum(a * b) + np.sum(c**2 * v) + np.sum(d)")
        self.emit(
            self.pick(
                "return total + np.sum(t * w)",
                "return total + np.sum(t**2)",
                "return total, a * 1.0, -b",
                "return total + np.sum(w * v)",
            )
        )
        return HEADER + "\n\n" + "\n".join(self.lines) + "\n"


def alias_program(seed: int) -> str:
    """The text of a module with a function ``program``."""
    return _Writer(seed).program()
