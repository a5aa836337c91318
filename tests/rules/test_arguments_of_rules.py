"""Arguments of rules are bound as Python binds them."""

import pytest

from s2sad.rules.load import load_all
from s2sad.rules.registry import all_rules

load_all()
COUNTS = range(7)


def bound(bind, *args, **keywords):
    """What a call gives to each parameter, in order; None where it isn't taken."""
    try:
        return list(dict(bind(*args, **keywords)).items())
    except TypeError:
        return None


@pytest.mark.parametrize("count", COUNTS)
def test_every_rule_binds_positions_as_python_does(count):
    args = tuple(range(count))
    for rule in all_rules():
        expected = bound(lambda *a: rule.signature.bind(*a).arguments, *args)
        assert bound(lambda *a: rule.arguments_of(a, {}), *args) == expected


def test_every_rule_binds_keywords_as_python_does():
    for rule in all_rules():
        for name in (*rule.signature.parameters, "no_such_parameter"):
            for args in ((), (1,), (1, 2)):
                given = {name: 3}
                expected = bound(
                    lambda *a: rule.signature.bind(*a, **given).arguments, *args
                )
                found = bound(lambda *a: rule.arguments_of(a, given), *args)
                assert found == expected
