"""How users register derivatives of their own functions.

>>> import numpy as np
>>> from s2sad import rule
>>> rule.elementwise(np.spacing, lambda x, out: 0.0 * x)

A later rule for a function replaces an earlier one, also those that s2sad brings along;
derivatives that are compiled already are compiled anew. ``s2sad.rules.registry``
describes the forms.
"""

from s2sad.rules.load import load_all
from s2sad.rules.registry import (
    elementwise,
    forward_of,
    reverse_of,
    without_derivative,
)

__all__ = ["elementwise", "forward_of", "reverse_of", "without_derivative"]

# Rules that come with s2sad must not replace those of the user.
load_all()
