"""A logical line that is too long, broken by the rules of ``ruff format``."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

with warnings.catch_warnings():
    # astor asks for node classes that Python 3.12 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
from s2sad.codegen.layout import marks


class Group:
    """What stands between a mark and its end."""

    __slots__ = ("items", "kind", "text")

    def __init__(self, kind: str, parts: Iterator[str]) -> None:
        self.kind = kind
        self.items: list[Any] = []
        for part in parts:
            if part is marks.END:
                break
            if type(part) is str or part in marks.PLACES:
                if part or part is marks.JOINT:
                    self.items.append(part)
            else:
                self.items.append(Group(part, parts))
        self.text: str = "".join(_texts(self.items))


def _texts(items: Sequence[Any]) -> list[str]:
    return [item.text if type(item) is Group else item for item in items]


def _separate(items: Sequence[Any]) -> bool:
    """Whether there is a place to break directly among ``items``."""
    return any(item is marks.LINE for item in items)


def _until_break(
    items: Sequence[Any], start: int, breaking: bool, enclosed: bool
) -> tuple[int, bool]:
    """Width of ``items`` from ``start`` to where they can break, and if they can."""
    width = 0
    for index in range(start, len(items)):
        item = items[index]
        if type(item) is not Group:
            if item is marks.CONTINUE or (breaking and item in marks.PLACES):
                return width, True
            width += len(item)
        elif not item.items:
            continue
        elif item.kind in marks.BRACKETS:
            return width, True
        elif (
            item.kind is marks.CHAIN
            or item.kind is marks.SLICE
            or item.kind is marks.VALUE
        ):
            inside = enclosed and item.kind is marks.CHAIN
            inner, ends = _until_break(item.items, 0, inside, enclosed)
            width += inner
            if ends:
                return width, True
        else:
            return width + 1, True  # an opening parenthesis
    return width, False


def _leaves(items: Sequence[Any]) -> list[Any]:
    """``items`` with chains replaced by what is in them."""
    found: list[Any] = []
    for item in items:
        if type(item) is Group and item.kind is marks.CHAIN:
            found.extend(_leaves(item.items))
        else:
            found.append(item)
    return found


def _has_brackets(items: Sequence[Any]) -> bool:
    return any(type(i) is Group and i.kind in marks.BRACKETS and i.items for i in items)


def _is_bracketed(items: Sequence[Any]) -> bool:
    """Whether ``items`` are a call, a subscript, a display or the like."""
    first = items[0]
    if type(first) is Group or first in ("-", "+", "~", "not ", "yield "):
        return False
    return first == "lambda" or _has_brackets(items)


def _can_stay_bare(items: Sequence[Any]) -> bool:
    """Whether an expression of operators may break inside brackets of its own.

    It may when it has one operator (of the loosest) at most and starts or ends with
    brackets, a subscript not counted.
    """
    leaves = _leaves(items)
    if not _has_brackets(leaves):
        return False
    first = items[0]
    if type(first) is not Group:
        return True
    if len([item for item in first.items if item in marks.PLACES]) > 1:
        return False
    starts = leaves[0] in ("(", "[", "{") and bool(leaves[1].items)
    last = leaves[-2]
    ends = (
        type(last) is Group
        and last.kind is not marks.INDEX
        and last.kind in marks.BRACKETS
    )
    return starts or (ends and bool(last.items))


def _ends_open(items: Sequence[Any]) -> bool:
    """Whether a header of a function rather breaks in what it returns.

    ``items`` begin with the parameters. A single one breaks first.
    """
    returned = items[-2].items if type(items[-2]) is Group else None
    if not returned or not _separate(items[0].items):
        return False
    if type(returned[0]) is Group:
        return _can_stay_bare(returned)
    return _is_bracketed(returned) and returned[-1] == ")"


class BrokenLine:
    """A logical line that is too long, broken."""

    def __init__(self, items: Sequence[Any], indent: int) -> None:
        self.lines: list[str] = []
        self.text = " " * indent
        self.put(items, indent, breaking=False, enclosed=False, rest=0)
        self.newline(0)

    def newline(self, indent: int) -> None:
        self.lines.append(self.text.rstrip())
        self.text = " " * indent

    def put(
        self,
        items: Sequence[Any],
        indent: int,
        breaking: bool,
        enclosed: bool,
        rest: int,
    ) -> None:
        """Write ``items``, followed by ``rest`` columns before the next possible break.

        ``breaking``: at the places among ``items`` themselves. ``enclosed``: in
        brackets, where chains may break.
        """
        for index, item in enumerate(items):
            if type(item) is Group:
                after, ends = _until_break(items, index + 1, breaking, enclosed)
                if item.kind is marks.PARAMETERS and not _ends_open(items[index:]):
                    after = len("".join(_texts(items[index + 1 :])))
                self.group(item, indent, enclosed, after if ends else after + rest)
            elif breaking and (item is marks.LINE or item is marks.JOINT):
                self.newline(indent)
            elif breaking and item is marks.POWER:
                self.newline(indent)
                self.text += "** "
            elif item is marks.CONTINUE:
                after, _ = _until_break(items, index + 1, False, False)
                if len(self.text) + 1 + after > marks.WIDTH - 2:
                    self.text += " \\"
                    self.newline(indent + marks.INDENT)
                else:
                    self.text += item
            else:
                self.text += item

    def group(self, group: Group, indent: int, enclosed: bool, rest: int) -> None:
        kind, items = group.kind, group.items
        if not items or len(self.text) + len(group.text) + rest <= marks.WIDTH:
            self.text += group.text
        elif kind is marks.CHAIN:
            self.put(items, indent, enclosed, enclosed, rest)
        elif kind in marks.BRACKETS:
            self.brackets(group, indent)
        elif kind is marks.SEQUENCE:
            self.parentheses(group, indent, ",")
        elif kind is marks.SLICE or kind is marks.VALUE:
            self.last_resort(group, indent, enclosed, rest)
        elif _is_bracketed(items):
            fits = indent + marks.INDENT + len(group.text) <= marks.WIDTH
            head, _ = _until_break(items, 0, False, False)
            gains = (
                len(self.text) + head > marks.WIDTH
                and len(self.text) > indent + marks.INDENT
            )
            if gains or (fits and kind is marks.ENCLOSED):
                self.parentheses(group, indent)
            else:
                self.put(items, indent, False, enclosed, rest)
        elif not any(type(item) is Group for item in items):
            if (
                kind is marks.ENCLOSED
                or indent + marks.INDENT + len(group.text) <= marks.WIDTH
            ):
                self.parentheses(group, indent)
            else:
                self.text += group.text
        else:
            self.operators(group, indent, rest)

    def last_resort(self, group: Group, indent: int, enclosed: bool, rest: int) -> None:
        """Break where ``ruff format`` does not, should the line else be too long."""
        items = group.items
        head, breaks = _until_break(items, 0, False, enclosed)
        gains = indent + marks.INDENT + head <= marks.WIDTH < len(self.text) + head
        if not enclosed:
            self.put(items, indent, False, enclosed, rest)
        elif group.kind is marks.VALUE and (gains or not breaks):
            self.parentheses(group, indent)
        elif not self.fits(items, indent, enclosed, rest):
            self.put(items, indent, True, enclosed, rest)

    def fits(
        self, items: Sequence[Any], indent: int, enclosed: bool, rest: int
    ) -> bool:
        """Write ``items``, broken inside; take them back if a line is too long."""
        count, text = len(self.lines), self.text
        self.put(items, indent, False, enclosed, rest)
        lines = [*self.lines[count:], self.text + " " * rest]
        if all(len(line) <= marks.WIDTH for line in lines):
            return True
        del self.lines[count:]
        self.text = text
        return False

    def brackets(self, group: Group, indent: int) -> None:
        kind, items = group.kind, group.items
        inner = indent + marks.INDENT
        comma = kind is not marks.OPEN and (
            kind is marks.ITEMS or kind is marks.PARAMETERS or _separate(items)
        )
        self.newline(inner)
        if kind is not marks.ITEMS and inner + len(group.text) <= marks.WIDTH:
            self.text += group.text
            comma = kind is marks.PARAMETERS and not _separate(items)
        else:
            self.put(items, inner, True, True, int(comma))
        self.text += "," * comma
        self.newline(indent)

    def parentheses(self, group: Group, indent: int, comma: str = "") -> None:
        self.text += "("
        self.newline(indent + marks.INDENT)
        self.put(group.items, indent + marks.INDENT, True, True, len(comma))
        self.text += comma
        self.newline(indent)
        self.text += ")"

    def operators(self, group: Group, indent: int, rest: int) -> None:
        """Break inside brackets that are there if that may be, else in new ones."""
        bare = _can_stay_bare(group.items)
        if not bare or not self.fits(group.items, indent, False, rest):
            self.parentheses(group, indent)
