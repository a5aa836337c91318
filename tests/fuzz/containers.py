"""Random lists and dicts that the program changes.

A container has a type like other values, and what can surely be read in it are
*places*: a list of the type ``long`` has two items or more at any time, a dict of the
type ``card`` has certain keys. A place is read and assigned like a name.
"""

from __future__ import annotations

from tests.fuzz.stores import Stores
from tests.fuzz.writer import Env, Loop

PLACES: dict[str, dict[str, str]] = {
    "long": {"[0]": "s", "[1]": "s", "[-1]": "s"},
    "rows": {"[0]": "v", "[-1]": "v"},
    "nest": {"[0]": "long", "[-1]": "long"},
    "card": {'["a"]': "s", '["b"]': "s", '["w"]': "v"},
    "deck": {'["q"]': "long", '["in"]': "card", '["n"]': "s"},
}
"""What every container of a type holds: ``long`` and ``dynamic`` are lists of numbers,
``rows`` of arrays, ``nest`` of lists, ``card`` a dict, ``deck`` one that holds others.
Classes add to it."""

OPERATORS = ("+=", "-=", "*=", "+=")
GUARD = 7
"""Lists that a loop runs over, or that grow where that isn't known, stay shorter."""


class Containers(Stores):
    """Writes containers and what changes them, where it is asked to."""

    containers = False
    """Whether lists, dicts and objects are changed."""

    # ---------------------------------------------------------------- places

    def places_within(self, kind: str) -> dict[str, str]:
        """How what a container holds is reached, with the types."""
        return PLACES.get(kind, {})

    def is_container(self, kind: str) -> bool:
        """True for the types that this adds."""
        return bool(self.places_within(kind))

    def places(self, env: Env, kind: str) -> list[str]:
        """Names and places of a type."""
        found = [(name, own) for name, own in env.items() if not own.startswith("if:")]
        level = [(n, own) for n, own in found if self.is_container(own)]
        for _ in range(3):
            level = [
                (name + way, inner)
                for name, own in level
                for way, inner in self.places_within(own).items()
            ]
            found += level
        return [name for name, own in found if own == kind]

    def names_of(self, env: Env, kind: str) -> list[str]:
        known = super().names_of(env, kind)
        if not self.containers or kind not in ("s", "v"):
            return known
        places = [p for p in self.places(env, kind) if p not in known]
        return known + self.random.sample(places, min(2, len(places)))

    def assignable(self, env: Env, kind: str) -> list[str]:
        return [n for n in super().assignable(env, kind) if n.isidentifier()]

    def changeable(self, env: Env) -> list[tuple[str, str]]:
        """Containers that may be changed here, with their types."""
        kinds = {"dynamic"} | {own for own in env.values() if self.is_container(own)}
        kinds |= {k for own in kinds for k in self.places_within(own).values()}
        kinds |= {k for own in kinds for k in self.places_within(own).values()}
        return [
            (place, kind)
            for kind in sorted(kinds)
            if kind == "dynamic" or self.is_container(kind)
            for place in self.places(env, kind)
        ]

    # ---------------------------------------------------------------- values

    def expression(self, kind: str, env: Env, depth: int) -> str:
        if not self.is_container(kind):
            if self.containers and not self.one_in(4):
                depth = min(depth, 1)  # the programs have enough to them
            return super().expression(kind, env, depth)
        helpers = [h for h in self.helpers if h.result == kind]
        if helpers and self.calls_left and self.one_in(3):
            return self.call(self.random.choice(helpers), env, min(depth, 1))
        known = self.places(env, kind)
        if known and not self.one_in(3):
            return self.random.choice(known)
        return self.display(kind, env)

    def display(self, kind: str, env: Env) -> str:
        """A new container."""

        def s() -> str:
            return self.expression("s", env, 1)

        def e(own: str) -> str:
            return self.expression(own, env, 1)

        item = self.loop_name()
        own = {**env, item: "s"}
        if kind == "long":
            return self.random.choice(
                [
                    f"[{s()}, {s()}]",
                    f"[{s()}, {s()}, {s()}]",
                    f"[{s()}] * {self.pick(2, 3)}",
                    f"[{item} * {self.expression('s', own, 1)} for {item} in {e('v')}]",
                    f"[{self.expression('s', own, 1)} for {item} in (0.4, {s()})]",
                    f"list({e('v')})",
                    f"[*{self.expression('long', env, 0)}, {s()}]"
                    if self.places(env, "long")
                    else "[0.0] * 4",
                    f"({self.expression('long', env, 0)}){self.pick('[:]', '.copy()')}"
                    if self.places(env, "long")
                    else "[RATE, 0.5]",
                ]
            )
        if kind == "rows":
            value = self.expression("v", {**env, item: "s"}, 1)
            return self.pick(
                f"[{e('v')}]",
                f"[{e('v')}, {e('v')}]",
                f"[{value} for {item} in {e('v')}]",
                f"list({e('m')})",
                f"[np.zeros(3) for {item} in range(2)]",
            )
        if kind == "nest":
            other = self.loop_name()
            return self.random.choice(
                [
                    f"[{e('long')}, {e('long')}]",
                    f"[[{s()}, {item}] for {item} in {e('v')}]",
                    f"[[{s()}] * 2 for {item} in range({self.pick(2, 3)})]",
                    f"[[{item} * {other} for {other} in {e('u')}] "
                    f"for {item} in {e('v')}]",
                    f"[{e('long')}] * 2",
                ]
            )
        if kind == "card":
            return self.pick(
                f'{{"a": {s()}, "b": {s()}, "w": {e("v")}}}',
                f"dict(a={s()}, b={s()}, w={e('v')})",
                f'{{"w": {e("v")}, "b": {s()}, "a": {s()}, "c": {s()}}}',
            )
        assert kind == "deck"
        return f'{{"q": {e("long")}, "in": {e("card")}, "n": {s()}}}'

    def special(self, kind: str, env: Env, depth: int) -> str:
        if self.containers and kind in ("s", "v") and not self.one_in(3):
            read = self.read(kind, env)
            if read:
                return read
        return super().special(kind, env, depth)

    def read(self, kind: str, env: Env) -> str:
        """Something that reads more than a place; empty if there is nothing."""
        known = self.changeable(env)
        if not known:
            return ""
        p, own = self.random.choice(known)
        a, b = self.loop_name(), self.loop_name()
        reads: list[str] = []
        if kind == "v":
            if own == "long":
                reads = [f"np.array([*{p}[:2], 0.5])", f"np.sum({p}) * TABLE"]
            if own == "rows":
                reads = [f"sum({p})", f"np.mean(np.stack({p}), axis=0)"]
                reads += [f"np.sum(np.array({p}), axis=0)", f"{p}[@ % len({p})]"]
        elif own == "long":
            reads = [
                f"sum({p})",
                f"max({p})",
                f"np.sum(np.array({p}) ** 2)",
                f"{p}[@ % len({p})]",
                f"{p}[len({p}) // 2]",
                f"{p}[-2]",
                f"len({p})",
                f"sum({p}[1:])",
                f"sum({a} * {b} for {a}, {b} in zip({p}, {p}[::-1]))",
                f"sum({b} * {a} for {b}, {a} in enumerate({p}))",
                f"np.mean({p})",
            ]
        elif own == "rows":
            reads = [
                f"np.sum(np.stack({p}) ** 2)",
                f"sum(np.sum({a} * {a}) for {a} in {p})",
                f"np.max({p}[@ % len({p})])",
                f"np.sum(np.concatenate({p}))",
                f"len({p})",
            ]
        elif own == "nest":
            reads = [
                f"sum(sum({a}) for {a} in {p})",
                f"sum({a}[0] * {a}[-1] for {a} in {p})",
                f"{p}[@ % len({p})][1]",
                f"sum({b} for {a} in {p} for {b} in {a})",
            ]
        elif own == "card":
            s = self.expression("s", env, 0)
            reads = [
                f'{p}.get("c", {s})',
                f'sum({a} for {b}, {a} in {p}.items() if {b} != "w")',
                f"sum(np.sum({a}) for {a} in {p}.values())",
                f'({p}["c"] if "c" in {p} else {s})',
                f"len({p})",
            ]
        elif own == "dynamic":
            reads = [f"sum({p})", f"len({p})", f"np.sum(np.array({p}))"]
        if not reads:
            return ""
        text = self.random.choice(reads)
        return text.replace("@ %", self.random.choice(self.ints(env) or ["1"]) + " %")

    # ---------------------------------------------------------------- statements

    def statement(self, env: Env, held: set[str], depth: int) -> None:
        if not self.containers or self.one_in(3):
            super().statement(env, held, depth)
            return
        known = self.changeable(env)
        choices = [self.make] * 2 if known else [self.make] * 8
        if known:
            choices += [self.change] * 8 + [self.another_name] * 2
            choices += [self.fetch] * 2
            if depth > 0:
                choices += [self.walk] * 2 + [self.drain]
        self.random.choice(choices)(env, held, depth)

    def kinds_of_containers(self) -> list[str]:
        return ["long", "long", "long", "dynamic", "rows", "nest", "card", "deck"]

    def make(self, env: Env, held: set[str], depth: int) -> None:
        """A new container, or one under another name."""
        kind = self.random.choice(self.kinds_of_containers())
        name = self.target(env, kind, held)
        if kind == "dynamic":
            s, v = self.expression("s", env, 1), self.expression("v", env, 1)
            item = self.loop_name()
            self.emit(
                f"{name} = "
                + self.pick("[]", "[]", f"[{s}]", f"[{item} * {s} for {item} in {v}]")
            )
        else:
            new = self.one_in(2)
            value = self.display(kind, env) if new else self.expression(kind, env, 1)
            self.emit(f"{name} = {value}")
        env[name] = kind

    def fetch(self, env: Env, held: set[str], depth: int) -> None:
        """A number or an array out of a container."""
        kind = self.pick("s", "s", "v")
        read = self.read(kind, env)
        if read:
            name = self.target(env, kind, held)
            op = self.pick("=", "+=", "=") if kind == "s" else "="
            if env.get(name) != kind or not name.isidentifier():
                op = "="
            if kind == "s" and op == "=":
                read += " * 1.0"
            self.emit(f"{name} {op} {read}")
            env[name] = kind

    def another_name(self, env: Env, held: set[str], depth: int) -> None:
        """An alias, one chosen by the run, or names that change places."""
        place, kind = self.random.choice(self.changeable(env))
        names = self.assignable(env, kind)
        if len(names) > 1 and self.one_in(2):
            a, b = self.random.sample(names, 2)
            self.emit(f"{a}, {b} = {b}, {a}")
            return
        others = self.places(env, kind)
        name = self.target(env, kind, held)
        if len(others) > 1 and self.one_in(4):
            place += f" if {self.test(env, 1)} else {self.random.choice(others)}"
        self.emit(f"{name} = {place}")
        env[name] = kind

    def drain(self, env: Env, held: set[str], depth: int) -> None:
        """A ``while`` loop that takes items out."""
        known = self.places(env, "dynamic")
        long = self.places(env, "long")
        item = self.loop_name()
        if known and self.one_in(2):
            place, test = self.random.choice(known), ""
            test = place
        elif long:
            place = self.random.choice(long)
            test = f"len({place}) > 2"
        else:
            return
        used = self.random.choice(self.assignable(env, "s") or [""])
        self.emit(f"while {test}:")
        self.emit(f"    {item} = {place}.pop({self.pick('', '', '0')})")
        if used:
            s = self.expression("s", {**env, item: "s"}, 1)
            self.emit(f"    {used} = {self.pick(used, '0.5')} * {item} + {s}")
        else:
            self.emit("    pass")

    def walk(self, env: Env, held: set[str], depth: int) -> None:
        """A loop over what a container holds, which may change it."""
        known = [(p, k) for p, k in self.changeable(env) if k not in ("card", "deck")]
        items = {"long": "s", "dynamic": "s", "rows": "v", "nest": "long"}
        known = [(p, items.get(k) or self.item_kind(k)) for p, k in known]
        known = [(p, k) for p, k in known if k]
        if not known:
            return
        place, item = self.random.choice(known)
        name, index = self.loop_name(), self.loop_name("i")
        own = {name: item}
        form = self.pick(
            f"{name} in {place}",
            f"{name} in {place}",
            f"{index}, {name} in enumerate({place})",
            f"{name} in {place}[::-1]",
            f"{name} in {place}[:]",
            f"{index} in range(len({place}))",
        )
        if index in form:
            own[index] = "i"
        self.emit(f"for {form}:")
        if form.startswith(f"{index} in"):
            self.emit(f"    {name} = {place}[{index}]")
        self.walking += 1
        self.scope.loops.append(Loop())
        self.indent += 1
        inner = {**env, **own}
        if self.is_container(item) and not self.one_in(4):
            self.change_of(name, item, inner, held | set(inner))
        elif item == "v":
            s = self.expression("s", inner, 1)
            place_in = f"{name}[{self.pick('0', '1', '-1', ':')}]"
            self.emit(
                f"{self.pick(place_in, place_in, name)} {self.pick(*OPERATORS)} {s}"
            )
        elif index in own and item == "s" and self.one_in(2):
            s = self.expression("s", inner, 1)
            op = self.pick("=", *OPERATORS)
            self.emit(f"{place}[{self.pick(index, index, f'-{index}')}] {op} {s}")
        self.block(inner, held | set(inner), self.pick(1, 1, 2), depth - 1)
        self.indent -= 1
        self.scope.loops.pop()
        self.walking -= 1

    def item_kind(self, kind: str) -> str:
        """The type of the items of a list."""
        return ""

    # ---------------------------------------------------------------- changes

    def change(self, env: Env, held: set[str], depth: int) -> None:
        known = self.changeable(env)
        kind = self.random.choice(sorted({kind for _, kind in known}))
        place = self.random.choice([p for p, own in known if own == kind])
        self.change_of(place, kind, env, held)

    def change_of(self, place: str, kind: str, env: Env, held: set[str]) -> None:
        """A statement that changes one container."""
        inner = self.places_within(kind)
        if inner and self.one_in(3 if kind in ("long", "rows", "nest") else 2):
            way, own = self.random.choice(sorted(inner.items()))
            if self.is_container(own) and not self.one_in(4):
                self.change_of(place + way, own, env, held)
            else:
                self.assign_place(place + way, own, env)
            return
        getattr(self, f"change_{kind}")(place, env, held)

    def assign_place(self, place: str, kind: str, env: Env) -> None:
        """``place = ...``, ``place += ...``, or into the array there."""
        op = self.pick("=", *OPERATORS) if kind in ("s", "v") else "="
        value = self.expression(kind, env, 2)
        if kind == "v" and self.one_in(2):
            place += self.pick("[0]", "[1:]", "[-1]", "[:]", f"[{place} > 0.2]")
            value = self.expression("s", env, 2)
        elif kind == "v" and op != "=" and self.one_in(2):
            value = self.expression("s", env, 1)
        self.emit(f"{place} {op} {value}")

    def grow(self, place: str, line: str) -> None:
        """A statement that makes a list longer."""
        if self.walking or self.scope.own is not None:
            self.emit(f"if len({place}) < {GUARD}:")
            self.emit(f"    {line}")
        else:
            self.emit(line)

    def shrink_by(self, place: str, least: int, line: str) -> None:
        """A statement that takes an item out of a list."""
        self.emit(f"if len({place}) > {least}:")
        self.emit(f"    {line}")

    def change_numbers(self, p: str, env: Env, held: set[str], least: int) -> None:
        """Of a list of numbers that holds at least so many."""

        def s() -> str:
            return self.expression("s", env, 2)

        item = self.loop_name()
        match self.random.randrange(10):
            case 0 | 1 | 2:
                self.grow(p, f"{p}.append({s()})")
            case 3:
                v = self.expression("v", env, 1)
                self.grow(
                    p,
                    self.pick(
                        f"{p}.extend([{s()}, {s()}])",
                        f"{p}.extend({item} * {s()} for {item} in {v})",
                        f"{p}.insert({self.pick(0, 1, -1, 9)}, {s()})",
                        f"{p}.extend({p})",
                    ),
                )
            case 4:
                if p.isidentifier() and p not in self.assignable(env, env.get(p, "")):
                    return
                self.grow(p, f"{p} += [{s()}]")
            case 5 | 6:
                name = self.target(env, "s", held)
                start = f"{name} = " if env.get(name) == "s" else ""
                self.shrink_by(
                    p,
                    least,
                    self.pick(
                        f"{start}{p}.pop()",
                        f"{start}{p}.pop(0)",
                        f"{start}{p}.pop({self.pick(-1, 0)})",
                        f"del {p}[0]",
                        f"del {p}[-1]",
                    ),
                )
            case 7:
                self.emit(f"{p}.{self.pick('reverse', 'sort')}()")
            case 8:
                self.emit(f"{p}[:] = [{item} * {s()} for {item} in {p}]")
            case _:
                if least:
                    self.emit(
                        self.pick(
                            f"{p}[0], {p}[-1] = {p}[-1], {p}[0]",
                            f"{p}[:2] = [{s()}, {p}[0]]",
                            f"{p}[len({p}) // 2] {self.pick(*OPERATORS)} {s()}",
                            f"{p}[1:] = [{s()}]",
                            f"{p}[-2] = {s()}",
                        )
                    )
                else:
                    self.emit(self.pick(f"del {p}[1:]", f"del {p}[:1]", f"{p}.clear()"))

    def change_long(self, p: str, env: Env, held: set[str]) -> None:
        self.change_numbers(p, env, held, 2)

    def change_dynamic(self, p: str, env: Env, held: set[str]) -> None:
        self.change_numbers(p, env, held, 0)

    def change_rows(self, p: str, env: Env, held: set[str]) -> None:
        v = self.expression("v", env, 2)
        match self.random.randrange(6):
            case 0 | 1 | 2:
                self.grow(p, f"{p}.append({v})")
            case 3:
                self.emit(f"{p}[len({p}) // 2] {self.pick('=', '+=', '*=')} {v}")
            case 4:
                self.shrink_by(p, 1, self.pick(f"{p}.pop()", f"del {p}[0]"))
            case _:
                self.grow(p, self.pick(f"{p}.insert(0, {v})", f"{p}.extend([{v}])"))

    def change_nest(self, p: str, env: Env, held: set[str]) -> None:
        long = self.expression("long", env, 1)
        match self.random.randrange(4):
            case 0 | 1:
                self.grow(p, f"{p}.append({long})")
            case 2:
                self.emit(f"{p}[len({p}) // 2] = {long}")
            case _:
                s = self.expression("s", env, 1)
                self.emit(f"{p}[len({p}) // 2][0] {self.pick(*OPERATORS)} {s}")

    def change_card(self, p: str, env: Env, held: set[str]) -> None:
        def s() -> str:
            return self.expression("s", env, 1)

        key, value = self.loop_name("key"), self.loop_name("value")
        name = self.target(env, "s", held)
        lines = self.pick(
            [f"{p}.update(a={s()})"],
            [f'{p}.update({{"b": {s()}, "c": {s()}}})'],
            [f'{name} = {p}.setdefault("c", {s()})'],
            [f'{name} = {p}.pop("c", {s()})'],
            [f'{p}["c"] = {p}.get("c", {s()}) * {s()}'],
            [f'{p}["a"], {p}["b"] = {p}["b"], {p}["a"]'],
            [f'for {key} in ("a", "b"):', f"    {p}[{key}] *= {s()}"],
            [
                f"for {key}, {value} in {p}.items():",
                f'    if {key} != "w":',
                f"        {p}[{key}] = {value} * {s()}",
            ],
            [f"for {key} in {p}:", f"    {p}[{key}] = {p}[{key}] * 0.5"],
        )
        for line in lines:
            self.emit(line)
        if lines[0].startswith(f"{name} ="):
            env[name] = "s"

    def change_deck(self, p: str, env: Env, held: set[str]) -> None:
        s = self.expression("s", env, 1)
        self.emit(f"{p}.update(n={s}, q={self.expression('long', env, 1)})")
