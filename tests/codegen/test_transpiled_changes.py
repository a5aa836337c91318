"""Files where text elsewhere changes what a class, function or default is that is read:
whoever gets hold of it."""

import pytest

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
