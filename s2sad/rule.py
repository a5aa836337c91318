"""How users register derivatives of their own functions.

A function that the compiler must not look into, say because it is compiled C::

    from s2sad import rule

    rule.elementwise(fast_tanh, lambda x, out: 1 - out**2)

A later rule for a function replaces an earlier one, also those that s2sad brings along;
derivatives that are compiled already are compiled anew. ``s2sad.rules.registry``
describes the forms.
"""

from s2sad.rules.load import load_all
from s2sad.rules.registry import (
    batched_as,
    elementwise,
    forward_of,
    reverse_of,
    without_derivative,
)

__all__ = [
    "batched_as",
    "elementwise",
    "forward_of",
    "reverse_of",
    "without_derivative",
]

# Rules that come with s2sad must not replace those of the user.
load_all()
