"""Which specialisation a call gets, and when one is compiled."""

import gc
import sys
import threading
import types
import weakref

import numpy as np
import pytest

from s2sad import compiler, grad, hvp, jacobian, jvp, rule, value_and_grad, vjp
from s2sad.dispatch.cache import MEMORY
from s2sad.dispatch.dispatcher import WIDEN_AFTER, flat_path, widened
from s2sad.dispatch.target import target_of
from s2sad.errors import ArgumentError
from s2sad.rules.registry import unregister
from s2sad.source.kinds.kinds_of_values import kind_of_value
from tests.support.finite_differences import assert_trees_close


@pytest.fixture
def compiled(monkeypatch):
    """The kinds for which a gradient was compiled, in order."""
    found = []
    MEMORY.clear()
    original = compiler.compile_gradient

    def recording(source, kinds, request, **options):
        derivative = original(source, kinds, request, **options)
        found.append(dict(kinds))
        return derivative

    monkeypatch.setattr(compiler, "compile_gradient", recording)
    return found


@pytest.fixture
def load(tmp_path, request):
    """Makes modules from text; each has a file of its own."""
    made = []

    def load_module(text, name=""):
        name = name or f"module_{len(made)}_{request.node.name.split('[')[0]}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        module = types.ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        made.append(name)
        exec(compile(text, str(path), "exec"), module.__dict__)
        return module

    yield load_module
    for name in made:
        sys.modules.pop(name, None)


def square(x):
    return np.sum(x * x)


class TestKinds:
    def test_one_compilation_for_calls_of_one_kind(self, compiled):
        gradient = grad(lambda x: np.sum(x * x))
        for size in (2, 3, 7):
            x = np.arange(float(size))
            np.testing.assert_array_equal(gradient(x), 2 * x)
        assert len(compiled) == 1

    @pytest.mark.parametrize(
        "other",
        [2.0, np.float64(2.0), np.ones(1), np.ones((2, 2)), np.ones(2, np.float32)],
        ids=["float", "float64", "one", "rank", "float32"],
    )
    def test_another_kind_is_compiled_anew(self, compiled, other):
        gradient = grad(lambda x: np.sum(x * x))
        gradient(np.ones(2))
        got = gradient(other)
        assert len(compiled) == 2
        np.testing.assert_array_equal(got, 2 * other)
        assert np.asarray(got).dtype == np.asarray(other).dtype
        gradient(np.ones(2))
        assert len(compiled) == 2

    def test_the_latest_is_tried_first(self):
        gradient = grad(lambda x: np.sum(x * x))
        gradient(1.0)
        gradient(np.ones(2))
        first, second = gradient._dispatcher.entries
        gradient(1.0)
        assert gradient._dispatcher.entries == (second, first)

    def test_structures(self, compiled):
        gradient = grad(lambda p: p["x"] * p["y"][0])
        assert gradient({"x": 2.0, "y": (3.0,)}) == {"x": 3.0, "y": (2.0,)}
        assert gradient({"x": 4.0, "y": (5.0,)}) == {"x": 5.0, "y": (4.0,)}
        assert len(compiled) == 1
        gradient({"y": (5.0,), "x": 4.0})
        assert len(compiled) == 2

    def test_many_shapes_are_widened(self, compiled):
        def product(x, y):
            return np.sum(x * y)

        gradient = grad(product, (0, 1))
        rng = np.random.default_rng(0)
        shapes = [(a, b, c) for a in (1, 2) for b in (1, 3) for c in (1, 4)]
        for x_shape in shapes:
            for y_shape in shapes:
                x, y = rng.normal(size=x_shape), rng.normal(size=y_shape)
                x_bar, y_bar = gradient(x, y)
                full = np.ones(np.broadcast_shapes(x_shape, y_shape))
                axes = tuple(k for k in range(3) if x_shape[k] < full.shape[k])
                expected = np.sum(full * y, axis=axes, keepdims=True)
                np.testing.assert_allclose(x_bar, expected)
                assert y_bar.shape == y_shape
        assert len(compiled) == WIDEN_AFTER + 1

    def test_widened_forgets_lengths_alone(self):
        value = {"w": np.ones((1, 2), np.float32), "n": 3}
        kind = widened({"p": kind_of_value(value, "p")})["p"]
        assert str(kind) == "dict('w': float32[?, ?], 'n': int)"

    def test_flat_path(self):
        assert flat_path(((("p",), "layers"), 0)) == ("p", "layers", 0)
        assert flat_path(("axis",)) == ("axis",)


