"""How long a program is when its calls are written out, as far as its text tells.

Whether calls are kept is found out by writing them out, up to the budget. Where the
text alone leaves no doubt, that is spared: functions that call each other twice, ten
deep, are a thousand copies of the last. A look at the text knows no kinds. So it counts
little (nothing of what stands in branches, or behind one that returns), and is believed
where it finds many times what may be written out. What is short all the same is written
out one by one.
"""

import ast
import sys
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from s2sad import rules
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.source.static.values import NameNotFound
from s2sad.source.text import libraries, scopes
from s2sad.source.text.source_function import SourceFunction

DEEPEST = 100
"""Calls nested deeper than this aren't looked into."""
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Call)
_LEAVES = (ast.Return, ast.Raise)
_MAY_NOT_RUN = (ast.If, ast.IfExp, ast.Try, ast.Match)
_ELSEWHERE = (*scopes.FUNCTIONS, ast.ClassDef)


class _CallSite(NamedTuple):
    name: str
    line: int
    column: int
    runs: bool
    """False for one that a branch may skip."""


class _Text(NamedTuple):
    """What the text of one function holds."""

    operations: int
    """Outside of branches."""
    all_operations: int
    calls: tuple[_CallSite, ...]
    """Of functions that are called by a name alone."""


@scopes.remembered
def _text_of(function: ast.AST) -> _Text:
    body: Any = getattr(function, "body", ())
    pending: list[tuple[Any, bool]]
    pending = [(node, True) for node in (body if isinstance(body, list) else [body])]
    found: list[tuple[Any, bool]] = []
    left = sys.maxsize
    """The first line from which a branch leaves the function."""
    while pending:
        node, runs = pending.pop()
        if isinstance(node, _ELSEWHERE):
            continue
        if isinstance(node, _LEAVES) and not runs:
            left = min(left, node.lineno)
        if isinstance(node, _OPERATIONS):
            found.append((node, runs))
        runs = runs and not isinstance(node, _MAY_NOT_RUN)
        pending += [(inner, runs) for inner in ast.iter_child_nodes(node)]
    calls = tuple(
        _CallSite(node.func.id, node.lineno, node.col_offset, runs)
        for node, in_any_case in found
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        for runs in [in_any_case and node.lineno <= left]
    )
    surely = sum(runs and node.lineno <= left for node, runs in found)
    return _Text(surely, len(found), calls)


@dataclass
class TextSizes:
    """The functions that one calls, and those that these call."""

    written_out: dict[Hashable, int] = field(default_factory=dict)
    """By function: the operations of its text, each call replaced by what it runs."""
    once: int = 0
    """Those of all functions, each counted once."""
    sites: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    """Where each function is called."""
    is_known: bool = True
    """False where a function calls itself, or calls are nested too deeply."""

    def look(self, source: SourceFunction, depth: int = 0) -> int:
        """How long a function is when its calls are written out."""
        known = self.written_out.get(source.identity)
        if known is not None:
            self.is_known = self.is_known and known >= 0
            return known
        self.written_out[source.identity] = -1  # under way
        text = _text_of(source.node)
        self.once += text.all_operations
        total = text.operations
        for call in text.calls:
            callee = _callee(source, call) if self.is_known else None
            if callee is None:
                continue
            place = source.identity, call.line, call.column
            self.sites.setdefault(callee.identity, set()).add(place)
            if depth > DEEPEST:
                self.is_known = False
                break
            size = self.look(callee, depth + 1)
            total += size if call.runs else 0
        self.written_out[source.identity] = total
        return total

    @property
    def called_once(self) -> frozenset[Hashable]:
        """The functions that are called at one place alone."""
        return frozenset(f for f, places in self.sites.items() if len(places) == 1)


def _callee(caller: SourceFunction, call: _CallSite) -> SourceFunction | None:
    """The function of the user's that is called, if it is one."""
    try:
        function = caller.resolver.resolve(call.name).value
        code = getattr(function, "__code__", None)
        if code is not None and libraries.is_file_of_library(code.co_filename):
            return None
        if isinstance(function, type) or rules.rule_for(function) is not None:
            return None
        source = user_source(function)
    except (NameNotFound, TypeError, Unsupported):
        return None
    return None if source is None or source.is_made else source
