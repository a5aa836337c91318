"""Random programs over floats and small arrays.

A program is the text of a module: constants, helper functions and ``program``. It is
well typed by construction: every name has one of a few fixed shapes. Values stay in the
domains of the functions used; a program that overflows all the same is left out by the
check.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

HEADER = """\
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

RATE = 0.7
TABLE = np.array([0.4, -0.9, 1.3])
LIMITS = (0.3, -1.2)
CONFIG = {"gain": 0.8, "steps": 2}


class Pair(NamedTuple):
    s: float
    v: np.ndarray


@dataclass
class Box:
    v: np.ndarray
    s: float = 0.25
"""

PARAMETERS = {"x": "s", "y": "s", "v": "v", "m": "m", "r": "r", "k": "i"}
SHAPES = {"s": (), "v": (3,), "u": (2,), "m": (2, 3), "r": (1, 3)}
NAMES = {
    "s": ("x", "y", "a", "b", "total", "h", "t"),
    "v": ("v", "w", "z", "p"),
    "u": ("u", "q"),
    "m": ("m", "n"),
    "r": ("r", "row"),
}


@dataclass
class Helper:
    """A function that the program may call."""

    name: str
    parameters: list[tuple[str, str, bool]]
    """Name, type, and whether there is a default."""
    result: str


class Generator:
    """Writes one program; ``text`` is all of it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.helpers: list[Helper] = []
        self.indent = 0
        self.lines: list[str] = []
        self.fresh = 0
        self.calls_left = 6

    # ---------------------------------------------------------------- drawing

    def one_in(self, n: int) -> bool:
        return self.random.randrange(n) == 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self) -> str:
        return self.pick(
            "0.5", "1.5", "2", "-0.8", "0.3", "1", "RATE", "LIMITS[1]", "1.1"
        )

    def names_of(self, env: dict[str, str], kind: str) -> list[str]:
        return [name for name, own in env.items() if own == kind]

    def ints(self, env: dict[str, str]) -> list[str]:
        return self.names_of(env, "i") + self.names_of(env, "count")

    # ---------------------------------------------------------------- expressions

    def expression(self, kind: str, env: dict[str, str], depth: int) -> str:
        known = self.names_of(env, kind)
        if depth <= 0 or self.one_in(6):
            if known:
                return self.random.choice(known)
            depth = max(depth, 0)
            if depth == 0:
                return self.leaf(kind, env)
        if kind == "i":
            return self._i(env, depth)
        if self.helpers and self.calls_left and self.one_in(6):
            helpers = [h for h in self.helpers if h.result == kind]
            if helpers:
                return self.call(self.random.choice(helpers), env, depth - 1)
        structured = [
            f"{name}{item}"
            for name, own in env.items()
            if own in STRUCTURES
            for item, inner in STRUCTURES[own]
            if inner == kind
        ]
        if structured and self.one_in(3):
            return self.random.choice(structured)
        return getattr(self, f"_{kind}")(env, depth)

    def leaf(self, kind: str, env: dict[str, str]) -> str:
        s = self.random.choice(self.names_of(env, "s") or ["0.6"])
        return {
            "s": self.number(),
            "v": f"{s} * TABLE",
            "u": f"{s} * TABLE[1:]",
            "m": f"{s} * np.ones((2, 3))",
            "r": f"{s} * TABLE[None, :]",
            "i": self.pick("1", "2", "0"),
        }[kind]

    def call(self, helper: Helper, env: dict[str, str], depth: int) -> str:
        self.calls_left -= 1
        words = []
        keyword = False
        for name, kind, default in helper.parameters:
            if default and self.one_in(2):
                keyword = True
                continue
            keyword = keyword or self.one_in(4)
            value = self.expression(kind, env, depth)
            words.append(f"{name}={value}" if keyword else value)
        return f"{helper.name}({', '.join(words)})"

    def _i(self, env: dict[str, str], depth: int) -> str:
        known = self.ints(env) + ["1", "2"]
        a = self.random.choice(known)
        return self.pick(a, a, f"{a} + 1", f"2 * {a}", f"len({self.array_name(env)})")

    def array_name(self, env: dict[str, str]) -> str:
        known = [n for n, kind in env.items() if kind in ("v", "u", "m")]
        return self.random.choice(known or ["TABLE"])

    def index(self, env: dict[str, str], length: int) -> str:
        known = self.ints(env)
        if known and not self.one_in(3):
            name = self.random.choice(known)
            return self.pick(f"{name} % {length}", f"({name} + 1) % {length}")
        return str(self.random.randrange(-length, length))

    def test(self, env: dict[str, str], depth: int) -> str:
        def s() -> str:
            return self.expression("s", env, depth - 1)

        ints = self.ints(env)
        choices = [
            f"{s()} {self.pick('<', '>', '<=', '>=')} {s()}",
            f"{s()} > {self.number()}",
            f"-1.0 < {s()} < {self.number()}",
            f"not {s()} < {s()}",
            f"{s()} > 0.2 and {s()} < 1.4",
            f"{s()} > 1.0 or {s()} < 0.3",
        ]
        if ints:
            choices += [f"{self.random.choice(ints)} % 2 == 0"] * 2
            choices.append(f"{self.random.choice(ints)} > 1")
        return self.random.choice(choices)

    def _s(self, env: dict[str, str], depth: int) -> str:
        d = depth - 1
        mixed = self.names_of(env, "mixed")
        if mixed and self.one_in(4):
            name, v = self.random.choice(mixed), self.expression("v", env, d)
            return self.pick(f"np.sum({name} * {v})", f"np.mean(({name} - {v}) ** 2)")

        def s() -> str:
            return self.expression("s", env, d)

        def e(kind: str) -> str:
            return self.expression(kind, env, d)

        def i(length: int) -> str:
            return self.index(env, length)

        choices = [
            lambda: f"({s()} {self.pick('+', '-', '*', '*', '+')} {s()})",
            lambda: f"({s()} {self.pick('+', '-', '*')} {s()})",
            lambda: f"{s()} / (1.5 + {s()} ** 2)",
            lambda: (
                f"{self.pick('np', 'math')}.{self.pick('sin', 'cos', 'tanh')}({s()})"
            ),
            lambda: f"np.exp(-({s()}) ** 2)",
            lambda: f"math.sqrt(1.0 + {s()} ** 2)",
            lambda: f"np.log(2.0 + {s()} ** 2)",
            lambda: f"{self.pick('abs', 'np.abs')}({s()})",
            lambda: (
                f"{self.pick('max', 'min', 'np.maximum', 'np.minimum')}({s()}, {s()})"
            ),
            lambda: f"({s()} if {self.test(env, d)} else {s()})",
            lambda: f"-{s()}",
            lambda: f"({s()}) ** {self.pick(2, 3, '2.0')}",
            lambda: f"{self.number()} * {s()}",
            lambda: f"float({s()})",
            lambda: f"{e('i')} * {s()}",
            lambda: f"({e('v')})[{i(3)}]",
            lambda: f"({e('u')})[{i(2)}]",
            lambda: f"({e('m')})[{i(2)}, {i(3)}]",
            lambda: f"({e('m')})[{i(2)}][{i(3)}]",
            lambda: f"({e('r')})[0, {i(3)}]",
            lambda: (
                f"np.{self.pick('sum', 'mean', 'max', 'min', 'var')}"
                f"({e(self.pick('v', 'm', 'r'))})"
            ),
            lambda: f"({e(self.pick('v', 'm'))}).{self.pick('sum', 'mean', 'max')}()",
            lambda: f"{e('v')} @ ({e('v')})",
            lambda: f"np.dot({e('v')}, {e('v')})",
            lambda: f"np.dot({e('u')}, {e('u')})",
            lambda: f"np.einsum('ij,j->', {e('m')}, {e('v')})",
            lambda: f"CONFIG['gain'] * {s()}",
            lambda: f"np.where({self.test_scalar(env, d)}, {s()}, {s()})",
            lambda: f"np.sum(({e('v')})[:{self.index(env, 3)}])",
            lambda: f"np.sum(({e('v')})[{self.pick('[0, 0, 2]', '[1, 1]')}])",
            lambda: f"np.clip({s()}, -0.9, 1.05)",
        ]
        return self.random.choice(choices)()

    def test_scalar(self, env: dict[str, str], depth: int) -> str:
        return f"{self.expression('s', env, depth)} > {self.number()}"

    def elementwise(
        self, kind: str, env: dict[str, str], d: int, smaller: tuple
    ) -> str:
        """Operations that keep a shape; ``smaller`` are types that broadcast to it."""

        def e(own: str = kind) -> str:
            return self.expression(own, env, d)

        other = self.pick(kind, kind, "s", *smaller)
        a, b = (kind, other) if self.one_in(2) else (other, kind)
        choices = [
            lambda: f"({e(a)} {self.pick('+', '-', '*', '*')} {e(b)})",
            lambda: f"({e(a)} {self.pick('+', '-', '*', '*')} {e(b)})",
            lambda: f"{e(a)} / (1.5 + {e(b)} ** 2)",
            lambda: f"np.{self.pick('sin', 'cos', 'tanh', 'arctan')}({e()})",
            lambda: f"np.exp(-np.abs({e()}))",
            lambda: f"np.sqrt(1.0 + ({e()}) ** 2)",
            lambda: f"np.{self.pick('maximum', 'minimum')}({e(a)}, {e(b)})",
            lambda: f"np.where({e()} > {self.number()}, {e(a)}, {e(b)})",
            lambda: f"({e()}) ** {self.pick(2, 3)}",
            lambda: f"-({e()})",
            lambda: f"({e()} if {self.test(env, d)} else {e()})",
            lambda: f"np.{self.pick('maximum', 'minimum')}({e()}, 0.0)",
        ]
        return self.random.choice(choices)()

    def _v(self, env: dict[str, str], depth: int) -> str:
        d = depth - 1

        def e(kind: str) -> str:
            return self.expression(kind, env, d)

        mixed = self.names_of(env, "mixed")
        if mixed and self.one_in(4):
            op = self.pick("+", "*", "-")
            return f"({self.random.choice(mixed)} {op} {e('v')})"
        if self.one_in(2):
            return self.elementwise("v", env, d, ())
        choices = [
            lambda: f"({e('m')})[{self.index(env, 2)}]",
            lambda: f"({e('m')})[{self.index(env, 2)}, :]",
            lambda: f"np.{self.pick('sum', 'mean', 'max')}({e('m')}, axis=0)",
            lambda: f"({e('m')}).{self.pick('sum', 'mean')}(axis=0)",
            lambda: f"({e('v')})[::-1]",
            lambda: f"{e('u')} @ ({e('m')})",
            lambda: f"({e('m')}).T @ ({e('u')})",
            lambda: f"({e('r')})[0]",
            lambda: f"({e('r')}).reshape(3)",
            lambda: f"np.concatenate((({e('v')})[1:], ({e('v')})[:1]))",
            lambda: f"np.concatenate(({e('u')}, ({e('v')})[-1:]))",
            lambda: f"np.array([{e('s')}, {e('s')}, {e('s')}])",
            lambda: f"np.cumsum({e('v')})",
            lambda: f"({e('v')})[[2, 0, 0]]",
            lambda: f"({e('v')})[np.array([1, 1, {self.index(env, 3)}])]",
            lambda: f"np.zeros_like({e('v')}) + {e('s')}",
            lambda: f"{e('s')} * np.ones(3)",
            lambda: f"np.ravel({e('r')})",
            lambda: f"np.einsum('i,ij->j', {e('u')}, {e('m')})",
            lambda: (
                f"({e('m')})[np.array([0, 1, 0]), "
                f"np.array([2, 2, {self.index(env, 3)}])]"
            ),
        ]
        return self.random.choice(choices)()

    def _u(self, env: dict[str, str], depth: int) -> str:
        d = depth - 1

        def e(kind: str) -> str:
            return self.expression(kind, env, d)

        if self.one_in(2):
            return self.elementwise("u", env, d, ())
        choices = [
            lambda: f"np.{self.pick('sum', 'mean')}({e('m')}, axis={self.pick(1, -1)})",
            lambda: f"{e('m')} @ ({e('v')})",
            lambda: f"({e('m')})[:, {self.index(env, 3)}]",
            lambda: f"({e('v')})[{self.pick('1:', ':2', '::2', '-2:')}]",
            lambda: f"np.array([{e('s')}, {e('s')}])",
            lambda: f"np.dot({e('m')}, {e('v')})",
        ]
        return self.random.choice(choices)()

    def _m(self, env: dict[str, str], depth: int) -> str:
        d = depth - 1

        def e(kind: str) -> str:
            return self.expression(kind, env, d)

        if self.one_in(2):
            return self.elementwise("m", env, d, ("v", "r"))
        choices = [
            lambda: f"({e('u')})[:, None] * {e(self.pick('v', 'm', 'r'))}",
            lambda: f"{e('r')} + ({e('u')})[:, None]",
            lambda: f"np.outer({e('u')}, {e('v')})",
            lambda: f"np.stack([{e('v')}, {e('v')}])",
            lambda: f"({e('m')})[::-1]",
            lambda: f"({e('m')})[:, ::-1]",
            lambda: f"({e('m')} - np.mean({e('m')}, axis=1, keepdims=True))",
            lambda: f"np.concatenate(({e('r')}, {e('r')}), axis=0)",
            lambda: f"np.concatenate([{e('r')}, ({e('m')})[:1]])",
            lambda: f"({e('m')}).T.reshape(2, 3)",
            lambda: f"np.transpose(np.transpose({e('m')}))",
            lambda: f"({e('m')})[[1, 1]]",
        ]
        return self.random.choice(choices)()

    def _r(self, env: dict[str, str], depth: int) -> str:
        d = depth - 1

        def e(kind: str) -> str:
            return self.expression(kind, env, d)

        if self.one_in(2):
            return self.elementwise("r", env, d, ("v",))
        choices = [
            lambda: f"({e('v')})[None, :]",
            lambda: f"({e('v')}).reshape({self.pick('1, 3', '1, -1')})",
            lambda: f"np.sum({e('m')}, axis=0, keepdims=True)",
            lambda: f"({e('m')})[{self.pick(':1', '1:')}]",
            lambda: f"np.expand_dims({e('v')}, 0)",
            lambda: f"({e('r')} * {e('r')})",
        ]
        return self.random.choice(choices)()

    # ---------------------------------------------------------------- statements

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def kind(self) -> str:
        return self.pick("s", "s", "s", "s", "v", "v", "m", "u", "r")

    def target(self, env: dict[str, str], kind: str, held: set[str]) -> str:
        """A name to assign: often one there is, so that values are overwritten."""
        known = [n for n in self.names_of(env, kind)]
        if known and not self.one_in(3):
            return self.random.choice(known)
        name = self.random.choice(NAMES[kind])
        return name if name not in held or env.get(name) == kind else f"{name}1"

    def block(self, env: dict[str, str], held: set[str], size: int, depth: int) -> None:
        """Statements; names in ``held`` keep their type."""
        before = len(self.lines)
        for _ in range(size):
            self.statement(env, held, depth)
        if len(self.lines) == before:
            self.emit("pass")

    def statement(self, env: dict[str, str], held: set[str], depth: int) -> None:
        simple = [
            self.assign,
            self.assign,
            self.assign,
            self.assign,
            self.augmented,
            self.augmented,
            self.swap,
            self.unpack,
            self.structure,
            self.harmless,
            self.alias,
        ]
        compound = [self.branch, self.branch, self.count, self.count, self.repeat]
        compound += [self.over_array, self.accumulate, self.accumulate, self.promote]
        choices = simple + (compound if depth > 0 else [])
        self.random.choice(choices)(env, held, depth)

    def assign(self, env: dict[str, str], held: set[str], depth: int) -> None:
        kind = self.kind()
        value = self.expression(kind, env, self.pick(1, 2, 2, 3))
        name = self.target(env, kind, held)
        if self.one_in(8):
            self.emit(f"{name}: float = {value}")
        else:
            self.emit(f"{name} = {value}")
        env[name] = kind

    def alias(self, env: dict[str, str], held: set[str], depth: int) -> None:
        kind = self.kind()
        known = self.names_of(env, kind)
        if known:
            name = self.target(env, kind, held)
            self.emit(f"{name} = {self.random.choice(known)}")
            env[name] = kind

    def augmented(self, env: dict[str, str], held: set[str], depth: int) -> None:
        known = self.names_of(env, "s")
        if known:
            name = self.random.choice(known)
            op = self.pick("+=", "-=", "*=", "+=")
            self.emit(f"{name} {op} {self.expression('s', env, 2)}")

    def swap(self, env: dict[str, str], held: set[str], depth: int) -> None:
        kind = self.kind()
        known = self.names_of(env, kind)
        if len(known) < 2:
            return
        a, b = self.random.sample(known, 2)
        match self.random.randrange(3):
            case 0:
                self.emit(f"{a}, {b} = {b}, {a}")
            case 1:
                self.emit(f"{a}, {b} = {b}, {self.expression(kind, env, 2)}")
            case _:
                inner = self.expression("s", env, 1)
                name = self.target(env, "s", held)
                if name in (a, b):
                    return
                first = self.expression(kind, env, 1)
                self.emit(f"({a}, {name}), {b} = ({first}, {inner}), {a}")
                env[name] = "s"

    def unpack(self, env: dict[str, str], held: set[str], depth: int) -> None:
        names = [self.target(env, "s", held) for _ in range(2)]
        if names[0] == names[1]:
            return
        helpers = [h for h in self.helpers if h.result == "sv"]
        if helpers and self.calls_left and self.one_in(2):
            names[1] = self.target(env, "v", held)
            value = self.call(self.random.choice(helpers), env, 1)
            self.emit(f"{names[0]}, {names[1]} = {value}")
            env |= {names[0]: "s", names[1]: "v"}
            return
        self.emit(f"{names[0]}, {names[1]} = {self.expression('u', env, 1)}")
        env |= {names[0]: "s", names[1]: "s"}

    def structure(self, env: dict[str, str], held: set[str], depth: int) -> None:
        s, v = self.expression("s", env, 1), self.expression("v", env, 1)
        kind = self.pick(*STRUCTURES)
        self.fresh += 1
        known = self.names_of(env, kind)
        name = (
            self.random.choice(known) if known and self.one_in(2) else f"g{self.fresh}"
        )
        display = {
            "tuple": f"({s}, {v})",
            "list": f"[{s}, {s}]",
            "dict": f'{{"s": {s}, "v": {v}}}',
            "pair": f"Pair({s}, v={v})",
            "box": self.pick(f"Box({v}, {s})", f"Box({v})"),
            "nested": f'{{"t": ({s}, {v}), "s": {s}}}',
        }[kind]
        self.emit(f"{name} = {display}")
        env[name] = kind

    def harmless(self, env: dict[str, str], held: set[str], depth: int) -> None:
        s = self.expression("s", env, 1)
        self.emit(
            self.pick(
                "pass",
                f'assert {s} < 1e9, f"""{{{s}:.3f}}"""',
                f'label = f"""{{{s}}}"""',
                '"""A note."""',
            )
        )

    def branch(self, env: dict[str, str], held: set[str], depth: int) -> None:
        ends = []
        self.emit(f"if {self.test(env, 2)}:")
        for number in range(self.pick(1, 2, 2, 3)):
            if number:
                word = "else:" if number == 2 or self.one_in(2) else ""
                self.emit(word or f"elif {self.test(env, 1)}:")
            own = dict(env)
            self.indent += 1
            self.block(own, held | set(env), self.pick(1, 2, 3), depth - 1)
            self.indent -= 1
            ends.append(own)
            if number and word:
                break
        else:
            ends.append(dict(env))
        common = {
            n: kind
            for n, kind in ends[0].items()
            if all(end.get(n) == kind for end in ends)
        }
        env.clear()
        env.update(common)

    def loop(
        self, env: dict[str, str], held: set[str], depth: int, own: dict, runs: bool
    ):
        """The body of a loop; what it binds is read later only if it surely runs."""
        inner = {**env, **own}
        self.indent += 1
        self.block(inner, held | set(inner), self.pick(1, 2, 3), depth - 1)
        self.indent -= 1
        if runs and self.one_in(2):
            env.update(inner)

    def count(self, env: dict[str, str], held: set[str], depth: int) -> None:
        name = self.pick("i", "j", "i", "l")
        if env.get(name, "i") != "i" or (name in env and not self.one_in(3)):
            name = f"{name}{self.indent}"
        ints = self.names_of(env, "i")
        bound = self.random.choice(ints) if ints else "2"
        form, runs = self.pick(
            ("3", True),
            ("2", True),
            ("1, 4", True),
            ("3, 0, -1", True),
            ("4, -1, -2", True),
            ("0", False),
            (f"{bound} % 4", False),
            (f"{bound} % 3, 3", False),
            ("k", False),
            ("CONFIG['steps']", True),
        )
        if form == "k" and env.get("k") != "i":
            form = "2"
        self.emit(f"for {name} in range({form}):")
        self.loop(env, held, depth, {name: "i"}, runs)

    def over_array(self, env: dict[str, str], held: set[str], depth: int) -> None:
        self.fresh += 1
        e, f = f"e{self.fresh}", f"f{self.fresh}"
        form, own = self.pick(
            (f"for {e} in {self.expression('v', env, 1)}:", {e: "s"}),
            (f"for {e} in {self.expression('m', env, 1)}:", {e: "v"}),
            (
                f"for {f}, {e} in enumerate({self.expression('v', env, 1)}):",
                {e: "s", f: "i"},
            ),
            (
                f"for {e}, {f} in zip({self.expression('m', env, 1)}, "
                f"{self.expression('u', env, 1)}):",
                {e: "v", f: "s"},
            ),
            (
                f"for {e}, {f} in ({self.expression('s', env, 1)}, 0.5), "
                f"(1.5, {self.expression('s', env, 1)}):",
                {e: "s", f: "s"},
            ),
        )
        self.emit(form)
        self.loop(env, held, depth, own, True)

    def repeat(self, env: dict[str, str], held: set[str], depth: int) -> None:
        self.fresh += 1
        counter = f"c{self.fresh}"
        self.emit(f"{counter} = {self.pick(0, 1)}")
        test = f"{counter} < {self.pick(2, 3, 4)}"
        if self.one_in(2):
            test += f" and ({self.test(env, 1)})"
        self.emit(f"while {test}:")
        first = self.one_in(2)
        step = f"{counter} {self.pick('+= 1', f'= {counter} + 1')}"
        self.indent += 1
        if first:
            self.emit(step)
        self.indent -= 1
        inner = {**env}
        if self.one_in(2):
            inner[counter] = "count"  # readable as a number, not to be changed
        self.loop(inner, held, depth, {}, False)
        if not first:
            self.emit(f"    {step}")
        env[counter] = "count"

    def accumulate(self, env: dict[str, str], held: set[str], depth: int) -> None:
        """``total = 0.0; for ...: total = total + array``: the kind changes in the
        loop."""
        self.fresh += 1
        name = f"acc{self.fresh}"
        kind = self.pick("s", "v", "v", "m", "r")
        start = self.pick("0.0", "0", "0.0", "1", self.expression("s", env, 1))
        self.emit(f"{name} = {start}")
        trips = self.pick("3", "2", "1", "k") if env.get("k") == "i" else "2"
        self.emit(f"for j{self.fresh} in range({trips}):")
        self.indent += 1
        own = {**env, f"j{self.fresh}": "i"}
        if self.one_in(2):
            self.block(own, held | set(own), 1, depth - 1)
        op = self.pick("+", "-", "*")
        value = self.expression(kind, own, 2)
        if self.one_in(2):
            self.emit(f"{name} = {name} {op} {value}")
        else:
            self.emit(f"{name} {op}= {value}")
        self.indent -= 1
        if trips != "k":
            env[name] = kind
        elif kind in ("s", "v"):
            env[name] = {"s": "s", "v": "mixed"}[kind]

    def promote(self, env: dict[str, str], held: set[str], depth: int) -> None:
        """A number that becomes an array on one path."""
        known = [n for n in self.names_of(env, "s") if n not in held]
        if not known:
            return
        name = self.random.choice(known)
        value = f"{name} {self.pick('+', '*', '-')} {self.expression('v', env, 2)}"
        self.emit(f"if {self.test(env, 1)}:")
        self.emit(f"    {name} = {value}")
        if self.one_in(3):
            self.emit("else:")
            self.emit(f"    {name} = {self.expression('s', env, 2)}")
        env[name] = "mixed"

    # ---------------------------------------------------------------- functions

    def helper(self, number: int) -> None:
        names: dict[str, str] = {}
        for _ in range(self.pick(1, 2, 2, 3)):
            kind = self.pick("s", "s", "v", "m", "i")
            name = self.random.choice(NAMES.get(kind, ("k", "i")))
            names.setdefault(name, kind)
        parameters = []
        defaults = False
        for name, kind in names.items():
            defaults = (defaults or self.one_in(3)) and kind in ("s", "i")
            parameters.append((name, kind, defaults))
        parameters.sort(key=lambda p: p[2])
        result = self.pick("s", "s", "v", "m", "sv")
        listed = ", ".join(
            f"{n}={1 if k == 'i' else 0.4}" if d else n for n, k, d in parameters
        )
        self.emit(f"def helper{number}({listed}):")
        self.indent += 1
        env = dict(names)
        self.block(env, set(), self.pick(1, 2, 3), self.pick(0, 1))
        if self.one_in(2):
            self.emit(f"if {self.test(env, 1)}:")
            self.emit(f"    return {self.result(result, env)}")
        self.emit(f"return {self.result(result, env)}")
        self.indent -= 1
        self.emit("")
        self.helpers.append(Helper(f"helper{number}", parameters, result))

    def result(self, kind: str, env: dict[str, str]) -> str:
        if kind == "sv":
            return f"{self.expression('s', env, 1)}, {self.expression('v', env, 1)}"
        return self.expression(kind, env, 1)

    def program(self) -> str:
        for number in range(self.pick(0, 1, 2, 3)):
            self.calls_left = 2
            self.helper(number)
        self.calls_left = 6
        env = {
            n: kind
            for n, kind in PARAMETERS.items()
            if n in ("x", "v", "k") or self.one_in(2)
        }
        self.parameters = tuple(env)
        self.emit(f"def program({', '.join(env)}):")
        self.indent += 1
        self.block(env, set(), self.random.randrange(2, 7), self.pick(1, 2, 2, 3))
        kinds = self.random.choice([("s",), ("s",), ("v",), ("s", "v")])
        floats = [n for n, kind in env.items() if kind == "s"][-3:]
        arrays = [n for n, kind in env.items() if kind in ("v", "u", "m", "r")][-3:]
        terms = [*floats, *(f"np.sum({n} * {n})" for n in arrays)]
        terms += [f"np.sum({n} * TABLE)" for n in self.names_of(env, "mixed")]
        terms.append(self.expression("s", env, 2))
        if self.one_in(5):
            self.emit(f"if {self.test(env, 1)}:")
            other = {"s": "x * x", "v": "x * v"}
            self.emit(f"    return {', '.join(other[k] for k in kinds)}")
        values = {
            "s": " + ".join(terms),
            "v": " + ".join([self.expression("v", env, 1), *floats]),
        }
        self.emit(f"return {', '.join(values[k] for k in kinds)}")
        return HEADER + "\n\n" + "\n".join(self.lines) + "\n"


STRUCTURES = {
    "tuple": (("[0]", "s"), ("[1]", "v")),
    "list": (("[0]", "s"), ("[-1]", "s")),
    "dict": (('["s"]', "s"), ('["v"]', "v")),
    "pair": ((".s", "s"), (".v", "v"), ("[0]", "s")),
    "box": ((".s", "s"), (".v", "v")),
    "nested": (('["t"][0]', "s"), ('["t"][1]', "v"), ('["s"]', "s")),
}


def random_program(seed: int) -> str:
    """The text of a module with a function ``program``."""
    return Generator(seed).program()
