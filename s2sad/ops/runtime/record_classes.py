"""Classes that the compiler makes, of objects that hold what they are given."""

from typing import Any

TEXT = "text"
"""The attribute of such a class that is its text, for emitted files."""


def record_class(name: str, doc: str) -> Any:
    """A class whose objects hold the keywords that they are made with.

    >>> vars(record_class("Scaled", "What scaled keeps.")(by=2.0))
    {'by': 2.0}
    """
    lines = [
        f"class {name}:",
        f'    """{doc}"""',
        "    def __init__(self, /, **attributes):",
        "        vars(self).update(attributes)",
    ]
    text = "\n".join([*lines, ""])
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(text, namespace)
    made = namespace[name]
    setattr(made, TEXT, text)
    return made
