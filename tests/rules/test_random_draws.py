"""Draws of random numbers: their derivatives, and the state in which they leave the
generator."""

import random

import numpy as np
import pytest

import s2sad
from s2sad import grad, jvp
from s2sad.errors import UnsupportedError
from s2sad.testing.weighted_sums import call_of

SEED = 7


def normal(x, rng):
    return np.sum(rng.normal(x[0] * x[1], np.exp(x[1]), size=(2, 3)) ** 2 * x[0])


def laplace(x, rng):
    return np.sum(rng.laplace(x[0] * x[1], np.exp(x[1]), size=3) ** 2)


def gumbel(x, rng):
    return np.sum(rng.gumbel(scale=x[0], loc=x[1], size=3) ** 2)


def logistic(x, rng):
    return np.sum(rng.logistic(x[0] * x[1], np.exp(x[1]), size=3) ** 2)


def of_arrays(x, rng):
    return np.sum(rng.normal(x, np.exp(x)) ** 2)


def broadcast(x, rng):
    return np.sum(rng.normal(x, np.exp(x), size=(4, 2)) ** 3)


def broadcast_parameters(x, rng):
    return np.sum(rng.normal(np.reshape(x, (2, 1)), x) ** 2)


def uniform(x, rng):
    return np.sum(rng.uniform(x[0] * x[1], 3.0 * x[0], size=3) ** 2)


def exponential(x, rng):
    return np.sum(rng.exponential(x[0] * x[1], size=3) ** 2) + rng.rayleigh(x[1])


def lognormal(x, rng):
    return np.sum(rng.lognormal(x[0] * x[1], x[1], size=3) ** 2)


def defaults(x, rng):
    return rng.normal(x[0]) ** 2 * rng.normal(scale=x[1]) * rng.uniform(high=x[1])


def low_only(x, rng):
    return rng.uniform(x[0]) ** 2 * rng.lognormal(x[1]) * rng.gumbel(size=2)[0]


def gamma(x, rng):
    return np.sum(rng.gamma(2.5, x[0] * x[1], size=3) ** 2)


def single(x, rng):
    return rng.normal(x[0], x[1]) ** 2 * rng.uniform(0.0, x[0])


def walk(x, rng):
    total = 0.0
    for _ in range(4):
        step = rng.normal(x[0], x[1])
        if step > 0.5:
            total += x[0] * step * rng.random()
        else:
            rng.standard_normal(size=2)
            total = total * step + x[1]
    return total


def inactive(x, rng):
    unused = rng.normal(size=3)
    order = rng.permutation(2)
    noise = rng.standard_normal((2, 2)) + rng.choice(np.array([1.0, 2.0]), 2)
    count = rng.integers(1, 3) + rng.poisson(3.0) + rng.binomial(4, 0.3, size=2)[0]
    return np.sum(noise @ x[order]) * x[rng.integers(2)] ** 2 * count


def until(x, rng):
    total = x[0]
    while rng.random() < 0.8:
        total = total * x[1] + rng.exponential(x[0])
    return total


PROGRAMS = [
    *(normal, laplace, gumbel, logistic, of_arrays, broadcast, broadcast_parameters),
    *(
        uniform,
        exponential,
        lognormal,
        gamma,
        defaults,
        low_only,
        single,
        walk,
        inactive,
        until,
    ),
]
POINT = np.array([0.8, 0.6])


def state_of(rng):
    return rng.bit_generator.state


def fresh():
    return np.random.default_rng(SEED)


def slope(function, direction, h=1e-6):
    return (
        function(POINT + h * direction, fresh())
        - function(POINT - h * direction, fresh())
    ) / (2.0 * h)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives_and_the_state_behind(program, optimise):
    direction = np.array([0.7, -0.4])
    known = fresh()
    value = program(POINT, known)
    expected = slope(program, direction)

    rng = fresh()
    gradient = grad(program, optimise=optimise)(POINT, rng)
    assert gradient @ direction == pytest.approx(expected, rel=1e-6)
    assert state_of(rng) == state_of(known)

    rng = fresh()
    found, _ = s2sad.value_and_grad(program, optimise=optimise)(POINT, rng)
    assert found == value
    assert state_of(rng) == state_of(known)

    rng = fresh()
    second = s2sad.hvp(program, optimise=optimise)(POINT, rng, direction)
    differences = slope(grad(program), direction)
    np.testing.assert_allclose(second, differences, rtol=1e-5, atol=1e-6)
    assert state_of(rng) == state_of(known)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", PROGRAMS)
def test_forward_mode_and_pullbacks(program):
    direction = np.array([0.7, -0.4])
    known = fresh()
    value = program(POINT, known)
    gradient = grad(program)(POINT, fresh())
    rng = fresh()
    found, tangent = jvp(program, (POINT, rng), (direction, None))
    assert found == value
    assert tangent == pytest.approx(gradient @ direction, rel=1e-9)
    assert state_of(rng) == state_of(known)
    rng = fresh()
    found, pullback = s2sad.vjp(program, POINT, rng)
    assert found == value
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], gradient, rtol=1e-12)
    assert state_of(rng) == state_of(known)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", [normal, walk, until])
