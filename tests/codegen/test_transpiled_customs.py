"""Derivatives that users give, in transpiled files: read from the text alone, right,
and without a trace of s2sad."""

import ast
import importlib
import sys
import textwrap
import types

import numpy as np
import pytest

import s2sad
from s2sad.errors import S2sadError
from s2sad.rules import registry
from s2sad.rules.load import load_all
from s2sad.source.static.module import static_functions
from s2sad.transpile.files import Transpilation, transpiled

load_all()

X = np.array([0.3, 1.2, -0.7])

HEAD = """
import numpy as np
import s2sad
from numpy.typing import NDArray
from s2sad import (
    checkpoint, custom_jvp, custom_vjp, differentiate, hook, no_grad, primitive, rule,
    stop_gradient,
)
from s2sad.rules.result_kinds import same_kind
V = NDArray[np.float64]
"""

LOG1PEXP = """
@custom_vjp
def log1pexp(x):
    return np.log(1.0 + np.exp(x))
"""

PLAIN = """
def doubled(x):
    return 2.0 * np.add.accumulate(x)
"""

# Programs f(x: V); what they compute, and a derivative that is twice the true one where
# the given one is asked to be told from what follows from the text.
PROGRAMS = {
    "lambdas": LOG1PEXP
    + """
log1pexp.defvjp(
    lambda x: (log1pexp(x), x), lambda x, out_bar: 2.0 * out_bar / (1.0 + np.exp(-x))
)
def f(x: V):
    return np.sum(log1pexp(x))
""",
    "functions": LOG1PEXP
    + """
def forward(x):
    return log1pexp(x), x
FACTOR = 2.0
def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))
def reverse(x, out_bar):
    return (FACTOR * out_bar * sigmoid(x),)
def f(x: V):
    return np.sum(log1pexp(x))
log1pexp.defvjp(reverse=reverse, forward=forward)
""",
    "chained": """
log1pexp = custom_vjp(lambda x: np.log(1.0 + np.exp(x))).defvjp(
    lambda x: (np.log(1.0 + np.exp(x)), x),
    lambda x, out_bar: 2.0 * out_bar / (1.0 + np.exp(-x)),
)
def f(x: V):
    total = 0.0
    for k in range(3):
        total += np.sum(log1pexp(x))
    return total
""",
    "with words": """
@s2sad.custom_vjp(nondiff="n")
def power(x, n):
    return x**n
power.defvjp(
    lambda x, n: (x**n, (x, n)),
    lambda kept, out_bar: 2.0 * out_bar * kept[1] * kept[0] ** (kept[1] - 1),
)
def f(x: V):
    return np.sum(power(x, n=3))
""",
    "the last one holds": LOG1PEXP
    + """
log1pexp.defvjp(lambda x: (x, None), lambda none, out_bar: 7.0 * out_bar)
with np.errstate(all="ignore"):
    log1pexp.defvjp(
        lambda x: (np.log1p(np.exp(x)), x),
        lambda x, out_bar: 2.0 * out_bar / (1.0 + np.exp(-x)),
    )
def f(x: V):
    return np.sum(log1pexp(x))
""",
    "itself": """
@custom_vjp
def f(x: V):
    return np.sum(x * x)
f.defvjp(lambda x: (np.sum(x * x), x), lambda x, out_bar: 4.0 * x * out_bar)
""",
    "a method": """
class Layer:
    @custom_vjp
    def act(self, x):
        return np.sinh(x)
    act.defvjp(
        lambda self, x: (np.sinh(x), x),
        lambda x, out_bar: (None, 2.0 * out_bar * np.cosh(x)),
    )
    @staticmethod
    @custom_vjp
    def free(x):
        return x * x
Layer.free.defvjp(lambda x: (x * x, x), lambda x, out_bar: 4.0 * x * out_bar)
def f(x: V):
    return np.sum(Layer.free(x)) + np.sum(Layer.act(None, x))
""",
    "pushforward": """
@custom_jvp
def softabs(x):
    return np.sqrt(x * x + 0.01)
def pushed(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return softabs(x), 2.0 * x * x_dot / softabs(x)
softabs.defjvp(pushed)
def f(x: V):
    return np.sum(softabs(x) ** 2)
""",
    "pushforward as a decorator": """
@custom_jvp
def cube(x):
    return x**3
@cube.defjvp
def pushed(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return x**3, 6.0 * x**2 * x_dot
def f(x: V):
    return np.sum(cube(x))
""",
    "primitive": PLAIN
    + """
OFFSET = 1.0
@primitive
def run(x: V):
    # a simulation
    return doubled(x) + OFFSET * np.linalg.norm([0.0])
run.defvjp(
    lambda x: (run(x), None),
    lambda none, out_bar: 4.0 * np.flip(np.cumsum(np.flip(out_bar))),
)
def f(x: V):
    return np.sum(run(x) ** 2)
""",
    "primitive of a library": """
accumulate = primitive(np.cumsum, kind=same_kind)
accumulate.defvjp(
    lambda x: (accumulate(x), None),
    lambda none, out_bar: 2.0 * np.flip(accumulate(np.flip(out_bar))),
)
def f(x: V):
    return np.sum(accumulate(x) ** 3)
""",
    "elementwise rule": """
def fast_tanh(x):
    return np.tanh(x)
rule.elementwise(fast_tanh, lambda x, out: 2.0 * (1 - out**2))
def f(x: V):
    return np.sum(fast_tanh(x))
""",
    "rule in other forms": """
from s2sad.rule import elementwise as register
from s2sad.rules.predicates import is_python_number
def fast_tanh(x):
    return np.tanh(x)
def slope(x, out):
    return 2.0 * (1 - out * out) if is_python_number(x) else 2.0 * (1 - np.square(out))
register(fast_tanh, slope, singular=False)
def f(x: V):
    return np.sum(fast_tanh(x))
""",
    "rule of NumPy's": """
rule.elementwise((np.tanh, np.sinh), lambda x, out: 2.0 * (1 - np.tanh(x) ** 2))
def f(x: V):
    return np.sum(np.tanh(x))
""",
    "pullback": PLAIN
    + """
@rule.reverse_of(doubled, kind=same_kind)
def _(x, *, out, out_bar):
    return 4.0 * np.flip(np.cumsum(np.flip(out_bar)))
@rule.forward_of(doubled)
def _(x, *, out, x_dot):
    return 4.0 * np.cumsum(x_dot)
def f(x: V):
    return np.sum(doubled(x) ** 2)
""",
    "a primitive without a name": """
square = primitive(lambda x: x**2)
square.defvjp(lambda x: (square(x), x), lambda x, out_bar: 4.0 * x * out_bar)
def f(x: V):
    return np.sum(square(x) + square(2.0 * x) ** 2)
""",
    "rule of a primitive": """
run = primitive(lambda x: x * np.abs(x))
rule.elementwise(run, lambda x, out: 4.0 * np.abs(x))
def f(x: V):
    return np.sum(run(x))
""",
}


