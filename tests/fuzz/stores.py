"""Random writes into arrays."""

from __future__ import annotations

from tests.fuzz.jumps import Jumps
from tests.fuzz.writer import Env

VIEWS_OF_VECTORS = (
    *("{}", "{}", "{}[:]", "{}[::-1]", "np.flip({})", "{}.reshape(-1)", "{}.ravel()"),
    *("np.asarray({})", "{}.view()", "np.squeeze({})", "{}.reshape(1, 3)[0]"),
    *("np.ascontiguousarray({})", "{}.real", "{}[None][0]", "{}[::-1].ravel()"),
    *("np.atleast_2d({})[0]", "{}[[2, 0, 1]]", "np.broadcast_to({}, (2, 3))[1]"),
)
VECTORS_OF_MATRICES = (
    *("{}[0]", "{}[-1]", "{}.T[:, 1]", "{}.reshape(-1)[:3]", "{}.ravel()[3:]"),
    *("np.swapaxes({}, 0, 1)[:, 0]", "np.split({}, 2)[1][0]", "np.flipud({})[0]"),
    *("np.rot90({})[:, 0]", "np.moveaxis({}, 0, 1)[:, 1]", "{}.flatten()[:3]"),
    *("{}.T.reshape(-1)[::2]", "{}.T.ravel()[1:4]", "np.array_split({}, 2)[0][0]"),
)
VIEWS_OF_MATRICES = (
    *("{}", "{}[:]", "{}[::-1]", "np.fliplr({})", "{}.reshape(2, 3)", "{}.T.T"),
    *("np.swapaxes({}.T, 0, 1)", "np.flip({})", "np.asarray({})", "{}[:, ::-1]"),
    *("{}.reshape(3, 2).reshape(2, 3)", "np.squeeze({}[None])", "np.atleast_2d({})"),
    *("np.expand_dims({}, 0)[0]", "{}.ravel().reshape(2, 3)", "np.copy({})"),
)
CALLS_ON_VECTORS = (
    *("np.put({0}, [0, 2, 0], {1})", "np.put({0}, [-1, 1], {2})", "{0}.sort()"),
    *("np.place({0}, {0} > 0.1, +{1})", "np.putmask({0}, {0} > 0.2, {1})"),
    *("np.copyto({0}, {1}, where={0} > 0.1)", "np.multiply({1}, {2}, out={0})"),
    *("np.add({0}, {1}, out={0}, where={0} < 0.4)", "np.add.at({0}, [0, 0], {2})"),
    *("np.multiply.at({0}, [0, 2, 0], {2})", "np.maximum.at({0}, [1, 1], {2})"),
    *(
        "{0}.fill({2})",
        "{0}.flat[1] = {2}",
        "{0}.flat = 1.0 * {1}",
        "np.sin({0}, out={0})",
    ),
    *("np.maximum({0}, {2}, out={0})", "{0}.partition(1)", "{0} *= {2}"),
    *("{0} -= {1}", "{0} **= 2", "{0} %= 1.5", "{0} //= 0.3", "{0}[:] = {1}"),
)
CALLS_ON_MATRICES = (
    *("{0}.sort(axis=0)", "np.cumsum({0}, axis=1, out={0})", "{0}.T[0] = {2}"),
    *("{0}.flat[2:4] = {1}[:2]", "np.fill_diagonal({0}, {2})", "{0} += {1}"),
    *("np.copyto({0}, {1}, where={0} > 0.0)", "np.put({0}, [5, 1], {1})"),
    *("np.add.at({0}, (0, [0, 0]), {2})", "{0}.reshape(-1)[1:4] *= {1}"),
    *("{0}.ravel()[::2] = {2}", "{0}.T[1:, 0] += {2}", "{0}.flat[-1] *= {2}"),
    *("np.multiply({0}, {1}, out={0})", "np.putmask({0}, {0} < 0.1, {1})"),
)


class Stores(Jumps):
    """Writes stores, where it is asked to."""

    stores = False
    """Whether arrays are written into."""

    def statement(self, env: Env, held: set[str], depth: int) -> None:
        if self.stores and self.one_in(4):
            kinds = [self.store, self.store, self.view, self.writing_call, self.chosen]
            self.random.choice(kinds)(env, held, depth)
        else:
            super().statement(env, held, depth)

    def store(self, env: Env, held: set[str], depth: int) -> None:
        """Into an element, a slice, a mask or places that repeat."""
        kind = self.pick("v", "v", "v", "m")
        known = self.assignable(env, kind)
        if not known:
            return
        name = self.random.choice(known)
        number = self.expression("s", env, 2)
        op = self.pick("=", "=", "+=", "-=", "*=")
        if kind == "m":
            index = self.pick("0, 1", "-1, 0", "1", ":, 0", "0, 1:", "...")
        else:
            places = ["0", "1", "-1", ":", "1:", "::-1", f"{name} > 0.3", "[0, 2, 0]"]
            places += [f"({k} + 1) % 3" for k in self.ints(env)[:1]]
            index = self.random.choice(places)
            if index in (":", "::-1", "[0, 2, 0]") and self.one_in(2):
                number = self.expression("v", env, 2)
        self.emit(f"{name}[{index}] {op} {number}")

    def view(self, env: Env, held: set[str], depth: int) -> None:
        """Another name of an array, or a part of it that is written into."""
        kind = self.pick("v", "v", "m")
        source_kind = "m" if kind == "m" or self.one_in(2) else "v"
        known = self.assignable(env, source_kind)
        if not known:
            return
        views = VIEWS_OF_MATRICES if kind == "m" else VECTORS_OF_MATRICES
        if source_kind == "v":
            views = VIEWS_OF_VECTORS
        name = self.target(env, kind, held)
        made = self.random.choice(views).format(self.random.choice(known))
        self.emit(f"{name} = {made}")
        env[name] = kind
        self.random.choice([self.store, self.writing_call])(env, held, depth)

    def chosen(self, env: Env, held: set[str], depth: int) -> None:
        """A name of which the run decides the array, and a store that sees it."""
        kind = self.pick("v", "v", "m")
        known = self.assignable(env, kind)
        if len(known) < 2:
            return
        a, b = self.random.sample(known, 2)
        test = self.test(env, 1)
        match self.random.randrange(4):
            case 0:
                name = self.target(env, kind, held)
                self.emit(f"{name} = {a} if {test} else {b}")
                env[name] = kind
            case 1:
                self.emit(f"if {test}:")
                self.emit(f"    {a} = {b}")
            case 2:
                self.emit(f"if {test}:")
                self.emit(f"    {a}, {b} = {b}, {a}")
            case _:
                name = self.target(env, kind, held)
                place = f"{self.random.choice(self.ints(env) or ['1'])} % 2"
                self.emit(f"{name} = ({a}, {b})[{place}]")
                env[name] = kind
        self.random.choice([self.store, self.writing_call])(env, held, depth)

    def writing_call(self, env: Env, held: set[str], depth: int) -> None:
        """A call that writes, or an operator on a whole array."""
        kind = self.pick("v", "v", "m")
        known = self.assignable(env, kind)
        if not known:
            return
        calls = CALLS_ON_VECTORS if kind == "v" else CALLS_ON_MATRICES
        name = self.random.choice(known)
        vector, number = self.expression("v", env, 2), self.expression("s", env, 2)
        self.emit(self.random.choice(calls).format(name, f"({vector})", number))
