"""Analyses: one question a file, answered as a table; dataflow.py solves them all."""
