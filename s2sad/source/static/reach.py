"""Which files a module may load, read off their import statements alone.

Registered rules count wherever they stand, so that all modules that are loaded would
have to be read. But only a module that names s2sad, or imports one that does, can
register anything: the others needn't be parsed.
"""

from __future__ import annotations

import ast
import functools
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from s2sad.source.static.imports import find_file, module_name

_IMPORT = re.compile(
    r"^[ \t]*(?:[^#\n'\"]*[:;][ \t]*)?"
    r"((?:from[ \t]+[.\w \t]+[ \t]import[ \t]*(?:\([^)]*\)|(?:\\\n|[^\n])*))"
    r"|(?:import[ \t](?:\\\n|[^\n])*))",
    re.MULTILINE,
)
_IMPORT_CALL = re.compile(r"\b(?:import_module|__import__)\(\s*['\"](\.*)([\w.]+)['\"]")

Texts = dict[Path, tuple[str, list[Path]]]
"""The text of files, with the files that their import statements may load."""


def may_register(path: Path, known: Texts) -> bool:
    """True where a file, or one that it imports in the end, names s2sad. ``known`` has
    the text and imports of files that were asked before."""
    return any("s2sad" in text for _, text in texts_reached([path], known))


def texts_reached(paths: Iterable[Path], known: Texts) -> Iterator[tuple[Path, str]]:
    """Files, and those that they import in the end, each with its text."""
    pending = list(paths)
    seen = {*pending}
    while pending:
        path = pending.pop()
        text, files = _read(path, known)
        yield path, text
        new = [file for file in files if file not in seen]
        seen.update(new)
        pending += new


_ATTRIBUTE = re.compile(r"\.\s*(\w+)\b(?!\s*[.(])")
_BY_NAME = re.compile(
    r"\b(?:setattr|delattr|vars|locals|globals|exec|eval|__(?:dict|setattr|delattr)__)\b"
)
_RUNS_CODE = re.compile(r"\b(?:exec|eval)\b")
_LOOKED_UP = re.compile(
    r"\b(?:type\b(?=\s*\()|__class__|__mro__|mro|__bases?__|__subclasses__|classmethod"
    r"|__init_subclass__|__new__|__class_getitem__|modules|import_module|__import__"
    r"|getattr|setattr|delattr|vars|globals|locals|exec|eval|__dict__"
    r"|__globals__|f_globals|f_locals)\b"
)
_ALIAS = re.compile(r"\b(\w+)[ \t]+as[ \t]+(\w+)")


def may_store(text: str, name: str) -> bool:
    """True for a text that may store an attribute of a name, as far as is seen without
    parsing it."""
    return (name in text and name in _attributes(text)) or bool(_BY_NAME.search(text))


@functools.lru_cache(maxsize=4096)
def _attributes(text: str) -> frozenset[str]:
    """The attributes that aren't just called or followed.

    >>> sorted(_attributes("self.a = 1\\nc.b = d.e.f = 2\\nif g.h == 3: i().j(4)"))
    ['a', 'b', 'f', 'h']
    """
    return frozenset(_ATTRIBUTE.findall(text))


@functools.lru_cache(maxsize=4096)
def looks_up(text: str) -> bool:
    """True for a text that may get classes or modules by what they are."""
    return bool(_LOOKED_UP.search(text))