class TestValues:
    def test_a_number_that_decides_a_kind(self, compiled):
        def total(x, axis):
            return np.sum(np.sum(x, axis=axis) ** 2)

        gradient = grad(total)
        x = np.arange(6.0).reshape(2, 3)
        expected = {
            0: 2 * np.sum(x, axis=0, keepdims=True) + 0 * x,
            1: 2 * np.sum(x, axis=1, keepdims=True) + 0 * x,
        }
        for axis in (0, 1, 0, 1):
            np.testing.assert_array_equal(gradient(x, axis), expected[axis])
        assert [str(kinds["axis"]) for kinds in compiled] == ["int=0", "int=1"]

    def test_inside_a_structure(self, compiled):
        def total(x, options):
            return np.sum(np.sum(x, axis=options["axis"][0]) ** 2)

        gradient = grad(total)
        x = np.arange(6.0).reshape(2, 3)
        for axis in (0, 1, 0):
            expected = 2 * np.sum(x, axis=axis, keepdims=True) + 0 * x
            np.testing.assert_array_equal(gradient(x, {"axis": (axis,)}), expected)
        assert len(compiled) == 2

    def test_a_flag(self, compiled):
        def loss(x, double):
            if double:
                return 2.0 * x
            return x

        gradient = grad(loss)
        assert [gradient(3.0, flag) for flag in (True, False, True)] == [2.0, 1.0, 2.0]
        assert len(compiled) == 2

    def test_ints_that_decide_nothing_share(self, compiled):
        def power(x, n):
            y = 1.0
            for _ in range(n):
                y = y * x
            return y

        gradient = grad(power)
        assert [gradient(2.0, n) for n in range(5)] == [0.0, 1.0, 4.0, 12.0, 32.0]
        assert len(compiled) == 1


MODULE = """
import numpy as np

rate = 2.0
count = 3
flag = True
table = {"w": 2.0, "n": 2}

class Config:
    rate = 2.0
    power = 2

def helper(x):
    return 2.0 * x

def uses_rate(x): return rate * x
def uses_count(x): return x * count
def uses_flag(x):
    if flag:
        return 2.0 * x
    return x
def uses_table(x): return table["w"] * x * table["n"]
def uses_config(x): return x * Config.rate
def uses_power(x): return x ** Config.power
def uses_helper(x): return helper(x)
def uses_builtin(x): return max(x, 0.5)
"""


class TestReads:
    @pytest.mark.parametrize(
        "name, change, before, after, count",
        [
            ("uses_rate", "rate = 5.0", 2.0, 5.0, 1),
            ("uses_rate", "rate = np.float32(5.0)", 2.0, 5.0, 2),
            ("uses_count", "count = 4", 3.0, 4.0, 2),
            ("uses_flag", "flag = False", 2.0, 1.0, 2),
            ("uses_table", "table['w'] = 3.0", 4.0, 6.0, 1),
            ("uses_table", "table['n'] = 3", 4.0, 6.0, 2),
            ("uses_table", "table = {'n': 1, 'w': 7.0}", 4.0, 7.0, 2),
            ("uses_config", "Config.rate = 7.0", 2.0, 7.0, 1),
            ("uses_power", "Config.power = 3", 6.0, 27.0, 2),
            ("uses_helper", "helper = lambda x: 3.0 * x", 2.0, None, 2),
            ("uses_rate", "del rate", 2.0, None, 1),
        ],
    )
    @pytest.mark.taken_apart
    def test_a_change_is_seen(self, load, compiled, name, change, before, after, count):
        module = load(MODULE)
        gradient = grad(getattr(module, name))
        assert gradient(3.0) == gradient(3.0) == before
        assert len(compiled) == 1
        exec(change, module.__dict__)
        if after is None:
            with pytest.raises(Exception):  # no text, or no such name
                gradient(3.0)
            return
        assert gradient(3.0) == gradient(3.0) == after
        assert len(compiled) == count

    def test_a_helper_that_is_defined_anew(self, load, compiled):
        module = load(MODULE)
        gradient = grad(module.uses_helper)
        assert gradient(3.0) == 2.0
        other = load("def helper(x):\n    return 5.0 * x\n", "another_module")
        module.helper = other.helper
        assert gradient(3.0) == 5.0

    def test_what_a_helper_reads(self, load, compiled):
        main = load(
            "from shared_data import scaled\ndef f(x): return scaled(x)\n"
            if load("n = 2\ndef scaled(x): return n * x\n", "shared_data")
            else ""
        )
        gradient = grad(main.f)
        assert gradient(1.0) == 2.0
        sys.modules["shared_data"].n = 3
        assert gradient(1.0) == 3.0
        assert len(compiled) == 2

    def test_captured_variables_are_read_live(self, compiled):
        scale, count = 2.0, 3

        def f(x):
            return scale * x * count

        gradient = grad(f)
        assert gradient(1.0) == 6.0
        scale = 5.0
        assert gradient(1.0) == 15.0
        assert len(compiled) == 1
        count = 4
        assert gradient(1.0) == 20.0
        assert len(compiled) == 2

    def test_back_again_compiles_nothing(self, load, compiled):
        module = load(MODULE)
        gradient = grad(module.uses_count)
        for count in (3, 4, 3, 4, 3):
            module.count = count
            assert gradient(1.0) == count
        assert len(compiled) == 2

    def test_changes_without_end_keep_memory_bounded(self, load):
        module = load(MODULE)
        gradient = grad(module.uses_count)
        for count in range(2, 40):
            module.count = count
            assert gradient(1.0) == count
        assert len(gradient._dispatcher.entries) <= 2 * WIDEN_AFTER


