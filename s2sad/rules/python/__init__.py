"""Rules of Python's operators, math and containers."""
