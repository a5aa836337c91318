"""From source text to the intermediate representation.

``source`` finds the text of a function, ``resolve`` says what its names mean,
``normalise`` reduces Python to few constructs and ``specialise`` turns those into typed
statements.
"""
