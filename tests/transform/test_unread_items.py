"""Gradients of structures of which the function reads a part."""

from s2sad import grad


def test_an_item_that_is_not_read_gets_zero():
    def inner(p):
        return p["a"]["x"] ** 2

    assert grad(inner)({"a": {"x": 3.0, "y": 1.0}, "b": (2.0, 4.0)}) == {
        "a": {"x": 6.0, "y": 0.0},
        "b": (0.0, 0.0),
    }
