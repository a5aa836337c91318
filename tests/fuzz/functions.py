"""Random functions: helpers with every sort of parameter, closures, lambdas."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.fuzz.iteration import Iteration
from tests.fuzz.writer import NAMES, Env, Scope


@dataclass
class Parameter:
    """A parameter of a function of the module."""

    name: str
    kind: str
    sort: str = ""
    """``/`` for one that is positional only, ``*`` for a keyword."""
    default: str = ""


@dataclass
class Helper:
    """A function that the program may call."""

    name: str
    parameters: list[Parameter]
    result: str
    """A type; ``sv`` for two results, ``items`` for a generator of numbers."""
    rest: bool = False
    more: bool = False
    fixed: dict[str, str] = field(default_factory=dict)
    """Arguments of which only some are allowed: the depth of a recursion."""


class Functions(Iteration):
    """Writes functions and calls."""

    # ---------------------------------------------------------------- calls

    def call(self, helper: Helper, env: Env, depth: int) -> str:
        self.calls_left -= 1
        words: list[str] = []
        doubled: list[str] = []
        by_name = False
        parameters = [p for p in helper.parameters if p.sort != "*"]
        for place, p in enumerate(parameters):
            optional = p.default and all(
                q.default for q in parameters[place:] if q.sort == "/"
            )
            if optional and p.sort != "/" and self.one_in(2):
                by_name = True
                continue
            if optional and p.sort == "/" and self.one_in(3):
                by_name = True  # and all that follow have defaults or are named
                continue
            by_name = by_name or (p.sort == "" and self.one_in(4))
            if by_name and p.sort == "/":
                continue
            value = self.argument(helper, p, env, depth)
            words.append(f"{p.name}={value}" if by_name else value)
        if helper.rest and not by_name:
            extra = [
                self.expression("s", env, depth) for _ in range(self.pick(0, 1, 2))
            ]
            if extra and self.one_in(2):
                words.append(f"*({', '.join(extra)},)")
            else:
                words += extra
        for p in helper.parameters:
            if p.sort == "*" and not (p.default and self.one_in(2)):
                value = self.argument(helper, p, env, depth)
                if self.one_in(4):
                    doubled.append(f'"{p.name}": {value}')
                else:
                    words.append(f"{p.name}={value}")
        if helper.more:
            for name in self.pick((), ("gain",), ("gain", "shift")):
                words.append(f"{name}={self.expression('s', env, depth)}")
        if doubled:
            words.append(f"**{{{', '.join(doubled)}}}")
        return f"{helper.name}({', '.join(words)})"

    def argument(self, helper: Helper, p: Parameter, env: Env, depth: int) -> str:
        if p.name in helper.fixed:
            bound = helper.fixed[p.name]
            ints = self.ints(env)
            if ints and self.one_in(2):
                return f"{self.random.choice(ints)} % {bound}"
            return str(self.random.randrange(int(bound)))
        return self.expression(p.kind, env, depth)

    def called(self, env: Env, depth: int) -> str:
        """A call of a function that is a value."""
        a = self.expression("s", env, depth)
        pairs = self.names_of(env, "f2")
        if self.calls_left <= 0:
            return f"np.tanh({a})"
        self.calls_left -= 1
        if pairs and self.one_in(2):
            b = self.expression("s", env, depth)
            return f"{self.random.choice(pairs)}({a}, {b})"
        known = self.names_of(env, "f")
        if known and not self.one_in(3):
            return f"{self.random.choice(known)}({a})"
        return f"{self.function_in_parentheses(env, depth)}({a})"

    def function_in_parentheses(self, env: Env, depth: int) -> str:
        text = self.expression("f", env, depth)
        return text if text.isidentifier() else f"({text})"

    # ---------------------------------------------------------------- values

    def _f(self, env: Env, depth: int) -> str:
        """A function of a number."""
        known = self.names_of(env, "f")
        if known and self.one_in(3):
            return self.random.choice(known)
        if depth <= 0:
            return self.pick("np.sin", "math.cos", "np.tanh", "abs")
        t = self.pick("t", "x", self.fresh("t"))
        inner = {**env, t: "s"}

        def body() -> str:
            return self.expression("s", inner, min(depth, 2))

        pairs = self.names_of(env, "f2")
        choices = [
            lambda: f"lambda {t}: {body()}",
            lambda: f"lambda {t}: {body()}",
            lambda: f"lambda {t}, {self.fresh('d')}={self.number()}: {body()}",
            lambda: self.bound_default(env, t, depth),
            lambda: self.pick("np.sin", "math.tanh", "np.cos", "np.arctan"),
            lambda: (
                f"({self.expression('f', env, 0)} if {self.test(env, 1)} else "
                f"{self.expression('f', env, 0)})"
            ),
            lambda: (
                f"(lambda {self.fresh('c')}: lambda {t}: {body()})"
                f"({self.expression('s', env, 1)})"
            ),
            lambda: (
                f"functools.partial({self.random.choice(pairs) if pairs else 'max'}, "
                f"{self.expression('s', env, 1)})"
            ),
        ]
        if pairs:
            pair = self.random.choice(pairs)
            choices.append(
                lambda: f"lambda {t}: {pair}({t}, {self.expression('s', inner, 1)})"
            )
        return self.random.choice(choices)()

    def bound_default(self, env: Env, t: str, depth: int) -> str:
        """A lambda whose default is read when it is made."""
        name = self.random.choice(self.names_of(env, "s") or ["y"])
        if name == t or not name.isidentifier():
            name = self.fresh("d")
        default = self.expression("s", env, 1)
        inner = {**env, t: "s", name: "s"}
        return f"lambda {t}, {name}={default}: {self.expression('s', inner, depth)}"

    def _f2(self, env: Env, depth: int) -> str:
        a, b = self.fresh("a"), self.fresh("b")
        inner = {**env, a: "s", b: "s"}
        return self.pick(
            f"lambda {a}, {b}: {self.expression('s', inner, 2)}",
            f"lambda {a}, {b}={self.expression('s', env, 1)}: "
            f"{a} * {b} - {self.expression('s', inner, 1)}",
            "max",
            "np.minimum",
        )

    def _fv(self, env: Env, depth: int) -> str:
        a = self.fresh("a")
        inner = {**env, a: "v"}
        return self.pick(f"lambda {a}: {self.expression('v', inner, 2)}", "np.tanh")

    def _flag(self, env: Env, depth: int) -> str:
        return self.test(env, depth)

    # ---------------------------------------------------------------- statements

    def function_value(self, env: Env, held: set[str], depth: int) -> None:
        """A name for a function; another one in each branch, sometimes."""
        kind = self.pick("f", "f", "f", "f2", "fv")
        name = self.target(env, kind, held)
        around = {n: k for n, k in env.items() if n != name}
        if kind == "f" and self.one_in(3):
            self.emit(f"if {self.test(env, 1)}:")
            self.indent += 1
            self.define(name, kind, around)
            self.indent -= 1
            self.emit("else:")
            self.indent += 1
            self.define(name, kind, around)
            self.indent -= 1
        else:
            self.define(name, kind, around)
        env[name] = kind

    def define(self, name: str, kind: str, env: Env) -> None:
        start = len(self.lines)
        if kind == "f" and not self.one_in(3):
            self.nested(name, env)
        else:
            self.emit(f"{name} = {self.expression(kind, env, 2)}")
        self.pin("\n".join(self.lines[start:]), env)

    def nested(self, name: str, env: Env) -> None:
        """``def`` inside a function: a closure, sometimes with ``nonlocal``."""
        t = self.fresh("t")
        words = self.pick(
            f"{t}", f"{t}, scale={self.expression('s', env, 1)}", f"{t}, *, c=1.5"
        )
        self.emit(f"def {name}({words}):")
        self.indent += 1
        outer, calls = self.scope, self.calls_left
        self.scope = Scope(result=("s",), own={t, "scale", "c"}, constants=False)
        self.calls_left = 1
        inner = {n: k for n, k in env.items() if not k.startswith("if:")}
        inner[t] = "s"
        if "scale" in words:
            inner["scale"] = "s"
        shared = [
            n
            for n, k in env.items()
            if k in ("s", "n")
            and not n.startswith(("e", "f", "g", "c"))
            and (outer.own is None or n in outer.own)
        ]
        if shared and self.one_in(2):
            changed = self.random.choice(shared)
            self.emit(f"nonlocal {changed}")
            self.scope.own.add(changed)  # type: ignore[union-attr]
            if env[changed] == "s":
                value = f"np.tanh({self.expression('s', inner, 1)}) + 0.5 * {changed}"
            else:
                value = f"({changed} + 1) % 4"
            if self.one_in(3):
                self.emit(f"if {self.test(inner, 1)}:")
                self.emit(f"    {changed} = {value}")
            else:
                self.emit(f"{changed} = {value}")
        self.block(inner, set(env), self.pick(0, 1, 2), self.pick(0, 0, 1))
        self.emit(f"return {self.expression('s', inner, 2)}")
        self.indent -= 1
        self.scope, self.calls_left = outer, calls

    # ---------------------------------------------------------------- helpers

    def plain(self, number: int) -> None:
        names: Env = {}
        for _ in range(self.pick(1, 2, 2, 3, 4)):
            kind = self.pick("s", "s", "v", "m", "i", "f")
            stems = ("k", "i") if kind == "i" else NAMES[kind]
            names.setdefault(self.random.choice(stems), kind)
        parameters = []
        for name, kind in names.items():
            default = ""
            if self.one_in(3):
                default = {"s": "0.4", "i": "1", "f": "np.sin"}.get(kind, "")
            sort = self.pick("", "", "", "/", "*")
            parameters.append(Parameter(name, kind, sort, default))
        order = {"/": 0, "": 1, "*": 2}
        parameters.sort(key=lambda p: (order[p.sort], bool(p.default)))
        seen = False
        for p in parameters:  # a parameter without default can't follow one with
            if p.sort != "*":
                if seen and not p.default:
                    p.sort = "*"
                seen = seen or bool(p.default)
        parameters.sort(key=lambda p: order[p.sort])
        rest, more = self.one_in(4), self.one_in(4)
        result = self.pick("s", "s", "s", "v", "m", "sv")
        helper = Helper(f"helper{number}", parameters, result, rest, more)
        self.emit(f"def {helper.name}({self.listed(helper)}):")
        self.indent += 1
        env = dict(names)
        if rest:
            self.emit(self.pick("total = sum(rest)", "total = sum(rest, 0.5)"))
            self.emit("for q1 in rest:")
            self.emit("    total = total * 0.5 + q1 * q1")
            env["total"] = "s"
        if more:
            self.emit('h = more.get("gain", 1.0) * len(more)')
            self.emit("for name, value in more.items():")
            self.emit('    h = h + value if name == "gain" else h * value')
            env["h"] = "s"
        self.scope.result = ("s", "v") if result == "sv" else (result,)
        self.block(env, set(), self.pick(1, 2, 3), self.pick(0, 1, 2))
        self.emit(f"return {self.results(env)}")
        self.indent -= 1
        self.helpers.append(helper)

    def listed(self, helper: Helper) -> str:
        words = []
        parameters = helper.parameters
        for place, p in enumerate(parameters):
            if p.sort == "*" and not helper.rest:
                if not any(q.sort == "*" for q in parameters[:place]):
                    words.append("*")
            if p.sort == "*" and helper.rest and "*rest" not in words:
                words.append("*rest")
            words.append(f"{p.name}={p.default}" if p.default else p.name)
            following = parameters[place + 1 :]
            if p.sort == "/" and not any(q.sort == "/" for q in following):
                words.append("/")
        if helper.rest and "*rest" not in words:
            words.append("*rest")
        if helper.more:
            words.append("**more")
        return ", ".join(words)

    def results(self, env: Env) -> str:
        """What an early return gives."""
        kinds = self.scope.result
        return ", ".join(self.expression(kind, env, 1) for kind in kinds)
