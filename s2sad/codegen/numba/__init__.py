"""Derivatives for Numba: the same programs of the IR, emitted for ``njit``.

Numba compiles a part of Python. The programs of derivatives are brought into that part
by passes over the IR, each a file here, and written by the emitter that writes all
others, of which :mod:`~s2sad.codegen.numba.emission` changes a few spellings:

1. ``border.py`` parts a program. The *core* takes and gives numbers, arrays and tuples
   and reads nothing from outside. The *border*, plain Python, takes structures apart,
   reads the data of the user's module, calls the core and puts gradients together.
   Where the function takes and gives what the core does, there is no border.
2. ``array_loops.py`` writes chains of elementwise operations, broadcasts, reductions
   over axes and scattered adds as loops over elements.
3. ``saved_arrays.py`` keeps numbers in arrays: of the length of the loop where that is
   known in front of it, else in such that grow.
4. ``operations.py`` has the table of what may be left: the functions that Numba knows,
   for which kinds, and how they are spelled. Whatever isn't in the table is a problem
   of the user's line.
5. ``compiled.py`` compiles the text: a module of its own, on disk where
   ``cache=True`` was asked for, every function of it under ``njit``.
"""