class TestSharing:
    def test_functions_of_one_code_compile_once(self, compiled):
        def make(scale):
            return lambda x: np.sum(scale * x)

        for scale in (1.0, 2.0, 3.0):
            assert grad(make(scale))(4.0) == scale
        assert len(compiled) == 1

    def test_kinds_of_captured_variables_are_told_apart(self, compiled):
        def make(scale):
            return lambda x: np.sum(scale * x)

        assert grad(make(2.0))(1.0) == 2.0
        assert grad(make(np.array([1.0, 2.0])))(1.0) == 3.0
        assert grad(make(4))(1.0) == 4.0
        assert grad(make(5))(1.0) == 5.0
        assert grad(make(3.0))(1.0) == 3.0
        assert len(compiled) == 4

    def test_captured_functions_are_told_apart(self):
        def double(x):
            return 2.0 * x

        def triple(x):
            return 3.0 * x

        def make(f):
            return lambda x: f(x)

        assert [grad(make(f))(1.0) for f in (double, triple, double)] == [2.0, 3.0, 2.0]

    def test_pullbacks_of_new_lambdas(self):
        for scale in (1.0, 2.0):
            assert vjp(lambda x: scale * x, 3.0)[1](1.0) == (scale,)

    def test_requests_are_told_apart(self):
        def f(x, y):
            return x * y

        assert grad(f, 0)(2.0, 3.0) == 3.0
        assert grad(f, (0,))(2.0, 3.0) == (3.0,)
        assert grad(f, 1)(2.0, 3.0) == 2.0
        assert value_and_grad(f)(2.0, 3.0) == (6.0, 3.0)


class TestRules:
    def test_a_new_rule_is_used(self, compiled):
        def thrice(x):
            return 3.0 * x

        def f(x):
            return thrice(x)

        gradient = grad(f)
        assert gradient(2.0) == 3.0
        rule.elementwise(thrice, lambda x, out: 100.0)
        try:
            assert gradient(2.0) == 100.0
            rule.elementwise(thrice, lambda x, out: 200.0)
            assert gradient(2.0) == 200.0
        finally:
            unregister(thrice)
        assert gradient(2.0) == 3.0
        assert len(gradient._dispatcher.entries) == 1
        assert len(compiled) == 4


class TestThreads:
    def test_a_function_is_compiled_once(self, compiled):
        gradient = grad(lambda x: np.sum(x * x))
        x = np.arange(5.0)
        barrier = threading.Barrier(8)
        results, errors = [], []

        def call():
            barrier.wait()
            try:
                for _ in range(20):
                    results.append(gradient(x))
            except Exception as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert len(results) == 160
        for result in results:
            np.testing.assert_array_equal(result, 2 * x)
        assert len(compiled) == 1

    def test_kinds_change_while_others_read(self, compiled):
        gradient = grad(lambda x: np.sum(x * x))
        values = [2.0, np.arange(3.0), np.ones((2, 1)), np.float32(3.0)]
        errors = []

        def call(offset):
            try:
                for k in range(60):
                    value = values[(k + offset) % 4]
                    np.testing.assert_array_equal(gradient(value), 2 * value)
            except Exception as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert len(compiled) == 4


