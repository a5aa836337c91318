"""The specialiser: its state, its values, and what handlers ask of one another.

Other folders write ``from s2sad.frontend.specialise import core`` and ``core.Leaf``;
the files here import from one another.
"""

from s2sad.frontend.specialise.core.activations import *
from s2sad.frontend.specialise.core.exceptions import *
from s2sad.frontend.specialise.core.handlers import *
from s2sad.frontend.specialise.core.iterations import *
from s2sad.frontend.specialise.core.questions import *
from s2sad.frontend.specialise.core.reads import *
from s2sad.frontend.specialise.core.values import *
from s2sad.frontend.specialise.core.verbs import *
