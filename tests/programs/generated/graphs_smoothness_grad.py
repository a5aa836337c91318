def smoothness_grad(values, edges):
    """Gradient of smoothness with respect to values."""
    near = []
    for index in range(len(values)):
        near.append(set())
    for item in edges:
        if len(item) != 2:
            raise ValueError("the number of values to unpack is not 2")
        a = item[0]
        b = item[1]
        near[a].add(b)
        near[b].add(a)
    count = len(near)
    count_2_saved = []
    items_saved = []
    for a, others in enumerate(near):
        items = list(others - {a})
        for b in items:
            count_2 = len(others | near[b])
            count_2_saved.append(count_2)
        items_saved.append(items)
    # for a, others in enumerate(near):
    values_bar = [0.0] * len(values)
    for a in reversed(range(count)):
        # for b in others - {a}:
        items = items_saved.pop()
        for b_index in reversed(range(len(items))):
            # total += (values[a] - values[b]) ** 2 / len(others | near[b])
            count_2 = count_2_saved.pop()
            b = items[b_index]
            difference_bar = 2.0 * (values[a] - values[b]) / count_2
            values_bar[b] += -difference_bar
            values_bar[a] += difference_bar
    return (values_bar,)