@functools.lru_cache(maxsize=4096)
def _imported_as(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(_ALIAS.findall(text))


def other_names(text: str, name: str) -> set[str]:
    """The names by which a text imports a name."""
    return {alias for known, alias in _imported_as(text) if known == name}


class Modules(dict[Path, Any]):
    """The modules that are read, by their files."""

    def __init__(self, load: Callable[[Path, Modules], Any]) -> None:
        super().__init__()
        self._load = load
        self.texts: Texts = {}
        """Of files that import statements lead to."""
        self._reached: dict[Path, str] = {}
        self._handed: dict[str, bool] = {}

    def may_store(self, name: str) -> Iterator[Any]:
        """The user's modules among all that are loaded whose text may store an
        attribute of a name."""
        for path, text in self._texts_reached():
            if may_store(text, name):
                yield self._load(path, self)

    def is_handed(self, name: str) -> bool:
        """True where a module or class of a name may be known by others, too."""
        texts = self._texts_reached()
        if name not in self._handed:
            self._handed[name] = any(
                self._load(path, self).effects.hands({name, *other_names(text, name)})
                for path, text in texts
                if name in text
            )
        return self._handed[name]

    def changes(self, name: str) -> bool:
        """True where a list or dict of a name may get other items."""
        texts = self._texts_reached()
        return self.is_handed(name) or any(
            self._load(path, self).effects.changes({name, *other_names(text, name)})
            for path, text in texts
            if name in text
        )

    def makes_over(self, path: str) -> bool:
        """True where a function of a name may get other code or defaults, or one that a
        class of a name holds."""
        stores = (
            module.effects.stores.get(part, ())
            for part in ("__code__", "__defaults__", "__kwdefaults__")
            for module in self.may_store(part)
        )
        stored = (f".{owner}" for owners in stores for owner in owners)
        changed = self.changes("__kwdefaults__")
        return changed or any(s == "." or s.endswith(f".{path}") for s in stored)

    def load_later(self, file: Path, package: Path) -> bool:
        """True for a submodule that others load, and its package doesn't: it takes the
        place of what the package binds to its name."""
        reached = dict(self._texts_reached())
        # `from package import name` loads it only where the package has no such name
        named = re.compile(rf"\b(?:from|import)[ \t][^\n]*\.{file.stem}\b")
        if file not in reached or not any(map(named.search, reached.values())):
            return False
        return all(path != file for path, _ in texts_reached([package], self.texts))

    def look_up(self) -> bool:
        """True where some text gets modules or classes by what they are."""
        texts = self._texts_reached()
        found = (self._load(path, self) for path, text in texts if looks_up(text))
        return any(module.effects.looks_up for module in found)

    def run_code_with(self, name: str) -> bool:
        """True where code is run of which the text isn't known, where a module or class
        of a name is known."""
        texts = self._texts_reached()
        texts = [(p, t) for p, t in texts if name in t and _RUNS_CODE.search(t)]
        found = (self._load(path, self) for path, _ in texts)
        return any(module.effects.runs_code for module in found)

    def _texts_reached(self) -> list[tuple[Path, str]]:
        """All files that are loaded with those that were read."""
        if not self._reached.keys() >= self.keys():
            self._handed.clear()
            self._reached = dict(texts_reached(self, self.texts))
        return list(self._reached.items())


def _read(path: Path, known: Texts) -> tuple[str, list[Path]]:
    if path not in known:
        text = ""
        if not path.is_dir():
            try:
                with tokenize.open(path) as stream:
                    text = stream.read()
            except (OSError, SyntaxError, UnicodeDecodeError):
                text = "s2sad"  # the reader says what is wrong with it
        known[path] = text, [*dict.fromkeys(_imported(path, text))]
    return known[path]


def _imported(path: Path, text: str) -> Iterator[Path]:
    """The user's files that import statements anywhere in a file may load."""
    folder = path if path.is_dir() else path.parent
    _, root = module_name(path)
    yield from _packages(folder)
    for found in _IMPORT.finditer(text):
        try:
            body = ast.parse(textwrap.dedent(found.group(1))).body
        except SyntaxError:  # in a string, most likely
            continue
        for node in body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from _below(root, alias.name)
            elif isinstance(node, ast.ImportFrom):
                start = root
                if node.level:
                    start = folder
                    for _ in range(node.level - 1):
                        start = start.parent
                    yield from _packages(start)
                for alias in node.names:
                    parts = [*(node.module or "").split("."), alias.name]
                    yield from _below(start, ".".join(filter(None, parts)))
    for dots, dotted in _IMPORT_CALL.findall(text):
        for start in [root, folder, *folder.parents][len(dots) :][:1]:
            yield from _below(start, dotted)


def _below(root: Path, dotted: str) -> Iterator[Path]:
    parts = dotted.split(".")
    for end in range(1, len(parts) + 1):
        file = find_file(root, ".".join(parts[:end])) if parts[end - 1] != "*" else None
        if file is not None:
            yield file


def _packages(folder: Path) -> Iterator[Path]:
    while (folder / "__init__.py").is_file():
        yield folder / "__init__.py"
        folder = folder.parent
