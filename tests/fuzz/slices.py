"""Random programs of arrays whose lengths nothing proves equal, carried through loops.

Every vector is a slice, or was computed from slices: ``c[i:i + n]`` has ``n`` elements,
which only the run knows, and ``n`` may be 1, so that it is broadcast. Each of the names
is assigned again in loops, from what it held before, by operations of every sort.
"""

from __future__ import annotations

import random

from tests.fuzz.writer import HEADER

VECTORS = ("y", "z", "w")
UNARY = (
    *("np.sin({0})", "np.tanh({0})", "-{0}", "0.5 * {0}", "{0}[::-1]", "np.flip({0})"),
    *("np.roll({0}, 1)", "np.cumsum({0})", "{0}.copy()", "np.exp(-({0} ** 2))"),
    *("np.sort({0})", "{0} - np.mean({0})", "{0} / (1.5 + np.sum({0} ** 2))"),
    *("np.sum(np.outer({0}, {0}), axis=0)", "np.sum(np.outer({0}, {0}), axis=1)"),
    *("np.maximum({0}, 0.1)", "np.where({0} > 0.1, {0}, 0.3 * {0})"),
    *("np.cumsum(np.sin({0}) * {0})", "{0}[np.arange(n)]", "{0}[np.arange(n) // 2]"),
    *("np.concatenate(({0}[1:], {0}[:1]))", "{0} * np.max({0})", "{0}[:, None][:, 0]"),
    *("np.ones_like({0}) * {0}[0]", "(s * {0})[::-1]", "{0} + np.arange(n)"),
    *("np.einsum('i,j->j', {0}, {0})", "np.einsum('i,i,j->j', {0}, {0}, {0})"),
    *("np.mean(0.3 * {0} + np.outer({0}, {0}), axis=0)", "np.full(n, {0}[-1])"),
    *("np.sum(np.sin({0}[:, None] * {0}), axis=1)", "np.abs({0})"),
    *(
        "np.prod(1.0 + 0.2 * np.outer({0}, {0}), axis=0)",
        "np.diff(np.append(0.1, {0}))",
    ),
    *("np.max(np.outer({0}, {0}), axis=1)", "np.broadcast_to({0}[0], (n,)) * {0}"),
)
BINARY = (
    *("{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} * {1}", "{0} / (1.5 + {1} ** 2)"),
    *("np.maximum({0}, {1})", "np.where({0} > {1}, {1}, 0.5 * {0})", "x * {0} + {1}"),
    *("np.sum(np.outer({0}, {1}), axis=0)", "np.sum({0}[:, None] * {1}, axis=1)"),
    *("np.outer({0}, {1}) @ {0}", "np.dot({0}, {1}) * {0}", "np.cumsum({0} * {1})"),
    *("np.einsum('i,j->i', {0}, {1})", "np.einsum('i,i->i', {0}, np.sin({1}))"),
    *("np.tensordot(np.outer({0}, {1}), {0}, axes=1)", "{0} + np.sum({0} * {1})"),
    *("np.arctan({0}[::-1] - {1})", "0.5 * ({0} + {1})[::-1]"),
)
OF_MATRIX = (
    *("{0} @ {1}", "{1} @ {0}", "np.sum({0} * {1}, axis=1)", "np.sum({0}, axis=0)"),
    *(
        "{0}[i % n]",
        "{0}[:, i % n]",
        "np.max({0} * {1}, axis=0)",
        "np.mean({0}, axis=1)",
    ),
    *("np.einsum('ij,j->i', {0}, np.sin({1}))", "np.einsum('ij,i->j', {0}, {1})"),
    *("np.sum(np.exp(-np.abs({0})) * {1}[:, None], axis=0)", "np.diag({0}) * {1}"),
)
MATRICES = (
    *("{0} * {1}", "{0} + {1}[:, None]", "np.outer({1}, {1})", "{0}.T", "np.sin({0})"),
    *("0.5 * {0} @ {0}", "{0} - np.mean({0}, axis=1, keepdims=True)", "{0}[::-1]"),
    *("np.einsum('ij,jk->ik', {0}, 0.3 * {0})", "np.cumsum({0}, axis=0) * {1}"),
    *("np.where({0} > {1}, {0}, 0.1)", "{0} * np.sum({0} * {1}, axis=0)"),
)
NUMBERS = (
    *("np.sum({0} * {1})", "np.sum({0}) * s", "np.mean({0} * s)", "np.max({0})"),
    *("np.dot({0}, {1}) + s", "np.sum(np.sin({0} * s))", "np.var({0}) + x", "{0}[-1]"),
    *("np.sum(np.outer({0}, {1}) * s)", "np.prod(1.0 + 0.1 * {0} * s)", "{0}[i % n]"),
    *("np.einsum('i,i->', {0}, {1} * s)", "np.linalg.norm({0} - s)", "np.min({0} + s)"),
)
CHANGES = (
    *("{0} += {1}", "{0} *= {1}", "{0} -= 0.5 * {0}[::-1]", "{0}[:] = {0}[::-1] * {1}"),
    *("{0}[1:] += {0}[:-1]", "{0}[:-1] *= {1}[1:]", "{0}[0] = np.sum({0} * {1})"),
    *("{0}[{0} > 0.1] *= x", "{0}[np.arange(n)[::-1]] += {0}", "{0}[::-1] += {0}"),
    *("{0}[1:] = {0}[1:] + {0}[:-1] * {1}[1:]", "{0}[i % n] += np.sum({0})"),
    *("{0}[:] = np.cumsum({0} * {1})", "{0} += np.sum(np.outer({0}, {1}), axis=0)"),
    *("{0}[np.arange(n) // 2] += {1}", "{0} /= 1.0 + np.sum({0} * {0})"),
)


