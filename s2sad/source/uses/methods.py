"""What the methods of lists, dicts, deques and texts say of what has them."""

from s2sad.source.uses.places import ITEM, KEY, Place, unite

_OF_DICTS = frozenset({"items", "values", "keys", "get", "setdefault", "popitem"})
_OF_LISTS = frozenset({"append", "extend", "insert", "sort", "reverse", "pop"})
_OF_DEQUES = frozenset({"popleft", "appendleft", "extendleft", "rotate"})
_OF_TEXTS = frozenset(
    {"split", "strip", "lower", "upper", "startswith", "endswith", "splitlines"}
)
_OF_ARRAYS = frozenset(
    {"sum", "mean", "dot", "reshape", "astype", "ravel", "flatten", "transpose"}
)


def note_method(place: Place, name: str, args: list[Place]) -> None:
    """Note that a method is called, which may be one of the user's class."""
    for names, word in (
        (_OF_DICTS, "dict"),
        (_OF_LISTS, "list"),
        (_OF_DEQUES, "deque"),
        (_OF_TEXTS, "text"),
        (_OF_ARRAYS, "like an array"),
    ):
        if name in names:
            place.note(word)
    if name in ("append", "appendleft") and args:
        unite(place.step(ITEM), args[0])
    if name in ("extend", "extendleft") and args:
        unite(place.step(ITEM), args[0].note("iterated").step(ITEM))
    if name == "insert" and len(args) == 2:
        unite(place.step(ITEM), args[1])


def returns_of_method(place: Place, name: str, args: list[Place]) -> Place:
    """The place of what a method of a container gives."""
    result = Place()
    if name == "items":
        unite(result.step(ITEM).step(("at", 0)), place.step(KEY))
        unite(result.step(ITEM).step(("at", 1)), place.step(ITEM))
    elif name == "values":
        unite(result.step(ITEM), place.step(ITEM))
    elif name == "keys":
        unite(result.step(ITEM), place.step(KEY))
    elif name in ("get", "setdefault"):
        if args:
            unite(place.step(KEY), args[0])
        if len(args) > 1:
            unite(place.step(ITEM), args[1])
        return place.step(ITEM)
    elif name in ("pop", "popleft"):
        return place.step(ITEM)
    elif name in ("split", "splitlines"):
        result.step(ITEM).note("text")
    return result
