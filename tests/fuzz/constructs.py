"""What a random program is made of: the statements and expressions of Python, and what
has been wrong before."""

from __future__ import annotations

import ast
import builtins
import re
from string import Formatter

from tests.fuzz.corners import GUARDS, OBJECTS, SINGULAR
from tests.fuzz.renaming import BUILTINS, ODD, OWN
from tests.fuzz.slices import BINARY, CHANGES, MATRICES, NUMBERS, OF_MATRIX, UNARY

STATEMENTS = (
    *(ast.For, ast.While, ast.If, ast.Try, ast.With, ast.Match, ast.MatchOr),
    *(ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Yield, ast.Nonlocal),
    *(ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.NamedExpr, ast.IfExp),
    *(ast.Starred, ast.AugAssign, ast.AnnAssign, ast.FunctionDef, ast.MatchClass),
)


def constructs(text: str) -> set[str]:
    """The names of the constructs of a program; none of a text that isn't one, such as
    ``case _(x=1)`` of a class that is called so."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    nodes = list(ast.walk(tree))
    found = {type(n).__name__ for n in nodes if isinstance(n, STATEMENTS)}
    found |= _names(nodes)
    own = "\n".join(_functions(tree, text))
    sort = "slices" if "def program(x, c, g, k)" in text else "corners"
    for kind, forms in FORMS[sort].items():
        found |= {f"{kind}: {f}" for f in forms if _pattern(f).search(own)}
    return found


def _functions(tree: ast.Module, text: str) -> list[str]:
    """The lines of the functions of a module."""
    lines = text.splitlines()
    return [
        line.strip()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name != "checked"
        for line in lines[node.lineno - 1 : node.end_lineno]
    ]


def _names(nodes: list[ast.AST]) -> set[str]:
    """What is bound by a name that means something else."""
    found = set()
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                kind = "variable"
            case ast.arg(arg=name):
                kind = "parameter"
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                kind = "definition"
            case _:
                continue
        if name in vars(builtins) and not name.startswith("__"):
            found.add(f"builtin as {kind}: {name}")
        elif name in OWN:
            found.add(f"name of generated code as {kind}: {name}")
        elif name in ODD:
            found.add(f"odd name as {kind}: {name}")
        elif name in ("np", "math"):
            found.add(f"module's name as {kind}: {name}")
    return found


FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    "corners": {
        "singular value": SINGULAR,
        "guard": tuple("\n".join(line.strip() for line in form) for form in GUARDS),
        "object": OBJECTS,
    },
    "slices": {
        "slices": (*UNARY, *BINARY, *OF_MATRIX, *MATRICES, *NUMBERS, *CHANGES),
    },
}
"""Texts of constructs, with places for expressions."""
NAMES = (BUILTINS, OWN, ODD)
_patterns: dict[str, re.Pattern[str]] = {}


def _pattern(form: str) -> re.Pattern[str]:
    """Matches a form with anything in its places."""
    if form not in _patterns:
        parts = [
            re.escape(text).replace("i\\ %", r"\w+\ %") + ".+?" * (place is not None)
            for text, place, *_ in Formatter().parse(form)
        ]
        start = r"(?<!\w)" if form[0].isalpha() else ""
        _patterns[form] = re.compile(start + "".join(parts))
    return _patterns[form]
