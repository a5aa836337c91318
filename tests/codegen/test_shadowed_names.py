"""Names of the user's that generated code uses for something else: builtins, NumPy,
helpers, its own functions.

The builtins that the derivative of a program calls are read from its text; the program
is then written once more with all of them bound to numbers that it multiplies by.
"""

import ast
import builtins
import itertools
import linecache
import sys
import types

import numpy as np
import pytest

import s2sad
from s2sad import grad, hvp, jvp, vjp
from s2sad.codegen.structures import passes
from s2sad.source.static.module import static_functions
from s2sad.transpile.files import Transpilation, transpiled

HEAD = "import builtins\nimport math\nimport numpy as np\n"
PROGRAMS = {
    "loop": """
def f(x: float, d: int):
    total = 0.0
    for i in builtins.range(d):
        x = math.sin(x) * x
        total += builtins.abs(x)
    return total
""",
    "list": """
def f(x: float, d: int):
    rows = []
    for i in builtins.range(d):
        rows.append(x * (i + 1))
    total = 0.0
    while rows:
        total = total * 0.5 + builtins.len(rows) * rows.pop() ** 2
    return total
""",
    "tuple": """
def f(x: float, d: int):
    items = ()
    for i in builtins.range(d):
        items = (*items, x * i)
    ordered = builtins.sorted([x, x * x, 0.3])
    return ordered[1] * ordered[2] * builtins.sum([v * v for v in items])
""",
    "keys": """
def f(x: float, d: int):
    table = {}
    seen = builtins.set()
    for i in builtins.range(d):
        table.setdefault(i % 2, []).append(x * (i + 1))
        if i % 3 not in seen:
            seen.add(i % 3)
    total = 0.0
    for key in table:
        total = total + builtins.sum(table[key]) ** 2
    return total * builtins.len(seen)
""",
    "iterators": """
def f(x: float, d: int):
    values = builtins.iter([x, x * x])
    first = builtins.next(values)
    last = builtins.max(first, builtins.next(values), 0.1 * d)
    if first > 100.0:
        raise builtins.ValueError("too large")
    return first * last + builtins.float(builtins.round(10 * x)) * x
""",
    "items": """
def f(x: float, d: int):
    rows = []
    for i in builtins.range(d):
        rows.append(np.ones(i + 1) * x)
    y = np.zeros(4)
    y[np.array([0, 1, 1])] += rows[2]
    np.add.at(y, builtins.slice(0, 2), rows[1])
    return np.sum(y * y) + np.sum(rows[0]) * np.sum(rows[d - 1])
""",
}
ARGUMENTS = (0.7, 4)
FACTOR = 1.5
count = itertools.count()


def module_of(text):
    """The namespace of a module, which is imported as others are."""
    module = types.ModuleType(f"shadowed_{next(count)}")
    filename = f"<{module.__name__}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    sys.modules[module.__name__] = module
    exec(compile(text, filename, "exec"), module.__dict__)
    return module


def builtins_in(text):
    """The builtins that a text calls by their names."""
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)]
    return sorted({n.id for n in nodes if hasattr(builtins, n.id)})


def lines(text):
    return ast.parse(text).body


class Returned(ast.NodeTransformer):
    """Multiplies what functions return."""

    def __init__(self, factor):
        self.factor = factor

    def visit_Return(self, node):
        factor = ast.parse(self.factor, mode="eval").body
        return ast.Return(ast.BinOp(node.value, ast.Mult(), factor))


def shadowed(text, names, manner):
    """The program with ``names`` bound to FACTOR, and its result times all of them."""
    tree = ast.parse(HEAD + text)
    f = tree.body[-1]
    product = " * ".join(names) or "1.0"
    Returned(product).visit(f)
    bindings = "\n".join(f"{name} = {FACTOR}" for name in names) or "pass"
    if manner == "module":
        tree.body += lines(bindings)
    elif manner == "parameters":
        f.args.args += [ast.arg(n, ast.Name("float", ast.Load())) for n in names]
    elif manner == "locals":
        f.body[:0] = lines(bindings)
    elif manner == "active":
        bindings = "\n".join(f"{name} = {FACTOR} + 0.0 * x" for name in names)
        f.body[:0] = lines(bindings or "pass")
    elif manner == "loop variables":
        f.body[:0] = lines(
            "\n".join(
                f"for {name} in ({FACTOR}, {FACTOR}):\n    x = x * 1.0"
                for name in names
            )
            or "pass"
        )
    elif manner == "closure":
        outer = lines(f"def outer({', '.join(names)}):\n    return f")[0]
        outer.body.insert(0, f)
        made = lines(f"f = outer({', '.join([str(FACTOR)] * len(names))})")
        tree.body[-1:] = [outer, *made]
    elif manner == "inlined":
        helper = lines(f"def scaled(value):\n    {product}\n    return value")[0]
        helper.body[:1] = [*lines(bindings), *lines(f"value = value * {product}")]
        tree.body.insert(-1, helper)
        for node in ast.walk(f):
            if isinstance(node, ast.Return):
                node.value = lines("scaled(0)")[0].value.__class__(
                    ast.Name("scaled", ast.Load()), [node.value.left], []
                )
    return ast.unparse(ast.fix_missing_locations(tree))


