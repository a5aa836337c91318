"""docs/extending.md quotes the code, and says what names an entry that is missing."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from s2sad import UnsupportedError, grad
from s2sad.frontend.specialise.core import specialiser
from tests.fuzz.constructs import STATEMENTS
from tests.rules import test_table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()
PATH = re.compile(r"`((?:s2sad|tests)/[\w/]+\.py)`")


def quoted():
    """Each quotation, and the file that was named last before it, or first after it."""
    for block in re.finditer(r"^```code\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        named = PATH.findall(PAGE[: block.start()])[-1]
        following = PATH.search(PAGE, block.end())
        yield block[1], (named, following and following[1])


@pytest.mark.parametrize(
    "code, files", list(quoted()), ids=lambda v: str(v)[:30].strip()
)
def test_what_is_quoted_stands_in_the_file(code, files):
    assert any(code in (ROOT / file).read_text() for file in files if file)


@pytest.mark.parametrize(
    "named", sorted(set(re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", PAGE)))
)
def test_what_is_named_exists(named):
    roots = (ROOT, ROOT / "s2sad")
    assert any((root / named).exists() for root in roots)


def test_the_table_names_a_function_without_a_case(monkeypatch):
    others = [c for c in test_table.CASES if c.function is not np.logaddexp2]
    monkeypatch.setattr(test_table, "CASES", others)
    with pytest.raises(AssertionError, match="logaddexp2"):
        test_table.test_every_rule_has_a_case()


def test_a_construct_without_a_handler_is_refused_by_name(monkeypatch):
    handlers = {
        k: v for k, v in specialiser.EXPRESSIONS.items() if k is not ast.NamedExpr
    }
    monkeypatch.setattr(specialiser, "EXPRESSIONS", handlers)

    def f(x):
        return (z := x * x) * z

    with pytest.raises(UnsupportedError, match="NamedExpr"):
        grad(f)(1.5)
    assert ast.NamedExpr in STATEMENTS
