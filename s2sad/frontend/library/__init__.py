"""The prelude: functions of libraries as ordinary Python.

Functions of Python's library, NumPy and SciPy that are made of others have a text here
instead of a rule. It is compiled like a function of the user's, with the user's call in
comments and errors. It computes what the function computes, operation by operation
where that matters, so that values are the same bits.

A file for each owner of functions; each fills the table in
:mod:`s2sad.frontend.library.texts`. Those of SciPy are read where SciPy has been
imported.
"""
