"""The parser of signatures; :mod:`.signatures` has the notation.

Takes the text of a signature; gives the kinds of the parameters, or an error with a
caret under what is wrong.
"""

import ast
import dataclasses
import difflib
import keyword
import math
import re
import textwrap
import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from s2sad import errors, ir
from s2sad.source.annotations.annotation_nodes import class_of_structures

_DTYPES = tuple(
    sorted({np.dtype(c).name for c in np.typecodes["All"] if c not in "SUVMmO"})
)
WORDS: dict[str, ir.Kind] = {
    "float": ir.FLOAT,
    "int": ir.INT,
    "bool": ir.BOOL,
    "complex": ir.COMPLEX,
    "None": ir.NONE,
    "True": ir.Scalar("bool", True),
    "False": ir.Scalar("bool", False),
    "nan": ir.Scalar("float", math.nan),
    "inf": ir.Scalar("float", math.inf),
    "opaque": ir.OPAQUE,
    "generator": ir.GENERATOR,
    "randomstate": ir.RANDOM_STATE,
    "random": ir.PYTHON_RANDOM,
    "unknown": ir.UNKNOWN,
    "number": ir.NumPyScalar(None),
    "bool_": ir.NumPyScalar("bool"),
    **{name: ir.NumPyScalar(name) for name in _DTYPES if name != "bool"},
}
DTYPES_OF_ARRAYS: dict[str, str | None] = {
    **{name: name for name in _DTYPES},
    "bool_": "bool",
    "object": "object",
    "array": None,
}
_ACCEPTED = (
    "a kind: float, int, bool, complex, a dtype such as float64 (a NumPy scalar), an "
    "array such as float64[:, 1], (float, int), [float, int], {'w': float64[:]}, "
    "list[float], dict[str, float], a string, a number, None, opaque or unknown"
)
_CONTAINERS = ("list", "tuple", "dict", "deque", "Optional", "Union")
_AXIS = "an axis: `:`, a length such as 1, a name such as n, `!=1` or `...`"

