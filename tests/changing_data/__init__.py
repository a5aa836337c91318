"""Programs that change their data: arrays, views, aliases, containers, objects.

Each file ``cases_of_*.py`` holds a dict ``CASES`` from a name to the reason why the
program is nasty, in one line, and its text. ``test_cases.py`` runs them.
"""
