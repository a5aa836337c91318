"""Fixed points and roots whose linear systems are solved without the matrix: against
the direct solution and differences, to second order."""

import sys

import numpy as np
import pytest

import s2sad
from s2sad import ArgumentError, UnsupportedError, fixed_point, grad, root
from s2sad.cli import main

pytest.importorskip("scipy")

SOLVERS = ("gmres", "bicgstab", "iteration")
TIGHT = 1e-13


def layer(solver):
    def function(w):
        b = 1.0 * w[0]
        step = lambda z: np.tanh(w @ z + b)  # noqa: E731
        z = fixed_point(step, np.zeros(3), solver=solver, tol=TIGHT)
        return np.sum(z * z * b)

    return function


def layers(solver):
    def function(w):
        total, z = 0.0, np.zeros(3)
        for k in range(3):
            step = lambda z: np.tanh(w @ z + 0.1 * k)  # noqa: B023, E731
            z = fixed_point(step, z, tol=TIGHT, solver=solver)
            total += np.sum(z * z)
        return total

    return function


def rows(solver):
    def function(w):
        start = np.zeros((3, 3))
        step = lambda z: 0.3 * np.cos(z @ w) + w  # noqa: E731
        z = fixed_point(step, start, tol=TIGHT, solver=solver)
        return np.sum(z * w * w)

    return function


def structure(solver):
    def function(w):
        def step(z, p):
            x = 0.4 * np.cos(z["y"] + p["w"] @ z["x"])
            return {"x": x, "y": 0.5 * np.sin(np.sum(z["x"]) * p["w"][0, 1])}

        first = {"x": np.zeros(3), "y": 0.0}
        z = fixed_point(step, first, {"w": w}, tol=TIGHT, solver=solver)
        return np.sum(z["x"]) * z["y"] + z["x"][1]

    return function


def numbers(solver):
    def function(w):
        a = np.sum(w * w)
        step = lambda z: [0.5 * np.cos(z[1] * a), 0.5 * z[0]]  # noqa: E731
        z = fixed_point(step, [0.0, 1.0], tol=TIGHT, solver=solver)
        y = fixed_point(lambda y: 0.5 * np.cos(y * a), 0.0, solver=solver, tol=TIGHT)
        return z[0] * z[1] * y

    return function


def one_part(solver):
    """The other part of the solution isn't used, and has no cotangent."""

    def function(w):
        step = lambda z: (0.3 * np.cos(w @ z[1]), 0.3 * np.sin(z[0]))  # noqa: E731
        x, _ = fixed_point(step, (np.ones(3), np.ones(3)), tol=TIGHT, solver=solver)
        return np.sum(x**2)

    return function


def steps_with_loops(solver):
    def function(w):
        def step(z):
            for k in range(3):
                z = 0.4 * np.sin(w @ z) + 0.4 if np.sum(z) > 0.1 else z + 0.5
                z = z * w[0, k] + 0.1
            return z

        return np.sum(fixed_point(step, np.ones(3), tol=TIGHT, solver=solver) ** 2)

    return function


def within_another(solver):
    def function(w):
        def outer(y):
            inner = lambda z: 0.5 * np.cos(z) + 0.2 * (w @ y)  # noqa: E731
            z = fixed_point(inner, np.zeros(3), tol=TIGHT, solver=solver)
            return 0.3 * np.sin(z) + w[1]

        return np.sum(fixed_point(outer, np.zeros(3), tol=TIGHT, solver=solver) ** 2)

    return function


def gradient_of_solution(solver):
    def function(w):
        def energy(x):
            step = lambda z: 0.3 * np.cos(w @ z * x)  # noqa: E731
            z = fixed_point(step, np.zeros(3), tol=TIGHT, solver=solver)
            return np.sum(z * x)

        return np.sum(grad(energy)(w[2]) ** 2)

    return function


def root_of_vector(solver):
    def function(w):
        f = lambda x: w @ x + 5.0 * x - w[1] + 0.1 * x**3  # noqa: E731
        x = root(f, np.zeros(3), tol=TIGHT, solver=solver)
        return np.sum(x * x * w[0])

    return function


