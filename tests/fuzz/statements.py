"""Random statements that run straight on."""

from __future__ import annotations

from tests.fuzz.recursion import Recursion
from tests.fuzz.writer import CONSTANTS, STRUCTURES, Env


class Statements(Recursion):
    """Writes simple statements."""

    def assign(self, env: Env, held: set[str], depth: int) -> None:
        kind = self.kind()
        value = self.expression(kind, env, self.pick(1, 2, 2, 3))
        name = self.target(env, kind, held)
        if self.one_in(8):
            self.emit(f"{name}: float = {value}")
        elif self.one_in(12):
            other = self.target(env, kind, held)
            self.emit(f"{name} = {other} = {value}")
            env[other] = kind
        else:
            self.emit(f"{name} = {value}")
        env[name] = kind

    def alias(self, env: Env, held: set[str], depth: int) -> None:
        kind = self.kind()
        known = self.names_of(env, kind)
        if known:
            name = self.target(env, kind, held)
            self.emit(f"{name} = {self.random.choice(known)}")
            env[name] = kind

    def walrus(self, env: Env, held: set[str], depth: int) -> None:
        first = self.expression("s", env, 2)
        inner = self.target(env, "s", held)
        env[inner] = "s"
        second = self.expression("s", env, 1)
        name = self.target(env, "s", held)
        self.emit(f"{name} = ({inner} := {first}) {self.pick('*', '-')} {second}")
        env[name] = "s"

    def augmented(self, env: Env, held: set[str], depth: int) -> None:
        known = self.assignable(env, "s")
        if known:
            name = self.random.choice(known)
            op = self.pick("+=", "-=", "*=", "+=")
            self.emit(f"{name} {op} {self.expression('s', env, 2)}")

    def swap(self, env: Env, held: set[str], depth: int) -> None:
        kind = self.kind()
        known = self.assignable(env, kind)
        if len(known) < 2:
            return
        a, b = self.random.sample(known, 2)
        match self.random.randrange(4):
            case 0:
                self.emit(f"{a}, {b} = {b}, {a}")
            case 1:
                self.emit(f"{a}, {b} = {b}, {self.expression(kind, env, 2)}")
            case 2:
                call = self.expression(kind, env, 2)
                self.emit(f"{a}, {b} = {call}, {self.pick(a, b)}")
            case _:
                inner = self.expression("s", env, 1)
                name = self.target(env, "s", held)
                if name in (a, b):
                    return
                first = self.expression(kind, env, 1)
                self.emit(f"({a}, {name}), {b} = ({first}, {inner}), {a}")
                env[name] = "s"

    def unpack(self, env: Env, held: set[str], depth: int) -> None:
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
        if self.one_in(2):
            rest = self.loop_name("rest")
            a, b, c, d = (self.expression("s", env, 1) for _ in range(4))
            target = self.pick(
                f"{names[0]}, *{rest}, {names[1]}",
                f"*{rest}, {names[0]}, {names[1]}",
                f"{names[0]}, {names[1]}, *{rest}",
            )
            items = f"{a}, {b}, {c}, {d}"
            self.emit(f"{target} = {self.pick(items, f'[{items}]')}")
            env |= {names[0]: "s", names[1]: "s", rest: "list"}
            return
        self.emit(f"{names[0]}, {names[1]} = {self.expression('u', env, 1)}")
        env |= {names[0]: "s", names[1]: "s"}

    def structure(self, env: Env, held: set[str], depth: int) -> None:
        s, v = self.expression("s", env, 1), self.expression("v", env, 1)
        kind = self.pick(*STRUCTURES)
        known = self.assignable(env, kind)
        if known and self.one_in(2):
            name = self.random.choice(known)
        else:
            name = self.loop_name("g")
        f = self.expression("f", env, 1) if kind in ("functions", "table") else ""
        display = {
            "tuple": f"({s}, {v})",
            "list": f"[{s}, {s}]",
            "dict": f'{{"s": {s}, "v": {v}}}',
            "pair": f"Pair({s}, v={v})",
            "box": self.pick(f"Box({v}, {s})", f"Box({v})"),
            "nested": f'{{"t": ({s}, {v}), "s": {s}}}',
            "functions": self.pick(f"(np.sin, {f})", f"[{f}, np.tanh]"),
            "table": f'{{"f": {f}, "g": np.cos}}',
        }[kind]
        if kind in ("functions", "table"):
            if env.get(name) == kind or name in self.pinned:
                name = self.loop_name("g")
            self.pin(f, env)
        self.emit(f"{name} = {display}")
        env[name] = kind

    def harmless(self, env: Env, held: set[str], depth: int) -> None:
        s = self.expression("s", env, 1)
        self.emit(
            self.pick(
                "pass",
                f'assert {s} < 1e9, f"""{{{s}:.3f}}"""',
                f'label = f"""{{{s}}}"""',
                '"""A note."""',
            )
        )

    def inactive(self, env: Env, held: set[str], depth: int) -> None:
        """A value that no argument reaches, overwritten wherever this stands."""
        kinds = ("i", "n", "count", "flag")
        fixed = {n: k for n, k in env.items() if k in kinds or n in CONSTANTS}
        match self.random.randrange(6):
            case 0 | 1:
                if not self.scope.constants:
                    return
                names = ["rate", "decay"]
                name = self.random.choice(names)
                value = self.pick(
                    f"{name} * 0.5 + 0.1" if name in env else "0.3",
                    self.expression("s", fixed, 2),
                    self.number(),
                )
                self.emit(f"{name} = {value}")
                env[name] = "s"
            case 2:
                if self.scope.constants:
                    name = "weights"
                    self.emit(f"{name} = {self.expression('v', fixed, 2)}")
                    env[name] = "v"
            case 3 | 4:
                name = self.target(env, "n", held)
                value = self.pick(
                    f"({self.expression('i', env, 1)} + {self.pick(1, 2)}) % 5",
                    f"({name} + 1) % 4" if env.get(name) == "n" else "1",
                    self.pick("0", "1", "3"),
                    f"{self.pick(1, 2)} if {self.test(env, 1)} else 0",
                )
                self.emit(f"{name} = {value}")
                env[name] = "n"
            case _:
                name = self.target(env, "flag", held)
                value = self.pick(
                    self.test(env, 1),
                    "True",
                    f"not {name}" if env.get(name) == "flag" else "False",
                )
                self.emit(f"{name} = {value}")
                env[name] = "flag"

    def optional(self, env: Env, held: set[str], depth: int) -> None:
        """A name that is bound on one path only, to be read where the same test
        holds."""
        kind = self.pick("s", "v", "s", "m", "f")
        name = self.loop_name("maybe")
        if env.get("k") == "i" and "k" not in held and self.one_in(3):
            test = self.pick("k > 0", "k > 1")
        else:
            test = self.loop_name("known")
            self.emit(f"{test} = {self.test(env, 2)}")
            env[test] = "flag!"
        value = self.expression(kind, env, 2)
        if kind == "f":
            self.pin(value, env)
        if self.scope.own is None and test.startswith("k ") and self.one_in(2):
            self.emit(
                f"for {name}_index in range({'k' if test == 'k > 0' else 'k - 1'}):"
            )
        else:
            self.emit(f"if {test}:")
        self.emit(f"    {name} = {value}")
        env[name] = f"if:{test}:{kind}"

    def use_optional(self, env: Env, held: set[str], depth: int) -> None:
        known = [n for n, kind in env.items() if kind.startswith("if:")]
        if not known:
            return self.optional(env, held, depth)
        name = self.random.choice(known)
        _, test, kind = env[name].split(":")
        inner = {**env, name: kind}
        if self.one_in(2):
            target = self.target(env, "s", held)
            value, other = self.expression("s", inner, 2), self.expression("s", env, 1)
            self.emit(f"{target} = ({value} if {test} else {other})")
            env[target] = "s"
            return None
        before = dict(env)
        self.emit(f"if {test}:")
        self.indent += 1
        used = self.random.choice(self.assignable(inner, "s") or ["total9"])
        self.emit(f"{used} = {self.use(name, kind)} + {self.expression('s', inner, 2)}")
        if kind != "f" and self.one_in(2):
            self.emit(f"{name} = {self.expression(kind, inner, 2)}")
        self.indent -= 1
        env.clear()
        env.update(before)
        return None

    def use(self, name: str, kind: str) -> str:
        return {"s": name, "f": f"{name}(0.4)"}.get(kind, f"np.sum({name} * {name})")

    def promote(self, env: Env, held: set[str], depth: int) -> None:
        """A number that becomes an array on one path."""
        known = [
            n
            for n in self.assignable(env, "s")
            if n not in held and n not in self.pinned
        ]
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
