"""The shim, on functions of our own; autograd's tests need its source distribution."""

import subprocess
import sys

import pytest

from tests.peers.hips_autograd.running import environment, grouped, report

PROGRAM = """
import autograd.numpy as np
import autograd.numpy.random as npr
import autograd.scipy.stats.norm as norm
import s2sad
from autograd import (
    elementwise_grad, grad, grad_named, hessian_vector_product, holomorphic_grad,
    jacobian, make_jvp, make_vjp, multigrad_dict, value_and_grad,
)
from autograd.extend import defvjp, primitive
from autograd.misc import flatten
from autograd.misc.optimizers import adam
from autograd.test_util import check_equivalent, check_grads, combo_check

x = np.array([0.3, -1.2, 0.7])


def loss(params, scale=2.0):
    return np.sum(np.tanh(params["w"] * x) ** 2) * scale + params["b"]


params = {"w": x + 1.0, "b": 0.5}
value, found = value_and_grad(loss)(params)
assert value == loss(params) and set(found) == {"w", "b"}
check_equivalent(found, grad(loss)(params))
check_grads(loss)(params)
check_grads(lambda x: np.sum(grad(lambda y: np.sum(y**3))(x) ** 2))(x)
combo_check(np.dot, [0, 1])([x, np.outer(x, x)], [x, 1.5])
check_equivalent(grad(lambda a, b: a * b, [1, 0])(2.0, 3.0), (2.0, 3.0))
check_equivalent(grad_named(lambda a, b: a * b**2, "b")(2.0, 3.0), 12.0)
check_equivalent(multigrad_dict(lambda a, b: a * b)(2.0, 3.0), {"a": 3.0, "b": 2.0})
check_equivalent(elementwise_grad(lambda x: x**2)(x), 2.0 * x)
check_equivalent(jacobian(lambda x: np.sin(x))(x), np.diag(np.cos(x)))
check_equivalent(make_jvp(lambda x: x**2)(x)(x)[1], 2.0 * x**2)
check_equivalent(make_vjp(lambda z: z * 1j)(1.0 + 1j)[0](1.0 + 0j), 1j)
check_equivalent(holomorphic_grad(lambda z: z**2)(1.0 + 1j), 2.0 + 2j)
product = hessian_vector_product(lambda x: np.sum(x**3))(x, x)
check_equivalent(product, 6.0 * x**2)
vector, unflatten = flatten(params)
check_equivalent(unflatten(vector), params)

density = lambda m, i: -np.sum(norm.logpdf(x, m, 1.0))
check_equivalent(grad(density)(0.5, 0), np.sum(0.5 - x))
fitted = adam(grad(density), 0.0, num_iters=500, step_size=0.01)
assert abs(fitted - np.mean(x)) < 1e-3

source = npr.RandomState(0)
drawn = grad(lambda m: np.sum(source.randn(3) * m))(1.0)
assert drawn == np.sum(npr.RandomState(0).randn(3))


@primitive
def doubled(x):
    return 2.0 * x


defvjp(doubled, lambda ans, x: lambda g: 2.0 * g)
check_equivalent(grad(lambda x: np.sum(doubled(x) ** 2))(x), 8.0 * x)
try:
    grad(lambda x: x)(x)
except TypeError as error:
    assert "one real number" in str(error)
else:
    raise AssertionError
print("right")
"""


@pytest.mark.long
def test_derivatives_of_the_shim(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program], env=environment(), capture_output=True, text=True
    )
    assert done.stdout == "right\n", done.stderr


def test_what_fails_is_grouped_by_reason(capsys):
    one = "s2sad.Error: model.py:3:5: there is no rule for f"
    other = "s2sad.Error: model.py:14:9: there is no rule for f"
    assert grouped(one) == grouped(other)
    found = {"a::b": "", "a::c": one, "a::d": other, "a::e": "skipped"}
    assert report(found) == 1
    text = capsys.readouterr().out
    assert text.startswith("4 tests: 1 passed, 1 skipped\n")
    assert "   2 " in text
    assert report({"a::b": "", "test_core::test_eq": "refused"}) == 0
