"""The graph of a function, as data and as a picture.

In PyTorch::

    import torch

    x = torch.tensor(1.0)
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    z = (w * x + b) ** 2

    nodes, edges, waiting = set(), 0, [z.grad_fn]
    while waiting:
        node = waiting.pop()
        nodes.add(node)
        following = [n for n, _ in node.next_functions if n is not None]
        edges += len(following)
        waiting += following
    leaves = [n for n in nodes if n.name().endswith("AccumulateGrad")]
    operations = nodes - set(leaves)
    print(len(operations), "operations,", len(leaves), "leaves,", edges, "edges")
"""

from s2sad import differentiate


@differentiate(wrt=("w", "b"))
def z(x, w, b):
    return (w * x + b) ** 2


graph = z.graph(1.0, 2.0, 3.0)  # in a notebook: its picture; or graph.save("z.svg")
active = [node for node in graph.nodes if node.active]
operations = [node for node in active if node.role == "operation"]
leaves = [node for node in active if node.role == "argument"]
result = next(node.number for node in graph.nodes if node.role == "result")
edges = sum(edge.active and edge.target != result for edge in graph.edges)
print(len(operations), "operations,", len(leaves), "leaves,", edges, "edges")