def slices_program(seed: int) -> str:
    """The text of a module with ``program``."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.indent = 1
        self.counters: list[str] = []

    def pick(self, options: tuple[str, ...]) -> str:
        return self.random.choice(options)

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def fill(self, form: str, first: str) -> str:
        counter = self.counters[-1] if self.counters else "k"
        form = form.replace("i %", f"{counter} %")
        return form.format(first, self.vector())

    # ------------------------------------------------------------ expressions

    def start(self) -> str:
        """Where a slice starts, so that it has all its elements."""
        return self.pick(("0", "1", "k", *self.counters, *self.counters))

    def vector(self) -> str:
        drawn = self.random.random()
        if drawn < 0.6:
            return self.pick(VECTORS)
        first = self.start()
        if drawn < 0.85:
            return self.pick(
                (f"c[{first}:{first} + n]", f"g[{first}, {first}:{first} + n]")
            )
        if drawn < 0.93:  # one number, to be broadcast
            return f"c[{first}:{first} + 1]"
        return self.pick(("x", "s", "np.cos(c[:n])"))

    def matrix(self) -> str:
        if self.random.random() < 0.5:
            return "a"
        first = self.start()
        return f"g[:n, {first}:{first} + n]"

    # ------------------------------------------------------------ statements

    def program(self) -> str:
        self.emit("n = k + 1")
        self.emit("s = 0.7 * x")
        for name in VECTORS:
            first = self.pick(("0", "k", "2"))
            starts = ("np.zeros(n)", "np.ones(n)", f"c[{first}:{first} + n] * x")
            self.emit(f"{name} = {self.pick((*starts, starts[-1]))}")
        self.emit("a = g[:n, 1:n + 1] * 1.0")
        for _ in range(self.random.randint(0, 1)):
            self.statement(0)
        for _ in range(self.random.randint(1, 2)):
            self.loop(2)
        self.emit("s = s + np.sum(y * y) + np.sum(z * w) + np.sum(np.tanh(a))")
        self.emit(f"return {self.pick((*('s',) * 5, 'y + s'))}")
        return f"{HEADER}\n\ndef program(x, c, g, k):\n" + "\n".join(self.lines) + "\n"

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)

    def loop(self, depth: int) -> None:
        counter = f"i{len(self.counters)}"
        self.emit(f"for {counter} in range({self.pick(('3', '2', 'k', 'n'))}):")
        self.indent += 1
        self.counters.append(counter)
        self.block(depth - 1)
        self.counters.pop()
        self.indent -= 1

    def statement(self, depth: int) -> None:
        drawn = self.random.random()
        name = self.pick(VECTORS)
        if depth > 0 and drawn < 0.1:
            self.loop(depth)
        elif depth > 0 and drawn < 0.2:
            tests = ("k > 1", "s > 0.2", f"np.sum({name}) > 0.5", "x > 0.0")
            self.emit(f"if {self.pick(tests)}:")
            self.indent += 1
            self.block(depth - 1)
            self.indent -= 1
        elif drawn < 0.35:
            self.emit(f"{name} = {self.fill(self.pick(UNARY), name)}")
        elif drawn < 0.55:
            self.emit(f"{name} = {self.fill(self.pick(BINARY), name)}")
        elif drawn < 0.65:
            form = self.pick(OF_MATRIX).replace("{1}", name).replace("{0}", "({0})")
            self.emit(f"{name} = {self.fill(form, self.matrix())}")
        elif drawn < 0.73:
            self.emit(f"a = {self.fill(self.pick(MATRICES), self.matrix())}")
        elif drawn < 0.83:
            self.emit(f"s = {self.fill(self.pick(NUMBERS), name)}")
        elif drawn < 0.88:
            others = [n for n in VECTORS if n != name]
            other = self.random.choice(others)
            self.emit(
                f"{name}, {other} = {other}, {self.fill(self.pick(BINARY), name)}"
            )
        else:
            self.emit(f"{name} = {name} * 1.0")
            self.emit(self.fill(self.pick(CHANGES), name))
