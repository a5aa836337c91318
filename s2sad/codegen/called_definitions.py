"""The functions that derivatives of a text call, each of them once.

Every derivative comes with those that it calls, under names of its own. Definitions are
one where they have the same text but for the names of such functions, and what they
call is one, too. So a helper of the user's has one pair, whoever calls it and with
whatever arguments, and one more for each version that differs.

Which are one is found by refining a partition, as for the states of automata: Hopcroft,
*An n log n algorithm for minimizing states in a finite automaton*, 1971.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad import ir


@dataclass(frozen=True)
class Family:
    """Derivatives and the functions that they call, under names of their own."""

    derivatives: Sequence[ast.FunctionDef]
    called: Mapping[str, ast.FunctionDef]
    procedures: Mapping[ir.Procedure, str]
    """The names of those that are procedures."""

    def definitions(self) -> list[ast.FunctionDef]:
        """All of them."""
        return [*self.derivatives, *self.called.values()]

    def procedure(self, name: str) -> ir.Procedure | None:
        """The first of a name."""
        return next((p for p, known in self.procedures.items() if known == name), None)


_Key = tuple[int, str]
"""A called function: the place of its family, and its name there."""


@dataclass(frozen=True)
class Joined:
    """What a text defines."""

    definitions: Mapping[str, ast.FunctionDef]
    """By name, derivatives first, then the pairs that they call in the order of the
    user's text."""
    names: Sequence[Mapping[str, str]]
    """Of each family the names of the functions called, by those that they had."""


def joined(families: Sequence[Family], taken: Iterable[str]) -> Joined:
    """The definitions of some families, each once. The called functions are renamed
    where they must be, to nothing that is ``taken``."""
    bodies = [
        {d.name: _Body(d, family) for d in family.definitions()}
        if family.called
        else {}
        for family in families
    ]
    classes = _classes(families, bodies)
    names = _Naming(families, classes, taken, bodies).run()
    definitions = list(_in_order(families, classes))
    renamed: list[Mapping[str, str]] = []
    for place, family in enumerate(families):
        final = {name: names[classes[place, name]] for name in family.called}
        if any(name != new for name, new in final.items()):
            for definition in family.definitions():
                rename(definition, final)
        renamed.append(final)
    return Joined({d.name: d for d in definitions}, renamed)


def _classes(families: Sequence[Family], bodies: _Bodies) -> dict[_Key, int]:
    """The class of each called function, by number, in the order in which they come;
    what comes from two functions of the user's is two."""
    texts: dict[_Key, Hashable] = {}
    calls: dict[_Key, list[_Key]] = {}
    for place, family in enumerate(families):
        for name, definition in family.called.items():
            body = bodies[place][name]
            calls[place, name] = [(place, other) for other in body.called]
            procedure = family.procedure(name)
            of = procedure and procedure.span
            source = of and (of.filename, of.line)
            texts[place, name] = source, body.size, len(definition.args.args)
    alike = Counter(texts.values())
    for (place, name), outline in texts.items():
        if alike[outline] > 1:  # else it is one by itself
            texts[place, name] = outline, bodies[place][name].text()
    found = _numbered(texts, texts.__getitem__)
    while True:
        known = found

        def described(key: _Key, known: Mapping[_Key, int] = known) -> tuple[int, ...]:
            return known[key], *(known[other] for other in calls[key])

        found = _numbered(texts, described)
        if found == known:
            return found


class _Body:
    """A definition, looked through once: the names of functions that it calls, and of
    its variables."""

    def __init__(self, definition: ast.FunctionDef, family: Family) -> None:
        self.definition = definition
        self.size = 0
        self.names: list[ast.Name] = []
        """Where it names a function that is called."""
        self.variables: set[str] = set()
        """Its parameters, and what it assigns."""
        pending: list[Any] = [definition]
        while pending:
            node = pending.pop()
            self.size += 1
            kind = type(node)
            if kind is ast.Name:
                if node.id in family.called:
                    self.names.append(node)
                if type(node.ctx) is not ast.Load:
                    self.variables.add(node.id)
                continue
            if kind is ast.arg:
                self.variables.add(node.arg)
            for field in node._fields:
                value = getattr(node, field, None)
                if isinstance(value, ast.AST):
                    pending.append(value)
                elif isinstance(value, list):
                    pending += [item for item in value if isinstance(item, ast.AST)]
        self.called = list(dict.fromkeys([n.id for n in self.names]))

    def text(self) -> str:
        """The text but for its name and those of the functions called."""
        own, called = self.definition.name, [n.id for n in self.names]
        places = {other: f"<{k}>" for k, other in enumerate(self.called)}
        self.definition.name = ""
        for node in self.names:  # one may stand at two places
            node.id = places.get(node.id, node.id)
        text = ast.dump(self.definition)
        for node, name in zip(self.names, called, strict=True):
            node.id = name
        self.definition.name = own
        return text