class TestErrors:
    @pytest.mark.parametrize(
        "value, message",
        [
            (3, "an int: pass a float: 3.0"),
            (True, "a bool: pass a float: 1.0"),
            (np.int64(3), r"a NumPy int64: pass a float: float\(x\)"),
            (np.arange(3), r"an array of int64: pass x.astype\(float\)"),
            ("word", "which is 'word'"),
            (None, "which is None"),
            ((1, 2), "a tuple that holds no float"),
            (object(), "of type object"),
        ],
    )
    def test_no_derivative(self, value, message):
        with pytest.raises(ArgumentError, match=message):
            grad(square)(value)

    def test_what_failed_is_tried_again(self):
        def f(x):
            return missing_name * x  # noqa: F821

        for _ in range(2):
            with pytest.raises(Exception, match="missing_name"):
                grad(f)(1.0)
        assert MEMORY.table_of(f.__code__)._found == {}


def test_functions_without_captured_variables_share_what_is_bound():
    """Each call of ``vjp`` finds the programs as the one before has bound them;
    closures have variables of their own."""

    def squared(x):
        return np.sum(x**2)

    def scaled(factor):
        def product(x):
            return factor * np.sum(x)

        return product

    x = np.ones(3)
    first, second = (vjp(squared, x)[1] for _ in range(2))
    assert first._reverse is second._reverse
    two, three = (vjp(scaled(factor), x)[1] for factor in (2.0, 3.0))
    assert_trees_close(two(1.0)[0], np.full(3, 2.0))
    assert_trees_close(three(1.0)[0], np.full(3, 3.0))


def shifted(x, y=2.0):
    return np.sum(x * y)


def squares():
    return lambda x: np.sum(x * x)


class TestTargetsOfCalls:
    """What ``vjp`` and ``jvp`` keep from call to call."""

    def test_kept_as_long_as_the_function(self):
        function = squares()
        found = target_of(function)
        assert target_of(function) is found
        x = np.ones(3)
        np.testing.assert_array_equal(vjp(function, x)[1](1.0)[0], 2.0 * x)
        assert jvp(function, (x,), (x,)) == (3.0, 6.0)
        alive = weakref.ref(function)
        del function
        gc.collect()
        assert alive() is None

    def test_a_pullback_outlives_the_function(self):
        pullback = vjp(squares(), np.ones(3))[1]
        gc.collect()
        np.testing.assert_array_equal(pullback(1.0)[0], 2.0 * np.ones(3))

    def test_captured_variables_are_those_of_the_call(self):
        for scale in (2.0, 3.0):
            x = np.ones(2)
            assert jvp(lambda x: np.sum(scale * x), (x,), (x,))[1] == 2 * scale

    def test_changed_functions(self, monkeypatch):
        x = np.ones(2)
        assert jvp(shifted, (x,), (x,)) == (4.0, 4.0)
        monkeypatch.setattr(shifted, "__defaults__", (5.0,))
        assert jvp(shifted, (x,), (x,)) == (10.0, 10.0)
        monkeypatch.setattr(shifted, "__code__", (lambda x, y: np.sum(x) - y).__code__)
        assert jvp(shifted, (x,), (x,)) == (-3.0, 2.0)

    def test_switched_off_optimisations_are_read_anew(self, monkeypatch):
        x = np.ones(2)
        vjp(shifted, x)
        monkeypatch.setenv("S2SAD_NO_OPT", "typo")
        with pytest.raises(ArgumentError, match="typo"):
            vjp(shifted, x)

    def test_tangents_that_need_work(self):
        x, whole = np.ones(2), np.array([1, 2])
        assert jvp(shifted, (x, 2.0), (whole, None)) == (4.0, 6.0)
        assert jvp(shifted, (x, 2.0), (None, 1)) == (4.0, 2.0)
        for wrong in (np.ones(3), np.ones((1, 2)), 1j * x):
            with pytest.raises(ArgumentError, match="the tangent of x"):
                jvp(shifted, (x, 2.0), (wrong, None))
            with pytest.raises(ArgumentError, match="the vector for x"):
                hvp(shifted)(x, 2.0, wrong)
        single = x.astype(np.float32)
        assert jvp(shifted, (single, 2.0), (x, None))[1].dtype == np.float32


def test_the_way_of_a_jacobian_follows_the_shapes():
    found = jacobian(lambda x, w: w @ x)
    for shape in ((2, 5), (5, 2), (2, 5)):
        w = np.random.default_rng(0).normal(size=shape)
        np.testing.assert_allclose(found(np.ones(shape[1]), w), w)
    assert len(found._chosen) == 2
