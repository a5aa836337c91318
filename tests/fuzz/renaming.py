"""Programs with other names: those of builtins, of keywords that are none everywhere,
with underscores, and names that generated code has for itself."""

from __future__ import annotations

import ast
import random

CALLED = ("len", "range", "reversed", "list", "min", "sum", "max", "abs", "zip")
"""Builtins that generated code calls."""
BUILTINS = (
    *CALLED,
    *CALLED,
    *(
        "tuple",
        "float",
        "int",
        "print",
        "sorted",
        "enumerate",
        "iter",
        "dict",
        "bool",
        "type",
    ),
    *("isinstance", "slice", "ValueError", "object", "divmod", "round", "any"),
)
OWN = (
    *("x_bar", "x_saved", "x_dot", "v_bar", "total_bar", "item", "count", "residuals"),
    *("out", "part", "place", "length", "condition", "cotangent", "result", "value"),
    *("program_grad", "x_2", "i_2", "y_bar_2", "full", "product", "keep", "s2sad"),
    *("gradient", "tangent", "index_add", "sum_to_shape_of", "stack", "broken"),
)
ODD = (
    *("match", "case", "_", "__", "_x", "_X", "__x__", "x_", "np_", "math_", "self"),
    *("θ", "naïve", "ﬁne", "lambda_", "None_", "at", "cls", "args", "kwargs", "nan"),
    *("___", "soft", "O0", "l", "e", "pi", "inf", "random_program"),
)
MODULES = {"np": "xp", "math": "m_"}
"""Modules that a program may call otherwise, so that a variable has their name."""


def renamed(text: str, seed: int) -> str:
    """The program with some names replaced throughout, arguments of ``program``
    included: ``RENAMED`` says how they were called."""
    rng = random.Random(seed)
    tree = ast.parse(text)
    used = _names(tree)
    fixed = _fixed(tree)
    bound = _bound(tree)
    free = [n for n in (*BUILTINS, *OWN, *ODD) if n not in used]
    mapping: dict[str, str] = {}
    if rng.randrange(4) == 0:
        module = rng.choice([m for m in MODULES if m in used])
        mapping[module] = MODULES[module]
        free.append(module)
        free = [module, *free] if rng.randrange(2) else free
    candidates = [n for n in bound if n not in fixed and n not in MODULES]
    rng.shuffle(candidates)
    for name in candidates[: rng.randint(2, 6)]:
        pool = [n for n in (BUILTINS, OWN, ODD)[rng.randrange(3)] if n in free]
        if len(mapping.keys() - MODULES) == 0:
            pool = [n for n in CALLED if n in free]
        if any(m in mapping and m in free for m in MODULES):
            pool = [m for m in MODULES if m in mapping and m in free]
        if pool:
            mapping[name] = rng.choice(pool)
            free = [n for n in free if n != mapping[name]]
    tree = ast.fix_missing_locations(_Renamer(mapping).visit(tree))
    arguments = {mapping.get(n, n): n for n in _parameters(ast.parse(text))}
    return f"{ast.unparse(tree)}\n\nRENAMED = {arguments!r}\n"


def _parameters(tree: ast.Module) -> list[str]:
    (node,) = [
        n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program"
    ]
    return [a.arg for a in node.args.args]


def _names(tree: ast.AST) -> set[str]:
    """Every name that occurs, in any place."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str):
                    found.add(item)
    return found


def _fixed(tree: ast.Module) -> set[str]:
    """Names that are also keywords, attributes, fields of classes or methods."""
    found = {"program"}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.MatchClass):
            found |= {*node.kwd_attrs}
        elif isinstance(node, ast.alias):
            found |= {node.name, node.asname or node.name} - set(MODULES) - {"numpy"}
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    found.add(inner.name)
                found |= {
                    n.id
                    for n in ast.walk(inner)
                    if isinstance(n, ast.Name)
                    and not isinstance(inner, ast.FunctionDef)
                }
    return found


def _bound(tree: ast.Module) -> list[str]:
    """Names that the module binds, in order of text."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found[name] = None
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = None
    return list(found)


class _Renamer(ast.NodeTransformer):
    def __init__(self, mapping: dict[str, str]) -> None:
        self.mapping = mapping

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("id", "arg", "name", "rest"):
            own = getattr(node, field, None)
            if isinstance(node, ast.keyword | ast.alias) or not isinstance(own, str):
                continue
            setattr(node, field, self.mapping.get(own, own))
        if isinstance(node, ast.Nonlocal | ast.Global):
            node.names = [self.mapping.get(n, n) for n in node.names]
        if isinstance(node, ast.Import):
            for alias in node.names:
                called = alias.asname or alias.name
                if called in self.mapping:
                    alias.asname = self.mapping[called]
        return node
