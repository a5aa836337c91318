import copy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import s2sad.optim
from s2sad.optim import (
    AdamState,
    MomentumState,
    RmspropState,
    SgdState,
    StructureError,
    adam,
    adam_init,
    map_structure,
    momentum,
    momentum_init,
    rmsprop,
    rmsprop_init,
    sgd,
    sgd_init,
)
from tests.optim.structures import BUILDERS, Layer, arrays, leaves_of, skeleton

OPTIMISERS = {
    "sgd": (sgd, sgd_init),
    "momentum": (momentum, momentum_init),
    "rmsprop": (rmsprop, rmsprop_init),
    "adam": (adam, adam_init),
}

each_optimiser = pytest.mark.parametrize(
    ("step", "init"), OPTIMISERS.values(), ids=OPTIMISERS
)


def test_sgd_by_hand():
    x, state = sgd(3.0, 4.0, sgd_init(3.0), learning_rate=0.25)
    assert (x, state) == (2.0, SgdState(1))


def test_momentum_by_hand():
    x, state = 3.0, momentum_init(3.0)
    x, state = momentum(x, 4.0, state, learning_rate=0.25, decay=0.5)
    assert (x, state) == (2.0, MomentumState(-1.0))
    # v = 0.5 * -1 - 0.25 * 2
    x, state = momentum(x, 2.0, state, learning_rate=0.25, decay=0.5)
    assert (x, state) == (1.0, MomentumState(-1.0))


def test_rmsprop_by_hand():
    x, state = 3.0, rmsprop_init(3.0)
    # r = 0.25 * 16 = 4, step = 0.5 * 4 / (2 + 2)
    x, state = rmsprop(x, 4.0, state, learning_rate=0.5, decay=0.75, epsilon=2.0)
    assert (x, state) == (2.5, RmspropState(4.0))
    # r = 0.75 * 4 + 0.25 * 24 = 9, step = 0.5 * sqrt(24) / (3 + 2)
    gradient = 24.0**0.5
    x, state = rmsprop(x, gradient, state, learning_rate=0.5, decay=0.75, epsilon=2.0)
    assert state.mean_square == pytest.approx(9.0, rel=1e-15)
    assert x == pytest.approx(2.5 - 0.1 * gradient, rel=1e-15)


def test_adam_by_hand():
    x, state = 3.0, adam_init(3.0)
    options = {"learning_rate": 0.5, "beta1": 0.5, "beta2": 0.75, "epsilon": 1.0}
    # m = 2, v = 4, both corrected to 4 and 16; step = 0.5 * 4 / (4 + 1)
    x, state = adam(x, 4.0, state, **options)
    assert state == AdamState(1, 2.0, 4.0)
    assert x == pytest.approx(2.6, rel=1e-15)
    # m = 1 - 1 = 0: no step; v = 3 + 1
    x, state = adam(x, -2.0, state, **options)
    assert state == AdamState(2, 0.0, 4.0)
    assert x == pytest.approx(2.6, rel=1e-15)
    # m = 0.5, v = 3.25; corrections 7/8 and 37/64
    x, state = adam(x, 1.0, state, **options)
    step = 0.5 * (0.5 / (7 / 8)) / ((3.25 / (37 / 64)) ** 0.5 + 1)
    assert state == AdamState(3, 0.5, 3.25)
    assert x == pytest.approx(2.6 - step, rel=1e-15)


def test_adam_defaults_step_by_the_learning_rate_at_first():
    gradient = np.array([1e-3, -2.0, 5e4])
    x, _ = adam(np.zeros(3), gradient, adam_init(np.zeros(3)))
    np.testing.assert_allclose(x, -1e-3 * np.sign(gradient), rtol=1e-4)


@each_optimiser
@pytest.mark.parametrize("kind", BUILDERS)
def test_structures_are_kept_and_leaves_independent(step, init, kind):
    params = BUILDERS[kind](*arrays())
    gradient = map_structure(np.sin, params)
    new, state = step(params, gradient, init(params))
    new, state = step(new, gradient, state)
    assert skeleton(new) == skeleton(params)
    for leaf, g, got in zip(leaves_of(params), leaves_of(gradient), leaves_of(new)):
        alone, alone_state = step(leaf, g, init(leaf))
        alone, _ = step(alone, g, alone_state)
        np.testing.assert_array_equal(got, alone)
        assert not np.array_equal(got, leaf)


@each_optimiser
@pytest.mark.parametrize(
    "leaf",
    [
        2.0,
        1.0 - 2.0j,
        np.float64(2.0),
        np.float32(2.0),
        np.complex64(1.0 + 2.0j),
        np.array(2.0, dtype=np.float32),
        np.zeros((0, 3)),
        np.array([1.0, 2.0], dtype=np.float16),
        np.array([1.0, 2.0], dtype=np.float32),
        np.array([1.0, 2.0]),
        np.array([1.0, 2.0j], dtype=np.complex64),
        np.array([1.0, 2.0j]),
    ],
    ids=lambda leaf: f"{type(leaf).__name__}-{np.asarray(leaf).dtype}-{np.ndim(leaf)}d",
)
def test_type_shape_and_dtype_stay(step, init, leaf):
    new, state = leaf, init(leaf)
    for _ in range(2):
        # Rates and gradients of a wider dtype must not widen the parameters.
        gradient = np.asarray(leaf).astype(np.result_type(leaf, np.float64))
        new, state = step(new, gradient, state, learning_rate=np.float64(0.125))
        assert type(new) is type(leaf)
        assert np.shape(new) == np.shape(leaf)
        assert np.asarray(new).dtype == np.asarray(leaf).dtype
        real = np.asarray(leaf).real.dtype
        for moment in (part for part in state if not isinstance(part, int)):
            assert isinstance(moment, np.ndarray) == isinstance(leaf, np.ndarray)
            assert isinstance(moment, np.generic) == isinstance(leaf, np.generic)
            assert np.asarray(moment).real.dtype == real


