"""Turning the intermediate representation into Python text."""
