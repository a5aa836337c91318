"""Checks of derivatives, for tests of one's own functions and rules.

>>> import numpy as np
>>> def f(x):
...     return np.sum(np.sin(x) ** 2)
>>> report = check_gradient(f, np.array([0.1, 2.0]))
>>> report.passed
True
"""

from s2sad.testing.checks import check_gradient, check_rule
from s2sad.testing.modes import check_grads
from s2sad.testing.reports import Comparison, Report

__all__ = ["Comparison", "Report", "check_gradient", "check_grads", "check_rule"]
