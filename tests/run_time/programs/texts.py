"""Texts beside dicts: words, counts, what is parsed."""

from __future__ import annotations

import json
from collections import Counter

from tests.run_time.programs.table import names_of, number, program


@program(lambda n: ({f"w{i}": number() for i in range(n)}, "w1 w2 w2 w1 w3"))
def counter(d, text):
    t = 0.0
    for w, c in Counter(text.split()).items():
        t += d[w] * c
    return t


@program(lambda n: ({f"w{i}": number() for i in range(n)}, "w1 w2 w2 w1 w3"))
def common(d, text):
    t = 0.0
    for w, c in Counter(text.split()).most_common(2):
        t += d[w] ** c
    return t


@program(
    lambda n: (
        {f"w{i}": number() for i in range(n)},
        json.dumps({"a": ["w1", "w2"], "b": 2.5, "c": [["w3", 1.5]]}),
    )
)
def jsons2(d, text):
    cfg = json.loads(text)
    t = 0.0
    for n in cfg["a"]:
        t += d[n]
    for n, f in cfg["c"]:
        t += d[n] * f
    return t * float(cfg["b"])


@program(lambda n: ({f"w{i}": number() for i in range(n)}, "w1=2.5,w2=3\nw3=1.0"))
def parse2(d, text):
    t = 0.0
    for line in text.splitlines():
        for part in line.split(","):
            name, _, val = part.partition("=")
            if not name.strip():
                continue
            t += d[name] * float(val)
    return t


@program(lambda n: ({f"w{i}": number() for i in range(n)}, "w1 w2 word w1"))
def unknown_words(d, text):
    t = 0.0
    for i, w in enumerate(text.lower().split()):
        t += d.get(w, 0.0) * 0.5**i
    return t


@program(lambda n: ({f"w{i}": number() for i in range(n)}, "w1 w2 word w1"))
def comp_words(d, text):
    return sum(d[w] for w in text.split() if w in d)


@program(
    lambda n: (
        {f"w{i}": number() for i in range(n)},
        " ".join(f"w{k % 5}" for k in range(n)),
    )
)
def bigrams(d, text):
    ws = text.split()
    t = 0.0
    for a, b in zip(ws, ws[1:]):
        t += d[a] * d[b]
    return t / len(ws)


@program(lambda n: (names_of(n),))
def key_methods(d):
    t = 0.0
    for k, v in d.items():
        if k.startswith("k1") and int(k[1:]) % 2:
            t += v
        elif k.endswith("2"):
            t += v * v
    return t


@program(lambda n: ([(f"w{k % 4}", number()) for k in range(n + 1)],))
def joined_and_counted(words):
    text = "-".join(w.upper() for w, x in words)
    counts = Counter(text.split("-"))
    return sum(counts[w.upper()] * x * x for w, x in words) * text.count("-")


@program(lambda n: ([(f"w{k % 4}", number()) for k in range(n + 1)],))
def first_and_last_text(words):
    first, last = min(w for w, x in words), max([w for w, x in words])
    return sum(x * x for w, x in words if w not in (first, last)) + words[0][1]