@pytest.fixture
def written(tmp_path, monkeypatch, request):
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def written(**texts):
        paths = []
        for name, text in texts.items():
            paths.append(tmp_path / f"{name}.py")
            paths[-1].write_text(textwrap.dedent(text))
            made.append(name)
        importlib.invalidate_caches()
        return paths[-1]

    rules = dict(registry._RULES)
    yield written
    registry._RULES.clear()
    registry._RULES.update(rules)
    registry.note_registration()
    for name in made:
        sys.modules.pop(name, None)


def transpile(path, *names, **options):
    request = Transpilation(
        static_functions(path), names=names, value_and_gradient=False, **options
    )
    return transpiled(request)


def run(text):
    """The namespace of a transpiled file, which doesn't name s2sad."""
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    assert "s2sad" not in names and "import s2sad" not in text
    assert "from s2sad" not in text
    namespace = {"__name__": "transpiled"}
    exec(compile(text, "<transpiled>", "exec"), namespace)
    return types.SimpleNamespace(**namespace)


def differences(f, x, step=1e-6):
    eye = np.eye(len(x))
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in eye])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_user_gives_is_taken(written, name):
    """The given derivatives are twice the true ones."""
    path = written(model_of_test=HEAD + PROGRAMS[name])
    gradient = run(transpile(path, "f")).f_grad
    assert "model_of_test" not in sys.modules
    live = importlib.import_module("model_of_test")
    assert np.allclose(gradient(X), 2.0 * differences(live.f, X), atol=1e-6)
    assert np.allclose(s2sad.grad(live.f)(X), gradient(X))


