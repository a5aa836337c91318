"""What all passes over structures share: lines, names, and what waits to be completed.

The text of a pass may stand in a file of its own: it calls NumPy ``np``, and classes by
names that its namespace has."""

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import attributes

_OF_EACH_PASS = ("made", "item", "whole")
"""Variables that have no numbers behind them."""
_LOCALS = frozenset(
    ("bar", "part", "key", "items", "chosen", "todo", "bars", *_OF_EACH_PASS)
)
"""What variables of a pass are called, besides the root, with numbers behind."""


def is_object(form: ir.Form) -> bool:
    """True for objects with attributes."""
    return not form.is_value and not issubclass(form.constructor, ir.CONTAINERS)


def has_a_name(form: ir.Form) -> bool:
    """True for objects, named tuples and deques: a file, which doesn't import their
    classes, tells them by the names."""
    return form.constructor not in (list, tuple, dict) and not form.is_value


def is_dict(form: ir.Form) -> bool:
    """True for dicts."""
    return issubclass(form.constructor, dict)


def is_flat(form: ir.Form) -> bool:
    """True for what holds no references."""
    return not any(isinstance(slot, ir.Reference) for slot in form.slots.values())


def holds_arrays(form: ir.Form) -> bool:
    """True for what has arrays in its slots."""
    return any(isinstance(slot, ir.Array) for slot in form.slots.values())


def bare_object(form: ir.Form, own: str) -> str:
    """An object of a class without attributes, which no code of the user's makes."""
    is_namespace = issubclass(form.constructor, SimpleNamespace)
    return f"{own if is_namespace else 'object'}.__new__({own})"


def slot_of(whole: str, form: ir.Form, key: Hashable) -> str:
    """The text that reads a slot."""
    if is_object(form):
        return f"{whole}.{key}"
    place = key if is_dict(form) else form.keys.index(key)
    return f"{whole}[{place!r}]"


def holds_attribute(whole: str, form: ir.Form, name: Hashable) -> str:
    """The test that an object has an attribute of its own, or a dict a key."""
    if is_dict(form):
        return f"{name!r} in {whole}"
    if attributes.hides_nothing(form.constructor, str(name)):
        return f"hasattr({whole}, {name!r})"
    return f"{name!r} in vars({whole})"


def holds_objects_alone(form: ir.Form) -> bool:
    """True for a container whose references all lead to objects, which wait, or to
    containers that hold none."""
    references = [s for s in form.slots.values() if isinstance(s, ir.Reference)]
    inner = [one for slot in references for one in slot.forms]
    return not is_object(form) and all(is_object(one) or is_flat(one) for one in inner)