def root_of_matrix(solver):
    def function(w):
        p = w @ w.T + np.eye(3)
        x = root(lambda x: x @ x - p, np.eye(3), tol=TIGHT, solver=solver)
        return np.sum(x * np.arange(9.0).reshape(3, 3))

    return function


def root_of_structure(solver):
    def function(w):
        def f(z):
            x, y = z
            return 3.0 * x + w @ x - y * w[0], y + 0.2 * np.sum(x) - w[1, 1]

        x, y = root(f, (np.zeros(3), 0.0), tol=TIGHT, solver=solver)
        return np.sum(x) * y

    return function


FIXED_POINTS = [
    *(layer, layers, rows, structure, numbers, one_part, steps_with_loops),
    *(within_another, gradient_of_solution),
]
ROOTS = [root_of_vector, root_of_matrix, root_of_structure]
W = 0.3 * np.random.default_rng(0).normal(size=(3, 3))
DIRECTION = np.random.default_rng(3).normal(size=(3, 3))


@pytest.mark.sampled(24, of_long=2)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("make", [*FIXED_POINTS, *ROOTS])
def test_derivatives(make, optimise):
    direct = make("direct")
    gradient = grad(direct)(W)
    second = s2sad.hvp(direct)(W, DIRECTION)
    h = 1e-5
    difference = (direct(W + h * DIRECTION) - direct(W - h * DIRECTION)) / (2.0 * h)
    assert np.sum(gradient * DIRECTION) == pytest.approx(difference, rel=1e-6)
    solvers = SOLVERS if make in FIXED_POINTS[:4] else SOLVERS[::2]
    for solver in solvers if make in FIXED_POINTS else SOLVERS[:2]:
        function = make(solver)
        assert function(W) == pytest.approx(direct(W), rel=1e-10)
        found = grad(function, optimise=optimise)(W)
        np.testing.assert_allclose(found, gradient, rtol=1e-9, atol=1e-11)
        value, tangent = s2sad.jvp(function, (W,), (DIRECTION,))
        assert value == pytest.approx(direct(W), rel=1e-10)
        assert tangent == pytest.approx(np.sum(gradient * DIRECTION), rel=1e-9)
        found = s2sad.hvp(function, optimise=optimise)(W, DIRECTION)
        np.testing.assert_allclose(found, second, rtol=1e-8, atol=1e-10)
        if optimise is None and solver != "bicgstab":
            again = grad(lambda w: np.sum(grad(function)(w) * DIRECTION))(W)  # noqa: B023
            np.testing.assert_allclose(again, second, rtol=1e-8, atol=1e-10)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("solver", SOLVERS)
def test_jacobians_and_third_order(solver):
    def solution(x, kind):
        step = lambda z: 0.5 * np.cos(z * x[0] + x[1])  # noqa: E731
        return fixed_point(step, np.zeros(2), solver=kind, tol=TIGHT)

    x = np.array([0.7, 0.4])
    for transform in (s2sad.jacfwd, s2sad.jacrev):
        found, expected = (transform(solution)(x, k) for k in (solver, "direct"))
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    total = lambda x, kind: np.sum(solution(x, kind))  # noqa: E731
    found, expected = (s2sad.hessian(total)(x, k) for k in (solver, "direct"))
    np.testing.assert_allclose(found, expected, rtol=1e-10)

    norm = lambda y, kind: np.sum(grad(total)(y, kind) ** 2)  # noqa: E731
    third = grad(lambda y: np.sum(grad(norm)(y, solver)))(x)
    h = 1e-5 * np.eye(2)
    slopes = [np.sum(grad(norm)(x + e, solver) - grad(norm)(x - e, solver)) for e in h]
    np.testing.assert_allclose(third, np.array(slopes) / 2e-5, rtol=1e-6)


