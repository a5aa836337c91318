"""Random loops, with jumps at any depth."""

from __future__ import annotations

from tests.fuzz.objects import Objects
from tests.fuzz.writer import Env, Loop, common


class Loops(Objects):
    """Writes loops."""

    def body(
        self, env: Env, held: set[str], depth: int, own: Env, *steps: str
    ) -> tuple[Loop, Env | None]:
        """The body of a loop; what is bound at its end, or None if it ends in a
        jump."""
        loop = Loop()
        inner = {**env, **own}
        self.scope.loops.append(loop)
        guarded, self.scope.guarded = self.scope.guarded, self.scope.guarded
        self.indent += 1
        for step in steps:
            self.emit(step)
        size = self.pick(1, 1, 2, 3)
        ended = self.block(inner, held | set(inner), size, depth - 1)
        if self.one_in(3):
            self.maybe_jump(inner, held | set(inner), 0)
        self.indent -= 1
        self.scope.guarded = guarded
        self.scope.loops.pop()
        return loop, None if ended else inner

    def after(
        self,
        env: Env,
        held: set[str],
        depth: int,
        loop: Loop,
        end: Env | None,
        runs: bool,
    ) -> None:
        """The else of a loop, and what is bound behind it."""
        ends = [*loop.breaks, *loop.continues, *([] if end is None else [end])]
        if self.one_in(4):
            self.emit("else:")
            self.indent += 1
            inner = dict(env)
            self.block(inner, held | set(env), self.pick(1, 2), 0, True)
            self.indent -= 1
        if runs and ends and self.one_in(2):
            env.update({n: k for n, k in common(ends).items() if n not in env})

    def count(self, env: Env, held: set[str], depth: int) -> None:
        name = self.pick("i", "j", "i", "l")
        if self.scope.own is not None:
            name = self.loop_name("i")
        if env.get(name, "i") != "i" or (name in env and not self.one_in(3)):
            name = f"{name}{self.indent}"
        if name in self.pinned or env.get(name, "i") != "i":
            name = self.loop_name("i")
        ints = self.ints(env)
        bound = self.random.choice(ints) if ints else "2"
        form, runs = self.pick(
            ("3", True),
            ("2", True),
            ("1, 4", True),
            ("3, 0, -1", True),
            ("4, -1, -2", True),
            ("0", False),
            (f"{bound} % 4", False),
            (f"{bound} % 4", False),
            (f"{bound} % 3, 3", False),
            ("k", False),
            ("k", False),
            ("CONFIG['steps']", True),
        )
        if form == "k" and env.get("k") != "i":
            form = "2"
        self.emit(f"for {name} in range({form}):")
        own, steps = {name: "i"}, []
        known = self.assignable(env, "s")
        if form in ("3", "2", "k") and known and self.one_in(4):
            late, value = self.loop_name("late"), self.random.choice(known)
            inner = {**env, name: "i"}
            product = f"{value} * {self.expression('s', inner, 1)} - {late}"
            steps = [
                f"if {name} > 0: {value} = {product}",
                f"{late} = {self.expression('s', inner, 2)}",
            ]
            own[late] = "s"
        loop, end = self.body(env, held, depth, own, *steps)
        self.after(env, held, depth, loop, end, runs)

    def over_items(self, env: Env, held: set[str], depth: int) -> None:
        target, iterable, own, times = self.over(env, 1)
        self.emit(f"for {target} in {iterable}:")
        self.walking += 1
        loop, end = self.body(env, held, depth, own)
        self.walking -= 1
        self.after(env, held, depth, loop, end, times is not None)

    def repeat(self, env: Env, held: set[str], depth: int) -> None:
        """A ``while`` loop that a counter bounds."""
        counter = self.loop_name("c")
        self.emit(f"{counter} = {self.pick(0, 1)}")
        inner = {**env, counter: "count"}
        limit = self.pick(2, 3, 4)
        if self.one_in(3):
            self.emit("while True:")
            self.indent += 1
            self.emit(f"{counter} += 1")
            loop = Loop()
            self.scope.loops.append(loop)
            first, second = self.one_in(2), f"if {counter} >= {limit}:"
            held_inside = held | set(inner)
            if not first:
                self.emit(f"{second} break")
                loop.breaks.append(dict(inner))
            self.block(inner, held_inside, self.pick(1, 2, 3), depth - 1)
            if first:
                # Behind a continue the counter isn't tested, so there is none.
                self.emit(f"{second} break")
                loop.breaks.append(dict(inner))
            self.scope.loops.pop()
            self.indent -= 1
            if first and loop.continues:
                place = len(self.lines) - 1
                while not self.lines[place].lstrip().startswith(f"{counter} += 1"):
                    place -= 1
                spaces = self.lines[place][: -len(self.lines[place].lstrip())]
                self.lines.insert(place + 1, f"{spaces}if {counter} > {limit}: break")
                loop.breaks.append(dict(env))
            env.update({n: k for n, k in common(loop.breaks).items() if n not in env})
            env[counter] = "count"
            return
        test = f"{counter} < {limit}"
        bound: Env = {}
        if self.one_in(3):
            name = self.loop_name("gap")
            test += f" and ({name} := {self.expression('s', env, 1)}) < {self.number()}"
            bound[name] = "s"
        elif self.one_in(2):
            test += f" and ({self.test(env, 1)})"
        self.emit(f"while {test}:")
        loop, end = self.body(
            env, held, depth, {**bound, counter: "count"}, f"{counter} += 1"
        )
        self.after({**env}, held, depth, loop, end, False)
        env[counter] = "count"

    def gather(self, env: Env, held: set[str], depth: int) -> None:
        """A tuple or list that a loop lengthens, and may read."""
        kind = self.pick("grown", "grown", "dynamic")
        name = self.loop_name("path" if kind == "grown" else "items")
        s = self.expression("s", env, 1)
        first = self.pick("", f"{s}", f"{s}, 0.5")
        if kind == "grown":
            self.emit(f"{name} = ({first}{',' if first else ''})")
        else:
            self.emit(f"{name} = [{first}]")
        env[name] = kind
        index = self.loop_name("j")
        trips = self.pick("3", "2", "k") if env.get("k") == "i" else "2"
        self.emit(f"for {index} in range({trips}):")
        self.indent += 1
        own = {**env, index: "i"}
        if self.one_in(3):
            self.block(own, held | set(own), 1, 0)
        test = f"if {self.test(own, 1)}: " if self.one_in(3) else ""
        s = self.expression("s", own, 2)
        if kind == "grown":
            change = self.pick(f"{name} += ({s},)", f"{name} = ({s}, *{name})")
        else:
            change = self.pick(f"{name} = {name} + [{s}]", f"{name} = [{s}, *{name}]")
        self.emit(test + change)
        if self.one_in(2) and env.get(name) == own.get(name) == kind:
            known = self.assignable(own, "s")
            if known:
                self.emit(f"{known[0]} = {known[0]} - 0.5 * sum({name}[1:])")
        self.indent -= 1

    def accumulate(self, env: Env, held: set[str], depth: int) -> None:
        """``total = 0.0; for ...: total = total + array``: the kind changes in the
        loop."""
        name = self.loop_name("acc")
        kind = self.pick("s", "s", "v", "v", "v", "m", "r")
        start = self.pick("0.0", "0", "0.0", "1", self.expression("s", env, 1))
        self.emit(f"{name} = {start}")
        trips = self.pick("3", "2", "1", "k") if env.get("k") == "i" else "2"
        index = self.loop_name("j")
        self.emit(f"for {index} in range({trips}):")
        self.indent += 1
        own = {**env, index: "i"}
        if self.one_in(2):
            self.block(own, held | set(own), 1, 0)
        op = self.pick("+", "-", "*")
        value = self.expression(kind, own, 2)
        if kind != "s" or self.one_in(2):
            self.emit(f"{name} = {name} {op} {value}")
        else:
            self.emit(f"{name} {op}= {value}")
        self.indent -= 1
        if kind == "v":
            env[name] = "mixed"
        elif trips != "k" or kind == "s":
            env[name] = kind
