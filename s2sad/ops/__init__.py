"""Operations: the functions that programs of the IR apply and emitted programs call.

Here stand those of lists, dicts, buffers, rows, stacks and the like, which the emitter
writes in Python's own way; :mod:`~s2sad.ops.runtime` and :mod:`~s2sad.ops.numerics`
hold what texts call by its name. Nothing here knows of derivatives: what an operation's
derivative is stands in :mod:`s2sad.rules`.
"""

CALLED_BY_NAME = ("s2sad.ops.runtime.", "s2sad.ops.numerics.")
"""How the modules start of the functions that texts call by their names."""