def test_no_matrix_is_made_and_single_precision_stays():
    def norm(x, w, solver):
        step = lambda z: np.tanh(w * np.roll(z, 1) + x)  # noqa: E731
        return np.sum(fixed_point(step, x, solver=solver, tol=1e-6) ** 2)

    x, w = np.linspace(-1.0, 1.0, 7), np.linspace(0.1, 0.5, 7)
    for solver in SOLVERS:
        text = grad(norm).source_for(x, w, solver)
        assert "np.eye" not in text and "linalg" not in text
        single = grad(norm)(x.astype(np.float32), w.astype(np.float32), solver)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, grad(norm)(x, w, "direct"), rtol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_scales_are_of_no_matter(solver):
    def scaled(w, scale):
        z = fixed_point(lambda z: np.tanh(w @ z + 0.1), np.zeros(3), solver=solver)
        return scale * np.sum(z)

    gradient = grad(scaled)(W, 1e-15)
    np.testing.assert_allclose(gradient, 1e-15 * grad(scaled)(W, 1.0), rtol=1e-12)
    assert not np.any(grad(scaled)(W, 0.0))


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_solution(solver):
    def singular(a):
        return np.sum(fixed_point(lambda z: z + a - 1.0, np.ones(2), solver=solver))

    def growing(a):
        """The first guess is the solution, which repels."""
        step = lambda z: 2.0 * a * z[::-1]  # noqa: E731
        return np.sum(fixed_point(step, np.zeros(2), solver=solver) + a)

    assert singular(1.0) == 2.0
    for derivative in (grad(singular), lambda a: s2sad.jvp(singular, (a,), (1.0,))):
        with pytest.raises(RuntimeError, match="isn't solved|doesn't converge"):
            derivative(1.0)
    if solver == "iteration":
        with pytest.raises(RuntimeError, match="doesn't converge"):
            grad(growing)(1.0)
    else:
        assert grad(growing)(1.0) == pytest.approx(2.0)


def test_a_singular_newton_step():
    def flat(a):
        return np.sum(root(lambda z: a * z * z + 1.0, np.zeros(2), solver="gmres"))

    for run in (flat, grad(flat)):
        with pytest.raises(RuntimeError, match="gmres: the linear system"):
            run(1.0)


def test_what_is_refused():
    for call in (fixed_point, root):
        with pytest.raises(ArgumentError, match="solver must be one of 'direct'"):
            call(lambda z: 0.5 * z, 1.0, solver="cg")
    with pytest.raises(ArgumentError, match="not 'iteration'"):
        root(lambda z: 0.5 * z, 1.0, solver="iteration")

    def refused(a, solver):
        return root(lambda z: z - a, 1.0, solver=solver)

    with pytest.raises(UnsupportedError, match="solver is 'iteration' here"):
        grad(refused)(0.5, "iteration")


def test_without_scipy(monkeypatch):
    def function(w, solver):
        step = lambda z: np.tanh(w @ z + 0.1)  # noqa: E731
        return np.sum(fixed_point(step, np.zeros(3), solver=solver))

    expected = grad(function)(W, "direct")
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match="solver='gmres' needs SciPy"):
        grad(function)(W, "gmres")
    np.testing.assert_allclose(grad(function)(W, "iteration"), expected, rtol=1e-8)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_transpiled_file(tmp_path, solver):
    source = tmp_path / "model.py"
    source.write_text(
        "import numpy as np\n"
        "import s2sad\n\n\n"
        "def loss(w, b):\n"
        "    step = lambda z: np.tanh(w @ z + b)\n"
        f"    z = s2sad.fixed_point(step, np.zeros(2), solver={solver!r})\n"
        "    return np.sum(z * z)\n"
    )
    out = tmp_path / "made.py"
    words = ["--signature", "loss(w: float64[2, 2], b: float64[2])", "-o", str(out)]
    main(["transpile", str(source), "loss", *words], standalone_mode=False)
    text = out.read_text()
    assert "import s2sad" not in text
    assert ("scipy" in text) == (solver != "iteration")
    namespace = {}
    exec(compile(text, str(out), "exec"), namespace)
    w, b = np.array([[0.2, 0.1], [0.0, 0.3]]), np.array([0.5, -0.2])

    def loss(w, b):
        z = fixed_point(lambda z: np.tanh(w @ z + b), np.zeros(2))
        return np.sum(z * z)

    found = namespace["loss_grad"](w, b)
    np.testing.assert_allclose(found, grad(loss)(w, b), rtol=1e-8)
