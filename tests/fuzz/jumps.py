"""Random branches, jumps, ``try``, ``with`` and ``match``."""

from __future__ import annotations

from tests.fuzz.statements import Statements
from tests.fuzz.writer import Env, common


class Jumps(Statements):
    """Writes statements that hold others."""

    # ---------------------------------------------------------------- blocks

    def block(
        self, env: Env, held: set[str], size: int, depth: int, may_end: bool = False
    ) -> bool:
        """Statements; names in ``held`` keep their type. True if it ends in a jump."""
        before = len(self.lines)
        for _ in range(size):
            self.statement(env, held, depth)
        if may_end and self.one_in(5) and self.jump(env):
            return True
        if len(self.lines) == before:
            self.emit("pass")
        return False

    def statement(self, env: Env, held: set[str], depth: int) -> None:
        simple = [self.assign] * 5 + [self.augmented] * 2 + [self.inactive] * 3
        simple += [
            self.swap,
            self.unpack,
            self.structure,
            self.harmless,
            self.alias,
            self.walrus,
            self.optional,
            self.use_optional,
            self.make_list,
        ]
        if self.lists(env):
            simple.append(self.make_list)
        if self.scope.loops or self.scope.result:
            simple.append(self.maybe_jump)
        if self.scope.loops:
            simple.append(self.maybe_jump)
        if self.scope.guarded:
            simple += [self.maybe_raise] * 2
        compound = [self.branch] * 3 + [self.count] * 2 + [self.repeat] * 2
        compound += [self.over_items] * 2 + [self.accumulate, self.promote]
        compound += [self.gather]
        compound += [self.attempt] * 2 + [self.managed, self.match, self.match]
        compound += [self.function_value] * 2
        choices = simple + (compound if depth > 0 else [])
        self.random.choice(choices)(env, held, depth)

    def branches(
        self,
        env: Env,
        held: set[str],
        depth: int,
        heads: list[tuple[str, Env]],
        all_: bool,
    ) -> None:
        """Blocks of which one is run, or none unless ``all_``."""
        ends = [] if all_ else [dict(env)]
        for head, own in heads:
            self.emit(head)
            inner = {**env, **own}
            self.indent += 1
            ended = self.block(
                inner, held | set(env), self.pick(1, 1, 2), depth - 1, True
            )
            self.indent -= 1
            if not ended:
                ends.append(inner)
        if ends:  # otherwise nothing behind is run, and names keep their types
            merged = common(ends)
            env.clear()
            env.update(merged)

    # ---------------------------------------------------------------- jumps

    def jump(self, env: Env) -> bool:
        """``break``, ``continue`` or ``return``, if there is anything to leave."""
        loops, result = self.scope.loops, self.scope.result
        words = ["break", "continue", "break"] if loops else []
        words += ["return"] if result else []
        if not words:
            return False
        word = self.random.choice(words)
        if word == "return":
            self.emit(f"return {self.results(env)}")
        else:
            (loops[-1].breaks if word == "break" else loops[-1].continues).append(
                dict(env)
            )
            self.emit(word)
        return True

    def maybe_jump(self, env: Env, held: set[str], depth: int) -> None:
        self.emit(f"if {self.test(env, 2)}:")
        self.indent += 1
        inner = dict(env)
        if self.one_in(2):
            self.block(inner, held | set(env), 1, 0)
        self.jump(inner)
        self.indent -= 1

    def maybe_raise(self, env: Env, held: set[str], depth: int) -> None:
        if self.one_in(2):
            name = self.loop_name("made")
            self.emit(f"{name} = checked({self.expression('s', env, 2)})")
            env[name] = "s"
            return
        self.emit(f"if {self.test(env, 2)}:")
        error = self.pick("ValueError", 'ValueError("out of range")')
        self.emit(f"    raise {error}")

    # ---------------------------------------------------------------- branches

    def branch(self, env: Env, held: set[str], depth: int) -> None:
        first = self.test(env, 2)
        if self.one_in(6):
            name = self.target(env, "s", held)
            first = f"({name} := {self.expression('s', env, 2)}) > {self.number()}"
            env[name] = "s"
        heads: list[tuple[str, Env]] = [(f"if {first}:", {})]
        for _ in range(self.pick(0, 0, 0, 1, 2)):
            heads.append((f"elif {self.test(env, 1)}:", {}))
        if self.one_in(2):
            heads.append(("else:", {}))
        self.branches(env, held, depth, heads, heads[-1][0] == "else:")

    def match(self, env: Env, held: set[str], depth: int) -> None:
        """Of ints, of tuples with an int, or of structures."""
        n = self.expression("i", env, 1)
        a, b, c = (self.loop_name(stem) for stem in ("part", "piece", "which"))
        guard = f" if {self.test(env, 1)}" if self.one_in(3) else ""
        heads: list[tuple[str, Env]]
        pairs = self.names_of(env, "pair") + self.names_of(env, "tuple")
        match self.random.randrange(4):
            case 0 | 1:
                self.emit(f"match {n} % 4:")
                heads = [(f"case 0{guard}:", {}), ("case 1 | 3:", {})]
                if self.one_in(2):
                    heads.append((f"case {c} if {c} > 1:", {c: "i"}))
            case 2:
                s, t = self.expression("s", env, 1), self.expression("s", env, 1)
                self.emit(f"match ({n} % 3, {s}, {t}):")
                both: Env = {a: "s", b: "s"}
                heads = [
                    (f"case (0, {a}, _){guard}:", {a: "s"}),
                    (
                        f"case (1, {a}, {b}) | (2, {b}, {a}) if {a} > {self.number()}:",
                        both,
                    ),
                ]
                if self.one_in(2):
                    heads.append((f"case ({c}, *{b}):", {c: "i", b: "list"}))
            case _:
                s, v = self.expression("s", env, 1), self.expression("v", env, 1)
                name = self.random.choice([*pairs, f"Pair({s}, {v})"])
                self.emit(f"match {name}:")
                pattern = self.pick(f"({a}, {b})", f"[{a}, {b}]")
                if env.get(name, "pair") == "pair":
                    pattern = self.pick(
                        pattern, f"Pair({a}, v={b})", f"Pair(s={a}, v={b})"
                    )
                heads = [
                    (f"case {pattern} if {a} > {self.number()}:", {a: "s", b: "v"}),
                    (f"case ({a}, {b}):", {a: "s", b: "v"}),
                ]
        surely = self.one_in(2)
        if surely:
            heads.append(("case _:", {}))
        if not surely and heads[-1][0].startswith(("case (which", f"case ({c}")):
            surely = True
        self.indent += 1
        if heads[-1][0] == "case _:" and heads[-2][0].startswith(f"case ({a}, {b}):"):
            heads.pop()
        self.branches(env, held, depth, heads, surely)
        self.indent -= 1

    # ---------------------------------------------------------------- try and with

    def attempt(self, env: Env, held: set[str], depth: int) -> None:
        """``try``. What its body assigns is read by no handler, but for values that no
        argument reaches."""
        self.emit("try:")
        self.indent += 1
        outer = self.scope.own
        inner = dict(env)
        self.scope.guarded += 1
        # Names that are new in the body, and constants, are all it assigns.
        self.scope.own = set()
        own = self.scope.own
        size = self.pick(1, 1, 2)
        self.block(inner, held | set(env), size, depth - 1)
        self.maybe_raise(inner, held, 0)
        self.block(inner, held | set(env), self.pick(0, 1), 0)
        self.scope.own = outer
        if outer is not None:
            outer |= own
        self.scope.guarded -= 1
        if self.one_in(2):
            self.assign(inner, held | set(env), 0)
        self.indent -= 1
        caught = self.pick(
            "ValueError", "(ValueError, KeyError)", "ValueError as error"
        )
        start = dict(env)
        ends = []
        for number, head in enumerate(self.handlers(caught)):
            self.emit(head)
            handled = dict(start)
            self.indent += 1
            ended = self.block(
                handled, held | set(env), self.pick(1, 2), depth - 1, True
            )
            self.indent -= 1
            if not ended or not self.one_in(4):
                ends.append(handled)
        if self.one_in(3):
            self.emit("else:")
            self.indent += 1
            ended = self.block(inner, held | set(env), self.pick(1, 2), depth - 1, True)
            self.indent -= 1
            if not ended:
                ends.append(inner)
        else:
            ends.append(inner)
        if self.one_in(3):
            self.emit("finally:")
            self.indent += 1
            loops, self.scope.loops = self.scope.loops, []
            result, self.scope.result = self.scope.result, ()
            final = dict(start)
            self.block(final, held | set(env), self.pick(1, 2), 0)
            self.scope.loops, self.scope.result = loops, result
            self.indent -= 1
        merged = common(ends) if ends else start
        env.clear()
        env.update(merged)

    def handlers(self, caught: str) -> list[str]:
        first = ["except ZeroDivisionError:"] if self.one_in(6) else []
        return [*first, f"except {caught}:"]

    def managed(self, env: Env, held: set[str], depth: int) -> None:
        match self.random.randrange(3):
            case 0:
                name = self.target(env, "s", held)
                entered = self.expression("s", env, 1)
                self.emit(f"with contextlib.nullcontext({entered}) as {name}:")
                env[name] = "s"
            case _:
                words = self.pick('all="ignore"', 'divide="ignore", over="ignore"')
                self.emit(f"with np.errstate({words}):")
        self.indent += 1
        self.block(env, held, self.pick(1, 1, 2), depth - 1)
        self.indent -= 1
