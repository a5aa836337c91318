"""What is found in the syntax of a function once, and what must be found anew."""

from __future__ import annotations

import ast
import gc
import importlib
import weakref

from s2sad.ops.runtime.broadcasting import sum_to_shape_of
from s2sad.source.normalise import normalised
from s2sad.source.text.scopes import (
    assigned_names,
    declared_global,
    makes_functions,
    names_written_outside,
    rebound_names,
)
from s2sad.source.text.source import source_of, source_of_own


def early(x):
    if x > 1.0:
        return x
    return x * x


def test_the_normal_form_of_a_function_is_made_once():
    first, second = source_of(early), source_of(early)
    assert first is not second
    assert normalised(first) is normalised(second)


def test_a_rule_is_read_once_but_is_another_source_at_each_use():
    first, second = source_of_own(sum_to_shape_of), source_of_own(sum_to_shape_of)
    assert first is not second and first.node is second.node


def test_a_function_that_was_loaded_again_is_read_again(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "loaded_twice.py"
    path.write_text("def f(x):\n    return x\n")
    module = importlib.import_module("loaded_twice")
    before = ast.unparse(normalised(source_of_own(module.f))[0])
    path.write_text("def f(x):\n    return x * x + 1.0\n")
    module = importlib.reload(module)
    after = ast.unparse(normalised(source_of_own(module.f))[0])
    assert (before, after) == ("return x", "return x * x + 1.0")


def test_names_of_several_statements_are_put_together():
    text = "a = 1\nglobal b\nb = 2\na = 3\ndef g():\n    nonlocal c\n    c = 4\n"
    body = ast.parse(text).body
    for _ in range(2):
        assert assigned_names(body) == {"a", "g"}
        assert assigned_names(body[:1]) == {"a"}
        assert declared_global(body) == {"b"}
        assert rebound_names(body) == {"a", "c"}
        assert rebound_names(body[:1], ["a"]) == {"a"}
        assert names_written_outside(body) == {"c"}
        assert makes_functions(body) and not makes_functions(body[:4])


def test_syntax_that_nobody_holds_is_forgotten():
    body = ast.parse("a = 1\nb = [c for c in range(3)]").body
    assert assigned_names(body) == {"a", "b"} and not makes_functions(body)
    held = weakref.ref(body[0])
    del body
    gc.collect()
    assert held() is None
