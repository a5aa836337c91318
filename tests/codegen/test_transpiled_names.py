"""What names of modules mean in files: at the time when the module reads them, and
whoever binds them."""

import importlib
import sys
import textwrap

import pytest

from s2sad import grad
from s2sad.errors import S2sadError
from tests.codegen.test_transpile import run, transpile

X = 1.5


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes files, of which ``reader_m`` is imported, and forgets them in the end."""
    before = set(sys.modules)

    def write(files):
        for name, text in files.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(textwrap.dedent(text))
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        return importlib.import_module("reader_m"), tmp_path / "reader_m.py"

    yield write
    for name in set(sys.modules) - before:
        if name.partition(".")[0].startswith("reader_"):
            del sys.modules[name]


def check_right_or_refused(write, files, refused=False):
    live, path = write(files)
    wanted = grad(live.f)(X)
    step = 1e-6
    assert wanted == pytest.approx(
        (live.f(X + step) - live.f(X - step)) / (2 * step), rel=1e-6
    )
    try:
        file = run(transpile(path, "f"))
    except S2sadError:
        assert refused
        return
    assert not refused
    assert file.f_grad(X) == pytest.approx(wanted, rel=1e-14)


F = """
def f(x: float): return x * x * {}
"""
BOUND_AGAIN = {
    "alias": ("A = 2.0\nB = A\nA = 5.0", "B * A"),
    "alias_of_a_product": ("A = 2.0\nB = A * 3\nA = 5.0", "B * A"),
    "class": (
        "K = 2.0\nclass Q:\n    B = K\n    T = (K, 1.0)\nK = 5.0",
        "Q.B * Q.T[0]",
    ),
    "own_name_in_class": ("K = 5.0\nclass Q:\n    K = 2.0\n    B = K", "Q.B"),
    "swapped": ("A = 2.0\nA, B = 5.0, A", "B * A"),
    "on_one_line": ("A = 2.0; B = A; A = 5.0", "B * A"),
    "once": ("A = 2.0\nB = A", "B * A"),
    "before": ("A = 2.0\nA = 5.0\nB = A", "B * A"),
    "called": ("K = 2.0\ndef k(v=K): return v\nG = k()", "G * k()"),
    "list": ("K = [2.0]\nL = K\nK = [5.0]", "L[0] * K[0]"),
}
BOUND_AGAIN_REFUSED = {
    "default": ("K = 2.0\ndef h(x, k=K): return x * k\nK = 7.0", "h(x)"),
    "default_list": ("K = [2.0]\ndef h(x, k=K): return x * k[0]\nK = [7.0]", "h(x)"),
    "default_of_method": (
        "K = 9.0\nclass C:\n    K = 2.0\n    def m(self, x, k=K): return x * k",
        "C().m(x)",
    ),
    "function": (
        "def h(x): return 2 * x\ng = h\ndef h(x): return x * x",
        "h(x) * g(x)",
    ),
    "lambda": ("A = lambda x: 2 * x\nB = A\nA = lambda x: 5 * x", "A(x) * B(x)"),
    "wrapped": ("def h(x): return 2 * x\nold = h\ndef h(x): return 3 * old(x)", "h(x)"),
    "base": (
        "class B:\n    K = 2.0\nclass D(B): pass\nclass B:\n    K = 3.0",
        "D().K * D.K",
    ),
    "class_alias": ("class B:\n    K = 2.0\nD = B\nclass B:\n    K = 3.0", "D().K"),
}


@pytest.mark.parametrize("name", BOUND_AGAIN)
def test_a_module_reads_what_a_name_means_there(package, name):
    text, read = BOUND_AGAIN[name]
    check_right_or_refused(package, {"reader_m": text + F.format(read)})


@pytest.mark.parametrize("name", BOUND_AGAIN_REFUSED)
def test_what_was_bound_to_another_name_before_is_refused(package, name):
    text, read = BOUND_AGAIN_REFUSED[name]
    check_right_or_refused(package, {"reader_m": text + F.format(read)}, refused=True)


CHANGED = {
    "by_another": {
        "reader_c": "K = 2.0",
        "reader_d": "import reader_c\nreader_c.K = 6.0",
        "reader_m": "import reader_c as c, reader_d" + F.format("c.K"),
    },
    "by_another_and_imported": {
        "reader_c": "K = 2.0",
        "reader_d": "import reader_c\nreader_c.K = 6.0",
        "reader_m": "import reader_d\nfrom reader_c import K" + F.format("K"),
    },
    "read_where_it_is": {
        "reader_c": "K = 2.0\ndef k(x): return x * K",
        "reader_d": "import reader_c as other\nother.K = 6.0",
        "reader_m": "import reader_d\nfrom reader_c import k" + F.format("k(x)"),
    },
    "in_a_function": {
        "reader_c": "K = 2.0",
        "reader_d": "import reader_c\ndef use(): reader_c.K = 6.0",
        "reader_m": "import reader_c as c, reader_d\nreader_d.use()" + F.format("c.K"),
    },
    "far_away": {
        "reader_c": "K = 2.0",
        "reader_e": "from reader_c import K\nimport reader_c\nreader_c.K += 4.0",
        "reader_d": "def use():\n    import reader_e",
        "reader_m": "import reader_c as c, reader_d\nreader_d.use()" + F.format("c.K"),
    },
    "attribute_of_a_class": {
        "reader_c": "class S:\n    K = 2.0",
        "reader_d": "from reader_c import S\nS.K = 6.0",
        "reader_m": "import reader_d\nfrom reader_c import S" + F.format("S.K"),
    },
    "class_by_its_module": {
        "reader_c": "class S:\n    K = 2.0",
        "reader_d": "import reader_c\nreader_c.S.K = 6.0",
        "reader_m": "import reader_d\nfrom reader_c import S" + F.format("S.K"),
    },
    "any_attribute": {
        "reader_c": "class S:\n    K = 2.0\n"
        "def put(**words):\n    for k, v in words.items(): setattr(S, k, v)",
        "reader_m": "import reader_c as c\nc.put(K=6.0)" + F.format("c.S.K"),
    },
    "setattr": {
        "reader_c": "K = 2.0",
        "reader_m": "import reader_c as c\nsetattr(c, 'K', 5.0)" + F.format("c.K"),
    },
    "attributes": {
        "reader_c": "K = 2.0",
        "reader_m": "import reader_c as c\nvars(c)['K'] = 5.0" + F.format("c.K"),
    },
    "dictionary": {
        "reader_c": "K = 2.0",
        "reader_m": "import reader_c as c\nc.__dict__.update(K=5.0)" + F.format("c.K"),
    },
    "by_a_parameter": {
        "reader_c": "K = 2.0",
        "reader_d": "def use(settings): settings.K = 6.0",
        "reader_m": "import reader_c as c, reader_d\nreader_d.use(c)" + F.format("c.K"),
    },
    "by_a_local_name": {
        "reader_c": "K = 2.0",
        "reader_d": "import reader_c\ndef use():\n    m = reader_c\n    m.K = 6.0",
        "reader_m": "import reader_c as c, reader_d\nreader_d.use()" + F.format("c.K"),
    },
    "by_a_loop": {
        "reader_c": "K = 2.0",
        "reader_d": "def every(*modules):\n    for m in modules: m.K = 6.0",
        "reader_m": "import reader_c as c, reader_d\nreader_d.every(c)"
        + F.format("c.K"),
    },
    "by_a_result": {
        "reader_c": "K = 2.0",
        "reader_d": "import reader_c as c\ndef settings():\n    return c",
        "reader_m": "import reader_c as c, reader_d\nreader_d.settings().K = 6.0"
        + F.format("c.K"),
    },
    "any_by_a_parameter": {
        "reader_c": "K = 2.0",
        "reader_d": "def use(m, **words):\n"
        "    for k, v in words.items(): setattr(m, k, v)",
        "reader_m": "import reader_c as c, reader_d\nreader_d.use(c, K=6.0)"
        + F.format("c.K"),
    },
    "class_by_a_parameter": {
        "reader_c": "class S:\n    K = 2.0",
        "reader_d": "def use(settings): settings.K = 6.0",
        "reader_m": "import reader_d\nfrom reader_c import S as Q\nreader_d.use(Q)"
        + F.format("Q.K"),
    },
    "by_the_object": {
        "reader_c": "class S:\n    K = 2.0",
        "reader_m": "import reader_c as c\ntype.__setattr__(c.S, 'K', 6.0)"
        + F.format("c.S.K"),
    },
    "globals": {"reader_m": "K = 2.0\nglobals()['K'] = 5.0" + F.format("K")},
    "exec": {"reader_m": "K = 2.0\nexec('K = 5.0')" + F.format("K")},
    "circle": {
        "reader_p": "A = 1.0\nimport reader_q\nA = 2.0",
        "reader_q": "from reader_p import A\nB = A",
        "reader_m": "import reader_p as p\nimport reader_q as q"
        + F.format("q.B * p.A"),
    },
    "nobody": {
        "reader_c": "K = 2.0\nclass S:\n    K = 3.0",
        "reader_d": "class Other: pass\nOther.K = 1.0\nK = 7.0",
        "reader_m": "import reader_c as c, reader_d" + F.format("c.K * c.S.K"),
    },
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_literal_that_others_may_change_is_read(package, name):
    check_right_or_refused(package, CHANGED[name])


STORES = {
    "lines": "(c.K,\n c.M) = 5.0, 2",
    "list_of_lines": "[\n  c.K,  # K\n] = [5.0]",
    "loop_of_lines": "for (i,\n  c.K) in [(1, 5.0)]: pass",
    "path_of_lines": "(c\n .K) = 5.0",
    "annotation_of_lines": "c.K: dict[str,\n  int] = 5.0",
    "continued": "c.K \\\n  = 5.0",
    "exec": "exec('c.K = 5.0')",
    "exec_in_it": "exec('K = 5.0', vars(c))",
    "exec_of_a_name": "text = 'c.K = 5.0'\nexec(text)",
    "modules": "import sys\nsys.modules['reader_c'].K = 5.0",
    "by_name": "import importlib\nimportlib.import_module('reader_c').K = 5.0",
    "setattr_of_a_tuple": "args = (c, 'K', 5.0)\nsetattr(*args)",
    "setattr_as_a_name": "put = setattr\nput(c, 'K', 5.0)",
    "vars_as_a_name": "d = vars(c)\nd['K'] = 5.0",
    "dict_as_a_name": "d = c.__dict__\nd |= {'K': 5.0}",
    "self_of_a_function": "def put(self): self.K = 5.0\nput(c)",
    "local_import": "def put():\n    import reader_c as q\n    q.K = 5.0\nput()",
    "default": "def put(q=c): q.K = 5.0\nput()",
    "bound_again": "for q in [c]: q.K = 5.0\nq = 1",
}


@pytest.mark.parametrize("name", STORES)
def test_stores_of_any_form_are_seen(package, name):
    files = {
        "reader_c": "K = 2.0",
        "reader_d": f"import reader_c as c\n{STORES[name]}",
        "reader_m": "import reader_c, reader_d" + F.format("reader_c.K"),
    }
    check_right_or_refused(package, files)


OWN_STORES = {
    "as_a_name": "g = globals()\ng['K'] = 5.0",
    "merged": "g = globals()\ng |= {'K': 5.0}",
    "handed": "def put(d): d['K'] = 5.0\nput(globals())",
}


@pytest.mark.parametrize("name", OWN_STORES)
def test_names_bound_by_globals_are_read(package, name):
    text = f"K = 2.0\n{OWN_STORES[name]}" + F.format("K")
    check_right_or_refused(package, {"reader_m": text})


def test_modules_imported_by_a_call_are_read(package):
    files = {
        "reader_c": "K = 2.0",
        "reader_d": "import reader_c\nreader_c.K = 5.0",
        "reader_m": "import importlib, reader_c\nimportlib.import_module('reader_d')"
        + F.format("reader_c.K"),
    }
    check_right_or_refused(package, files)


SUBJECT = "class A:\n    K = 2.0\nclass B(A): pass\nclass C(B): pass\n"
CLASS_STORES = {
    "inherited": (SUBJECT + "def put(q): q.K = 5.0\nput(B)", "B.K"),
    "inherited_twice": (SUBJECT + "def put(q): q.K = 5.0\nput(B)", "C.K * A.K"),
    "of_an_object": (SUBJECT + "def put(q): q.K = 5.0\nput(B)", "B().K"),
    "in_a_list": (SUBJECT + "for q in [B]: q.K = 5.0", "B.K"),
    "in_a_dict": (SUBJECT + "D = {'b': B}\nD['b'].K = 5.0", "B.K"),
    "derived_classes": (SUBJECT + "for q in B.__subclasses__(): q.K = 5.0", "C.K"),
    "bases": (SUBJECT + "for q in C.__mro__[:2]: q.K = 5.0", "B.K"),
    "decorator": (
        "def put(q):\n    q.K = 5.0\n    return q\n@put\nclass A:\n    K = 2.0",
        "A.K",
    ),
    "registered": (
        "ALL = []\ndef put(q):\n    ALL.append(q)\n    return q\n@put\n"
        "class A:\n    K = 2.0\nfor q in ALL: q.K = 5.0",
        "A.K",
    ),
    "init_subclass": (
        "class A:\n    def __init_subclass__(q): q.K = 5.0\nclass B(A):\n    K = 2.0",
        "B.K",
    ),
    "classmethod": (
        "class A:\n    K = 2.0\n    @classmethod\n    def put(q): q.K = 5.0\nA.put()",
        "A.K",
    ),
    "classmethod_of_a_base": (
        "class A:\n    @classmethod\n    def put(q): q.K = 5.0\n"
        "class B(A):\n    K = 2.0\nB.put()",
        "B.K",
    ),
    "type": (
        "class A:\n    K = 2.0\n    def put(self): type(self).K = 5.0\nA().put()",
        "A.K",
    ),
    "its_class": (
        "class A:\n    K = 2.0\n    def put(me): me.__class__.K = 5.0\nA().put()",
        "A.K",
    ),
}


@pytest.mark.parametrize("name", CLASS_STORES)
def test_stores_into_classes_are_seen(package, name):
    text, read = CLASS_STORES[name]
    check_right_or_refused(package, {"reader_m": text + F.format(read)})


NOT_STORED = {
    "objects": SUBJECT + "class D:\n    def __init__(self, k): self.K = k\nd = D(1.0)",
    "objects_of_it": SUBJECT + "b = B()\nb.K = 3.0\ndef put(q): q.K = 3.0\nput(b)",
    "other_class": SUBJECT + "class D:\n    @classmethod\n    def put(q): q.K = 1.0",
    "asked": SUBJECT
    + "def put(q):\n    assert isinstance(q, (A, B)) and type(q) is not C\n"
    "    q.K = type(q).__name__\nx: list[B] = []",
    "vars_read": SUBJECT + "K = 3.0\nprint(vars(B)['__module__'], globals()['K'])",
}


@pytest.mark.parametrize("name", NOT_STORED)
def test_literals_stay_where_objects_alone_are_stored_into(package, name):
    _, path = package({"reader_m": NOT_STORED[name] + F.format("B.K")})
    assert "import reader_m" not in transpile(path, "f")


def test_a_literal_that_nobody_changes_is_copied(package):
    _, path = package(CHANGED["nobody"])
    assert "import reader_c" not in transpile(path, "f")


def test_a_function_that_others_replace_is_refused(package):
    files = {
        "reader_c": "def h(x): return 2 * x",
        "reader_d": "import reader_c\nreader_c.h = abs",
        "reader_m": "import reader_c as c, reader_d" + F.format("c.h(x)"),
    }
    check_right_or_refused(package, files, refused=True)


SAME_NAMES = [
    {
        "reader_a/__init__": "",
        "reader_b/__init__": "",
        "reader_a/c": "T = [2.0]",
        "reader_b/c": "T = [3.0]",
        "reader_m": "from reader_a import c as ac\nfrom reader_b import c as bc"
        + F.format("ac.T[0] * bc.T[0]"),
    },
    {
        "reader_a/__init__": "",
        "reader_a/math": "T = [2.0]",
        "reader_m": "import math\nfrom reader_a import math as other"
        + F.format("other.T[0] * math.sin(x)"),
    },
]


@pytest.mark.parametrize("files", SAME_NAMES)
def test_modules_of_one_name_in_two_packages(package, files):
    check_right_or_refused(package, files)


def test_modules_that_would_be_one_name_are_refused(package):
    files = {
        "reader_a/__init__": "",
        "reader_a/reader_c": "T = [2.0]",
        "reader_c": "T = [3.0]",
        "reader_m": "from reader_a import reader_c as ac\nimport reader_c as c"
        + F.format("ac.T[0] * c.T[0]"),
    }
    _, path = package(files)
    with pytest.raises(S2sadError, match="two things"):
        transpile(path, "f")
