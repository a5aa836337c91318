"""What branches of a module bind, and partial applications and tables of functions, in
files: what the text and what is installed here tell; the rest is refused."""

import pytest

from s2sad.errors import S2sadError
from tests.codegen.test_transpile import transpile
from tests.codegen.test_transpiled_names import F, check_right_or_refused, package

__all__ = ["package"]

DOUBLED, TRIPLED = "def h(v): return 2 * v", "def h(v): return 3 * v"
IF = "if {}:\n    " + DOUBLED + "\nelse:\n    " + TRIPLED
ABSENT = "try:\n    import not_there_anywhere as q\n"
DECIDED = {
    "not_installed": ABSENT + "except ImportError:\n    " + DOUBLED,
    "not_found": "try:\n    from not_there_anywhere import h\n"
    "except (ValueError, ModuleNotFoundError):\n    " + DOUBLED,
    "flag_of_an_import": ABSENT
    + "    HAS = True\nexcept ImportError:\n    HAS = False\n"
    "if HAS:\n    h = q.h\nelse:\n    " + DOUBLED,
    "flag_in_a_function": ABSENT
    + "    HAS = True\nexcept ImportError:\n    HAS = False\n"
    "def h(v): return q.h(v) if HAS else 2 * v",
    "none": ABSENT + "except ImportError:\n    q = None\n" + IF.format("q is None"),
    "else": ABSENT
    + f"except ImportError:\n    {DOUBLED}\nelse:\n    def h(v): return q.h(v)",
    "installed": "try:\n    from scipy.special import expit as h\n"
    "except ImportError:\n    " + DOUBLED,
    "attribute": "import numpy as np\ntry:\n    h = np.sin\n"
    "except AttributeError:\n    h = np.no_such_thing",
    "no_attribute": "import numpy as np\ntry:\n    h = np.no_such_thing\n"
    "except AttributeError:\n    h = np.sin",
    "no_such_name": "try:\n    from numpy import no_such_thing as h\n"
    "except ImportError:\n    from numpy import sin as h",
    "hasattr": "import numpy as np\n" + IF.format("hasattr(np, 'no_such_thing')"),
    "version": "import sys\n" + IF.format("sys.version_info >= (3, 8)"),
    "part_of_version": "import sys\n" + IF.format("sys.version_info[0] == 2"),
    "version_of_numpy": "import numpy as np\n"
    + IF.format("tuple(map(int, np.__version__.split('.')[:2])) >= (2, 0)"),
    "platform": "import sys, os\n"
    + IF.format("sys.platform.startswith('win') and os.name == 'nt'"),
    "size": "import sys\n" + IF.format("sys.maxsize > 2**32"),
    "main": DOUBLED + "\nif __name__ == '__main__':\n    " + TRIPLED,
    "constant": "FAST = False\n" + IF.format("not FAST and 2 > 1"),
    "find_spec": "import importlib.util\n"
    + IF.format("importlib.util.find_spec('not_there_anywhere') is None"),
    "in_a_class": "import sys\nclass A:\n    if sys.version_info >= (3, 8):\n"
    "        K = 2.0\n    else:\n        K = 3.0\ndef h(v): return A().K * v",
}


@pytest.mark.parametrize("name", DECIDED)
def test_branches_that_the_text_decides(package, name):
    check_right_or_refused(package, {"reader_m": DECIDED[name] + F.format("h(x)")})


