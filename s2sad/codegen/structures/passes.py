"""What all passes over structures share: lines, names, and what waits to be completed.

The text of a pass may stand in a file of its own: it calls NumPy ``np``, and classes by
names that its namespace has."""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from s2sad import ir

_LOCALS = frozenset(("bar", "part", "key", "items", "chosen", "made", "item", "whole"))
"""What variables of a pass are called, besides the root, with numbers behind."""


def is_object(form: ir.Form) -> bool:
    """True for objects with attributes."""
    return not issubclass(form.constructor, ir.CONTAINERS)


def has_a_name(form: ir.Form) -> bool:
    """True for objects, named tuples and deques: a file, which doesn't import their
    classes, tells them by the names."""
    return form.constructor not in (list, tuple, dict)


def is_dict(form: ir.Form) -> bool:
    """True for dicts."""
    return issubclass(form.constructor, dict)


def is_flat(form: ir.Form) -> bool:
    """True for what holds no references."""
    return not any(isinstance(slot, ir.Reference) for slot in form.slots.values())


def may_be_no_number(form: ir.Form, key: Hashable) -> bool:
    """True for a slot of numbers in which an int or None may stand, too, of which the
    gradient is None."""
    slot = form.slots.get(key)
    if slot is None or isinstance(slot, ir.Reference):
        return False
    classes = form.types.get(key, frozenset())
    real = [cls for cls in classes if issubclass(cls, float | np.inexact | np.ndarray)]
    return ir.is_real_number_kind(slot) and len(real) < len(classes)


def holds_objects_alone(form: ir.Form) -> bool:
    """True for a container whose references all lead to objects, which wait, or to
    tuples that hold none."""
    references = [s for s in form.slots.values() if isinstance(s, ir.Reference)]
    inner = [one for slot in references for one in slot.forms]
    return not is_object(form) and all(
        is_object(one) or (issubclass(one.constructor, tuple) and is_flat(one))
        for one in inner
    )


