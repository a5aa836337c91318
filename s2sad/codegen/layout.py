"""Statements to text: spacing, blank lines, comments and lines of at most 88 columns.

A visitor writes each logical line as a list of strings. Among them stand marks, which
are strings too (empty, or a blank) and say where the line may be broken. The line as it
stands is hence the strings joined; only when that is too long are the marks read and
the line broken at them, by the rules of ``ruff format``.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType
from typing import Any, ClassVar

with warnings.catch_warnings():
    # astor asks for node classes that Python 3.12 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    from astor.code_gen import SourceGenerator
    from astor.op_util import Precedence, precedence_data, symbol_data

_WIDTH = 88
_INDENT = 4


class Comment(ast.stmt):
    """A comment on a line of its own, among statements.

    ``text`` goes without the leading ``#``. A text of several lines becomes several
    comments; one that is too long is cut and ends in an ellipsis.
    """

    _fields = ("text",)
    _field_types: ClassVar[dict[str, Any]] = {"text": str}
    text: str


class BlankLine(ast.stmt):
    """An empty line among statements, dropped at the start and the end of a block."""


def render(statements: Sequence[ast.stmt]) -> str:
    """Return the text of a module made of ``statements``.

    Parsing the text gives the statements back, but for comments, for the white space of
    docstrings, which is laid out afresh, and for negative constants, which are parsed
    as a minus before a positive one. A block without statements gets a ``pass``. The
    statements themselves stay as they are.

    Raises ``ValueError`` for what has no literal (infinities, NaN, objects) or can't be
    written on every supported Python (quotes within f-strings), ``TypeError`` for nodes
    that generated code never has (``match``, type parameters, type aliases).
    """
    generator = _Generator()
    generator.block(statements, ast.Module([], []))
    generator.lines.append("")
    return "\n".join(generator.lines)


def expression_text(node: ast.expr) -> str:
    """Return ``node`` as text on one line, however long.

    A tuple goes without parentheses. Raises what ``render`` raises.
    """
    generator = _Generator()
    generator.put(node, _BARE)
    return "".join(generator.result)


# Levels of precedence, those of astor where it has one. An expression is put in
# parentheses when its own level is below the one that its place asks for.
_BARE = 0  # a tuple or a yield needs no parentheses here
_TEST = Precedence.Lambda
_OR = Precedence.Or
_COMPARE = Precedence.Eq
_BIT_OR = Precedence.BitOr
_POWER_RIGHT = Precedence.PowRHS
_UNARY = Precedence.USub
_AWAIT = Precedence.Await
_ATOM = Precedence.highest


class _QuotesClash(ValueError):
    """There are no quotes left for an f-string."""


class _Mark(str):
    """A place in a logical line, equal to itself alone; its text is that unbroken."""

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


_LINE = _Mark(" ")  # a place to break at
_CONTINUE = _Mark(" ")  # a place to break at by a backslash, where brackets can't be
_OPEN = _Mark("")  # brackets follow: break after the opening and before the closing one
_ARGUMENTS = _Mark("")  # the same; inside, all on one line or one a line
_INDEX = _Mark("")  # as _ARGUMENTS, in a subscript
_ITEMS = _Mark("")  # brackets with one item a line
_PARAMETERS = _Mark("")  # as _ARGUMENTS, with a last comma always
_CHAIN = _Mark("")  # operands and operators: break before each operator
_OPTIONAL = _Mark("")  # an expression that may be given parentheses
_ENCLOSED = _Mark("")  # the same, parentheses before breaking inside
_SEQUENCE = _Mark("")  # bare items: in parentheses and one a line if too long
_VALUE = _Mark("")  # in brackets after a name: in parentheses if else too long
_SLICE = _Mark("")  # break before each colon if else too long
_JOINT = _Mark("")  # a place to break at, without a blank
_POWER = _Mark("**")  # the operator without blanks, and a place to break before it
_END = _Mark("")  # the end of each of the above

_PLACES = (_LINE, _JOINT, _POWER, _CONTINUE)
_BRACKETS = (_OPEN, _ARGUMENTS, _INDEX, _ITEMS, _PARAMETERS)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


class _Group:
    """What stands between a mark and its end."""

    __slots__ = ("items", "kind", "text")

    def __init__(self, kind: str, parts: Iterator[str]) -> None:
        self.kind = kind
        self.items: list[Any] = []
        for part in parts:
            if part is _END:
                break
            if type(part) is str or part in _PLACES:
                if part or part is _JOINT:
                    self.items.append(part)
            else:
                self.items.append(_Group(part, parts))
        self.text: str = "".join(_texts(self.items))


def _texts(items: Sequence[Any]) -> list[str]:
    return [item.text if type(item) is _Group else item for item in items]


def _separate(items: Sequence[Any]) -> bool:
    """Whether there is a place to break directly among ``items``."""
    return any(item is _LINE for item in items)


def _until_break(
    items: Sequence[Any], start: int, breaking: bool, enclosed: bool
) -> tuple[int, bool]:
    """Width of ``items`` from ``start`` to where they can break, and if they can."""
    width = 0
    for index in range(start, len(items)):
        item = items[index]
        if type(item) is not _Group:
            if item is _CONTINUE or (breaking and item in _PLACES):
                return width, True
            width += len(item)
        elif not item.items:
            continue
        elif item.kind in _BRACKETS:
            return width, True
        elif item.kind is _CHAIN or item.kind is _SLICE or item.kind is _VALUE:
            inside = enclosed and item.kind is _CHAIN
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
        if type(item) is _Group and item.kind is _CHAIN:
            found.extend(_leaves(item.items))
        else:
            found.append(item)
    return found


def _has_brackets(items: Sequence[Any]) -> bool:
    return any(type(i) is _Group and i.kind in _BRACKETS and i.items for i in items)


def _is_bracketed(items: Sequence[Any]) -> bool:
    """Whether ``items`` are a call, a subscript, a display or the like."""
    first = items[0]
    if type(first) is _Group or first in ("-", "+", "~", "not ", "yield "):
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
    if type(first) is not _Group:
        return True
    if len([item for item in first.items if item in _PLACES]) > 1:
        return False
    starts = leaves[0] in ("(", "[", "{") and bool(leaves[1].items)
    last = leaves[-2]
    ends = type(last) is _Group and last.kind is not _INDEX and last.kind in _BRACKETS
    return starts or (ends and bool(last.items))


def _ends_open(items: Sequence[Any]) -> bool:
    """Whether a header of a function rather breaks in what it returns.

    ``items`` begin with the parameters. A single one breaks first.
    """
    returned = items[-2].items if type(items[-2]) is _Group else None
    if not returned or not _separate(items[0].items):
        return False
    if type(returned[0]) is _Group:
        return _can_stay_bare(returned)
    return _is_bracketed(returned) and returned[-1] == ")"


class _Layout:
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
            if type(item) is _Group:
                after, ends = _until_break(items, index + 1, breaking, enclosed)
                if item.kind is _PARAMETERS and not _ends_open(items[index:]):
                    after = len("".join(_texts(items[index + 1 :])))
                self.group(item, indent, enclosed, after if ends else after + rest)
            elif breaking and (item is _LINE or item is _JOINT):
                self.newline(indent)
            elif breaking and item is _POWER:
                self.newline(indent)
                self.text += "** "
            elif item is _CONTINUE:
                after, _ = _until_break(items, index + 1, False, False)
                if len(self.text) + 1 + after > _WIDTH - 2:
                    self.text += " \\"
                    self.newline(indent + _INDENT)
                else:
                    self.text += item
            else:
                self.text += item

    def group(self, group: _Group, indent: int, enclosed: bool, rest: int) -> None:
        kind, items = group.kind, group.items
        if not items or len(self.text) + len(group.text) + rest <= _WIDTH:
            self.text += group.text
        elif kind is _CHAIN:
            self.put(items, indent, enclosed, enclosed, rest)
        elif kind in _BRACKETS:
            self.brackets(group, indent)
        elif kind is _SEQUENCE:
            self.parentheses(group, indent, ",")
        elif kind is _SLICE or kind is _VALUE:
            self.last_resort(group, indent, enclosed, rest)
        elif _is_bracketed(items):
            fits = indent + _INDENT + len(group.text) <= _WIDTH
            head, _ = _until_break(items, 0, False, False)
            gains = len(self.text) + head > _WIDTH and len(self.text) > indent + _INDENT
            if gains or (fits and kind is _ENCLOSED):
                self.parentheses(group, indent)
            else:
                self.put(items, indent, False, enclosed, rest)
        elif not any(type(item) is _Group for item in items):
            if kind is _ENCLOSED or indent + _INDENT + len(group.text) <= _WIDTH:
                self.parentheses(group, indent)
            else:
                self.text += group.text
        else:
            self.operators(group, indent, rest)

    def last_resort(
        self, group: _Group, indent: int, enclosed: bool, rest: int
    ) -> None:
        """Break where ``ruff format`` does not, should the line else be too long."""
        items = group.items
        head, breaks = _until_break(items, 0, False, enclosed)
        gains = indent + _INDENT + head <= _WIDTH < len(self.text) + head
        if not enclosed:
            self.put(items, indent, False, enclosed, rest)
        elif group.kind is _VALUE and (gains or not breaks):
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
        if all(len(line) <= _WIDTH for line in lines):
            return True
        del self.lines[count:]
        self.text = text
        return False

    def brackets(self, group: _Group, indent: int) -> None:
        kind, items = group.kind, group.items
        inner = indent + _INDENT
        comma = kind is not _OPEN and (
            kind is _ITEMS or kind is _PARAMETERS or _separate(items)
        )
        self.newline(inner)
        if kind is not _ITEMS and inner + len(group.text) <= _WIDTH:
            self.text += group.text
            comma = kind is _PARAMETERS and not _separate(items)
        else:
            self.put(items, inner, True, True, int(comma))
        self.text += "," * comma
        self.newline(indent)

    def parentheses(self, group: _Group, indent: int, comma: str = "") -> None:
        self.text += "("
        self.newline(indent + _INDENT)
        self.put(group.items, indent + _INDENT, True, True, len(comma))
        self.text += comma
        self.newline(indent)
        self.text += ")"

    def operators(self, group: _Group, indent: int, rest: int) -> None:
        """Break inside brackets that are there if that may be, else in new ones."""
        bare = _can_stay_bare(group.items)
        if not bare or not self.fits(group.items, indent, False, rest):
            self.parentheses(group, indent)


def _is_simple_operand(node: Any, signed: bool = True) -> bool:
    """Whether ``**`` stands next to ``node`` without blanks."""
    while True:
        kind = type(node)
        if kind is ast.Attribute:
            node = node.value
        elif kind is ast.UnaryOp and signed and type(node.op) is not ast.Not:
            node = node.operand
        elif kind is ast.Constant:
            simple = not isinstance(node.value, (str, bytes, EllipsisType))
            return simple and (signed or not _is_negative(node.value))
        else:
            return kind is ast.Name
        signed = signed and kind is not ast.Attribute


def _is_simple_bound(node: ast.expr | None) -> bool:
    """Whether the colon of a slice stands next to ``node`` without blanks."""
    while type(node) is ast.UnaryOp and type(node.op) is not ast.Not:
        node = node.operand
    return node is None or type(node) is ast.Name or type(node) is ast.Constant


def _is_negative(value: object) -> bool:
    if isinstance(value, float):
        return math.copysign(1.0, value) < 0
    return isinstance(value, int) and value < 0


def _number(value: int | float | complex) -> str:
    """The literal of a number; its sign stands in front."""
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} has no literal")
        return float.__repr__(value).replace("e+", "e")
    if value.real or not math.isfinite(value.imag) or _is_negative(value.imag):
        raise ValueError(f"{value!r} has no literal")
    return complex.__repr__(complex(value))


def _escaped(value: str | bytes, quote: str) -> str:
    """What stands between quotes ``quote`` in the literal of ``value``."""
    text = repr('"' + value if isinstance(value, str) else b'"' + value)
    body = text[text.index('"') + 1 : -1].replace("\\'", "'")
    return body.replace(quote[0], "\\" + quote[0])


def _literal(value: str | bytes, quotes: Sequence[str]) -> str:
    """The literal of ``value`` in that of ``quotes`` that needs the fewest escapes."""
    text = value if isinstance(value, str) else value.decode("latin-1")
    quote = min(quotes, key=text.count)
    prefix = "" if isinstance(value, str) else "b"
    return prefix + quote + _escaped(value, quote) + quote


def _docstring(text: str, indent: int) -> list[str] | None:
    """Lines of a docstring at ``indent``; None if it can't be written as is."""
    text = inspect.cleandoc("\n".join(map(str.rstrip, text.split("\n"))))
    text = text.strip()
    if not all(char.isprintable() or char == "\n" for char in text):
        return None
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    text = (" " if text[:1] in ('"', "") else "") + text
    text += " " if text.endswith('"') else ""
    pad = " " * indent
    if "\n" not in text and indent + len(text) + 6 <= _WIDTH:
        return [pad + '"""' + text + '"""']
    lines: list[str] = []
    # ruff format leaves closing quotes on a single line, however long that gets.
    width = _WIDTH if "\n" in text else _WIDTH - 3
    for line in text.split("\n"):
        margin = pad + line[: len(line) - len(line.lstrip())]
        first = pad + '"""' + " " * text.startswith(" ")
        lines += textwrap.wrap(
            line.strip(),
            width,
            initial_indent=margin if lines else first,
            subsequent_indent=margin,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return [*lines, pad + '"""']


def _comment(text: str, indent: int) -> list[str]:
    """Lines of a comment at ``indent``, each cut with an ellipsis if too long."""
    lines = []
    for line in text.splitlines() or [""]:
        line = "".join([c if c.isprintable() else " " for c in line])
        line = (" " * indent + "# " + line).rstrip()
        lines.append(
            line if len(line) <= _WIDTH else line[: _WIDTH - 3].rstrip() + "..."
        )
    return lines


def _ends_in_definition(statement: ast.stmt) -> bool:
    """Whether the last line of ``statement`` is that of a function or a class."""
    while not isinstance(statement, _DEFINITIONS):
        blocks = [
            getattr(statement, name, None)
            for name in ("finalbody", "orelse", "handlers", "body")
        ]
        block: Sequence[ast.stmt] = next(filter(None, blocks), [])
        last = [item for item in block if type(item) is not BlankLine]
        if not last:
            return False
        statement = last[-1]
    return True


class _Generator(SourceGenerator):  # type: ignore[misc]
    """Writes statements to ``lines``, each by way of its parts in ``result``."""

    def __init__(self) -> None:
        super().__init__(" " * _INDENT)
        self.lines: list[str] = []
        self.quotes: tuple[str, ...] = ('"', "'")
        self.methods: dict[type, Callable[..., None]] = {}

    def method(self, node: ast.AST) -> Callable[..., None]:
        kind = type(node)
        found = self.methods.get(kind)
        if found is None:
            found = _Generator.__dict__.get(f"visit_{kind.__name__}") or vars(
                SourceGenerator
            ).get(f"visit_{kind.__name__}" if issubclass(kind, ast.stmt) else "")
            if found is None:
                raise TypeError(f"{kind.__name__} has no place in generated code")
            found = self.methods[kind] = found.__get__(self)
        return found

    # Lines and blocks

    def end(self, *parts: str) -> None:
        """Finish the logical line that ``result`` holds, after adding ``parts``."""
        result = self.result
        result += parts
        indent = self.indentation * _INDENT
        text = "".join(result)
        if indent + len(text) <= _WIDTH:
            self.lines.append(" " * indent + text)
        else:
            items = _Group(_CHAIN, iter([*result, _END])).items
            self.lines += _Layout(items, indent).lines
        result.clear()

    def statement(self, node: ast.AST, *params: str, **kw: Any) -> None:
        """Write a statement of one line; astor's own visitors call it."""
        self.end(*params)

    def body(
        self, statements: Sequence[ast.stmt], owner: ast.AST | None = None
    ) -> None:
        self.indentation += 1
        self.block(statements, owner)
        self.indentation -= 1

    def else_body(self, elsewhat: Sequence[ast.stmt]) -> None:
        if elsewhat:
            self.end("else:")
            self.body(elsewhat)

    def block(self, statements: Sequence[ast.stmt], owner: ast.AST | None) -> None:
        """Write the ``statements`` of ``owner``: None for a compound statement."""
        most = 1 if self.indentation else 2
        documented = isinstance(owner, (ast.Module, *_DEFINITIONS))
        wanted = 0  # empty lines asked for by BlankLine
        last: ast.stmt | None = None
        empty = True
        for index, statement in enumerate(statements):
            kind = type(statement)
            if kind is BlankLine:
                wanted = min(wanted + 1, most)
                continue
            if last is None:
                nested = self.indentation and kind in _DEFINITIONS
                wanted = 1 if nested and not isinstance(owner, _DEFINITIONS) else 0
            elif wanted < most:
                wanted = max(wanted, self.gap(last, statements, index, most))
            self.lines += [""] * wanted
            wanted = 0
            last = statement
            if kind is Comment:
                self.lines += _comment(statement.text, self.indentation * _INDENT)  # type: ignore[attr-defined]
                continue
            lines = self.docstring(statement) if empty and documented else None
            empty = False
            if lines is None:
                self.method(statement)(statement)
                continue
            self.lines += lines
            if not isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                wanted = 1
        if empty and self.indentation:
            self.end("pass")

    def gap(
        self, last: ast.stmt, statements: Sequence[ast.stmt], index: int, most: int
    ) -> int:
        """How many empty lines the statement at ``index`` needs above it."""
        if _ends_in_definition(last):
            return most
        kind = type(last)
        if kind is Comment and type(statements[index - 1]) is Comment:
            return 0
        while type(statements[index]) is Comment and index + 1 < len(statements):
            index += 1
        if isinstance(statements[index], _DEFINITIONS):
            return most
        return int(kind in _IMPORTS and not isinstance(statements[index], _IMPORTS))

    def docstring(self, statement: ast.stmt) -> list[str] | None:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
            return None
        return _docstring(value.value, self.indentation * _INDENT)

    # Pieces that statements share

    def put(self, node: ast.expr, level: int) -> None:
        """Write an expression, in parentheses if it binds less than ``level``."""
        (self.methods.get(type(node)) or self.method(node))(node, level)

    def optional(
        self, node: ast.expr, level: int = _BARE, mark: _Mark = _OPTIONAL
    ) -> None:
        """Write an expression that may be given parentheses."""
        if type(node) is ast.Tuple:
            self.put(node, level)
            return
        self.result.append(mark)
        self.put(node, level)
        self.result.append(_END)

    def open(self, wrapped: bool) -> None:
        if wrapped:
            self.result += ("(", _OPEN)

    def close(self, wrapped: bool) -> None:
        if wrapped:
            self.result += (_END, ")")

    def comma_list(self, items: Sequence[ast.expr], trailing: bool = False) -> None:
        result = self.result
        for index, item in enumerate(items):
            if index:
                result.append(",")
                result.append(_LINE)
            self.put(item, _TEST)

    def condition(self, node: ast.expr) -> None:
        """Write what follows ``if`` and ``while``."""
        if type(node) is ast.NamedExpr:
            self.named(node)
        else:
            self.optional(node, _TEST)

    def names(self, keyword: str, names: Sequence[str]) -> None:
        """Write names that can't be put in brackets."""
        indent = self.indentation * _INDENT
        text = keyword + ", ".join(names)
        if indent + len(text) > _WIDTH:
            pad = " \\\n" + " " * (indent + _INDENT)
            text = keyword.rstrip() + pad + ("," + pad).join(names)
        self.lines.append(" " * indent + text)

    def arguments(self, node: ast.arguments, blank: str) -> None:
        """Write parameters, ``blank`` after each comma."""
        result = self.result
        comma = (",", blank)
        first = True
        positional = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
        for index, (arg, default) in enumerate(zip(positional, defaults)):
            result += () if first else comma
            first = False
            self.parameter(arg, default)
            if index + 1 == len(node.posonlyargs):
                result += (*comma, "/")
        if node.vararg or node.kwonlyargs:
            result += ("*",) if first else (*comma, "*")
            first = False
            if node.vararg:
                self.parameter(node.vararg, None)
        for arg, default in zip(node.kwonlyargs, node.kw_defaults):
            result += comma
            self.parameter(arg, default)
        if node.kwarg:
            result += ("**",) if first else (*comma, "**")
            self.parameter(node.kwarg, None)

    def parameter(self, node: ast.arg, default: ast.expr | None) -> None:
        self.result.append(node.arg)
        if node.annotation:
            self.result += (": ", _VALUE)
            self.put(node.annotation, _TEST)
            self.result.append(_END)
        if default:
            self.result += (" = " if node.annotation else "=", _VALUE)
            self.put(default, _TEST)
            self.result.append(_END)

    def call_arguments(
        self, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> None:
        result = self.result
        if not args and not keywords:
            return
        result.append(_ARGUMENTS)
        self.comma_list(args)
        for index, keyword in enumerate(keywords, len(args)):
            if index:
                result.append(",")
                result.append(_LINE)
            result.append(f"{keyword.arg}=" if keyword.arg else "**")
            result.append(_VALUE)
            self.put(keyword.value, _TEST)
            result.append(_END)
        result.append(_END)

    # Statements; astor has those that are a single word

    def visit_Expr(self, node: ast.Expr) -> None:
        self.optional(node.value)
        self.end()

    def visit_Assign(self, node: ast.Assign) -> None:
        for index, target in enumerate(node.targets):
            if index:
                self.optional(target)
            else:
                self.put(target, _BARE)
            self.result.append(" = ")
        self.optional(node.value)
        self.end()

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.put(node.target, _BARE)
        self.result.append(f" {symbol_data[type(node.op)]}= ")
        self.optional(node.value)
        self.end()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        wrapped = type(node.target) is ast.Name and not node.simple
        self.open(wrapped)
        self.put(node.target, _ATOM)
        self.close(wrapped)
        self.result.append(": ")
        self.optional(node.annotation, _TEST)
        if node.value:
            self.result.append(" = ")
            self.optional(node.value)
        self.end()

    def visit_Return(self, node: ast.Return) -> None:
        self.result.append("return")
        if node.value:
            self.result.append(" ")
            self.optional(node.value)
        self.end()

    def visit_Raise(self, node: ast.Raise) -> None:
        self.result.append("raise")
        if node.exc:
            self.result.append(" ")
            self.optional(node.exc, _TEST)
        if node.cause:
            self.result.append(" from ")
            self.optional(node.cause, _TEST)
        self.end()

    def visit_Assert(self, node: ast.Assert) -> None:
        self.result.append("assert ")
        self.optional(node.test, _TEST)
        if node.msg:
            self.result.append(", ")
            self.optional(node.msg, _TEST, _ENCLOSED)
        self.end()

    def visit_Delete(self, node: ast.Delete) -> None:
        self.result.append("del ")
        for index, target in enumerate(node.targets):
            self.result += (",", _CONTINUE) if index else ()
            self.put(target, _TEST)
        self.end()

    def visit_Global(self, node: ast.Global) -> None:
        self.names("global ", node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.names("nonlocal ", node.names)

    def visit_Import(self, node: ast.Import) -> None:
        self.names("import ", [_alias(alias) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        result = self.result
        result += ("from ", "." * node.level, node.module or "", " import ", _SEQUENCE)
        for index, alias in enumerate(node.names):
            result += (",", _LINE) if index else ()
            result.append(_alias(alias))
        self.end(_END)

    def visit_If(self, node: ast.If) -> None:
        keyword = "if "
        while True:
            self.result.append(keyword)
            self.condition(node.test)
            self.end(":")
            self.body(node.body)
            if len(node.orelse) != 1 or type(node.orelse[0]) is not ast.If:
                break
            node = node.orelse[0]
            keyword = "elif "
        self.else_body(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self.result.append("while ")
        self.condition(node.test)
        self.end(":")
        self.body(node.body)
        self.else_body(node.orelse)

    def visit_For(self, node: ast.For, is_async: bool = False) -> None:
        self.result.append("async for " if is_async else "for ")
        self.put(node.target, _BARE)
        self.result.append(" in ")
        self.optional(node.iter)
        self.end(":")
        self.body(node.body)
        self.else_body(node.orelse)

    def visit_With(self, node: ast.With, is_async: bool = False) -> None:
        result = self.result
        result.append("async with " if is_async else "with ")
        alone = len(node.items) == 1
        result.append(_OPTIONAL if alone else _SEQUENCE)
        for index, item in enumerate(node.items):
            result += (",", _LINE) if index else ()
            # ``with (a, b):`` would be two items
            wrapped = alone and type(item.context_expr) is ast.Tuple
            self.open(wrapped and not item.optional_vars)
            self.put(item.context_expr, _TEST)
            self.close(wrapped and not item.optional_vars)
            if item.optional_vars:
                result.append(" as ")
                self.put(item.optional_vars, _TEST)
        self.end(_END, ":")
        self.body(node.body)

    def visit_Try(self, node: ast.Try, star: str = "") -> None:
        self.end("try:")
        self.body(node.body)
        for handler in node.handlers:
            self.result.append("except" + star)
            if handler.type:
                self.result.append(" ")
                self.optional(handler.type, _TEST)
            self.end(f" as {handler.name}:" if handler.name else ":")
            self.body(handler.body)
        self.else_body(node.orelse)
        if node.finalbody:
            self.end("finally:")
            self.body(node.finalbody)

    def visit_TryStar(self, node: Any) -> None:
        self.visit_Try(node, "*")

    def definition(self, node: Any) -> None:
        if getattr(node, "type_params", None):
            raise TypeError("type parameters have no place in generated code")
        for decorator in node.decorator_list:
            self.result.append("@")
            self.optional(decorator, _TEST)
            self.end()

    def visit_FunctionDef(self, node: ast.FunctionDef, is_async: bool = False) -> None:
        self.definition(node)
        self.result += (
            "async def " if is_async else "def ",
            node.name,
            "(",
            _PARAMETERS,
        )
        self.arguments(node.args, _LINE)
        self.result += (_END, ")")
        if node.returns:
            self.result.append(" -> ")
            self.optional(node.returns, _TEST)
        self.end(":")
        self.body(node.body, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.definition(node)
        self.result += ("class ", node.name)
        if node.bases or node.keywords:
            self.result.append("(")
            self.call_arguments(node.bases, node.keywords)
            self.result.append(")")
        self.end(":")
        self.body(node.body, node)

    # Expressions

    def visit_Name(self, node: ast.Name, level: int) -> None:
        self.result.append(node.id)

    def visit_Constant(self, node: ast.Constant, level: int) -> None:
        value = node.value
        if isinstance(value, (str, bytes)):
            self.result.append(_literal(value, self.quotes))
        elif value is None or value is Ellipsis:
            self.result.append("..." if value is Ellipsis else "None")
        elif isinstance(value, (int, float, complex)):
            text = _number(value)
            wrapped = level > _UNARY and text[0] == "-"
            self.result.append(f"({text})" if wrapped else text)
        else:
            raise ValueError(f"{value!r} has no literal")

    def visit_JoinedStr(self, node: ast.JoinedStr, level: int) -> None:
        fixed = "".join(_fixed_text(node))
        ranks = sorted(self.quotes, key=fixed.count)
        for quote in (*ranks, *(quote * 3 for quote in ranks)):
            text = self.joined(node, quote)
            if text is not None:
                self.result.append(f"f{quote}{text}{quote}")
                return
        raise _QuotesClash(
            "the f-string holds quotes that Python 3.11 can't have there"
        )

    def joined(self, node: ast.JoinedStr, quote: str) -> str | None:
        """What stands between the quotes of an f-string; None if they clash."""
        pieces = []
        for value in node.values:
            if type(value) is ast.Constant:
                text = _escaped(str(value.value), quote)
                pieces.append(text.replace("{", "{{").replace("}", "}}"))
                continue
            assert isinstance(value, ast.FormattedValue)
            inner = _Generator()
            inner.quotes = tuple([q for q in ('"', "'") if q != quote])
            try:
                inner.put(value.value, _TEST)
            except _QuotesClash:
                return None
            text = "".join(inner.result)
            if "\\" in text or quote in text:
                return None
            if "lambda" in text:
                text = f"({text})"
            edge = " " if text[0] == "{" else ""
            text = edge + text + (" " if edge and text[-1] == "}" else "")
            if value.conversion != -1:
                text += f"!{chr(value.conversion)}"
            if value.format_spec is not None:
                assert isinstance(value.format_spec, ast.JoinedStr)
                spec = self.joined(value.format_spec, quote)
                if spec is None:
                    return None
                text += f":{spec}"
            pieces.append("{" + text + "}")
        return "".join(pieces)

    def visit_Attribute(self, node: ast.Attribute, level: int) -> None:
        value = node.value
        number = type(value) is ast.Constant and type(value.value) in (int, float)
        self.open(number)
        self.put(value, _BARE if number else _ATOM)
        self.close(number)
        self.result.append("." + node.attr)

    def visit_Subscript(self, node: ast.Subscript, level: int) -> None:
        self.put(node.value, _ATOM)
        index = node.slice
        self.result += ("[", _INDEX)
        if type(index) is ast.Tuple and index.elts:
            self.comma_list(index.elts)
            if len(index.elts) == 1:
                self.result.append(",")
        else:
            self.put(index, _TEST)
        self.result += (_END, "]")

    def visit_Slice(self, node: ast.Slice, level: int) -> None:
        result = self.result
        lower, upper, step = node.lower, node.upper, node.step
        blank = "" if all(map(_is_simple_bound, (lower, upper, step))) else " "
        place = _LINE if blank else _JOINT
        result.append(_SLICE)
        if lower:
            self.put(lower, _TEST)
            result.append(place)
        result.append(":")
        if upper:
            result.append(blank)
            self.put(upper, _TEST)
        if step:
            result += (place, ":" + blank) if upper else (":" + blank,)
            self.put(step, _TEST)
        result.append(_END)

    def visit_Call(self, node: ast.Call, level: int) -> None:
        self.put(node.func, _ATOM)
        self.result.append("(")
        args = node.args
        if len(args) == 1 and type(args[0]) is ast.GeneratorExp and not node.keywords:
            self.comprehension(args[0].generators, args[0].elt)
        else:
            self.call_arguments(args, node.keywords)
        self.result.append(")")

    def visit_BinOp(self, node: ast.BinOp, level: int) -> None:
        own = precedence_data[type(node.op)]
        wrapped = own < level
        self.open(wrapped)
        result = self.result
        result.append(_CHAIN)
        if type(node.op) is ast.Pow:
            self.power(node, own)
        else:
            rights: list[ast.BinOp] = []
            left: ast.expr = node
            while type(left) is ast.BinOp and precedence_data[type(left.op)] == own:
                rights.append(left)
                left = left.left
            self.put(left, own + 1)
            for part in reversed(rights):
                result.append(_LINE)
                result.append(symbol_data[type(part.op)] + " ")
                self.put(part.right, own + 1)
        result.append(_END)
        self.close(wrapped)

    def power(self, node: ast.BinOp, own: int) -> None:
        self.put(node.left, own + 1)
        right = node.right
        chained = type(right) is ast.BinOp and type(right.op) is ast.Pow
        neighbour = right.left if chained else right  # type: ignore[attr-defined]
        if _is_simple_operand(node.left, False) and _is_simple_operand(neighbour):
            self.result.append(_POWER)
        else:
            self.result += (_LINE, "** ")
        if chained:
            self.power(right, own)  # type: ignore[arg-type]
        else:
            self.put(right, _POWER_RIGHT)

    def visit_UnaryOp(self, node: ast.UnaryOp, level: int) -> None:
        own = precedence_data[type(node.op)]
        wrapped = own < level
        self.open(wrapped)
        symbol = symbol_data[type(node.op)]
        self.result.append("not " if symbol == "not" else symbol)
        operand = node.operand
        power = type(operand) is ast.BinOp and type(operand.op) is ast.Pow
        # -(x**2) is what -x**2 means
        self.put(operand, _ATOM if power else own)
        self.close(wrapped)

    def visit_BoolOp(self, node: ast.BoolOp, level: int) -> None:
        own = precedence_data[type(node.op)]
        self.open(own < level)
        self.result.append(_CHAIN)
        self.alternatives(node, own)
        self.result.append(_END)
        self.close(own < level)

    def alternatives(self, node: ast.BoolOp, own: int) -> None:
        for index, value in enumerate(node.values):
            if index:
                self.result += (_LINE, symbol_data[type(node.op)] + " ")
            inner = precedence_data[type(value.op)] if type(value) is ast.BoolOp else 0
            if inner > own:  # ``and`` within ``or`` breaks with it
                self.alternatives(value, inner)  # type: ignore[arg-type]
            else:
                self.put(value, own + 1)

    def visit_Compare(self, node: ast.Compare, level: int) -> None:
        self.open(level > _COMPARE)
        self.result.append(_CHAIN)
        self.put(node.left, _COMPARE + 1)
        for op, comparator in zip(node.ops, node.comparators):
            self.result += (_LINE, symbol_data[type(op)] + " ")
            self.put(comparator, _COMPARE + 1)
        self.result.append(_END)
        self.close(level > _COMPARE)

    def visit_IfExp(self, node: ast.IfExp, level: int) -> None:
        self.open(level > _TEST)
        result = self.result
        result.append(_CHAIN)
        self.put(node.body, _OR)
        while True:
            result += (_LINE, "if ")
            self.put(node.test, _OR)
            result += (_LINE, "else ")
            if type(node.orelse) is not ast.IfExp:
                break
            node = node.orelse
            self.put(node.body, _OR)
        self.put(node.orelse, _TEST)
        result.append(_END)
        self.close(level > _TEST)

    def visit_Lambda(self, node: ast.Lambda, level: int) -> None:
        self.open(level > _TEST)
        self.result.append("lambda")
        count = len(self.result)
        self.arguments(node.args, " ")
        if len(self.result) > count:
            self.result.insert(count, " ")
        self.result.append(": ")
        self.optional(node.body, _TEST)
        self.close(level > _TEST)

    def visit_NamedExpr(self, node: ast.NamedExpr, level: int) -> None:
        self.open(True)
        self.named(node)
        self.close(True)

    def named(self, node: ast.NamedExpr) -> None:
        self.put(node.target, _ATOM)
        self.result.append(" := ")
        self.put(node.value, _TEST)

    def visit_Starred(self, node: ast.Starred, level: int) -> None:
        self.result.append("*")
        self.put(node.value, _BIT_OR)

    def visit_Await(self, node: ast.Await, level: int) -> None:
        self.open(level > _AWAIT)
        self.result.append("await ")
        self.put(node.value, _ATOM)
        self.close(level > _AWAIT)

    def visit_Yield(self, node: ast.Yield, level: int) -> None:
        self.open(level > _BARE)
        self.result.append("yield " if node.value else "yield")
        if node.value:
            self.put(node.value, _BARE)
        self.close(level > _BARE)

    def visit_YieldFrom(self, node: ast.YieldFrom, level: int) -> None:
        self.open(level > _BARE)
        self.result += ("yield ", "from ")
        self.put(node.value, _TEST)
        self.close(level > _BARE)

    def visit_Tuple(self, node: ast.Tuple, level: int) -> None:
        bare = level == _BARE and len(node.elts) > 1
        alone = len(node.elts) == 1
        self.result += (_SEQUENCE,) if bare else ("(", _OPEN if alone else _ITEMS)
        self.comma_list(node.elts)
        if alone:
            self.result.append(",")
        self.result += (_END,) if bare else (_END, ")")

    def visit_List(self, node: ast.List, level: int) -> None:
        self.result += ("[", _ITEMS)
        self.comma_list(node.elts)
        self.result += (_END, "]")

    def visit_Set(self, node: ast.Set, level: int) -> None:
        self.result += ("{", _ITEMS)
        self.comma_list(node.elts)
        self.result += (_END, "}") if node.elts else ("*()", _END, "}")

    def visit_Dict(self, node: ast.Dict, level: int) -> None:
        self.result += ("{", _ITEMS)
        for index, (key, value) in enumerate(zip(node.keys, node.values)):
            self.result += (",", _LINE) if index else ()
            if key is None:
                self.result.append("**")
            else:
                self.put(key, _TEST)
                self.result.append(": ")
            self.result.append(_VALUE)
            self.put(value, _BIT_OR if key is None else _TEST)
            self.result.append(_END)
        self.result += (_END, "}")

    def visit_ListComp(self, node: ast.ListComp, level: int) -> None:
        self.result.append("[")
        self.comprehension(node.generators, node.elt)
        self.result.append("]")

    def visit_SetComp(self, node: ast.SetComp, level: int) -> None:
        self.result.append("{")
        self.comprehension(node.generators, node.elt)
        self.result.append("}")

    def visit_GeneratorExp(self, node: ast.GeneratorExp, level: int) -> None:
        self.result.append("(")
        self.comprehension(node.generators, node.elt)
        self.result.append(")")

    def visit_DictComp(self, node: ast.DictComp, level: int) -> None:
        self.result.append("{")
        self.comprehension(node.generators, node.key, node.value)
        self.result.append("}")

    def comprehension(
        self, generators: Sequence[ast.comprehension], *elements: ast.expr
    ) -> None:
        result = self.result
        result.append(_OPEN)
        for index, element in enumerate(elements):
            result += (": ",) if index else ()
            self.put(element, _TEST)
        for generator in generators:
            result += (_LINE, "async for " if generator.is_async else "for ")
            self.put(generator.target, _BARE)
            result.append(" in ")
            result.append(_VALUE)
            self.put(generator.iter, _OR)
            result.append(_END)
            for condition in generator.ifs:
                result += (_LINE, "if ")
                self.put(condition, _OR)
        result.append(_END)


def _alias(node: ast.alias) -> str:
    return f"{node.name} as {node.asname}" if node.asname else node.name


def _fixed_text(node: ast.JoinedStr) -> Iterator[str]:
    """The constant parts of an f-string."""
    for value in node.values:
        if isinstance(value, ast.Constant):
            yield str(value.value)
        elif isinstance(value, ast.FormattedValue) and value.format_spec is not None:
            yield from _fixed_text(value.format_spec)  # type: ignore[arg-type]
