"""The prelude of SciPy's functions, read where SciPy has been imported."""
