"""Functions that raise of what they don't take, and give nothing."""

from sklearn.utils import validation

from s2sad import rules
from s2sad.ops.numerics.sklearn_parameters import check_accepted, check_parameters

rules.without_derivative(
    validation.assert_all_finite,
    lambda X, *, allow_nan=False, estimator_name=None, input_name="": None,
)
rules.without_derivative(check_accepted)
rules.without_derivative(check_parameters)
