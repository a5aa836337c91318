"""Derivatives for Numba: the same programs of the IR, emitted for ``njit``.

Numba compiles a part of Python. The programs of derivatives are brought into that part
by passes over the IR, each a file here, and written by the emitter that writes all
others, of which :mod:`~s2sad.codegen.numba.emission` changes a few spellings:

1. ``border.py`` parts a program. The *core* takes and gives numbers, arrays and tuples
   and reads nothing from outside. The *border*, plain Python, takes structures apart,
   reads the data of the user's module, calls the core and puts gradients together.
   Where the function takes and gives what the core does, there is no border. In
   ``calls/`` the procedures that it calls get data as arguments, and residuals of one
   type, or lists that hold them.
2. Passes bring the core into the kinds and calls that Numba has. ``absent_values.py``:
   what may be None is a value beside a flag. ``settled_kinds.py``: a number that
   becomes an array is an array of one element. ``messages.py``: messages of exceptions
   are constants. ``error_states.py``: nothing warns. ``known_calls.py``: calls that
   Numba lacks become ones that it has, or helpers (``array_helpers.py``).
   ``lists.py``: lists of unknown length get a type.
3. ``array_loops.py`` writes chains of elementwise operations, broadcasts, reductions
   over axes and scattered adds as loops over elements.
4. ``counters.py`` computes again what counters and lengths tell.
   ``saved_arrays.py`` keeps numbers in arrays of the lengths of their loops where these
   are known in front of them, and arrays as rows of one. ``arrays_of_iterations.py``
   takes allocations out of loops.
5. ``operations.py`` and ``list_operations.py`` have the tables of what may be left: the
   functions that Numba knows, and for which kinds. Whatever isn't there is a problem of
   the user's line (``refusals.py``).
6. ``compiled.py`` compiles the text: a module of its own, on disk where
   ``cache=True`` was asked for, every function of it under ``njit``.
"""
