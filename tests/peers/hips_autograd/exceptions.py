"""Tests of autograd that aren't for s2sad, each with why."""

EXCEPTIONS: dict[str, str] = {}
