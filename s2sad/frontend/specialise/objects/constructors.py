"""Classes whose ``__init__`` makes others of the class: trees that divide what they are
given. A call of the class is a call of a function that makes the object, so that it can
call itself::

    class Cell:                                 def Cell(points):
        def __init__(self, points):       ->        cell = an object of the class
            ...                                     cell.__init__(points)
            self.kids = [Cell(p) for ...]           return cell
"""

import ast
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.frontend.specialise.objects import members
from s2sad.frontend.specialise.run_time import queries
from s2sad.source.text import scopes
from s2sad.source.text.source_function import SourceFunction


def function_of(spec: Specialiser, cls: Any) -> SourceFunction | None:
    """The function that a call of a class calls; None where ``__init__`` is run at
    once: it makes no others, or this is that function."""
    if queries.class_of_kept(cls) not in spec.facts.made_in_others:
        return None
    member = members.member_of(cls, "__init__")
    source = user_source(member.value) if member is not None else None
    if source is None:
        return None
    functions, kept = _functions_of(source.node), queries.class_of_kept(cls)
    if kept not in functions:
        functions[kept] = _function_that_makes(source.node, cls)
    node = functions[kept]
    if spec.frame.source.node is node:
        return None
    return replace(source, name=cls.__name__, qualname=cls.__qualname__, node=node)


@scopes.remembered
def _functions_of(node: ast.AST) -> dict[Any, ast.FunctionDef]:
    """Those of the classes that share an ``__init__``, always the same."""
    return {}


def _function_that_makes(node: Any, cls: Any) -> ast.FunctionDef:
    """``def Cell(points, *rest, depth=0): return Cell(points, *rest, depth=depth)``."""
    given: ast.arguments = node.args
    own = [*given.posonlyargs, *given.args][1:]
    own_args = ast.arguments(
        posonlyargs=[],
        args=own,
        vararg=given.vararg,
        kwonlyargs=given.kwonlyargs,
        kw_defaults=given.kw_defaults,
        kwarg=given.kwarg,
        defaults=given.defaults,
    )

    def read(parameter: ast.arg) -> ast.expr:
        return ast.Name(parameter.arg, ast.Load())

    args = [read(parameter) for parameter in own]
    if given.vararg is not None:
        args.append(ast.Starred(read(given.vararg), ast.Load()))
    words = [ast.keyword(p.arg, read(p)) for p in given.kwonlyargs]
    if given.kwarg is not None:
        words.append(ast.keyword(None, read(given.kwarg)))
    call = ast.Return(ast.Call(ast.Constant(cls), args, words))
    made = ast.FunctionDef(cls.__name__, own_args, [call], [], None)
    for part in ast.walk(call):
        ast.copy_location(part, node)
    return ast.copy_location(made, node)
