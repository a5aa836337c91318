"""How a rule says that it doesn't serve a call."""

from __future__ import annotations


class CallRefused(Exception):
    """Raised by a kind function for a call whose derivative the rule doesn't give.

    The compiler turns it into a problem at the call.
    """

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}; instead: {advice}")
        self.reason, self.advice = reason, advice


class NothingToTake(CallRefused):
    """A call that raises, as far as the arguments are known: an item of an empty
    list."""
