"""Parameters of scikit-learn's functions."""

from typing import Any


def check_parameters(function: Any, *args: Any, **words: Any) -> None:
    """Raise what a function under scikit-learn's ``validate_params`` raises of
    parameters that it doesn't take."""
    from sklearn.utils import _param_validation

    plain = function.__wrapped__
    bound = _param_validation.signature(plain).bind(*args, **words)
    bound.apply_defaults()
    _param_validation.validate_parameter_constraints(
        plain._skl_parameter_constraints,
        dict(bound.arguments),
        caller_name=plain.__qualname__,
    )


def check_accepted(array: Any, *args: Any, **words: Any) -> None:
    """Raise what scikit-learn's ``check_array`` raises of an array that it doesn't
    take."""
    from sklearn.utils.validation import check_array

    check_array(array, *args, **words)
