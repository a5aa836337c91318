"""The intermediate representation: typed statements, their printable form and their
rules. Other rooms write ``from s2sad import ir`` and ``ir.Assign``."""

from s2sad.ir.checkpoints import *
from s2sad.ir.given_derivatives import *
from s2sad.ir.joins import *
from s2sad.ir.kinds import *
from s2sad.ir.lines import *
from s2sad.ir.nodes import *
from s2sad.ir.plans import *
from s2sad.ir.procedures import *
from s2sad.ir.quick_making import *
from s2sad.ir.references import *
from s2sad.ir.regions import *
from s2sad.ir.text import *
from s2sad.ir.walking import *
