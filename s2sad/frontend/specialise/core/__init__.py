"""The specialiser: its state, names, expressions and statements.

What everybody speaks of, values and exceptions, is written ``core.Leaf``.
"""

from s2sad.frontend.specialise.core.exceptions import *
from s2sad.frontend.specialise.core.values import *
