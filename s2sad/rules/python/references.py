"""Reading run-time values. What is read is linear in what they hold; reverse mode adds
to slots by itself (:mod:`s2sad.transform.reverse.reverse_references`)."""

import inspect

from s2sad import ops, rules

for _function in ops.READS_OF_REFERENCES:
    rules.register(
        rules.Rule(
            _function,
            inspect.signature(_function),
            differentiable=tuple(inspect.signature(_function).parameters)[:1],
            linear=True,
            view=True,
        )
    )