OTHERS = {
    "there": TRIPLED,
    "imports_what_is_absent": "import not_there_anywhere\n" + TRIPLED,
    "takes_from_what_is_absent": "from not_there_anywhere import q\n" + TRIPLED,
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_may_not_be_importable(package, name):
    text = "try:\n    from reader_c import h\nexcept ImportError:\n    " + DOUBLED
    files = {"reader_c": OTHERS[name], "reader_m": text + F.format("h(x)")}
    check_right_or_refused(package, files)


UNDECIDED = {
    "environment": "import os\n" + IF.format("os.environ.get('FAST')"),
    "changed": "FAST = False\ndef use():\n    global FAST\n    FAST = True\nuse()\n"
    + IF.format("FAST"),
    "raises": "try:\n    from reader_c import h\nexcept ImportError:\n    " + DOUBLED,
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_branches_that_the_run_decides_are_refused(package, name):
    files = {"reader_c": f"if 1 > 2: raise ImportError\n{TRIPLED}"}
    files["reader_m"] = UNDECIDED[name] + F.format("h(x)")
    check_right_or_refused(package, files, refused=True)
    _, path = package(files)
    with pytest.raises(S2sadError, match="what h is isn't known from the text"):
        transpile(path, "f")


GIVEN = (
    "import functools, operator\nimport numpy as np\ndef h(y, k=1.0): return y * k\n"
)
MADE = {
    "partial": ("step = functools.partial(h, k=0.1)", "step(x)"),
    "partial_of_partial": (
        "K = 0.1\nonce = functools.partial(h, k=K)\ntwice = functools.partial(once)",
        "twice(x) * once(2.0)",
    ),
    "partial_of_data": (
        "W = np.array([1.0, 2.0])\nstep = functools.partial(h, k=W)",
        "np.sum(step(x))",
    ),
    "partial_of_numpy": ("total = functools.partial(np.sum, axis=0)", "total([x, x])"),
    "getters": (
        "first = operator.itemgetter(0)\nreal = operator.attrgetter('real')",
        "first(first(sorted([[2.0, x], [x, 1.0]], key=first))) * real(x)",
    ),
    "chosen": ("FAST = False\nstep = np.sin if FAST else h", "step(x)"),
    "texts": ("T = ['sin', 'cos']", "sum(getattr(np, name)(x) for name in T)"),
    "flags": ("T = [True, False]", "sum(x if flag else 2.0 for flag in T)"),
    "all": ("__all__ = ['h'] + ['_g']\ndef _g(v): return v * v", "_g(x)"),
    "cache": ("cached = functools.lru_cache(maxsize=None)(h)", "cached(2.0)"),
    "vectorize": ("each = np.vectorize(h)", "np.sum(each(np.array([x, 2.0 * x])))"),
    "dict": ("T = {'h': h, 'sin': np.sin}", "T['h'](x) * T['sin'](x)"),
    "list": ("T = [h, np.sin]", "sum(g(x) for g in T)"),
    "tuple": ("T = (h, lambda v: v * v)", "T[1](T[0](x))"),
    "classes": (
        "class A:\n    def m(self, v): return 3 * v\nT = {'a': A}",
        "T['a']().m(x)",
    ),
    "static": (
        "class A:\n    g = staticmethod(h)\n    T = {'sin': np.sin}\n"
        "    def m(self, v): return self.g(v) * self.T['sin'](v)",
        "A().m(x) * A.g(x)",
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_functions_that_a_module_makes_of_others(package, name):
    text, read = MADE[name]
    files = {"reader_c": GIVEN + text}
    files["reader_m"] = "from reader_c import *\nimport numpy as np" + F.format(read)
    check_right_or_refused(package, files)


CHANGED_TABLES = {
    "item": "T = {'h': h}\nT['h'] = np.sin",
    "method": "T = {'h': h}\nT.update(h=np.sin)",
    "inner": "T = {'h': h, 'in': [h]}\nT['in'][0] = np.sin\nT['h'] = T['in'][0]",
    "by_its_method": "T = {'h': h}\nT.__ior__({'h': np.sin})",
    "by_text": "T = {'h': h}\nimport sys\n"
    "getattr(sys.modules[__name__], 'T')['h'] = np.sin",
    "other_name": "T = {'h': h}\nQ = T\nQ['h'] = np.sin",
    "handed": "T = {'h': h}\ndef put(t): t['h'] = np.sin\nput(T)",
    "drawn": "T = functools.partial(h, k=np.random.default_rng(0).normal())",
    "rebound": "K = 2.0\nT = functools.partial(h, k=K)\nK = 3.0",
}


@pytest.mark.parametrize("name", CHANGED_TABLES)
def test_tables_that_change_are_refused(package, name):
    read = "T['h'](x)" if "{" in CHANGED_TABLES[name] else "T(x)"
    text = GIVEN + CHANGED_TABLES[name] + F.format(read)
    check_right_or_refused(package, {"reader_m": text}, refused=True)


def test_a_table_that_another_file_changes_is_refused(package):
    files = {
        "reader_c": f"{GIVEN}T = {{'h': h}}",
        "reader_d": "from reader_c import T as Q, np\nQ['h'] = np.sin",
        "reader_m": "import reader_d\nfrom reader_c import T" + F.format("T['h'](x)"),
    }
    check_right_or_refused(package, files, refused=True)


def test_a_logger_of_the_module_is_called(package):
    text = "import logging\nlogger = logging.getLogger(__name__)\n"
    text += "def g(v):\n    logger.debug('%s', v)\n    return v * v"
    check_right_or_refused(package, {"reader_m": text + F.format("g(x)")})