_REAL = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
    | (?P<string>b?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
    | (?P<complex>[+-]?(?:{_REAL}[+-])?{_REAL}j\b)
    | (?P<number>[+-]?{_REAL}|[+-]inf\b)
    | (?P<name>[^\W\d]\w*)
    | (?P<sign>\.\.\.|!=|[()\[\]{{}}:,=|.])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class ParsedSignature:
    """The name of a function and the kinds of its parameters, in order."""

    name: str
    kinds: dict[str, ir.Kind]
    annotations: dict[str, str] = dataclasses.field(default_factory=dict)
    """Those of parameters whose kinds are written as in Python, unknown so far."""


@dataclass(frozen=True)
class _Token:
    sort: str
    """The name of a group of ``_TOKEN``, or ``"end"``."""
    text: str
    column: int

    def __str__(self) -> str:
        return f"`{self.text}`" if self.text else "the end"


class SignatureParser:
    """Recursive descent over the tokens of a signature."""

    def __init__(self, text: str, classes: Mapping[str, Any]) -> None:
        # One line, so that a caret can stand under any column.
        self.text = re.sub(r"[\n\r\t\f\v]", " ", text)
        self.classes = classes
        self.tokens = self.split()
        self.next = 0

    def split(self) -> list[_Token]:
        tokens, at = [], 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                self.fail(_Token("sign", self.text[at], at), "this has no meaning here")
            if match.lastgroup != "space":
                tokens.append(_Token(str(match.lastgroup), match.group(), at))
            at = match.end()
        return [*tokens, _Token("end", "", len(self.text.rstrip()))]

    def fail(self, token: _Token, reason: str, expected: str = "") -> NoReturn:
        lines = [
            f"signature, column {token.column + 1}: {reason}",
            f"    {self.text.rstrip()}",
            f"    {' ' * token.column}{'^' * max(len(token.text), 1)}",
        ]
        if expected:
            text = f"expected {expected}"
            indent = " " * 4
            lines += textwrap.wrap(
                text, 80, initial_indent=indent, subsequent_indent=indent
            )
        raise errors.ArgumentError("\n".join(lines))

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def take(self) -> _Token:
        token = self.token
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def accept(self, sign: str) -> bool:
        if self.token.sort == "sign" and self.token.text == sign:
            self.take()
            return True
        return False

    def expect(self, sign: str, *others: str) -> None:
        if not self.accept(sign):
            signs = " or ".join(f"`{s}`" for s in (*others, sign))
            self.fail(self.token, f"{self.token} can't stand here", signs)

    def name(self, what: str) -> _Token:
        token = self.take()
        if token.sort != "name" or keyword.iskeyword(token.text):
            self.fail(token, f"{token} is not {what}", what)
        return token

    def signature(self) -> ParsedSignature:
        name = self.name("the name of a function").text
        while self.accept("."):
            name += "." + self.name("the name of a method").text
        self.expect("(")
        kinds: dict[str, ir.Kind] = {}
        annotations: dict[str, str] = {}
        for _ in self.until(")"):
            token = self.name("the name of a parameter")
            if token.text in kinds:
                self.fail(token, f"the parameter {token.text} is there twice")
            kinds[token.text] = ir.UNKNOWN
            if self.accept(":"):
                if self.is_annotation():
                    annotations[token.text] = self.annotation()
                else:
                    kinds[token.text] = self.kind(token.text)
        if self.token.sort != "end":
            self.fail(self.token, f"{self.token} stands behind the signature")
        return ParsedSignature(name, kinds, annotations)

    def is_annotation(self) -> bool:
        """True in front of ``list[...]`` and the like, and of the name of a class
        alone."""
        following = self.tokens[min(self.next + 1, len(self.tokens) - 1)].text
        if self.token.text in _CONTAINERS:
            return following == "["
        kind = self.token.text in {*WORDS, *DTYPES_OF_ARRAYS} or following == "("
        return not kind and self.token.text in self.classes

    def annotation(self) -> str:
        """The text up to the next parameter."""
        start, depth = self.token.column, 0
        while depth or self.token.text not in (",", ")", ""):
            token = self.take()
            if token.sort == "end":
                self.fail(token, "a bracket isn't closed")
            depth += token.text in ("[", "(")
            depth -= token.text in ("]", ")")
        return self.text[start : self.token.column].strip()

    def until(self, close: str) -> Iterable[int]:
        """Counts the items up to a closing sign; the caller reads one each time."""
        count = 0
        while not self.accept(close):
            yield count
            count += 1
            if not self.accept(","):
                self.expect(close, ",")
                return

    def kind(self, path: Hashable) -> ir.Kind:
        token = self.take()
        if token.sort == "name":
            return self.named(token, path)
        if token.sort == "string":
            return ir.Known(self.string(token))
        if token.sort == "complex":
            return ir.Scalar("complex", complex(token.text))
        if token.sort == "number":
            return self.number(token)
        if token.text == "(":
            return self.tuple_of(token, path)
        if token.text == "[":
            items = {k: self.kind((path, k)) for k in self.until("]")}
            return ir.Structure(list, tuple(items), tuple(items.values()))
        if token.text == "{":
            return self.dict_of(path)
        self.fail(token, f"{token} is not a kind", _ACCEPTED)

    def string(self, token: _Token) -> str | bytes:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                value: str | bytes = ast.literal_eval(token.text)
        except (SyntaxError, ValueError):
            self.fail(token, "Python doesn't read this string")
        return value

    def number(self, token: _Token) -> ir.Scalar:
        if re.fullmatch(r"[+-]?\d+", token.text):
            return ir.Scalar("int", int(token.text))
        return ir.Scalar("float", float(token.text))

    def tuple_of(self, start: _Token, path: Hashable) -> ir.Structure:
        items = {}
        for k in self.until(")"):
            items[k] = self.kind((path, k))
        if len(items) == 1 and self.tokens[self.next - 2].text != ",":
            reason = "a tuple of one item needs a comma, and a kind no parentheses"
            self.fail(start, reason)
        return ir.Structure(tuple, tuple(items), tuple(items.values()))

    def dict_of(self, path: Hashable) -> ir.Structure:
        items: dict[Hashable, ir.Kind] = {}
        for _ in self.until("}"):
            token = self.take()
            key: str | bytes | int
            if token.sort == "string":
                key = self.string(token)
            elif token.sort == "number" and re.fullmatch(r"[+-]?\d+", token.text):
                key = int(token.text)
            else:
                self.fail(token, f"{token} is not a key", "a string or an int")
            if key in items:
                self.fail(token, f"the key {token.text} is there twice")
            self.expect(":")
            items[key] = self.kind((path, key))
        return ir.Structure(dict, tuple(items), tuple(items.values()))

    def named(self, token: _Token, path: Hashable) -> ir.Kind:
        name = token.text
        if name in ("np", "numpy") and self.accept("."):
            token = self.name("a dtype")
            # np.float64 is float64, but np.float is nothing, nor is np.True.
            name = "bool_" if token.text == "bool" else token.text
            if name not in DTYPES_OF_ARRAYS:
                self.unknown_name(token, DTYPES_OF_ARRAYS)
        if self.accept("["):
            return self.array(token, name, path)
        if self.token.text == "(" and self.token.sort == "sign":
            return self.instance(token, path)
        if name not in WORDS:
            self.unknown_name(token, {*WORDS, *DTYPES_OF_ARRAYS})
        return WORDS[name]

    def unknown_name(self, token: _Token, known: Iterable[str]) -> NoReturn:
        near = difflib.get_close_matches(token.text, known, 1)
        hint = f", did you mean {near[0]}?" if near else ""
        if token.text in DTYPES_OF_ARRAYS:
            hint = f": an array of it is {token.text}[:]"
        self.fail(token, f"{token} is not a kind{hint}", _ACCEPTED)

    def array(self, token: _Token, name: str, path: Hashable) -> ir.Array:
        if name in ("float", "int", "complex"):
            usual = np.dtype(name).name
            self.fail(token, f"arrays have a dtype of NumPy: write {usual}[:] here")
        if name not in DTYPES_OF_ARRAYS:
            self.unknown_name(token, DTYPES_OF_ARRAYS)
        dtype, axes = DTYPES_OF_ARRAYS[name], self.axes(path)
        if not self.accept("|"):
            return ir.Array(dtype, axes)
        word = self.name("`number`")
        if word.text != "number":
            self.fail(word, f"{word} can't join an array", "`number`")
        return ir.Array(dtype, axes, promoted=True)

    def axes(self, path: Hashable) -> tuple[ir.Axis, ...] | None:
        """The axes behind an opening bracket."""
        if self.accept("..."):
            self.expect("]")
            return None
        if self.accept("("):
            self.expect(")")
            self.expect("]")
            return ()
        start = self.token
        axes = [self.axis((path, k)) for k in self.until("]")]
        if not axes:
            reason = "an array needs axes; a NumPy scalar is written without brackets"
            self.fail(start, reason, "`[:]`, or `[()]` for an array without axes")
        return tuple(axes)

    def axis(self, symbol: Hashable) -> ir.Axis:
        if self.accept(":"):
            return ir.Axis("any", symbol)
        token = self.token
        if token.sort == "number" and token.text.isdecimal():
            self.take()
            length = int(token.text)
            return ir.ONE if length == 1 else ir.Axis("many", ("dim", length))
        if token.sort == "name" and not keyword.iskeyword(token.text):
            self.take()
            if token.text != "_":
                symbol = ("dim", token.text)
        elif token.text != "!=":
            self.fail(token, f"{token} is not an axis", _AXIS)
        if not self.accept("!="):
            return ir.Axis("any", symbol)
        token = self.take()
        if token.text != "1":
            self.fail(token, f"{token} can't stand behind `!=`", "`1`")
        return ir.Axis("many", symbol)

    def instance(self, token: _Token, path: Hashable) -> ir.Structure:
        """``Params(w=float64[:])``."""
        if token.text not in self.classes:
            given = ", ".join(self.classes) or "none"
            self.fail(token, f"the class {token.text} is not known; given: {given}")
        self.expect("(")
        items: dict[Hashable, ir.Kind] = {}
        for _ in self.until(")"):
            field = self.name("the name of a field")
            if field.text in items:
                self.fail(field, f"the field {field.text} is there twice")
            self.expect("=")
            items[field.text] = self.kind((path, field.text))
        constructor = class_of_structures(self.classes[token.text])
        fields = getattr(constructor, "_fields", None)
        if dataclasses.is_dataclass(constructor) and isinstance(constructor, type):
            fields = tuple(f.name for f in dataclasses.fields(constructor))
        if fields is not None and fields != tuple(items):
            names = ", ".join(fields)
            self.fail(token, f"the fields of {token.text} are {names}, in this order")
        return ir.Structure(constructor, tuple(items), tuple(items.values()))
