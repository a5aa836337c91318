"""Calls that stay calls: data that is handed on, residuals of one type, recursion."""
