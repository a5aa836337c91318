"""Programs over data at several sizes: for each, derivatives against differences,
reverse mode against forward mode, one text and one compilation for all sizes.

A file of programs has a line of ``TABLE`` in ``tests/scale/table.py``. The suite runs
them at small sizes, its second step, and ``python -m tests.scale``, at thousands.
"""
