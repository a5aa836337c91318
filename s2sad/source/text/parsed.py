"""Files of source text, parsed once.

Takes a filename and its lines, gives a ``ParsedFile``: the tree, where its functions
are, and the code objects it compiles to. Nothing is ever executed here.

>>> file = parse("<example>", ["f = lambda x: x\\n", "@cache\\n", "def g(): pass\\n"])
>>> [type(node).__name__ for node in file.functions_at(1)]
['Lambda']
>>> file.functions_at(2)[0].name
'g'
"""

from __future__ import annotations
import __future__

import ast
import threading
import types
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from s2sad.errors import SourceError, one_line

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag
FUTURE_FLAGS &= ~0x10  # nested_scopes shares its bit with CO_NESTED

CodeIndex = dict[tuple[str, int], list[types.CodeType]]

_CACHE_SIZE = 256
_cache: dict[str, ParsedFile] = {}


class ParsedFile:
    """The text of one file with its tree. Shared: the tree must not be changed."""

    def __init__(self, filename: str, given: Sequence[str], text: str) -> None:
        self.filename = filename
        self.given = given
        """The list of lines this was made from, kept to recognise it by identity."""
        self.text = text
        self.lines = tuple(text.split("\n"))
        self.tree = _parse(text, filename)
        self.lambda_codes: dict[tuple[FunctionNode, int], types.CodeType] = {}
        """The code of lambdas that had to be compiled one by one."""
        self._codes: dict[object, CodeIndex] = {}

    @cached_property
    def _functions(self) -> dict[int, list[FunctionNode]]:
        table = defaultdict(list)
        pending: deque[ast.AST] = deque([self.tree])
        while pending:  # ast.walk, which takes twice as long
            node = pending.popleft()
            if isinstance(node, _FUNCTION_NODES):
                table[first_line(node)].append(node)
            for value in vars(node).values():
                if isinstance(value, ast.AST):
                    pending.append(value)
                elif isinstance(value, list):
                    pending += [v for v in value if isinstance(v, ast.AST)]
        return dict(table)

    def functions_at(self, line: int) -> list[FunctionNode]:
        """The functions and lambdas whose code starts on ``line``."""
        return self._functions.get(line, [])

    def codes(self, flags: int = 0, optimize: int = -1) -> CodeIndex:
        """The code objects of the file by qualified name and first line."""
        key = (flags, optimize)
        if key not in self._codes:
            self._codes[key] = self.codes_of(self.tree, flags, optimize)
        return self._codes[key]

    def codes_of(self, tree: ast.Module, flags: int, optimize: int) -> CodeIndex:
        """The same for a variant of the file's tree; not cached."""
        code = compile_tree(tree, self.filename, flags, optimize)
        index = defaultdict(list)
        for inner in nested_codes(code):
            index[inner.co_qualname, inner.co_firstlineno].append(inner)
        return dict(index)

    def remember_codes(self, key: object, index: CodeIndex) -> CodeIndex:
        """Keep the index of a variant under ``key``."""
        return self._codes.setdefault(key, index)

    def recall_codes(self, key: object) -> CodeIndex | None:
        """The index kept under ``key``, if any."""
        return self._codes.get(key)

    def character(self, line: int, offset: int) -> int:
        """The column, in characters, of a UTF-8 byte offset as trees hold it."""
        if not 1 <= line <= len(self.lines):
            return offset
        text = self.lines[line - 1]
        if text.isascii():
            return offset
        return len(text.encode()[:offset].decode(errors="replace"))


def parse(filename: str, lines: Sequence[str]) -> ParsedFile:
    """The parsed file of this name and content, from a cache where possible.

    Raises ``SourceError`` if the text is no Python.
    """
    known = _cache.get(filename)
    if known is not None and known.given is lines:
        return known
    text = "".join(lines)
    if known is not None and known.text == text:
        return known
    file = ParsedFile(filename, lines, text)
    _cache.pop(filename, None)
    while len(_cache) >= _CACHE_SIZE:
        _cache.pop(next(iter(_cache)), None)
    _cache[filename] = file
    return file


def first_line(node: FunctionNode) -> int:
    """The line of the first decorator, or of ``def`` or ``lambda``: what
    ``co_firstlineno`` says."""
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else node.lineno


def compile_tree(
    tree: ast.Module, filename: str, flags: int = 0, optimize: int = -1
) -> types.CodeType:
    """Compile as the import system would; cells of a notebook may await anywhere."""
    code: types.CodeType
    try:
        code = compile(tree, filename, "exec", flags, True, optimize)
    except SyntaxError:
        flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            code = compile(tree, filename, "exec", flags, True, optimize)
        except SyntaxError as error:
            raise _syntax_error(filename, error) from None
    return code


def nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects within ``code``, at any depth."""
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield const
            yield from nested_codes(const)


_parsing = threading.Lock()
_ATTEMPTS = 100


def syntax_tree(text: str, filename: str = "<unknown>", mode: str = "exec") -> Any:
    """``ast.parse``. CPython 3.11 counts the depth of recursion of all threads in one
    place: where another thread parses too, it may find a wrong number."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with _parsing:
                return ast.parse(text, filename, mode)
        except SystemError:
            if attempt == _ATTEMPTS:
                raise


def _parse(text: str, filename: str) -> ast.Module:
    try:
        tree: ast.Module = syntax_tree(text, filename)
        return tree
    except (SyntaxError, ValueError) as error:
        raise _syntax_error(filename, error) from None
    except (RecursionError, MemoryError):
        raise SourceError(
            f"{one_line(filename)}: the text is nested deeper than Python can read"
        ) from None


def _syntax_error(filename: str, error: SyntaxError | ValueError) -> SourceError:
    line = getattr(error, "lineno", None)
    place = one_line(filename) + (f":{line}" if line else "")
    reason = getattr(error, "msg", None) or str(error)
    return SourceError(f"{place}: the text is not valid Python: {reason}")
