"""Operations: the functions that programs of the IR apply and emitted programs call.

Here stand those of lists, dicts, buffers, rows, stacks and the like, which the emitter
writes in Python's own way; :mod:`~s2sad.ops.runtime` and :mod:`~s2sad.ops.numerics`
hold what texts call by its name. Nothing here knows of derivatives: what an operation's
derivative is stands in :mod:`s2sad.rules`. Other rooms write ``from s2sad import ops``
and ``ops.appended``.
"""

from s2sad.ops.augmented_operators import *
from s2sad.ops.buffers import *
from s2sad.ops.effects import *
from s2sad.ops.inner_lists import *
from s2sad.ops.keyed_heaps import *
from s2sad.ops.known_operations import *
from s2sad.ops.lists import *
from s2sad.ops.records import *
from s2sad.ops.references import *
from s2sad.ops.rows import *
from s2sad.ops.selections import *
from s2sad.ops.sets import *
from s2sad.ops.sparse_products import *
from s2sad.ops.stacks import *
from s2sad.ops.stores import *

CALLED_BY_NAME = ("s2sad.ops.runtime.", "s2sad.ops.numerics.")
"""How the modules start of the functions that texts call by their names."""
