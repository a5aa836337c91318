"""Graphs as text and as pictures, and what users may ask for."""

import os
import shutil

import numpy as np
import pytest

import s2sad
from s2sad import ArgumentError, S2sadError, UnsupportedError, differentiate, grad
from s2sad.graphs import Cluster, Edge, Graph, Node, drawing

NEEDS_DOT = pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is missing")


@differentiate(wrt=("w", "b"))
def squared(x, w, b):
    return (w * x + b) ** 2


def texts(graph):
    return [node.text for node in graph.nodes]


def test_the_text_of_a_small_graph():
    dot = squared.graph(1.0, 2.0, 3.0).dot
    lines = [line.strip() for line in dot.splitlines()]
    assert lines[0] == 'digraph "squared" {' and lines[-1] == "}"
    arrows = [line.split(" [")[0] for line in lines if "->" in line]
    assert arrows == ["n1 -> n3", "n0 -> n3", "n3 -> n4", "n2 -> n4"] + [
        "n4 -> n5",
        "n5 -> n6",
    ]
    assert 'n1 [label="w\\nfloat", fillcolor="#b7e0c3", color="#1b6e3c"];' in lines
    assert any(line.startswith('n5 [label="· ** 2\\nfloat"') for line in lines)


def test_the_text_is_always_the_same():
    again = s2sad.graph(squared, wrt=("w", "b"))
    assert again(1.0, 2.0, 3.0).dot == squared.graph(1.0, 2.0, 3.0).dot


def test_quotes_and_lines_are_escaped():
    node = Node(0, "operation", 'd["a\\n"]', line=3, statement='d["a\\n"]')
    dot = Graph("f", (node,), (), ()).dot
    assert r'label="d[\"a\\n\"]"' in dot
    assert r'tooltip="line 3: d[\"a\\n\"]"' in dot


def test_clusters_stand_in_each_other():
    nodes = (
        Node(0, "argument", "x"),
        Node(1, "operation", "x", cluster=0),
        Node(2, "operation", "y", cluster=1),
    )
    clusters = (Cluster(0, "repeated"), Cluster(1, "then", parent=0))
    edges = (Edge(1, 2, carried=True), Edge(0, 2, decides=1))
    dot = Graph("f", nodes, edges, clusters).dot
    order = ["n0 [", "cluster_0 {", "n1 [", "cluster_1 {", "n2 [", "n2 -> n1"]
    places = [dot.index(part) for part in order]
    assert places == sorted(places)
    assert "n0 -> n2 [lhead=cluster_1, style=dotted];" in dot
    assert 'n2 -> n1 [color="#8a8a8a", style=dashed, dir=back];' in dot


def test_a_graph_says_what_it_is():
    assert repr(squared.graph(1.0, 2.0, 3.0)) == (
        "<s2sad: graph of squared, 7 nodes, 6 edges>"
    )


def test_nothing_is_run():
    @differentiate
    def loud(x):
        raise_if_called(x)
        return x

    def raise_if_called(x):
        print("called")

    written_out, kept = "print('called')", "raise_if_called(x)"
    assert not {written_out, kept}.isdisjoint(texts(loud.graph(1.0)))


def test_a_graph_of_a_method_and_of_a_gradient():
    class Line:
        def __init__(self, slope):
            self.slope = slope

        @differentiate(wrt="x")
        def at(self, x):
            return self.slope * x

    assert texts(Line(2.0).at.graph(3.0)) == [
        "self.slope",
        "x",
        "self.slope * x",
        "return ·",
    ]
    assert "return ·" in texts(s2sad.graph(grad(squared))(1.0, 2.0, 3.0))


def test_wrt_decides_what_is_active():
    by_x = s2sad.graph(squared, wrt="x")(1.0, 2.0, 3.0)
    active = {node.text for node in by_x.nodes if node.active}
    assert {"x", "w * x"} <= active and not {"w", "b"} & active
    with pytest.raises(ArgumentError, match="no parameter 'y'"):
        s2sad.graph(squared, wrt="y")


def test_what_has_no_derivative_is_refused():
    with pytest.raises(ArgumentError, match="pass a float"):
        s2sad.graph(squared, wrt="x")(1, 2.0, 3.0)

    def unsupported(x):
        global elsewhere
        elsewhere = x
        return x

    with pytest.raises(UnsupportedError):
        s2sad.graph(unsupported)(1.0)


def test_numbers_that_decide_are_asked_for():
    def along(x, axis):
        return np.sum(np.sum(x, axis=axis))

    for axis, kind in (0, "float64 (3,)"), (1, "float64 (2,)"):
        found = s2sad.graph(along)(np.ones((2, 3)), axis)
        assert [n.kind for n in found.nodes if "axis=axis" in n.text] == [kind]


def test_text_is_saved_without_graphviz(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    graph = squared.graph(1.0, 2.0, 3.0)
    for name in "g.dot", "g.gv":
        graph.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == graph.dot + "\n"
    assert graph._repr_svg_() is None
    with pytest.raises(S2sadError, match="install Graphviz"):
        graph.save(tmp_path / "g.svg")
    assert not (tmp_path / "g.svg").exists()


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match=r"must end in one of \.dot, \.gv"):
        squared.graph(1.0, 2.0, 3.0).save(tmp_path / "g.txt")


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_failure_of_graphviz_is_told(tmp_path, monkeypatch):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho no fonts >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(S2sadError, match="dot failed: no fonts"):
        squared.graph(1.0, 2.0, 3.0).save(tmp_path / "g.svg")


@NEEDS_DOT
def test_pictures(tmp_path):
    graph = squared.graph(1.0, 2.0, 3.0)
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for ending, start in starts.items():
        graph.save(tmp_path / f"g.{ending}")
        assert (tmp_path / f"g.{ending}").read_bytes().startswith(start)
    picture = graph._repr_svg_()
    assert "w * x" in picture and picture.rstrip().endswith("</svg>")


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_picture_that_takes_too_long_is_given_up(tmp_path, monkeypatch):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(drawing, "LONGEST", 0.1)
    with pytest.raises(S2sadError, match="no picture after"):
        squared.graph(1.0, 2.0, 3.0).save(tmp_path / "g.svg")