def test_shaping_in_files(written):
    text = """
        def clip(h_bar):
            return np.clip(h_bar, -1.0, 1.0)
        def hooked(x: V):
            h = hook(np.exp(x), clip)
            return np.sum(hook(h * h, lambda h_bar: 3.0 * h_bar))
        def stopped(x: V):
            with no_grad():
                scale = np.sum(x * x)
            with s2sad.no_grad():
                scale = scale + np.sum(x)
            return np.sum(x * stop_gradient(x)) + scale
        def checkpointed(x: V):
            for _ in checkpoint(range(4), snapshots=2):
                x = np.sin(x)
            with checkpoint():
                x = x * x
            return np.sum(checkpoint(np.tanh)(x))
    """
    path = written(model_of_test=HEAD + textwrap.dedent(text))
    made = run(transpile(path, "hooked", "stopped", "checkpointed"))
    live = importlib.import_module("model_of_test")
    assert np.allclose(made.hooked_grad(X), np.clip(6.0 * np.exp(X), -1, 1) * np.exp(X))
    assert np.allclose(made.stopped_grad(X), X)
    expected = differences(live.checkpointed, X)
    assert np.allclose(made.checkpointed_grad(X), expected, atol=1e-6)
    for name in ("hooked", "stopped", "checkpointed"):
        gradient = s2sad.grad(getattr(live, name))(X)
        assert np.allclose(getattr(made, f"{name}_grad")(X), gradient)