class Pass:
    """Writes one pass over what ``root`` leads to. What is made of a value is an
    expression, behind lines where it needs some. One ``for_file`` calls none of the
    user's classes."""

    summary = ""
    """The docstring, of the root's name."""

    def __init__(self, kind: ir.Reference, root: str, for_file: bool) -> None:
        hides = hasattr(builtins, root) or root == "np"
        self.kind, self.root = kind, f"{root}_" if hides else root
        self.for_file = for_file
        self.lines: list[str] = []
        self.depth = 1
        self.namespace: dict[str, Any] = {"np": np}
        self.forms: dict[int, str] = {}
        self.waiting: list[ir.Form] = []
        self.locals = Counter((self.root, "made", "item", "whole"))

    def function(self, name: str) -> Callable[[Any], Any]:
        """The function itself."""
        result = self.made_of(self.root, self.kind)
        first, self.lines = self.lines, []
        fills: list[str] = []
        for form in self.waiting:  # which may grow meanwhile
            with self.aside(2) as lines:
                self.complete(form, self.forms[id(form)])
            fills += lines
        todos = [self.forms[id(form)] for form in self.waiting]
        body = [f"    {todo} = []" for todo in todos] + first
        if len(todos) > 1:
            body += [f"    while {' or '.join(todos)}:", *fills]
        else:
            body += [line[4:] for line in fills]
        if any("made" in line for line in body):
            body.insert(0, "    made = {}")
        if result:
            body.append(f"    return {result}")
        head = [f"def {name}({self.root}):", f'    """{self.summary % self.root}"""']
        text = "\n".join([*head, *body, ""])
        filename = f"<s2sad {name}>"
        namespace = self.namespace
        exec(compile(text, filename, "exec"), namespace)
        made: Any = namespace[name]
        made.__module__ = "s2sad.ops.runtime.structures"
        made.text = text
        made.is_identity = not body[:-1] and result == self.root
        return made

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def aside(self, depth: int | None = None) -> Iterator[list[str]]:
        """Collect the lines written inside, one level deeper or at a depth."""
        outer = self.lines, self.depth
        self.lines, self.depth = [], self.depth + 1 if depth is None else depth
        yield self.lines
        self.lines, self.depth = outer

    def fresh(self, wish: str) -> str:
        """The name of a variable."""
        self.locals[wish] += 1
        times = self.locals[wish]
        return f"{wish}_{times}" if times > 1 else wish

    def constant(self, value: Any) -> str:
        """The name of a function or class."""
        for known, meaning in self.namespace.items():
            if meaning is value:
                return known
        name: str = value.__name__
        if getattr(builtins, name, None) is value:
            return name
        if not name.isidentifier() or keyword.iskeyword(name):
            name = "Class"
        taken = (*_LOCALS, self.root, *self.namespace)
        while name in taken or hasattr(builtins, name):
            name += "_"
        self.namespace[name] = value
        return name

    def todo(self, form: ir.Form) -> str:
        """The name of the list of what waits for being completed."""
        if id(form) not in self.forms:
            self.forms[id(form)] = f"todo_{len(self.forms)}"
            self.waiting.append(form)
        return self.forms[id(form)]

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        """What is made of the value of a slot."""
        raise NotImplementedError

    def made_in(self, part: str, form: ir.Form, key: Hashable) -> str:
        """What is made of what stands in a slot of a form."""
        return self.made_of(part, form.slots.get(key))

    def known(self, part: str, form: ir.Form) -> str:
        """What is made of a value of one form: what was made of it before, or anew."""
        raise NotImplementedError

    def is_of(self, part: str, form: ir.Form) -> str:
        """The test for one of several forms."""
        raise NotImplementedError

    def otherwise(self, part: str) -> str:
        """What is made of a value of none of the forms."""
        return part

    def complete(self, form: ir.Form, todo: str) -> None:
        """The loop that completes what waits in a list."""
        self.line(f"while {todo}:")
        with self.deeper():
            self.line(f"item, whole = {todo}.pop()")
            self.fill(form, "item", "whole")

    def reference(self, part: str, kind: ir.Reference) -> str:
        """What is made of a reference: by its class, None for None."""
        if len(kind.forms) == 1 and not kind.may_be_none:
            return self.known(part, kind.forms[0])
        branches: list[tuple[str, list[str], str]] = []
        if kind.may_be_none:
            branches.append((f"{part} is None", [], "None"))
        for form in kind.forms:
            with self.aside() as lines:
                text = self.known(part, form)
            branches.append((self.is_of(part, form), lines, text))
        if all(text in (part, "None") for _, _, text in branches):
            target = part
        else:
            target = self.fresh("chosen")
            self.line(f"{target} = {self.otherwise(part)}")
        word = "if"
        for test, lines, text in branches:
            self.line(f"{word} {test}:")
            self.lines += lines
            if text != target and not (target == part and text == "None"):
                self.lines.append("    " * (self.depth + 1) + f"{target} = {text}")
            elif not lines:
                self.lines.append("    " * (self.depth + 1) + "pass")
            word = "elif"
        return target

    def anew(self, part: str, form: ir.Form) -> str:
        """A value of its own, made once for each that it is made of."""
        target = self.fresh("bar")
        first = part == self.root
        if not first:
            self.line(f"{target} = made.get(id({part}))")
            self.line(f"if {target} is None:")
        with self.aside(self.depth + (not first)) as lines:
            self.line(f"{target} = made[id({part})] = {self.empty(part, form)}")
            if is_flat(form) or holds_objects_alone(form):
                self.fill(form, part, target)
            else:
                self.line(f"{self.todo(form)}.append(({part}, {target}))")
        self.lines += lines
        return target

    def empty(self, part: str, form: ir.Form) -> str:
        """The text of what is filled later."""
        raise NotImplementedError

    def items(self, part: str, form: ir.Form) -> str:
        """The text of a list of what is made of a tuple's items."""
        if form.is_uniform:
            item = self.fresh("part")
            with self.aside() as lines:
                text = self.made_in(item, form, ir.EACH)
            if not lines:
                return f"[{text} for {item} in {part}]"
            target = self.fresh("items")
            self.line(f"{target} = []")
            self.line(f"for {item} in {part}:")
            self.lines += lines
            with self.deeper():
                self.line(f"{target}.append({text})")
            return target
        texts = []
        for place, key in enumerate(form.keys):
            slot = form.slots.get(key)
            item = f"{part}[{place}]"
            if isinstance(slot, ir.Reference):
                item = self.fresh("part")
                self.line(f"{item} = {part}[{place}]")
            texts.append(self.made_in(item, form, key))
        return f"[{', '.join(texts)}]"

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        """Fill what was made empty."""
        if not form.is_uniform:
            for name in form.keys:
                self.fill_slot(form, item, whole, name)
            return
        part, key = self.fresh("part"), self.fresh("key")
        with self.aside() as lines:
            text = self.made_in(part, form, ir.EACH)
        of_dict = is_dict(form)
        over = f"{key}, {part} in {item}.items()" if of_dict else f"{part} in {item}"
        if lines:
            self.line(f"for {over}:")
            self.lines += lines
            with self.deeper():
                put = f"[{key}] = {text}" if of_dict else f".append({text})"
                self.line(f"{whole}{put}")
        elif of_dict:
            self.line(f"{whole}.update({{{key}: {text} for {over}}})")
        else:
            self.line(f"{whole} += [{text} for {over}]")

    def fill_slot(
        self, form: ir.Form, item: str, whole: str, name: Hashable, *, own: bool = False
    ) -> None:
        """Fill one slot; where the whole is its ``own``, only if that changes it."""
        slot = form.slots.get(name)
        place = f".{name}" if is_object(form) else f"[{name!r}]"
        part = f"{item}{place}"
        if isinstance(slot, ir.Reference):
            part = self.fresh("part")
            with self.aside(self.depth) as lines:
                text = self.made_in(part, form, name)
            if own and not lines and text == part:
                return
            self.line(f"{part} = {item}{place}")
            self.lines += lines
        else:
            text = self.made_in(part, form, name)
        if not own:
            self.line(self.stored(form, whole, place, text))
        elif text not in (part, "None"):
            self.line(f"{whole}{place} = {text}")

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        """The line that stores into a slot."""
        return f"{whole}{place} = {text}"
