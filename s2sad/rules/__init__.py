"""Derivatives, filed by who owns the function. Rules know nothing of the passes.

Rules, and who asks for them, write ``from s2sad import rules`` and
``rules.reverse_of``, ``rules.known_rank``: how rules are registered, what they may ask
of their arguments, and the kinds of results.
"""

from s2sad.rules.predicates import *
from s2sad.rules.registry import *
from s2sad.rules.result_kinds import *
