"""What handlers ask of one another is declared once, and defined by one of them."""

from __future__ import annotations

import ast
import inspect

import pytest

import s2sad.frontend.specialise  # noqa: F401  (defines the verbs)
from s2sad.frontend.specialise.core import verbs
from s2sad.frontend.specialise.core.specialiser import Specialiser


def declarations():
    tree = ast.parse(inspect.getsource(verbs.Verbs))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("declared", declarations(), ids=lambda node: node.name)
def test_is_defined_as_it_is_declared(declared):
    definition = inspect.unwrap(getattr(Specialiser, declared.name))
    assert definition.__module__ != verbs.__name__
    node = ast.parse(inspect.getsource(definition)).body[0]
    _, *own = parameters(node.args)
    _, *asked = parameters(declared.args)
    assert own == asked


def parameters(arguments):
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    keywords = [a.arg for a in arguments.kwonlyargs]
    given = (*arguments.defaults, *filter(None, arguments.kw_defaults))
    defaults = (ast.unparse(d).removeprefix("core.") for d in given)
    return [*names, arguments.vararg and arguments.vararg.arg, *keywords, *defaults]


def test_only_what_is_declared_can_be_defined():
    with pytest.raises(TypeError, match="isn't declared"):

        @verbs.verb
        def unheard_of(spec): ...