_Bodies = Sequence[Mapping[str, _Body]]
"""By family, those of its definitions by name; none where it calls nothing."""


def _numbered(
    keys: Iterable[_Key], described: Callable[[_Key], object]
) -> dict[_Key, int]:
    """A number for each key, the same for what is described alike."""
    numbers: dict[object, int] = {}
    return {key: numbers.setdefault(described(key), len(numbers)) for key in keys}


def rename(definition: ast.FunctionDef, names: Mapping[str, str]) -> None:
    """Give a function, and what it calls, other names."""
    definition.name = names.get(definition.name, definition.name)
    for node in ast.walk(definition):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)


_TAIL = re.compile(r"(_(forward|reverse|value_and_grad|grad|jvp|batched))*$")
_OTHER = {"_forward": "_reverse", "_reverse": "_forward"}


def names_of_users(procedures: Iterable[ir.Procedure]) -> set[str]:
    """The names of the functions that procedures come from."""
    return {_TAIL.sub("", procedure.short) for procedure in procedures}


class _Naming:
    """Names the classes: after the user's function, which is numbered where there are
    several (``rate_2_forward``, ``rate_2_reverse``)."""

    def __init__(
        self,
        families: Sequence[Family],
        classes: Mapping[_Key, int],
        taken: Iterable[str],
        bodies: _Bodies,
    ) -> None:
        self.families, self.classes = families, classes
        own = (d.name for family in families for d in family.derivatives)
        self.taken = {*taken, *own, *dir(builtins)}  # lines may call these
        self.hidden: dict[int, set[str]] = {}
        """The variables of the functions that call a class."""
        self.names: dict[int, str] = {}
        self.owners: dict[str, int] = {}
        for place, of_family in enumerate(bodies):
            for body in of_family.values():
                for name in body.called:
                    known = self.hidden.setdefault(classes[place, name], set())
                    known.update(body.variables)

    def run(self) -> dict[int, str]:
        """The name of each class."""
        for (place, name), number in self.classes.items():
            if number not in self.names:
                procedure = self.families[place].procedure(name)
                partner = self._forward_of(place, procedure)
                wishes = self._wishes(name, procedure, partner)
                final = next(w for w in wishes if self._is_free(w, number, partner))
                self.names[number] = final
                self.owners[final] = number
        return self.names

    def _forward_of(self, place: int, procedure: ir.Procedure | None) -> int | None:
        """The class of the forward program of a reverse program."""
        if procedure is None or procedure.reverses is None:
            return None
        forward = self.families[place].procedures.get(procedure.reverses[0])
        return None if forward is None else self.classes[place, forward]

    def _wishes(
        self, name: str, procedure: ir.Procedure | None, partner: int | None
    ) -> Iterator[str]:
        short = name if procedure is None else procedure.short
        tail = _TAIL.search(short)
        assert tail is not None
        if partner in self.names:
            yield f"{_TAIL.sub('', self.names[partner])}{tail.group()}"
        yield short
        for count in itertools.count(2):
            yield f"{short[: tail.start()]}_{count}{tail.group()}"

    def _is_free(self, name: str, number: int, partner: int | None) -> bool:
        """Whether a class may be called so: a forward and a reverse program that differ
        by this alone in their names belong together."""
        if name in self.taken or name in self.owners:
            return False
        if name in self.hidden.get(number, ()):
            return False
        for tail, other in _OTHER.items():
            if name.endswith(tail):
                owner = self.owners.get(name.removesuffix(tail) + other)
                return owner is None or owner == partner
        return True


def _in_order(
    families: Sequence[Family], classes: Mapping[_Key, int]
) -> Iterator[ast.FunctionDef]:
    """The first of each class. What isn't of a function of the user's stands behind its
    derivative, the others behind all."""
    seen: set[int] = set()
    pairs: dict[ir.Procedure, ast.FunctionDef] = {}
    for place, family in enumerate(families):
        yield from family.derivatives
        for name, definition in family.called.items():
            number = classes[place, name]
            if number in seen:
                continue
            seen.add(number)
            procedure = family.procedure(name)
            if procedure is None:
                yield definition
            else:
                pairs[procedure] = definition
    for procedure in ir.in_order_of_text(tuple(pairs)):
        yield pairs[procedure]