MANNERS = ("module", "parameters", "locals", "active", "loop variables", "closure")


@pytest.fixture(scope="module")
def plain():
    """The plain programs with the builtins in their gradients, and their gradients."""
    found = {}
    for name, text in PROGRAMS.items():
        f = module_of(HEAD + text).f
        names = builtins_in(grad(f).source_for(*ARGUMENTS))
        names += builtins_in(hvp(f).source_for(*ARGUMENTS, 1.0))
        names = [n for n in sorted({*names}) if n != "float"]
        found[name] = (names, grad(f)(*ARGUMENTS))
    return found


@pytest.mark.sampled(6)
@pytest.mark.parametrize("manner", [*MANNERS, "inlined"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_builtins_mean_pythons_own(plain, program, manner):
    names, expected = plain[program]
    assert names or program == "iterators"
    f = module_of(shadowed(PROGRAMS[program], names, manner)).f
    arguments = ARGUMENTS
    if manner == "parameters":
        arguments += (FACTOR,) * len(names)
    assert grad(f)(*arguments) == pytest.approx(expected * FACTOR ** len(names))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_other_derivatives_mean_pythons_own(plain, program):
    names, expected = plain[program]
    f = module_of(shadowed(PROGRAMS[program], names, "parameters")).f
    arguments = (*ARGUMENTS, *(FACTOR,) * len(names))
    expected = pytest.approx(expected * FACTOR ** len(names))
    assert vjp(f, *arguments)[1](1.0)[0] == expected
    tangents = (1.0, None, *(0.0,) * len(names))
    assert jvp(f, arguments, tangents)[1] == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("manner", ("module", "parameters", "locals"))
@pytest.mark.parametrize("program", ["loop", "list", "tuple", "keys"])
def test_transpiled_files_mean_pythons_own(plain, program, manner, tmp_path):
    names, expected = plain[program]
    names = [*names, "TypeError"]
    path = tmp_path / "shadowing.py"
    path.write_text(shadowed(PROGRAMS[program], names, manner))
    request = Transpilation(static_functions(path), names=("f",), wrt=("x",))
    text = transpiled(request, ["Made for a test"])
    namespace = {}
    exec(text, namespace)
    arguments = ARGUMENTS
    if manner == "parameters":
        arguments += (FACTOR,) * len(names)
    gradient = namespace["f_grad"]
    assert gradient(*arguments) == pytest.approx(expected * FACTOR ** len(names))
    with pytest.raises(TypeError, match="x must be float"):
        gradient(np.ones(2), *arguments[1:])


def test_builtins_that_are_bound_later_change_nothing():
    module = module_of(HEAD + PROGRAMS["list"])
    gradient = grad(module.f)
    expected = gradient(*ARGUMENTS)
    module.len = module.range = module.reversed = None
    assert gradient(*ARGUMENTS) == expected


# ----------------------------------------------------------- other names of the text

OTHERS = {
    "data of an inlined function that a parameter hides": (
        "scale = 3.0\n"
        "def inner(y): return scale * y\n"
        "def f(x, scale): return inner(x) * scale",
        (2.0, 5.0),
        15.0,
    ),
    "data in a structure that a parameter hides": (
        "data = {'a': np.array([3.0, 1.0])}\n"
        "def inner(y): return data['a'][0] * y\n"
        "def f(x, data): return inner(x) * data",
        (2.0, 5.0),
        15.0,
    ),
    "data called math": (
        "from math import sin\nmath = 2.0\ndef f(x): return sin(x) * math",
        (1.0,),
        2.0 * np.cos(1.0),
    ),
    "data called np": (
        "import numpy\nnp = 2.0\ndef f(x): return np * x.sum() * numpy.max(x)",
        (np.array([1.0, 2.0]),),
        [4.0, 10.0],
    ),
    "parameters called np and math": (
        "from math import sqrt\n"
        "def f(x, np, math): return sqrt(x) ** np * math * x**1.5",
        (4.0, 2.0, 3.0),
        3.0 * 2.5 * 8.0,
    ),
    "a captured variable called np": (
        "import numpy\n"
        "def outer(np):\n"
        "    def f(x): return np * numpy.sum(x * x)\n"
        "    return f\n"
        "f = outer(2.0)",
        (np.ones(2),),
        [4.0, 4.0],
    ),
    "data with the name of a helper": (
        "power = 2.0\ndef f(x): return power * x**0.5",
        (4.0,),
        0.5,
    ),
    "a parameter with the name of a helper": (
        "def f(x, power): return power * x**0.5",
        (4.0, 2.0),
        0.5,
    ),
    "data with the name of the gradient": (
        "f_grad = 2.0\ndef f(x): return f_grad * x",
        (3.0,),
        2.0,
    ),
    "parameters with the names of programs": (
        "def g(x, g_reverse, g_forward=2.0):\n"
        "    if g_reverse == 0:\n"
        "        return x\n"
        "    return x * g(x, g_reverse - 1) * g_forward\n"
        "def f(x, n): return g(x, n)",
        (2.0, 3),
        256.0,
    ),
    "names of adjoints and stacks": (
        "def f(x, x_bar, x_saved):\n"
        "    for i in range(2):\n"
        "        x = x * x * x_bar * x_saved\n"
        "    return x",
        (1.5, 2.0, 3.0),
        4 * 1.5**3 * 6.0**3,
    ),
    "data with the names of adjoints": (
        "x_bar, x_saved = 2.0, 3.0\n"
        "def f(x):\n"
        "    for i in range(2):\n"
        "        x = x * x * x_bar * x_saved\n"
        "    return x",
        (1.5,),
        4 * 1.5**3 * 6.0**3,
    ),
    "data with names of the loader": (
        "bind, outer = 2.0, 3.0\ndef f(x): return bind * x * outer",
        (2.0,),
        6.0,
    ),
    "an underscore that is read": (
        "_ = 3.0\ndef f(x):\n    for _k in range(3):\n        x = x * _\n    return x",
        (2.0,),
        27.0,
    ),
    "a parameter called underscore": (
        "def f(x, _):\n"
        "    total = 0.0\n"
        "    for v in [x, x * x]:\n"
        "        for __ in range(3):\n"
        "            total = total + v\n"
        "    return total * _",
        (2.0, 2.0),
        2.0 * 3.0 * 5.0,
    ),
    "dunder and private names": (
        "def f(x, __a, __b__):\n    __class__ = x * __a\n    return __class__ * __b__",
        (1.0, 2.0, 3.0),
        6.0,
    ),
    "names that aren't ASCII": (
        "µ = 2.0\ndef f(ξ, ﬁ):\n    ñ = ξ * ξ\n    return ñ * µ * ﬁ",
        (1.0, 2.0),
        8.0,
    ),
    "soft keywords": (
        "def f(match, case, type):\n    _ = match * case\n    return _ * type * match",
        (1.0, 2.0, 3.0),
        12.0,
    ),
    "exceptions as locals": (
        "def f(x):\n"
        "    ValueError = x * 2\n"
        "    try:\n"
        "        y = math.sqrt(x - 5.0)\n"
        "    except builtins.ValueError:\n"
        "        y = ValueError\n"
        "    return y * x",
        (2.0,),
        8.0,
    ),
    "data called caught": (
        "caught = 3.0\n"
        "def f(x):\n"
        "    try:\n"
        "        y = math.sqrt(x - 5.0)\n"
        "    except ValueError as error:\n"
        "        y = x * caught\n"
        "    return y * caught",
        (2.0,),
        9.0,
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_names_keep_their_meaning(case):
    text, arguments, expected = OTHERS[case]
    f = module_of(HEAD + text).f
    np.testing.assert_allclose(grad(f)(*arguments), expected)
    value, pullback = vjp(f, *arguments)
    np.testing.assert_allclose(value, f(*arguments))
    np.testing.assert_allclose(pullback(1.0)[0], expected)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", [name for name in OTHERS if "captured" not in name])
def test_names_keep_their_meaning_in_files(case, tmp_path):
    """Right, or refused with the name to change."""
    text, arguments, expected = OTHERS[case]
    path = tmp_path / f"named_{next(count)}.py"
    path.write_text(HEAD + text)
    (f,) = [n for n in ast.parse(text).body if getattr(n, "name", "") == "f"]
    kinds = {float: "float", int: "int", np.ndarray: "float64[:]"}
    names = [a.arg for a in f.args.args]
    listed = ", ".join(
        f"{name}: {kinds[type(value)]}"
        for name, value in zip(names, arguments, strict=True)
    )
    request = Transpilation(
        static_functions(path),
        names=("f",),
        wrt=(names[0],),
        signatures=(f"f({listed})",),
    )
    try:
        written = transpiled(request)
    except s2sad.S2sadError as error:
        assert "would mean two things" in str(error)
        return
    module = types.ModuleType(path.stem)
    exec(path.read_text(), module.__dict__)
    sys.modules[path.stem] = module
    namespace = {}
    exec(written, namespace)
    np.testing.assert_allclose(namespace["f_grad"](*arguments), expected)


def test_functions_of_numpy_with_names_of_builtins_hide_none(tmp_path):
    path = tmp_path / "imports.py"
    path.write_text(
        "from numpy import abs, max, min, sum\n"
        "def f(x, d):\n"
        "    total = 0.0\n"
        "    for k in range(d):\n"
        "        total = total + abs(x[k])\n"
        "    return total * sum(x * x) / (max(x) - min(x))\n"
    )
    request = Transpilation(
        static_functions(path),
        names=("f",),
        wrt=("x",),
        signatures=("f(x: float64[:], d: int)",),
    )
    text = transpiled(request)
    tree = ast.parse(text)
    bound = [
        a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names
    ]
    assert not any(hasattr(builtins, name) for name in bound)
    namespace = {}
    exec(text, namespace)
    x = np.array([0.3, -0.5, 0.9])
    module = module_of(path.read_text())
    np.testing.assert_allclose(namespace["f_grad"](x, 3), grad(module.f)(x, 3))


def test_numba_means_pythons_own():
    pytest.importorskip("numba")
    names = ("range", "len", "list", "float", "int")
    f = module_of(shadowed(PROGRAMS["list"], names, "parameters")).f
    expected = grad(module_of(HEAD + PROGRAMS["list"]).f)(*ARGUMENTS) * 2.0**5
    found = grad(f, backend="numba")(*ARGUMENTS, *(2.0,) * 5)
    assert found == pytest.approx(expected)


CAPTURING = """
def made(shown):
    def swept(x, n):
        if n == 0:
            return x
        return np.sin(swept(x, n - 1)) * x
    def inner(x):
        return shown(x) * hook(x, lambda bar: 2.0 * bar)
    def f(x):
        return swept(inner(x), 3) * shown(2.0 * x) + shown(x) * inner(x)
    return f
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shown", ["swept_forward", "swept_reverse", "function"])
@pytest.mark.parametrize("optimise", [None, {"inlining": False}], ids=str)
def test_captured_variables_called_as_what_the_text_defines(shown, optimise):
    text = CAPTURING.replace("shown", shown)
    name = f"<captured {shown}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np, "hook": s2sad.hook, "__name__": "captured"}
    exec(compile(text, name, "exec"), names)
    f = names["made"](lambda x: np.cos(x))
    expected = grad(f, optimise=False)(0.4)
    assert np.isclose(grad(f, optimise=optimise)(0.4), expected)
    assert np.isclose(vjp(f, 0.4)[1](1.0)[0], expected)


OBJECTS = """
import copy
class Item:
    def __init__(self, weight, tags):
        self.weight, self.tags = weight, tags
def f(NAME, x):
    NAME[0].weight *= x
    NAME[1] = NAME[2]
    other = copy.deepcopy(NAME)
    other[1].weight *= 2.0
    other[0].tags.append(x)
    return sum(i.weight for i in NAME) + x * sum(i.weight for i in other)
"""
NAMES_OF_PASSES = sorted({*passes._LOCALS, "bar_2", "part_2", "np", "id", "deque"})


@pytest.mark.parametrize("name", NAMES_OF_PASSES)
def test_passes_over_structures_hide_no_argument(name):
    module = module_of(OBJECTS.replace("NAME", name))

    def items():
        return [module.Item(0.5 + k, [1.0]) for k in range(5)]

    value, pullback = vjp(module.f, items(), 0.8)
    assert value == pytest.approx(module.f(items(), 0.8))
    expected = (module.f(items(), 0.8 + 1e-6) - module.f(items(), 0.8 - 1e-6)) / 2e-6
    for _ in range(2):
        found, slope = pullback(1.0)
        assert slope == pytest.approx(expected, rel=1e-6)
    assert [item.weight for item in found] == pytest.approx([1.44, 0, 5.2, 1.8, 1.8])
