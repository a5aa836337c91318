"""Dicts in dicts with numbers beside them: tries of words, and records that hold the
dict of the next."""

from __future__ import annotations

from tests.run_time.programs.table import number, program


def words(n):
    return ({f"k{i}": number() for i in range(n)},)


def ends(ws):
    trie = {}
    for word, weight in ws.items():
        node = trie
        for letter in word:
            if letter not in node:
                node[letter] = {}
            node = node[letter]
        node["$"] = weight
    return trie


@program(words)
def weights_at_the_ends(ws):
    trie, total = ends(ws), 0.0
    for word in ws:
        node = trie
        for letter in word:
            node = node[letter]
        total += node["$"] ** 2
    return total


def below(node, depth):
    total = 0.0
    for key, held in node.items():
        if key == "$":
            total += held * depth
        else:
            total += below(held, depth + 1) ** 2
    return total


@program(words)
def whole_trie(ws):
    trie = {}
    for word, weight in ws.items():
        node = trie
        for letter in word:
            node = node.setdefault(letter, {})
        node["$"] = weight
    return below(trie, 0)


@program(words)
def weights_taken_and_put_back(ws):
    trie, total = ends(ws), 0.0
    for word in ws:
        node = trie
        for letter in word:
            node = node[letter]
        weight = node.pop("$")
        node["$"] = weight * weight
        total += node["$"] * weight
    return total


def sums(node):
    total = node["sum"] ** 2
    for key, held in node.items():
        if key != "sum":
            total += sums(held)
    return total


@program(words)
def sums_at_all_nodes(ws):
    trie = {"sum": 0.0}
    for word, weight in ws.items():
        node = trie
        for letter in word:
            node["sum"] += weight
            if letter not in node:
                node[letter] = {"sum": 0.0}
            node = node[letter]
        node["sum"] += weight**2
    return sums(trie)


def of_records(node):
    return node["sum"] ** 2 + sum(of_records(other) for other in node["next"].values())


@program(words)
def records_of_the_next(ws):
    root = {"sum": 0.0, "next": {}}
    for word, weight in ws.items():
        node = root
        for letter in word:
            node["sum"] += weight
            if letter not in node["next"]:
                node["next"][letter] = {"sum": 0.0, "next": {}}
            node = node["next"][letter]
        node["sum"] += weight
    return of_records(root)