@each_optimiser
def test_nothing_given_is_changed_or_shared(step, init):
    params = BUILDERS["nested"](*arrays())
    gradient = map_structure(np.cos, params)
    state = init(params)
    for _ in range(2):
        given = (params, gradient, state)
        before = copy.deepcopy(given)
        params, state = step(*given)
        for old, kept in zip(leaves_of(before), leaves_of(given)):
            np.testing.assert_array_equal(kept, old)
        for new in leaves_of((params, state)):
            for old in leaves_of(given):
                assert not np.shares_memory(new, old)


@pytest.mark.sampled(6)
@each_optimiser
def test_a_quadratic_converges(step, init):
    target = {"w": np.array([1.0, -2.0, 0.5]), "b": 3.0}
    curvature = {"w": np.array([1.0, 4.0, 0.5]), "b": 2.0}
    params = {"w": np.zeros(3), "b": 0.0}
    state = init(params)
    for number in range(3000):
        gradient = map_structure(lambda x, a, c: c * (x - a), params, target, curvature)
        rate = 0.05 / (1 + number / 100)
        params, state = step(params, gradient, state, learning_rate=rate)
    np.testing.assert_allclose(params["w"], target["w"], atol=1e-3)
    assert params["b"] == pytest.approx(3.0, abs=1e-3)


def test_complex_gradient_descends():
    # L = |z - a|^2 has dL/dRe + i dL/dIm = 2 (z - a).
    a = np.array([1.0 + 2.0j, -3.0j])
    for step, init in OPTIMISERS.values():
        z, state = np.zeros(2, dtype=complex), init(np.zeros(2, dtype=complex))
        for number in range(2000):
            rate = 0.1 / (1 + number / 100)
            z, state = step(z, 2 * (z - a), state, learning_rate=rate)
        np.testing.assert_allclose(z, a, atol=1e-2)


@each_optimiser
def test_what_is_no_parameter_is_handed_on(step, init):
    params = {"w": np.ones(2), "depth": 3, "kind": "relu", "bias": None}
    gradient = {"w": np.ones(2), "depth": None, "kind": None, "bias": None}
    new, state = step(params, gradient, init(params))
    new, state = step(new, gradient, state)
    assert {**new, "w": None} == {**params, "w": None}
    assert np.all(new["w"] < 1)


@each_optimiser
def test_errors_name_the_path(step, init):
    params = {"layers": [Layer(np.ones(3), 1.0)]}
    state = init(params)

    def message(kind, params, gradient, state):
        with pytest.raises(kind) as caught:
            step(params, gradient, state)
        return str(caught.value)

    assert message(
        StructureError, params, {"layers": [Layer(np.ones(3), [1.0])]}, state
    ) == (
        "params and gradient differ in structure at ['layers'][0].b: "
        "params has a leaf of type float, gradient has a list"
    )
    assert message(ValueError, params, {"layers": [Layer(np.ones(2), 1.0)]}, state) == (
        "gradient['layers'][0].a has shape (2,), "
        "but params['layers'][0].a has shape (3,)"
    )
    assert message(TypeError, params, {"layers": [Layer(None, 1.0)]}, state) == (
        "gradient['layers'][0].a is None, but params['layers'][0].a is a parameter"
    )
    assert message(
        TypeError, params, {"layers": [Layer(1j * np.ones(3), 1.0)]}, state
    ) == ("gradient['layers'][0].a is complex, but params['layers'][0].a is real")
    assert message(TypeError, [1], [1.0], init([1])) == (
        "params[0] is of type int, which has no gradient: "
        "use a float or a float array, or give None as its gradient"
    )
    assert "params is an array of dtype int64" in message(
        TypeError, np.ones(2, np.int64), np.ones(2), init(np.ones(2))
    )


@pytest.mark.parametrize("name", ["momentum", "rmsprop", "adam"])
def test_a_state_of_other_parameters_is_refused(name):
    step, init = OPTIMISERS[name]
    params = {"w": np.ones((2, 3))}
    with pytest.raises(
        ValueError, match=r"\['w'\] has shape \(3,\), but params\['w'\]"
    ):
        step(params, params, init({"w": np.ones(3)}))
    with pytest.raises(ValueError, match=r"state\.\w+\['w'\] has None"):
        step(params, params, init({"w": None}))
    with pytest.raises(StructureError, match=r"gradient and state\.\w+ differ"):
        step(params, params, init({"v": np.ones((2, 3))}))


def test_a_copy_of_the_folder_works_alone(tmp_path):
    folder = Path(s2sad.optim.__file__).parent
    copied = tmp_path / "optim"
    copied.mkdir()
    for source in folder.glob("*.py"):
        (copied / source.name).write_text(source.read_text())
    program = (
        "import sys; import optim; "
        "print(optim.sgd(1.0, 1.0, optim.sgd_init(1.0), learning_rate=0.5)[0]); "
        "print([name for name in sys.modules if name.startswith('s2sad')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0.5\n[]\n"
