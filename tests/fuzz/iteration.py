"""Random comprehensions, lists of any length, what consumes them, and loop headers."""

from __future__ import annotations

from tests.fuzz.expressions import Expressions
from tests.fuzz.writer import Env


class Iteration(Expressions):
    """Writes what iterates."""

    def over(self, env: Env, depth: int) -> tuple[str, str, Env, int | None]:
        """A target, what it runs over, the types it binds, and how many times it does;
        None if that varies."""

        def s() -> str:
            return self.expression("s", env, depth)

        def v() -> str:
            return self.expression("v", env, depth)

        def m() -> str:
            return self.expression("m", env, depth)

        e, f, g = (self.loop_name(stem) for stem in "efg")
        n = self.expression("i", env, 0)
        choices = [
            lambda: (e, v(), {e: "s"}, 3),
            lambda: (e, m(), {e: "v"}, 2),
            lambda: (f"{f}, {e}", f"enumerate({v()})", {e: "s", f: "i"}, 3),
            lambda: (f"{f}, {e}", f"enumerate({v()}, 1)", {e: "s", f: "i"}, 3),
            lambda: (
                f"{e}, {f}",
                f"zip({m()}, {self.expression('u', env, depth)})",
                {e: "v", f: "s"},
                2,
            ),
            lambda: (f"{e}, {f}", f"zip({v()}, {v()})", {e: "s", f: "s"}, 3),
            lambda: (f"{e}, {f}", f"zip({v()}, range({n}))", {e: "s", f: "i"}, None),
            lambda: (
                f"{e}, ({f}, {g})",
                f"enumerate(zip({v()}, ({s()}, {s()}, 0.5)))",
                {e: "i", f: "s", g: "s"},
                3,
            ),
            lambda: (f"{e}, {f}", f"({s()}, 0.5), (1.5, {s()})", {e: "s", f: "s"}, 2),
            lambda: (e, f"({s()}, {s()}, RATE)", {e: "s"}, 3),
            lambda: (e, f"reversed({v()})", {e: "s"}, 3),
            lambda: (e, f"reversed(range({n} % 4))", {e: "i"}, None),
            lambda: (e, f"range({n} % 4)", {e: "i"}, None),
            lambda: (e, f"range(1, {n} % 4, 2)", {e: "i"}, None),
            lambda: (e, f"range({self.pick('3', '2, 0, -1', '1, 3')})", {e: "i"}, 2),
            lambda: (e, f"itertools.chain({v()}, ({s()},))", {e: "s"}, 4),
            lambda: (f"{e}, {f}", f"itertools.pairwise({v()})", {e: "s", f: "s"}, 2),
            lambda: (
                f"{e}, {f}",
                f"itertools.product({v()}, ({s()}, 1.5))",
                {e: "s", f: "s"},
                6,
            ),
            lambda: (
                f"{e}, {f}",
                f"itertools.combinations({v()}, 2)",
                {e: "s", f: "s"},
                3,
            ),
            lambda: (e, f"itertools.accumulate({v()})", {e: "s"}, 3),
            lambda: (
                e,
                f"map({self.expression('f', env, depth)}, {v()})",
                {e: "s"},
                3,
            ),
            lambda: (e, f"itertools.islice({v()}, 1, None)", {e: "s"}, 2),
            lambda: (e, f'{{"a": {s()}, "b": {s()}}}.values()', {e: "s"}, 2),
            lambda: (
                f"{f}, {e}",
                f'{{"a": {s()}, "b": {s()}}}.items()',
                {e: "s"},
                2,
            ),
        ]
        lists = self.lists(env)
        if lists:
            name = self.random.choice(lists)
            choices += [lambda: (e, name, {e: "s"}, None)] * 4
            choices += [lambda: (f"{f}, {e}", f"enumerate({name})", {e: "s"}, None)]
        makers = [h for h in self.helpers if h.result == "items"]
        if makers and self.calls_left:
            choices += [
                lambda: (
                    e,
                    self.call(self.random.choice(makers), env, depth),
                    {e: "s"},
                    None,
                )
            ] * 5
        return self.random.choice(choices)()

    def clauses(self, env: Env, depth: int, filtered: bool) -> tuple[str, Env]:
        """``for ... in ... if ...`` of a comprehension, and what its element may
        read."""
        target, iterable, own, _ = self.over(env, depth)
        text = f"for {target} in {self.in_parentheses(iterable)}"
        inner = {**env, **own}
        if filtered and self.one_in(2):
            text += f" if {self.test(inner, 1)}"
        if filtered and self.one_in(8):
            target, iterable, own, _ = self.over(inner, 0)
            text += f" for {target} in {self.in_parentheses(iterable)}"
            inner |= own
        return text, inner

    def element(self, inner: Env, clauses: str, depth: int) -> str:
        """An expression of what a comprehension binds, mostly."""
        bound = clauses.split(" in ")[0]
        own = [n for n, kind in inner.items() if kind == "s" and n in bound]
        text = self.expression("s", inner, depth)
        if own and not self.one_in(4):
            return f"{self.random.choice(own)} {self.pick('*', '-', '*')} {text}"
        return text

    def in_parentheses(self, iterable: str) -> str:
        return f"({iterable})" if iterable.startswith("(") else iterable

    def special(self, kind: str, env: Env, depth: int) -> str:
        """An expression with a comprehension, a generator, a list, or a function."""
        if kind == "v":
            return self.special_array(env, depth)
        if kind == "m":
            a, b = self.loop_name(), self.loop_name()
            u, v = self.expression("u", env, depth), self.expression("v", env, depth)
            element = self.expression("s", {**env, a: "s", b: "s"}, 2)
            return self.pick(
                f"np.array([[{element} for {b} in {v}] for {a} in {u}])",
                f"np.stack([{a} * {self.expression('v', {**env, a: 's'}, 1)} "
                f"for {a} in {u}])",
            )
        if self.one_in(3):
            return self.called(env, depth)
        lists = self.lists(env)
        if lists and self.one_in(2):
            name = self.random.choice(lists)
            return self.pick(
                f"sum({name})",
                f"(len({name}) * {self.expression('s', env, depth)})",
                f"np.sum(np.array({name}) ** 2)",
                f"max({name}, default=0.3)",
                f"({name}[0] if {name} else {self.number()})",
                f"({name}[-1] * {name}[0] if len({name}) > 0 else RATE)",
                f"sum({name}[1:])",
            )
        return self.consumed(env, depth)

    def special_array(self, env: Env, depth: int) -> str:
        e = self.loop_name()
        layers = self.names_of(env, "fv")
        choices = [
            lambda: (
                f"np.array([{self.expression('s', {**env, e: 's'}, 2)} for {e} in "
                f"{self.expression('v', env, depth)}])"
            ),
            lambda: (
                f"sum(({self.expression('v', {**env, e: 'v'}, 2)} for {e} in "
                f"{self.expression('m', env, depth)}), "
                f"start={self.expression('v', env, 0)})"
            ),
            lambda: (
                f"sum({self.expression('v', {**env, e: 's'}, 2)} for {e} in "
                f"(0.5, {self.expression('s', env, depth)}))"
            ),
        ]
        if layers and self.calls_left:
            self.calls_left -= 1
            layer = self.random.choice(layers)
            choices += [lambda: f"{layer}({self.expression('v', env, depth)})"] * 4
        return self.random.choice(choices)()

    def consumed(self, env: Env, depth: int) -> str:
        """Something that reads all of a comprehension."""
        clauses, inner = self.clauses(env, depth, True)
        element = self.element(inner, clauses, 1)
        start = self.expression("s", env, 0)
        e, f = self.loop_name(), self.loop_name()
        folded = self.expression("s", {**env, e: "s", f: "s"}, 1)
        return self.pick(
            f"sum({element} {clauses})",
            f"sum([{element} {clauses}])",
            f"sum(({element} {clauses}), start={start})",
            f"max(({element} {clauses}), default=0.2)",
            f"min([{element} {clauses}], default=0.4)",
            f"functools.reduce(lambda {e}, {f}: {folded}, "
            f"({element} {clauses}), {start})",
            f"np.sum(np.array([{element} {clauses}]))",
        )

    def quantified(self, env: Env, depth: int) -> str:
        """A test of all that a comprehension gives."""
        clauses, inner = self.clauses(env, depth, False)
        element = self.element(inner, clauses, 1)
        return (
            f"{self.pick('any', 'all')}({element} {self.pick('<', '>')} "
            f"{self.number()} {clauses})"
        )

    def make_list(self, env: Env, held: set[str], depth: int) -> None:
        """A list whose length depends on values."""
        if self.one_in(3):
            return self.make_tuple(env)
        known = self.assignable(env, "dynamic")
        name = self.random.choice(known) if known and self.one_in(2) else ""
        s = self.expression("s", env, 2)
        if name and not self.one_in(3):
            changes = f"{name} + [{s}]", f"[*{name}, {s}]", f"[{s}, *{name}]"
            self.emit(f"{name} = {self.pick(*changes, f'{name}[1:]')}")
            return
        name = name or self.loop_name("items")
        if self.one_in(3):
            self.emit(f"{name} = {self.pick('[]', f'[{s}]', f'[{s}, 0.5]')}")
            env[name] = "dynamic"
            return
        makers = [h for h in self.helpers if h.result == "items"]
        if makers and self.calls_left and self.one_in(3):
            value = f"list({self.call(self.random.choice(makers), env, 1)})"
        else:
            clauses, inner = self.clauses(env, 1, True)
            value = f"[{self.element(inner, clauses, 1)} {clauses}]"
        self.emit(f"{name} = {value}")
        env[name] = "dynamic"

    def make_tuple(self, env: Env) -> None:
        """A tuple that gets longer and shorter."""
        known = self.assignable(env, "grown")
        s = self.expression("s", env, 2)
        if known and not self.one_in(4):
            name = self.random.choice(known)
            self.emit(
                self.pick(
                    f"{name} += ({s},)",
                    f"{name} += ({s}, 0.5)",
                    f"{name} = (*{name}, {s})",
                    f"{name} = ({s}, *{name})",
                    f"{name} = {name} + ({s},)",
                    f"{name} = {name}[1:]",
                    f"{name} = {name}[:-1]",
                )
            )
            return
        name = self.loop_name("path")
        self.emit(f"{name} = {self.pick('()', f'({s},)', f'({s}, 0.5)')}")
        env[name] = "grown"

    def lists(self, env: Env) -> list[str]:
        """Lists and tuples whose length depends on the run."""
        return [*self.names_of(env, "dynamic"), *self.names_of(env, "grown")]
