"""Random expressions of each type."""

from __future__ import annotations

from tests.fuzz.writer import STRUCTURES, Env, Writer


class Expressions(Writer):
    """Writes expressions; ``depth`` bounds their nesting."""

    # ---------------------------------------------------------------- expressions

    def expression(self, kind: str, env: Env, depth: int) -> str:
        if kind in ("f", "f2", "fv"):
            return getattr(self, f"_{kind}")(env, depth)
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
        if depth > 0 and self.one_in(8) and kind in ("s", "v", "m"):
            special = self.special(kind, env, depth - 1)
            if special:
                return special
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

    def leaf(self, kind: str, env: Env) -> str:
        s = self.random.choice(self.names_of(env, "s") or ["0.6"])
        return {
            "s": self.number(),
            "v": f"{s} * TABLE",
            "u": f"{s} * TABLE[1:]",
            "m": f"{s} * np.ones((2, 3))",
            "r": f"{s} * TABLE[None, :]",
            "i": self.pick("1", "2", "0"),
        }[kind]

    def _i(self, env: Env, depth: int) -> str:
        known = self.ints(env) + ["1", "2"]
        a = self.random.choice(known)
        return self.pick(a, a, f"{a} + 1", f"2 * {a}", f"len({self.array_name(env)})")

    def array_name(self, env: Env) -> str:
        known = [n for n, kind in env.items() if kind in ("v", "u", "m")]
        return self.random.choice(known or ["TABLE"])

    def index(self, env: Env, length: int) -> str:
        known = self.ints(env)
        if known and not self.one_in(3):
            name = self.random.choice(known)
            return self.pick(f"{name} % {length}", f"({name} + 1) % {length}")
        return str(self.random.randrange(-length, length))

    def test(self, env: Env, depth: int) -> str:
        def s() -> str:
            return self.expression("s", env, depth - 1)

        ints = self.ints(env)
        flags = self.names_of(env, "flag")
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
            choices.append(f"{self.random.choice(ints)} in (0, 2, 3)")
        if flags:
            choices += [self.random.choice(flags), f"not {self.random.choice(flags)}"]
        lists = [*self.names_of(env, "dynamic"), *self.names_of(env, "grown")]
        if lists:
            choices.append(self.random.choice(lists))
        if self.one_in(10):
            choices = [self.quantified(env, depth - 1)]
        return self.random.choice(choices)

    def _s(self, env: Env, depth: int) -> str:
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
            lambda: f"float(np.where({self.test_scalar(env, d)}, {s()}, {s()}))",
            lambda: f"np.sum(({e('v')})[:{self.index(env, 3)}])",
            lambda: f"np.sum(({e('v')})[{self.pick('[0, 0, 2]', '[1, 1]')}])",
            lambda: f"np.clip({s()}, -0.9, 1.05)",
        ]
        return self.random.choice(choices)()

    def test_scalar(self, env: Env, depth: int) -> str:
        return f"{self.expression('s', env, depth)} > {self.number()}"

    def elementwise(self, kind: str, env: Env, d: int, smaller: tuple) -> str:
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

    def _v(self, env: Env, depth: int) -> str:
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

    def _u(self, env: Env, depth: int) -> str:
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

    def _m(self, env: Env, depth: int) -> str:
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

    def _r(self, env: Env, depth: int) -> str:
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
