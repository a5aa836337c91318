"""Files where text elsewhere changes what a class, function or default is that is read:
whoever gets hold of it; and arguments that aren't what their annotations say."""

import pytest

from s2sad.errors import S2sadError
from tests.codegen.test_transpile import run, transpile
from tests.codegen.test_transpiled_names import F, check_right_or_refused, package

__all__ = ["package"]

SUBJECT = "class B:\n    K = 3.0\nclass C:\n    K = 2.0\n"
HELD = {
    "tuple": "for c in (B, C): c.K = 5.0",
    "list_of_a_tuple": "for c in list((B, C)): c.K = 5.0",
    "pairs": "for c, v in zip((B, C), (7.0, 5.0)): c.K = v",
    "cast": "from typing import Any, cast\ncast(Any, C).K = 5.0",
    "sorted": "sorted((B, C), key=lambda c: c.K)[0].K = 5.0",
    "item_of_a_tuple": "(B, C)[1].K = 5.0",
    "sum_of_tuples": "for c in (B,) + (C,): c.K = 5.0",
    "comprehension": "[setattr(c, 'K', 5.0) for c in (B, C)]",
    "globals": "globals()['C'].K = 5.0",
    "eval": "eval('setattr(C, \"K\", 5.0)')",
    "globals_of_a_function": "def g(): pass\ng.__globals__['C'].K = 5.0",
    "by_name": "import reader_m as m\ngetattr(m, 'C').K = 5.0",
    "in_vars": "import reader_m as m\nvars(m)['C'].K = 5.0",
    "in_a_dictionary": "import reader_m as m\nn = c = 0\n"
    "for n, c in m.__dict__.items():\n    if n == 'C': c.K = 5.0",
    "attribute_of_an_object": "class A: pass\na = A()\na.C = C\na.C.K = 5.0",
    "modules": "from sys import modules as found\nfound['reader_m'].C.K = 5.0",
    "import_module": "from importlib import import_module as load\n"
    "load('reader_m').C.K = 5.0",
}


@pytest.mark.parametrize("name", HELD)
def test_stores_by_whoever_gets_hold_of_a_class_are_seen(package, name):
    check_right_or_refused(
        package, {"reader_m": SUBJECT + HELD[name] + F.format("C.K")}
    )


IN_CLASSES = {
    "locals": ("class C:\n    K = 2.0\n    locals()['K'] = 5.0", "C.K"),
    "vars": ("class C:\n    K = 2.0\n    vars()['K'] = 5.0", "C.K"),
    "set_name": (
        "class D:\n    def __set_name__(self, o, n): o.K = 7.0\n"
        "class C:\n    K = 2.0\n    d = D()",
        "C.K",
    ),
    "class_in_a_class": (
        "class A:\n    class C:\n        K = 2.0\n    def put(self): self.C.K = 5.0\n"
        "A().put()",
        "A.C.K",
    ),
    "class_of_an_object": (
        "class A:\n    class C:\n        K = 2.0\na = A()\na.C.K = 5.0",
        "A.C.K",
    ),
    "all_gets_more": (
        "import reader_c\nfrom reader_c import *",
        "(K + reader_c.J)",
    ),
    "flag_of_the_module": (
        "TYPE_CHECKING = True\nK = 2.0\nif TYPE_CHECKING: K = 4.0",
        "K",
    ),
}
EXPORTS = "__all__ = ['J']\n__all__.append('K')\nJ = 1.0\nK = 2.0"


@pytest.mark.parametrize("name", IN_CLASSES)
def test_what_bodies_of_classes_and_modules_store_is_seen(package, name):
    text, read = IN_CLASSES[name]
    files = {"reader_c": EXPORTS, "reader_m": text + F.format(read)}
    check_right_or_refused(package, files)


