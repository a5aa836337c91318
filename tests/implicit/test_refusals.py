"""What fixed points and roots refuse, and what they raise."""

import numpy as np
import pytest

import s2sad
from s2sad import ArgumentError, UnsupportedError, fixed_point, grad, root
from s2sad.cli import main


def diverging(a):
    return fixed_point(lambda z: 2.0 * z + a, 1.0)


def slow(a):
    return fixed_point(lambda z: 0.99 * z + a, 0.0, maxiter=10)


def not_a_number(a):
    return fixed_point(lambda z: np.log(z - a), 0.5)


def growing(a):
    return np.sum(fixed_point(lambda z: 3.0 * np.abs(z) + a, np.ones(2), maxiter=2000))


def without_root(a):
    return root(lambda z: z * z + a, 1.0)


def few_steps(a):
    return root(lambda z: np.exp(z) - 1e6 * a, 0.0, maxiter=3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (diverging, "fixed_point: no convergence"),
        (slow, "fixed_point: no convergence"),
        (not_a_number, "fixed_point: no convergence"),
        (growing, "fixed_point: no convergence"),
        (without_root, "root: no "),
        (few_steps, "root: no convergence"),
    ],
)
def test_no_convergence(function, words):
    with np.errstate(all="ignore"):
        for run in (function, grad(function)):
            with pytest.raises(RuntimeError, match=words):
                run(2.0)


def test_a_singular_jacobian():
    def singular(a):
        return np.sum(fixed_point(lambda z: z + a - 1.0, np.ones(2)))

    assert singular(1.0) == 2.0
    with pytest.raises(np.linalg.LinAlgError):
        grad(singular)(1.0)

    def still(a):
        return fixed_point(lambda z: z + a - 1.0, 1.0)

    with pytest.raises(ZeroDivisionError):
        grad(still)(1.0)

    def flat(a):
        return root(lambda z: a * z * z - a, 0.0)

    for run in (flat, grad(flat)):
        with pytest.raises(ZeroDivisionError):
            run(1.0)


def other_rank(a):
    return np.sum(fixed_point(lambda z: a * np.ones(3) + 0.0 * z, 0.0))


def other_structure(a):
    return fixed_point(lambda z: (a, z[0]), [a, a])[0]


def fewer(a):
    return root(lambda z: (z[0] - a,), (a, a))[0]


@pytest.mark.parametrize("function", [other_rank, other_structure, fewer])
def test_another_form(function):
    with pytest.raises(ArgumentError, match="of another form than z0"):
        function(0.5)
    with pytest.raises(UnsupportedError, match="of another form than the first guess"):
        grad(function)(0.5)


def test_limits():
    for words in ({"tol": 0.0}, {"maxiter": 0}, {"maxiter": 2.5}):
        with pytest.raises(ArgumentError, match=next(iter(words))):
            fixed_point(lambda z: 0.5 * z, 1.0, **words)
    with pytest.raises(ArgumentError, match="unknown of an equation holds 'a'"):
        fixed_point(lambda z: z, "a")


def recording(a):
    seen = []

    def step(z):
        seen.append(z)
        return 0.5 * np.cos(a * z)

    return fixed_point(step, 0.0) + seen[0]


def counting(a):
    count = 0.0

    def step(z):
        nonlocal count
        count = count + a
        return 0.5 * np.cos(a * z)

    return fixed_point(step, 0.0) * count


def of_a_string(a):
    return fixed_point(lambda z: a, "start")


def misspelled(a):
    return fixed_point(lambda z: 0.5 * np.cos(a * z), 0.0, tolerance=1e-3)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (recording, "changes what isn't its own"),
        (counting, "changes what isn't its own"),
        (of_a_string, "the unknown of an equation is 'start' here"),
        (misspelled, "tol, maxiter and solver as keywords"),
    ],
)
def test_what_is_refused(function, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(function)(0.5)
    message = str(caught.value)
    assert words in message
    assert "test_refusals.py" in message


def test_limits_are_checked_in_a_derivative():
    def function(a):
        return fixed_point(lambda z: 0.5 * np.cos(a * z), 0.0, tol=-1.0)

    with pytest.raises(UnsupportedError, match="tol"):
        grad(function)(0.5)


def test_a_solution_owns_its_memory():
    row = np.ones(2)
    found = fixed_point(lambda z: row, np.zeros(2))
    found[0] = 5.0
    assert row[0] == 1.0
    start = np.zeros(2)
    found = root(lambda z: z, start)
    found[0] = 5.0
    assert start[0] == 0.0


def test_a_transpiled_file_needs_numpy_alone(tmp_path):
    source = tmp_path / "model.py"
    source.write_text(
        "import numpy as np\n"
        "import s2sad\n\n\n"
        "def loss(w, b):\n"
        "    z = s2sad.fixed_point(lambda z: np.tanh(w @ z + b), np.zeros(2))\n"
        "    return np.sum(z * z)\n"
    )
    out = tmp_path / "made.py"
    words = ["--signature", "loss(w: float64[2, 2], b: float64[2])", "-o", str(out)]
    main(["transpile", str(source), "loss", *words], standalone_mode=False)
    text = out.read_text()
    assert "import s2sad" not in text
    namespace = {}
    exec(compile(text, str(out), "exec"), namespace)
    w, b = np.array([[0.2, 0.1], [0.0, 0.3]]), np.array([0.5, -0.2])

    def loss(w, b):
        z = fixed_point(lambda z: np.tanh(w @ z + b), np.zeros(2))
        return np.sum(z * z)

    np.testing.assert_allclose(
        namespace["loss_grad"](w, b), s2sad.grad(loss)(w, b), rtol=1e-12
    )
