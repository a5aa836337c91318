"""Dataclasses whose fields are made by factories, and ``replace``, in transpiled
files."""

from __future__ import annotations

import types

import pytest

from s2sad.errors import UnsupportedError
from tests.codegen.test_transpile import run, transpile

TEXT = """
import dataclasses
from dataclasses import dataclass, field, replace


def made():
    return []


@dataclass
class Layer:
    w: float
    b: float = 1.0
    names: list = field(default_factory=list)


@dataclass
class Scaled:
    w: float
    scales: list = dataclasses.field(default_factory=lambda: [1.0, 2.0])
    table: dict = field(default_factory=lambda: {"a": 3.0})
    k: float = field(default=4.0)


@dataclass
class Unread:
    w: float
    names: list = field(default_factory=made)


def replaced(x: float):
    layer = replace(Layer(x), b=2.0 * x)
    return layer.w * layer.b


def appended(x: float):
    layer = Layer(x)
    layer.names.append(x)
    return layer.names[0] * layer.w


def scaled(x: float):
    layer = dataclasses.replace(Scaled(x), w=3.0 * x)
    return layer.w * layer.scales[1] * layer.table["a"] * layer.k


def of_layer(layer: Layer):
    other = replace(layer, w=3.0 * layer.w)
    return other.w * other.b


def unread(x: float):
    return Unread(x).w


def no_dataclass(x: float):
    return replace(x, b=2.0)
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("dataclasses") / "source.py"
    path.write_text(TEXT)
    return path


def test_defaults_that_factories_make(path):
    module = run(transpile(path, "replaced", "appended", "scaled", "of_layer"))
    assert module.replaced_grad(3.0) == 12.0
    assert module.appended_grad(3.0) == 6.0
    assert module.scaled_grad(3.0) == 72.0

    class Layer(types.SimpleNamespace):
        pass

    found = module.of_layer_grad(Layer(w=2.0, b=5.0, names=[]))
    assert found == Layer(w=15.0, b=6.0, names=[])


def test_other_defaults_are_refused(path):
    with pytest.raises(UnsupportedError, match="the default of 'names' of Unread"):
        transpile(path, "unread")
    with pytest.raises(UnsupportedError, match="replace takes a dataclass"):
        transpile(path, "no_dataclass")