FUNCTION = "def g(x, k=2.0, *, j=1.0): return x * k * j\n"
CHANGED_REFUSED = {
    "defaults": (FUNCTION + "g.__defaults__ = (5.0,)", "g(x)"),
    "named_defaults": (FUNCTION + "g.__kwdefaults__ = {'j': 5.0}", "g(x)"),
    "a_named_default": (FUNCTION + "g.__kwdefaults__['j'] = 5.0", "g(x)"),
    "code": (FUNCTION + "def h(x): return x\ng.__code__ = h.__code__", "g(x)"),
    "code_of_a_method": (
        "class C:\n    def g(self, x): return x * 2\n"
        "def h(self, x): return x * 5\nC.g.__code__ = h.__code__",
        "C().g(x)",
    ),
    "default_of_a_lambda": (
        "K = 2.0\ng = lambda x, k=K: x * k\nK = 7.0",
        "g(x)",
    ),
    "default_of_a_class": (
        "class C:\n    K = 2.0\ndef g(x, k=C.K): return k * x\nC.K = 7.0",
        "g(x)",
    ),
    "default_of_a_global": (
        "K = 2.0\ndef put():\n    global K\n    K = 7.0\n"
        "def g(x, k=K): return k * x\nput()",
        "g(x)",
    ),
    "class_of_a_decorator": (
        "def another(c):\n    class W(c):\n        K = 8.0\n    return W\n"
        "@another\nclass C:\n    K = 2.0",
        "C.K",
    ),
}


@pytest.mark.parametrize("name", CHANGED_REFUSED)
def test_what_the_text_changes_behind_a_name_is_refused(package, name):
    text, read = CHANGED_REFUSED[name]
    check_right_or_refused(package, {"reader_m": text + F.format(read)}, refused=True)


CIRCLES = {
    "value": ("J = m.K", "J"),
    "product": ("J = m.K * 2", "J"),
    "class": ("class J:\n    k = m.K", "J.k"),
    "function": ("def j(): return m.K", "j()"),
}


@pytest.mark.parametrize("name", CIRCLES)
def test_modules_that_import_each_other_read_what_is_there(package, name):
    text, read = CIRCLES[name]
    files = {
        "reader_c": f"import reader_k as m\n{text}",
        "reader_k": "K = 2.0\nimport reader_c\nK = 3.0",
        "reader_m": "import reader_k, reader_c as c" + F.format(f"c.{read}"),
    }
    check_right_or_refused(package, files)


PACKAGES = {
    "submodule_that_others_load": "from reader_p import a as b\nimport reader_p.a",
    "before": "import reader_p.a\nfrom reader_p import a as b",
}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_submodule_takes_the_place_of_what_its_package_binds(package, name):
    files = {
        "reader_p/__init__": "class a:\n    K = 7.0",
        "reader_p/a": "K = 3.0",
        "reader_m": PACKAGES[name] + F.format("reader_p.a.K * b.K"),
    }
    check_right_or_refused(package, files, refused=True)


def test_a_name_is_what_its_package_binds_where_nobody_loads_the_submodule(package):
    files = {
        "reader_p/__init__": "class a:\n    K = 7.0",
        "reader_p/a": "K = 3.0",
        "reader_m": "from reader_p import a" + F.format("a.K"),
    }
    check_right_or_refused(package, files)


def test_a_default_that_another_module_reads_too_early_is_refused(package):
    files = {
        "reader_c": "import reader_k as m\ndef j(x, k=m.K): return k * x",
        "reader_k": "K = 2.0\nimport reader_c\nK = 3.0",
        "reader_m": "import reader_k, reader_c as c" + F.format("c.j(x)"),
    }
    check_right_or_refused(package, files, refused=True)