def test_reverse_over_reverse(program):
    def inner(x, rng):
        return np.sum(grad(program)(x, rng) * np.array([0.7, -0.4]))

    rng, known = fresh(), fresh()
    program(POINT, known)
    second = grad(inner)(POINT, rng)
    assert state_of(rng) == state_of(known)
    expected = s2sad.hvp(program)(POINT, fresh(), np.array([0.7, -0.4]))
    np.testing.assert_allclose(second, expected, rtol=1e-9)


def seeded(x, seed):
    rng = np.random.default_rng(seed)
    return np.sum(rng.normal(x, 2.0, size=3) ** 2)


def legacy(x, seed):
    state = np.random.RandomState(seed)
    return np.sum(state.randn(2, 3) * x) + state.normal(x, 1.0) * state.rand()


GENERATOR = np.random.default_rng(SEED)


def of_the_module(x):
    return GENERATOR.normal(x, 2.0) * x


def global_state(x):
    return np.random.normal(x, 2.0) * np.random.rand() * x


@pytest.mark.parametrize("program", [seeded, legacy])
def test_a_generator_made_inside(program):
    h = 1e-6
    expected = (program(0.8 + h, 3) - program(0.8 - h, 3)) / (2.0 * h)
    assert grad(program)(0.8, 3) == pytest.approx(expected, rel=1e-6)


def test_a_generator_of_the_module():
    state = state_of(GENERATOR)
    noise = GENERATOR.normal(0.0, 2.0)
    behind = state_of(GENERATOR)
    GENERATOR.bit_generator.state = state
    assert grad(of_the_module)(0.8) == pytest.approx(0.8 + 0.8 + noise)
    assert state_of(GENERATOR) == behind


def test_the_global_state():
    outer = np.random.get_state()
    try:
        np.random.seed(SEED)
        noise, factor = np.random.normal(0.0, 2.0), np.random.rand()
        after = np.random.rand()
        np.random.seed(SEED)
        expected = (1.6 + noise) * factor
        assert grad(global_state)(0.8) == pytest.approx(expected)
        assert np.random.rand() == after
    finally:
        np.random.set_state(outer)


def test_the_text_draws_as_the_function_does():
    text = grad(normal).source_for(POINT, fresh())
    lines = [line for line in text.splitlines() if "#" not in line]
    assert "\n".join(lines).count("rng.normal(") == 1
    assert "size=(2, 3)" in text


def test_another_class_of_generators_is_compiled_anew():
    def program(x, rng):
        return x * rng.normal()

    gradient = grad(program)
    assert gradient(2.0, fresh()) == fresh().normal()
    old = np.random.RandomState(3).normal()
    assert gradient(2.0, np.random.RandomState(3)) == old


def test_a_scale_of_zero_gives_nan():
    def program(x, rng):
        return np.sum(rng.normal(1.0, x, size=2))

    with np.errstate(invalid="ignore"):
        assert np.isnan(grad(program)(np.float64(0.0), fresh()))


def poisson(x, rng):
    return rng.poisson(x) * 2.0


def whole(x, rng):
    return x * np.sum(np.ones(int(rng.binomial(5, x / 2.0))))


def gamma_of_shape(x, rng):
    return rng.gamma(x, 2.0)


def weighted_choice(x, rng):
    return 1.0 * np.sum(rng.choice(3, size=2, p=x / np.sum(x)))


def choice_of_varying(x, rng):
    return np.sum(rng.choice(x, 2))


def permutation_of_varying(x, rng):
    return rng.permutation(x)[0]


def shuffled(x, rng):
    y = 2.0 * x
    rng.shuffle(y)
    return y[0]


def pulled_back(x, rng):
    def repeated(x):
        for _ in range(3):
            x = x * rng.normal()
        return x

    _, pullback = s2sad.vjp(repeated, x)
    return pullback(1.0)[0]


def step_that_draws(x, rng):
    return s2sad.fixed_point(lambda z: 0.5 * z + 0.1 * x * rng.normal(), 0.0)


def old_poisson(x, rng):
    return np.random.poisson(x) * 2.0


