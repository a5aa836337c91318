"""Random programs over floats and small arrays.

A program is the text of a module: constants, helper functions and ``program``. It is
well typed by construction: every name has one of a few fixed types. It ends: every loop
and every recursion is bounded. Values stay in the domains of the functions used; a
program that overflows all the same is left out by the check.
"""

from __future__ import annotations

from tests.fuzz.corners import FOREIGN, Corners
from tests.fuzz.renaming import renamed
from tests.fuzz.writer import HEADER, PARAMETERS, Scope


class Generator(Corners):
    """Writes one program."""

    def program(self) -> str:
        self.classes()
        for number in range(self.pick(0, 0, 1, 1, 2)):
            self.calls_left = 2
            self.helper(number)
        self.calls_left = 6
        env = {
            n: kind
            for n, kind in PARAMETERS.items()
            if n in ("x", "v", "k") or self.one_in(2)
        }
        if self.corners:
            env |= {"o": "zero", "q": "zeros"}
        self.emit(f"def program({', '.join(env)}):")
        self.indent += 1
        kinds = self.random.choice([("s",), ("s",), ("v",), ("s", "v")])
        self.pinned = set()
        self.scope = Scope(result=kinds)
        size = self.pick(2, 2, 3, 3, 4, 5) + (2 if self.containers else 0)
        self.block(env, set(), size, self.pick(1, 2, 2, 2, 3))
        self.emit(f"return {', '.join(self.value(kind, env) for kind in kinds)}")
        header = HEADER + FOREIGN if self.corners else HEADER
        return header + "\n\n" + "\n".join(self.lines) + "\n"

    def value(self, kind: str, env: dict[str, str]) -> str:
        """A result that many variables influence."""
        floats = self.names_of(env, "s")[-4:]
        if kind == "v":
            terms = [*floats, *self.all_read(env)]
            return " + ".join([self.expression("v", env, 1), *terms])
        arrays = [n for n, own in env.items() if own in ("v", "u", "m", "r")][-3:]
        terms = [*floats, *(f"np.sum({n} * {n})" for n in arrays)]
        terms += [f"np.sum({n} * TABLE)" for n in self.names_of(env, "mixed")]
        terms += [f"sum({n})" for n in self.lists(env)]
        terms += [f"0.1 * {n}" for n in self.names_of(env, "n")]
        terms += self.all_read(env)
        terms.append(self.expression("s", env, 2))
        return " + ".join(terms)


def random_program(
    seed: int,
    *,
    stores: bool = False,
    containers: bool = False,
    corners: bool = False,
) -> str:
    """The text of a module with a function ``program``; with ``stores`` it writes into
    arrays, with ``containers`` it changes lists, dicts and objects. With ``corners`` it
    has guards over singular values, numbers of other classes and, one in two, names
    of every kind."""
    generator = Generator(seed)
    generator.stores = stores
    generator.containers = containers
    generator.corners = corners
    text = generator.program()
    return renamed(text, seed) if corners and seed % 2 == 0 else text