DATACLASS = (
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    k: float = 2.0\n"
)
PLAIN = "class P:\n    def __init__(self, k: float): self.k = k\n"
MADE_OVER = {
    "init": (
        DATACLASS + "def put(self, k): self.k = k * k\nP.__init__ = put",
        "P(x).k",
    ),
    "by_a_parameter": (
        DATACLASS + "def put(c):\n    old = c.__init__\n"
        "    c.__init__ = lambda self, k: old(self, k * 5)\nput(P)",
        "P(x).k",
    ),
    "init_of_a_base": (
        PLAIN + "class R(P): pass\ndef put(self, k): self.k = k * 7\nP.__init__ = put",
        "R(x).k",
    ),
    "defaults": (DATACLASS + "P.__init__.__defaults__ = (7.0,)", "P().k"),
    "defaults_of_a_tuple": (
        "from typing import NamedTuple\nclass P(NamedTuple):\n    k: float\n"
        "    j: float = 3.0\nP.__new__.__defaults__ = (9.0,)",
        "P(x).j",
    ),
    "equality": (
        PLAIN + "P.__eq__ = lambda s, o: True",
        "(2. if P(x) == P(3.) else x)",
    ),
    "truth": (DATACLASS + "P.__bool__ = lambda self: False", "(2.0 if P(x) else x)"),
    "length": (PLAIN + "P.__len__ = lambda self: 0", "(2.0 if P(x) else x)"),
    "attributes": (PLAIN + "P.__getattribute__ = lambda self, n: 5.0", "P(x).k"),
    "stores": (
        DATACLASS + "    def __setattr__(self, n, v):\n"
        "        object.__setattr__(self, n, v * 2)",
        "P(x).k",
    ),
    "computed": (DATACLASS + "    def __getattribute__(self, n): return 5.0", "P(x).k"),
    "descriptor": (
        "class D:\n    def __get__(self, o, t=None): return 3.0\n"
        "    def __set__(self, o, v): pass\n" + DATACLASS + "    j: float = D()",
        "P(x, x).j",
    ),
}


@pytest.mark.parametrize("name", MADE_OVER)
def test_classes_that_do_more_than_to_keep_their_fields_are_refused(package, name):
    text, read = MADE_OVER[name]
    _, path = package({"reader_m": text + F.format(read)})
    with pytest.raises(S2sadError):
        transpile(path, "f")


def test_stores_into_objects_with_a_setattr_of_their_own_are_refused(package):
    text, _ = MADE_OVER["stores"]
    text += "\ndef f(p: P) -> float:\n    p.k = p.k * 3\n    return p.k"
    _, path = package({"reader_m": text})
    with pytest.raises(S2sadError, match="a __setattr__ of its own"):
        transpile(path, "f")


ARGUMENTS = """
from typing import TypedDict

class P:
    def __init__(self, k: float): self.k = k
    def g(self, x): return x * 2

class Q(P):
    def g(self, x): return x * 9

class D(TypedDict):
    a: float
    b: float

def of_objects(p: P) -> float: return p.g(p.k)

def of_attributes(p: P) -> float: return p.k * p.k

def of_tuples(t: tuple[float, float]) -> float: return t[0] * sum(t)

def of_dicts(d: D) -> float:
    total = 0.0
    for value in d.values():
        total = total * 0.5 + value
    return total
"""


def test_arguments_that_are_not_what_annotations_say_are_refused(package):
    live, path = package({"reader_m": ARGUMENTS})
    names = ("of_objects", "of_attributes", "of_tuples", "of_dicts")
    file = run(transpile(path, *names))
    assert file.of_objects_grad(live.P(1.5)).k == 2.0
    assert file.of_attributes_grad(live.Q(1.5)).k == 3.0
    assert file.of_tuples_grad((1.5, 2.0)) == (5.0, 1.5)
    assert file.of_dicts_grad({"a": 1.0, "b": 2.0}) == {"a": 0.5, "b": 1.0}
    with pytest.raises(TypeError, match="p must be a P"):
        file.of_objects_grad(live.Q(1.5))
    with pytest.raises(TypeError, match="t must have 2 items"):
        file.of_tuples_grad((1.5, 2.0, 3.0))
    for other in ({"b": 1.0, "a": 2.0}, {"a": 1.0, "b": 2.0, "c": 3.0}):
        with pytest.raises(TypeError, match="d must have the keys 'a', 'b'"):
            file.of_dicts_grad(other)