@pytest.mark.parametrize("transform", ["grad", "jvp", "hvp"])
@pytest.mark.parametrize(
    ("program", "x", "words"),
    [
        (poisson, 2.0, "poisson draws what has no derivative with respect to 'lam'"),
        (whole, 0.8, "binomial draws what has no derivative with respect to 'p'"),
        (gamma_of_shape, 2.0, "with respect to 'shape'"),
        (weighted_choice, np.ones(3), "with respect to 'p'"),
        (choice_of_varying, np.ones(3), "draw the places with integers"),
        (permutation_of_varying, np.ones(3), "draw an order with permutation(n)"),
        (shuffled, np.ones(3), "draw an order with permutation(n)"),
        (pulled_back, 2.0, "its pullback would draw others"),
        (step_that_draws, 2.0, "draws random numbers"),
        (old_poisson, 2.0, "poisson draws what has no derivative"),
    ],
)
def test_what_is_refused(program, x, words, transform):
    with pytest.raises(UnsupportedError) as caught:
        if transform == "grad":
            grad(program)(x, fresh())
        elif transform == "jvp":
            jvp(program, (x, fresh()), (x, None))
        else:
            s2sad.hvp(program)(x, fresh(), x)
    assert words in str(caught.value)


def test_parameters_that_do_not_vary_may_be_any():
    def program(x, lam, rng):
        return x * rng.poisson(lam) + x * rng.choice(2, p=np.array([0.5, 0.5]))

    rng = fresh()
    expected = rng.poisson(3.0) + rng.choice(2, p=np.array([0.5, 0.5]))
    assert grad(program)(2.0, 3.0, fresh()) == expected


def recursive(x, n, rng):
    return x if n == 0 else 0.5 * recursive(x, n - 1, rng) + x * rng.normal(x)


def test_draws_in_a_function_that_calls_itself():
    h = 1e-6
    expected = (recursive(0.8 + h, 3, fresh()) - recursive(0.8 - h, 3, fresh())) / 2 / h
    rng, known = fresh(), fresh()
    recursive(0.8, 3, known)
    assert grad(recursive)(0.8, 3, rng) == pytest.approx(expected, rel=1e-6)
    assert state_of(rng) == state_of(known)


def drawing(source):
    """A function that captures a random generator."""

    def scaled(x):
        return np.sum(source.standard_normal(3) * x)

    return scaled


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_of_a_function_that_one_of_another_module_calls(make):
    gradient = s2sad.grad(call_of(drawing(make(0)), {}))
    expected = make(0)
    for _ in range(2):
        (found,) = gradient(np.ones(3))
        np.testing.assert_array_equal(found, expected.standard_normal(3))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_captured_generator_that_is_handed_on(make):
    source = make(0)

    def drawn(scale, generator):
        return generator.standard_normal(3) * scale

    found = s2sad.grad(lambda x: np.sum(drawn(x, source)))(np.ones(3))
    np.testing.assert_array_equal(found, make(0).standard_normal(3))


PYTHON_DRAWS = {
    "random": lambda x, r: r.random() * x,
    "uniform": lambda x, r: r.uniform(x, 3 * x),
    "gauss": lambda x, r: r.gauss(x, 2 * x),
    "gauss alone": lambda x, r: r.gauss() * x,
    "normalvariate": lambda x, r: r.normalvariate(x, 2 * x),
    "lognormvariate": lambda x, r: r.lognormvariate(x, x),
    "expovariate": lambda x, r: r.expovariate(x),
    "gammavariate": lambda x, r: r.gammavariate(2.0, x),
    "weibullvariate": lambda x, r: r.weibullvariate(x, 2.0),
    "betavariate": lambda x, r: r.betavariate(2.0, 3.0) * x,
    "triangular": lambda x, r: r.triangular(0.0, 2.0) * x,
    "randint": lambda x, r: r.randint(1, 3) * x,
    "randrange": lambda x, r: [x, x * x, 3.0][r.randrange(3)],
    "getrandbits": lambda x, r: r.getrandbits(3) * x,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("name", PYTHON_DRAWS)
def test_generators_of_python(name, optimise):
    drawn = PYTHON_DRAWS[name]

    def of_a_parameter(x, r):
        total = 0.0
        for _ in range(3):
            total += drawn(x, r) * x
        return total

    def of_the_module(x, r):
        random.seed(SEED)
        return drawn(x, random) * drawn(x, random)

    def made_inside(x, r):
        return drawn(x, random.Random(SEED)) ** 2

    for program in (of_a_parameter, of_the_module, made_inside):
        ends = [program(x, random.Random(SEED)) for x in (0.7 + 1e-6, 0.7 - 1e-6)]
        slope = (ends[0] - ends[1]) / 2e-6
        left, expected = random.Random(SEED), random.Random(SEED)
        program(0.7, expected)
        found = grad(program, optimise=optimise)(0.7, left)
        assert found == pytest.approx(slope, rel=1e-6, abs=1e-8)
        assert left.getstate() == expected.getstate()
        _, tangent = jvp(program, (0.7, random.Random(SEED)), (1.0, None))
        assert tangent == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda x: random.choice([x, 2.0]), "draw the place with randrange"),
        (lambda x: random.betavariate(x, 2.0), "has no derivative"),
        (lambda x: random.Random(1).sample([x, 2.0], 1)[0], "sample"),
    ],
)
def test_draws_of_python_that_are_refused(draw, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(draw)(0.5)
