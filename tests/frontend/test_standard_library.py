"""The standard library's own functions: each is taken or refused, none breaks the front
end.

A sample of files by default; ``S2SAD_WHOLE_LIBRARY=1`` takes all of them.
"""

from __future__ import annotations

import ast
import os
import random
import warnings
from pathlib import Path

import pytest

from s2sad.analysis.passes.verify import verify
from s2sad.errors import S2sadError, SourceError
from s2sad.frontend.specialise import specialise
from s2sad.frontend.specialise.core.exceptions import SpecialiseOnValue
from s2sad.frontend.specialise.core.state import Options
from s2sad.ir.kinds import FLOAT, UNKNOWN
from s2sad.rules.load import load_all
from s2sad.source.static.module import static_functions
from s2sad.source.text.resolve import NameNotFound
from s2sad.transform.programs.derivative_programs import ProgramsOfTransforms

LIBRARY = Path(os.__file__).parent
LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "site-packages", "turtledemo"}
SAMPLE = 150


def library_files():
    files = [
        path
        for path in sorted(LIBRARY.rglob("*.py"))
        if not LEFT_OUT & set(path.relative_to(LIBRARY).parts)
    ]
    if os.environ.get("S2SAD_WHOLE_LIBRARY") == "1":
        return files
    return sorted(random.Random(0).sample(files, SAMPLE))


def sources_of(module):
    """The functions of a module, and the methods of its classes."""
    yield from (f.source for f in module.functions.values())
    tree = ast.parse(Path(module.path).read_bytes())
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        for member in owner.body:
            if isinstance(member, ast.FunctionDef):
                try:
                    yield module.function(f"{owner.name}.{member.name}").source
                except NameNotFound:
                    continue  # bound twice, or decorated


def parameters_of(node):
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in (*named, arguments.vararg, arguments.kwarg) if a is not None]


def taken(source, kind):
    """Whether the front end takes a function; any error but its own is a fault."""
    kinds = dict.fromkeys(parameters_of(source.node), kind)
    try:
        made = specialise(source, kinds, ProgramsOfTransforms(), Options(static=True))
    except (S2sadError, SpecialiseOnValue):
        return False
    verify(made.function, source.name)
    return True


def marked(path):
    slow = path.stem in ("process", "webbrowser")  # each takes half a minute
    return pytest.param(path, id=path.stem, marks=pytest.mark.long if slow else ())


@pytest.mark.sampled(40, of_long=5)
@pytest.mark.parametrize("path", [*map(marked, library_files())])
def test_functions_of_a_file(path):
    load_all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            sources = list(sources_of(static_functions(path)))
        except SourceError:  # of another version
            with pytest.raises((SyntaxError, ValueError)):
                ast.parse(path.read_bytes())
            return
        for source in sources:
            for kind in (FLOAT, UNKNOWN):
                try:
                    taken(source, kind)
                except Exception as error:
                    place = f"{path}:{source.node.lineno} {source.name}"
                    raise AssertionError(f"{place} with {kind}") from error
