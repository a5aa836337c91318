"""``match``: patterns are decided by kinds where these tell, else by tests at run time.

    match layer:                          (layer is a Dense)
        case Dense(w, b):        ->       y = x @ w + b
            y = x @ w + b
        case Scale(factor=s):
            y = s * x

A pattern becomes a test and the captures that hold where the test is true; cases become
branches.
"""

import ast

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.patterns import classes, mappings, matches, sequences
from s2sad.source.text.scopes import assigned_names


@core.statement(ast.Match)
def match_statement(spec: Specialiser, node: ast.Match) -> None:
    subject = spec.held(spec.evaluate(node.subject), assigned_names([node]))
    spec.shared([subject], times=2)  # more than one case may bind it
    _cases(spec, subject, node.cases)


def _cases(spec: Specialiser, subject: core.Value, cases: list[ast.match_case]) -> None:
    if not cases:
        return
    case, rest = cases[0], cases[1:]
    found = match_pattern(spec, subject, case.pattern)
    test, guard = found.test, case.guard

    def body() -> None:
        found.bind()
        spec.run(case.body)

    def guarded() -> core.Value:
        found.bind()
        assert guard is not None
        return conditions.truth_among_others(spec, guard)

    if guard is not None and static_truth(test) is not False:
        test = conditions.both(spec, test, guarded)
    others = narrowing.narrowed(subject, narrowing.presence_of(spec, test)[1])
    spec.choose(test, body, lambda: _cases(spec, others, rest))


@core.verb
def match_pattern(
    spec: Specialiser, value: core.Value, pattern: ast.pattern
) -> matches.Match:
    with spec.at(pattern):
        match pattern:
            case ast.MatchValue():
                wanted = spec.evaluate(pattern.value)
                return matches.Match(spec.compare(ast.Eq(), value, wanted))
            case ast.MatchSingleton():
                wanted = core.constant(pattern.value)
                return matches.Match(spec.compare(ast.Is(), value, wanted))
            case ast.MatchSequence():
                return sequences.match_sequence(spec, value, pattern)
            case ast.MatchMapping():
                return mappings.match_mapping(spec, value, pattern)
            case ast.MatchClass():
                return classes.match_class(spec, value, pattern)
            case ast.MatchAs():
                inner = matches.Match(matches.YES)
                if pattern.pattern is not None:
                    inner = match_pattern(spec, value, pattern.pattern)
                bind = matches.captured(spec, pattern, value)
                return matches.Match(inner.test, matches.all_of([inner.bind, bind]))
            case ast.MatchOr():
                return _alternatives(spec, value, pattern.patterns, pattern)
        raise core.Unsupported(
            "this pattern can't be differentiated", "write if/elif", pattern
        )


def _alternatives(
    spec: Specialiser, value: core.Value, patterns: list[ast.pattern], node: ast.pattern
) -> matches.Match:
    first = match_pattern(spec, value, patterns[0])
    truth = static_truth(first.test)
    if truth is True or len(patterns) == 1:
        return first
    if truth is False:
        return _alternatives(spec, value, patterns[1:], node)
    others: list[matches.Match] = []

    def rest() -> core.Value:
        others.append(_alternatives(spec, value, patterns[1:], node))
        return others[0].test

    test = conditions.either(spec, first.test, rest)
    if not assigned_names([node]):
        return matches.Match(test)
    return matches.Match(
        test, lambda: spec.choose(first.test, first.bind, others[0].bind)
    )
