"""Random classes, and objects that the program changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.fuzz.containers import OPERATORS, Containers
from tests.fuzz.functions import Helper, Parameter
from tests.fuzz.writer import Env, Scope

ATTRIBUTES = {
    "h": "s",
    "c": "s",
    "w": "v",
    "path": "long",
    "data": "card",
    "rows": "rows",
}
"""What objects may hold, with the types."""


@dataclass
class Class:
    """A class of the module."""

    name: str
    attributes: dict[str, str]
    fields: tuple[str, ...]
    """The attributes that its constructor takes; the others start with constants."""
    methods: list[tuple[str, str]] = field(default_factory=list)
    """Names and results, as far as they are written."""
    in_place: bool = False
    """Whether ``+=`` changes it."""


class Objects(Containers):
    """Writes classes and what changes their objects."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.known_classes: dict[str, Class] = {}

    # ---------------------------------------------------------------- classes

    def classes(self) -> None:
        """Up to two classes of the module."""
        if not self.containers:
            return
        for number in range(self.pick(0, 1, 1, 1, 2)):
            self.a_class(f"object{number}", f"Object{number}")

    def a_class(self, kind: str, name: str) -> None:
        chosen = self.random.sample(sorted(ATTRIBUTES), self.pick(1, 2, 2, 3))
        attributes = {a: ATTRIBUTES[a] for a in ATTRIBUTES if a in {*chosen, "h"}}
        if "object0" in self.known_classes and self.one_in(2):
            attributes["inner"] = "object0"
        scalar = [a for a, own in attributes.items() if own in ("s", "v", "object0")]
        own = Class(name, attributes, tuple(scalar))
        starts = {
            "long": "[0.5, 0.1]",
            "card": '{"a": 0.5, "b": 1.5, "w": TABLE * 1.0}',
        }
        starts["rows"] = "[TABLE * 0.5]"
        if self.one_in(2):
            self.emit("@dataclass")
            self.emit(f"class {name}:")
            self.indent += 1
            for a in own.fields:
                note = {"s": "float", "v": "np.ndarray"}.get(attributes[a], "object")
                self.emit(f"{a}: {note}")
            for a, inner in attributes.items():
                if inner in starts:
                    factory = f"field(default_factory=lambda: {starts[inner]})"
                    self.emit(f"{a}: object = {factory}")
        else:
            self.emit(f"class {name}:")
            self.indent += 1
            self.emit(f"def __init__(self, {', '.join(own.fields)}):")
            for a, inner in attributes.items():
                long = self.pick("[h, 0.1]", "[h] * 3", "[0.5, h * h]")
                start = long if inner == "long" else starts.get(inner, a)
                self.emit(f"    self.{a} = {start}")
        self.emit("")
        self.known_classes[kind] = own
        for word in self.random.sample(["step", "push", "energy", "note"], 2):
            self.method(kind, own, word)
        if self.one_in(2):
            self.method(kind, own, "__iadd__")
            own.in_place = True
        self.indent -= 1
        self.emit("")

    def method(self, kind: str, own: Class, name: str) -> None:
        """A method that changes its object."""
        words = "self" if name == "energy" else "self, e"
        self.emit(f"def {name}({words}):")
        self.indent += 1
        calls, self.calls_left = self.calls_left, 0
        env: Env = {"self": kind}
        if name != "energy":
            env["e"] = "s"
        self.scope = Scope(own={"e"}, constants=False)
        for _ in range(self.pick(1, 1, 2)):
            self.change_of("self", kind, env, set(env))
        if self.one_in(2):
            self.block(env, {"self"}, 1, self.pick(0, 1))
        result = self.pick("s", "s", "self", "")
        if name == "__iadd__":
            result = "self"
        if name == "energy":
            result = "s"
        if result == "s":
            self.emit(f"return {self.expression('s', env, 2)}")
        elif result == "self":
            self.emit("return self")
        self.indent -= 1
        self.emit("")
        self.calls_left = calls
        self.scope = Scope()
        if not name.startswith("__"):
            own.methods.append((name, result))

    # ---------------------------------------------------------------- types

    def places_within(self, kind: str) -> dict[str, str]:
        if kind in self.known_classes:
            attributes = self.known_classes[kind].attributes
            return {f".{name}": own for name, own in attributes.items()}
        item = self.item_kind(kind)
        if item:
            return {"[0]": item, "[-1]": item}
        return super().places_within(kind)

    def item_kind(self, kind: str) -> str:
        item = kind.replace("team", "object")
        return item if item != kind and item in self.known_classes else ""

    def kinds_of_containers(self) -> list[str]:
        kinds = super().kinds_of_containers()
        for kind in self.known_classes:
            kinds += [kind] * 4 + [kind.replace("object", "team")] * 3
        return kinds

    # ---------------------------------------------------------------- values

    def display(self, kind: str, env: Env) -> str:
        if kind in self.known_classes:
            return self.made(kind, env)
        item = self.item_kind(kind)
        if not item:
            return super().display(kind, env)
        name = self.loop_name()
        v = self.expression("v", env, 1)
        return self.pick(
            f"[{self.made(item, env)}, {self.expression(item, env, 1)}]",
            f"[{self.made(item, {**env, name: 's'})} for {name} in {v}]",
            f"[{self.made(item, {**env, name: 's'}, name)} for {name} in {v}]",
            f"[{self.made(item, {**env, name: 'i'})} for {name} in range(2)]",
        )

    def made(self, kind: str, env: Env, first: str = "") -> str:
        """A new object."""
        own = self.known_classes[kind]
        words = [
            self.made(k, env) if k in self.known_classes else self.expression(k, env, 1)
            for k in (own.attributes[name] for name in own.fields)
        ]
        return f"{own.name}({', '.join([first or words[0], *words[1:]])})"

    def read(self, kind: str, env: Env) -> str:
        known = [
            (place, own)
            for place, own in self.changeable(env)
            if own in self.known_classes or self.item_kind(own)
        ]
        if kind != "s" or not known or self.one_in(2):
            return super().read(kind, env)
        place, own = self.random.choice(known)
        item = self.item_kind(own)
        a = self.loop_name()
        if item:
            index = self.random.choice(self.ints(env) or ["1"])
            return self.pick(
                f"sum({a}.h for {a} in {place})",
                f"max({a}.h for {a} in {place})",
                f"{place}[{index} % len({place})].h",
                f"len({place})",
            )
        calls = [
            f"{place}.{name}({'' if name == 'energy' else self.pick('0.5', 'x')})"
            for name, result in self.known_classes[own].methods
            if result == "s" and (name == "energy" or "x" in env) and not self.walking
        ]
        return self.random.choice(calls or [f"{place}.h"])

    def all_read(self, env: Env) -> list[str]:
        """Terms that tell what is in some containers."""
        if not self.containers:
            return []
        terms = []
        for name, kind in env.items():
            if self.is_container(kind) and kind != "deck":
                for way, own in self.places_within(kind).items():
                    if own in ("s", "v"):
                        place = name + way
                        terms.append(place if own == "s" else f"np.sum({place} ** 2)")
        terms = self.random.sample(terms, min(4, len(terms)))
        lists = [n for n, kind in env.items() if kind == "long"]
        terms += [f"sum({n})" for n in lists[-2:]]
        teams = [n for n, kind in env.items() if self.item_kind(kind)]
        return terms + [f"sum(e0.h for e0 in {n})" for n in teams[-1:]]

    # ---------------------------------------------------------------- changes

    def change_of(self, place: str, kind: str, env: Env, held: set[str]) -> None:
        own = self.known_classes.get(kind)
        if own is not None and (own.methods or own.in_place) and self.one_in(2):
            self.call_method(place, own, env, held)
        elif own is not None:
            way, inner = self.random.choice(sorted(self.places_within(kind).items()))
            if self.is_container(inner) and not self.one_in(4):
                self.change_of(place + way, inner, env, held)
            else:
                self.assign_place(place + way, inner, env)
        elif self.item_kind(kind):
            self.change_team(place, kind, env, held)
        else:
            super().change_of(place, kind, env, held)

    def call_method(self, place: str, own: Class, env: Env, held: set[str]) -> None:
        known = list(own.methods)
        if own.in_place and (not place.isidentifier() or place in self.rebindable(env)):
            known.append(("+=", ""))
        if not known:
            return
        name, result = self.random.choice(known)
        s = self.expression("s", env, 1)
        if name == "+=":
            self.emit(f"{place} += {s}")
            return
        call = f"{place}.{name}({'' if name == 'energy' else s})"
        if self.walking:  # a method may make a list longer that a loop runs over
            self.emit(
                f"if len({place}.path) < 9:" if "path" in own.attributes else "if True:"
            )
            self.emit(f"    {call}")
            return
        target = self.target(env, "s", held) if result == "s" else ""
        if target and not self.one_in(3):
            op = self.pick("=", "+=") if env.get(target) == "s" else "="
            self.emit(f"{target} {op} {call}")
            env[target] = "s"
        else:
            self.emit(call)

    def rebindable(self, env: Env) -> list[str]:
        return [n for kind in self.known_classes for n in self.assignable(env, kind)]

    def change_team(self, place: str, kind: str, env: Env, held: set[str]) -> None:
        item = self.item_kind(kind)
        new = self.made(item, env)
        match self.random.randrange(8):
            case 0 | 1:
                self.grow(place, f"{place}.append({new})")
            case 2:
                self.emit(f"{place}[{self.pick('0', '-1')}] = {new}")
            case 3:
                self.emit(
                    self.pick(
                        f"{place}[0], {place}[-1] = {place}[-1], {place}[0]",
                        f"{place}.reverse()",
                    )
                )
            case 4:
                index = self.random.choice(self.ints(env) or ["1"])
                s = self.expression("s", env, 1)
                op = self.pick("=", *OPERATORS)
                self.emit(f"{place}[{index} % len({place})].h {op} {s}")
            case 5:
                self.shrink_by(place, 1, f"{place}.pop({self.pick('', '0')})")
            case _:
                name = self.loop_name()
                inner = {**env, name: item}
                v = self.expression("v", env, 1)
                value = self.loop_name()
                if self.one_in(2):
                    self.emit(f"for {name} in {place}:")
                else:
                    self.emit(f"for {name}, {value} in zip({place}, {v}):")
                    inner[value] = "s"
                self.walking += 1
                self.indent += 1
                self.change_of(name, item, inner, held | set(inner))
                if self.one_in(2):
                    self.change_of(name, item, inner, held | set(inner))
                self.indent -= 1
                self.walking -= 1

    # ---------------------------------------------------------------- functions

    def helper(self, number: int) -> None:
        if not self.containers or self.one_in(2):
            super().helper(number)
            return
        self.scope = Scope()
        self.pinned = set()
        kinds = {k for k in self.kinds_of_containers() if k != "dynamic"}
        kind = self.random.choice(sorted(kinds))
        result = self.pick("s", "s", kind)
        name = f"helper{number}"
        self.emit(f"def {name}(it, x):")
        self.indent += 1
        env: Env = {"it": kind, "x": "s"}
        self.scope = Scope(result=(result,), own={"it", "x"})
        self.change_of("it", kind, env, set(env))
        self.block(env, {"it"}, self.pick(0, 1, 2), self.pick(0, 1, 1))
        self.emit(f"return {self.expression(result, env, 1)}")
        self.indent -= 1
        self.emit("")
        parameters = [Parameter("it", kind), Parameter("x", "s")]
        self.helpers.append(Helper(name, parameters, result))