class Pass:
    """Writes one pass over what ``root`` leads to. What is made of a value is an
    expression, behind lines where it needs some. One ``for_file`` calls none of the
    user's classes."""

    summary = ""
    """The docstring, of the root's name."""

    def __init__(self, kind: ir.Reference, root: str, for_file: bool) -> None:
        hides = hasattr(builtins, root) or root in ("np", *_OF_EACH_PASS)
        self.kind, self.root = kind, f"{root}_" if hides else root
        self.for_file = for_file
        self.lines: list[str] = []
        self.depth = 1
        self.namespace: dict[str, Any] = {"np": np}
        self.forms: dict[int, list[str]] = {}
        """The lists of what waits for being completed."""
        self.waiting: list[ir.Form] = []
        self.locals = Counter((self.root, *_OF_EACH_PASS))
        inner = {
            one.constructor
            for form in ir.reached_forms(kind)
            for slot in form.slots.values()
            for one in (slot.forms if isinstance(slot, ir.Reference) else ())
        }
        self.meets_root = any(form.constructor in inner for form in kind.forms)
        """Whether what ``root`` leads to may lead back to it."""

    def function(self, name: str) -> Callable[[Any], Any]:
        """The function itself."""
        result = self.made_of(self.root, self.kind)
        first, self.lines = self.lines, []
        fills: list[list[str]] = []
        for form in self.waiting:  # which may grow meanwhile
            with self.aside(3) as lines:
                self.complete(form)
            fills.append(lines)
        body = self._lists() + first + self._loops(fills)
        if any("made" in line for line in body) or ", made)" in (result or ""):
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

    def _lists(self) -> list[str]:
        """The lines that make the lists of what waits."""
        return [
            f"    {name} = []" for form in self.waiting for name in self.forms[id(form)]
        ]

    def _loops(self, fills: list[list[str]]) -> list[str]:
        """The loops that complete what waits, which may grow meanwhile."""
        lists = [self.forms[id(form)] for form in self.waiting]
        if len(lists) == 1:
            ((todo, *bars),) = lists
            over = (
                f"item, whole in zip({todo}, {bars[0]})" if bars else f"item in {todo}"
            )
            return [f"    for {over}:", *(line[4:] for line in fills[0])]
        found = []
        for (todo, *bars), lines in zip(lists, fills, strict=True):
            found += [f"        while {todo}:", f"            item = {todo}.pop()"]
            found += [f"            whole = {bar}.pop()" for bar in bars]
            found += lines
        if found:
            tests = " or ".join(todo for todo, *_ in lists)
            found.insert(0, f"    while {tests}:")
        return found

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
        """The name of a function, class or other value."""
        for known, meaning in self.namespace.items():
            if meaning is value:
                return known
        name = getattr(value, "__name__", None) or type(value).__name__
        if getattr(builtins, name, None) is value:
            return name
        if not name.isidentifier() or keyword.iskeyword(name):
            name = "Class"
        taken = (*_LOCALS, self.root, *self.namespace)
        while name in taken or hasattr(builtins, name):
            name += "_"
        self.namespace[name] = value
        return name

    def wait(self, form: ir.Form, *parts: str) -> None:
        """The lines that let a value wait for being completed, with what it is made
        into, if that is another."""
        if id(form) not in self.forms:
            number = len(self.forms) + 1
            self.forms[id(form)] = [
                f"{n}_{number}" if number > 1 or n == self.root else n
                for n in ("todo", "bars")[: len(parts)]
            ]
            self.waiting.append(form)
        for name, part in zip(self.forms[id(form)], parts, strict=True):
            self.line(f"{name}.append({part})")

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        """What is made of the value of a slot."""
        raise NotImplementedError

    def made_in(self, part: str, form: ir.Form, key: Hashable) -> str:
        """What is made of what stands in a slot of a form."""
        return self.made_of(part, form.slots.get(key))

    def of_form(self, part: str, form: ir.Form) -> str:
        """What is made of a value of one form."""
        if form.is_value:
            return self.value(part, form)
        return self.known(part, form)

    def value(self, part: str, form: ir.Form) -> str:
        """What is made of a number, array or text that stands where references do."""
        return part

    def known(self, part: str, form: ir.Form) -> str:
        """What is made of a value of one form: what was made of it before, or anew."""
        raise NotImplementedError

    def is_of(self, part: str, form: ir.Form) -> str:
        """The test for one of several forms."""
        raise NotImplementedError

    def otherwise(self, part: str) -> str:
        """What is made of a value of none of the forms."""
        return part

    def look_at(self, whole: str, form: ir.Form) -> None:
        """Lines on a value as a whole, before its slots are gone over."""

    def meet(self, part: str, form: ir.Form, key: Hashable, whole: str) -> None:
        """Lines on what stands in a slot, before anything is made of it."""

    def complete(self, form: ir.Form) -> None:
        """The lines that complete ``item``, in ``whole`` if that is another."""
        self.fill(form, "item", "whole")

    def reference(
        self, part: str, kind: ir.Reference, refusal: Sequence[str] = ()
    ) -> str:
        """What is made of a reference: by its class, None for None. ``refusal`` are
        lines for what is none of these."""
        if len(kind.forms) == 1 and not kind.may_be_none:
            return self.of_form(part, kind.forms[0])
        branches: list[tuple[str, list[str], str]] = []
        if kind.may_be_none:
            branches.append((f"{part} is None", [], "None"))
        for form in kind.forms:
            with self.aside() as lines:
                text = self.of_form(part, form)
            branches.append((self.is_of(part, form), lines, text))
        if all(text in (part, "None") for _, _, text in branches):
            target = first = part
        else:
            target, first = self.fresh("chosen"), self.otherwise(part)
            self.line(f"{target} = {first}")
        word, others = "if", []
        for test, lines, text in branches:
            stays = text == first or (part in (target, first) and text == "None")
            if stays and not lines:
                others.append(test.replace(" is ", " is not ", 1))
                continue
            self.line(f"{word} {test}:")
            self.lines += lines
            if not stays:
                self.lines.append("    " * (self.depth + 1) + f"{target} = {text}")
            word = "elif"
        if refusal:
            test = " and ".join(others)
            self.line(f"{word} {test}:" if test else "else:")
            self.lines += refusal
        return target

    def anew(self, part: str, form: ir.Form) -> str:
        """A value of its own, made once for each that it is made of."""
        target, key = self.fresh("bar"), self.key(part, form)
        first, own = part == self.root, key == f"id({part})"
        if not first:
            name = self.fresh("key")
            self.line(f"{name} = {key}")
            self.line(f"if {name} in made:")
            self.line(f"    {target} = made[{name}]")
            self.line("else:")
            key = name
        kept = f"made[{key}] = " if not first or self.meets_root else ""
        with self.aside(self.depth + (not first)) as lines:
            at_once = is_flat(form) or holds_objects_alone(form)
            whole = self.whole(part, form) if at_once else None
            self.line(f"{target} = {kept}{whole or self.empty(part, form)}")
            if not at_once:
                self.wait(form, part, target)
            elif whole is None:
                self.fill(form, part, target)
        self.lines += lines
        if kept and not own:  # what it is made into is one all the same
            self.line(f"{target} = made.setdefault(id({part}), {target})")
        return target

    def key(self, part: str, form: ir.Form) -> str:
        """What tells values apart."""
        return f"id({part})"

    def whole(self, part: str, form: ir.Form) -> str | None:
        """The text of a list or dict as a whole, behind lines that look at it; None
        where there is no such."""
        if not form.is_uniform or self.empty(part, form) not in ("[]", "{}"):
            return None
        names, item = self.locals.copy(), self.fresh("part")
        key = self.fresh("key") if is_dict(form) else ""
        with self.aside() as lines:
            self.meet(item, form, ir.EACH, part)
            text = self.made_in(item, form, ir.EACH)
        if lines:
            self.locals = names  # they are written again
            return None
        self.look_at(part, form)
        if is_dict(form):
            return f"{{{key}: {text} for {key}, {item} in {part}.items()}}"
        return f"[{text} for {item} in {part}]"

    def empty(self, part: str, form: ir.Form) -> str:
        """The text of what is filled later."""
        raise NotImplementedError

    def items(self, part: str, form: ir.Form) -> str:
        """The text of a list of what is made of a tuple's items."""
        self.look_at(part, form)
        if form.is_uniform:
            item = self.fresh("part")
            with self.aside() as lines:
                self.meet(item, form, ir.EACH, part)
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
        return f"[{', '.join(self.of_items(part, form))}]"

    def of_items(self, part: str, form: ir.Form) -> list[str]:
        """What is made of each item of a tuple, which is taken apart where there are
        lines on them."""
        if not any(isinstance(form.slots.get(k), ir.Reference) for k in form.keys):
            places = [slot_of(part, form, key) for key in form.keys]
            texts, lines = self._of_each(part, form, places)
            if not lines:
                return texts
        names = [self.fresh("part") for _ in form.keys]
        texts, lines = self._of_each(part, form, names)
        read = set(re.findall(r"\w+", "\n".join([*lines, *texts])))
        if read.intersection(names):
            targets = ", ".join(n if n in read else "_" for n in names)
            self.line(f"{targets}{',' if len(names) == 1 else ''} = {part}")
        self.lines += lines
        return texts

    def _of_each(
        self, part: str, form: ir.Form, places: list[str]
    ) -> tuple[list[str], list[str]]:
        """What is made of a tuple's items, and the lines on them."""
        texts = []
        with self.aside(self.depth) as lines:
            for key, item in zip(form.keys, places, strict=True):
                self.meet(item, form, key, part)
                texts.append(self.made_in(item, form, key))
        return texts, lines

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        """Fill what was made empty."""
        self.look_at(item, form)
        if not form.is_uniform:
            for name in form.keys:
                with self.where_held(item, form, name):
                    self.fill_slot(form, item, whole, name)
            return
        part, key = self.fresh("part"), self.fresh("key") if is_dict(form) else ""
        with self.aside() as lines:
            self.meet(part, form, ir.EACH, item)
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

    @contextmanager
    def where_held(self, item: str, form: ir.Form, name: Hashable) -> Iterator[None]:
        """What is written inside is run where the object has the attribute."""
        if name not in form.optional:
            yield
            return
        with self.aside() as lines:
            yield
        if lines:
            self.line(f"if {holds_attribute(item, form, name)}:")
            self.lines += lines

    def fill_slot(
        self, form: ir.Form, item: str, whole: str, name: Hashable, *, own: bool = False
    ) -> None:
        """Fill one slot; where the whole is its ``own``, only if that changes it."""
        slot = form.slots.get(name)
        part = slot_of(item, form, name)
        place = part.removeprefix(item)
        if isinstance(slot, ir.Reference):
            part = self.fresh("part")
            with self.aside(self.depth) as lines:
                self.meet(part, form, name, item)
                text = self.made_in(part, form, name)
            if own and not lines and text == part:
                return
            self.line(f"{part} = {item}{place}")
            self.lines += lines
        else:
            self.meet(part, form, name, item)
            text = self.made_in(part, form, name)
        if not own:
            self.line(self.stored(form, whole, place, text))
        elif text not in (part, "None"):
            self.line(f"{whole}{place} = {text}")

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        """The line that stores into a slot."""
        return f"{whole}{place} = {text}"
