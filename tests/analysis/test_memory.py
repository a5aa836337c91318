"""Tables of memory: sharing goes both ways and ends where a variable is bound anew."""

from s2sad.analysis.memory.memory import Held, Memory, changed, joined, with_kept

BUFFER = frozenset((("fresh", 1),))
OTHER = frozenset((("fresh", 2),))
EMPTY = Memory.at_start({}, ())


def sharing(*names):
    """Variables that were bound one after the other to views of the same buffer."""
    fact = EMPTY
    for place, name in enumerate(names):
        held = Held(BUFFER, partners=frozenset(names[:place]))
        fact = changed(fact, (name,), held)
    return fact


def test_sharing_goes_both_ways():
    fact = sharing("a", "b", "c")
    assert fact.partners("a") == {"b", "c"}
    assert fact.partners("b") == {"a", "c"}
    assert fact.shared_with("a", ("c",))
    assert fact.shared_with("c", ("a",))


def test_binding_anew_ends_it_both_ways():
    for name in ("a", "b", "c"):
        fact = changed(sharing("a", "b", "c"), (name,), Held(OTHER))
        others = {"a", "b", "c"} - {name}
        assert not fact.partners(name)
        for other in others:
            assert fact.partners(other) == others - {other}


def test_names_bound_together_share():
    fact = changed(sharing("a"), ("b", "c"), Held(BUFFER, partners=frozenset("a")))
    assert fact.partners("a") == {"b", "c"}
    assert fact.partners("b") == {"a", "c"}


def test_a_stack_shares_with_all_that_was_kept():
    fact = changed(sharing("a", "b"), ("x",), Held(OTHER))
    fact = changed(fact, ("stack",), Held(frozenset()))
    fact = with_kept(fact, "stack", Held(BUFFER, partners=frozenset("ab")))
    fact = with_kept(fact, "stack", Held(OTHER, partners=frozenset("x")))
    assert fact.partners("stack") == {"a", "b", "x"}
    assert fact.partners("x") == {"stack"}
    assert fact.of("stack") == BUFFER | OTHER


def test_paths_that_meet_share_on_either():
    a = sharing("a", "b")
    b = changed(sharing("a", "b"), ("c",), Held(BUFFER, partners=frozenset("a")))
    for met in (joined(a, b), joined(b, a)):
        assert met.partners("a") == {"b", "c"}
        assert met.partners("c") == {"a"}


def test_what_changes_nothing_is_the_same_place():
    fact = sharing("a", "b")
    again = changed(fact, ("b",), Held(BUFFER, partners=frozenset("a")))
    assert again is fact
    assert changed(fact, (), Held(BUFFER)) is fact
    assert joined(fact, fact) is fact
    assert joined(fact, sharing("a")) is fact