MODULES = {
    "a package": dict(
        network=LOG1PEXP
        + """
def forward(x):
    return log1pexp(x), x
def scale(x):
    return 2.0 / (1.0 + np.exp(-x))
""",
        rates="from network import log1pexp, forward, scale\nlog1pexp.defvjp(forward,"
        " lambda x, out_bar: out_bar * scale(x))\n",
        model_of_test="import network, rates\ndef f(x: V):\n"
        "    return np.sum(network.log1pexp(x))\n",
    ),
    "imported later": dict(
        network=PLAIN
        + """
run = primitive(doubled)
run.defvjp(
    lambda x: (run(x), None),
    lambda none, out_bar: 4.0 * np.flip(np.cumsum(np.flip(out_bar))),
)
""",
        model_of_test="def f(x: V):\n    from network import run\n"
        "    return np.sum(run(x) ** 2)\n",
    ),
    "a rule elsewhere": dict(
        functions="import numpy as np\ndef fast(x):\n    return np.tanh(x)\n",
        rates="import functions\nrule.elementwise(functions.fast,"
        " lambda x, out: 2.0 * (1 - out**2))\n",
        model_of_test="import rates\nfrom functions import fast as quick\n"
        "def f(x: V):\n    return np.sum(quick(x))\n",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules_that_are_imported(written, name):
    texts = {
        module: text if module == "functions" else HEAD + text
        for module, text in MODULES[name].items()
    }
    path = written(**texts)
    text = transpile(path, "f")
    assert not set(texts) & set(sys.modules)
    gradient = run(text).f_grad
    live = importlib.import_module("model_of_test")
    assert np.allclose(gradient(X), 2.0 * differences(live.f, X), atol=1e-6)
    # what can be imported without s2sad is called where it stands
    assert ("import functions" in text) == ("functions" in texts)


def test_functions_that_are_called_are_copied(written):
    """With what they call, and under names that are free."""
    texts = dict(
        other=HEAD
        + """
def shift(x, by=1.0):
    return x + by
@primitive
def run(x):
    return shift(x) ** 2
run.defvjp(lambda x: (run(x), x), lambda x, out_bar: 4.0 * shift(x) * out_bar)
""",
        model_of_test=HEAD
        + """
import math
from numpy import log as ln
import other
OFFSET, NAMES = 0.5, ("a", "b")
def shift(x: V) -> V:
    return x - OFFSET
@primitive
def run(x: V, n: int = 3) -> V:
    '''What nobody looks into.'''
    def step(y, k):
        np_ = y * math.sqrt(k)  # of the inner one
        return shift(np_)
    for k in range(n):
        x = step(x, k) if NAMES[0] == "a" else run(x, n - 1)
    return ln(x * x + math.pi)
def forward(x, n):
    return run(x), x
def reverse(x, out_bar):
    h = 1e-6
    return 2.0 * out_bar * (run(x + h) - run(x - h)) / (2 * h), None
run.defvjp(forward, reverse)
def f(x: V):
    return np.sum(run(x) + other.run(x))
""",
    )
    text = transpile(written(**texts), "f")
    assert "of the inner one" in text and "NDArray" not in text
    gradient = run(text).f_grad
    live = importlib.import_module("model_of_test")
    assert np.allclose(gradient(X), 2.0 * differences(live.f, X), atol=1e-5)


GIVEN = ".defvjp(lambda x: (x, x), lambda x, out_bar: out_bar)\n"
RULE = ", lambda x, out: 1.0)\n"
LOSS = "def f(x: V):\n    return np.sum(g(x))\n"
CUSTOM = "g = custom_vjp(lambda x: x)\n"
FUNCTION = "def g(x):\n    return x\n"
PRIMITIVE = "@primitive\ndef g(x):\n    return {}\n"
PRIMITIVE += "g.defvjp(lambda x: (g(x), x), lambda x, out_bar: out_bar)\n"

REFUSED = {
    CUSTOM + LOSS: "model.py:13:19: .*no derivative",
    CUSTOM + "if V:\n    g" + GIVEN + LOSS: r"branch or a function \(model.py:13\)",
    CUSTOM + "def give():\n    g" + GIVEN + LOSS: r"a function \(model.py:13\)",
    CUSTOM + "def give(h):\n    h" + GIVEN + LOSS: "model.py:13:5: which function h",
    CUSTOM + "for h in [g]:\n    h" + GIVEN + LOSS: "model.py:13:5: which function h",
    CUSTOM + "g.defvjp(V, V)\n" + LOSS: "only known when the module runs",
    CUSTOM + "g.defvjp(V)\n" + LOSS: "model.py:12:1: defvjp takes forward and",
    FUNCTION + "if V:\n    rule.elementwise(g" + RULE + LOSS: r"the rule of g .*:14\)",
    "def r():\n    rule.elementwise(np.sin" + RULE + LOSS.replace("g", "np.sin"): (
        "the rule of sin isn't known"
    ),
    FUNCTION + "for h in [g]:\n    rule.elementwise(h" + RULE + LOSS: "rule for h is",
    FUNCTION + "def r(h):\n    rule.elementwise(h" + RULE + LOSS: "rule for h is",
    FUNCTION + "r = [rule.elementwise]\nr[0](g" + RULE + LOSS: "is handed on",
    FUNCTION + "rule.elementwise(g)\n" + LOSS: "elementwise: missing",
    FUNCTION + "rule.reverse_of(g)(V)\n" + LOSS: "the text of this rule isn't known",
    FUNCTION
    + "@rule.forward_of(g)\ndef _(x, *, out, x_dot):\n    return x_dot\n"
    + LOSS: "register the pullback of g",
    FUNCTION + "@rule.reverse_of(g, kind=lambda x: x)\n"
    "def _(x, *, out, out_bar):\n    return out_bar\n" + LOSS: "kind function of g",
    "@primitive(kind=lambda x: x)\n" + FUNCTION + "g" + GIVEN + LOSS: "kind function",
    "def wrap(f): return f\n@wrap\n@custom_vjp\n" + FUNCTION + "g" + GIVEN + LOSS: (
        "what @model.wrap makes of g"
    ),
    "table = np.ones(3)\n" + PRIMITIVE.format("x * table") + LOSS: (
        "g is called by the derivative, and can't be copied .* reads table, .*model.py "
        "imports s2sad"
    ),
    "k = [1]\n" + PRIMITIVE.format("[k for k in x] + k") + LOSS: "several meanings",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_text_does_not_tell_is_refused(written, text):
    path = written(model=HEAD + text)
    with pytest.raises(S2sadError, match=REFUSED[text]):
        transpile(path, "f")


def test_rules_of_one_file_do_not_hold_in_another(written):
    text = "rule.elementwise(np.tanh, lambda x, out: 7.0)\ndef f(x: V):\n"
    text += "    return np.sum(np.tanh(x))\n"
    path = written(model=HEAD + text)
    assert np.allclose(run(transpile(path, "f")).f_grad(X), 7.0)
    path = written(model_2=HEAD + text.partition("\n")[2])
    assert np.allclose(run(transpile(path, "f")).f_grad(X), 1.0 / np.cosh(X) ** 2)
