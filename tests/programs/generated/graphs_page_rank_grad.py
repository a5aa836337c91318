def page_rank_grad(links, damping):
    """Gradient of page_rank with respect to links and damping."""
    n = len(links)
    sum_value = np.sum(links, axis=1, keepdims=True)
    transition = links / sum_value
    rank = np.full(n, 1.0 / n)
    iterations = 0
    rank_saved = []
    for _ in range(100):
        iterations += 1
        new = (1.0 - damping) / n + damping * rank @ transition
        settled = np.max(np.abs(new - rank)) < 1e-10
        rank_saved.append(rank)
        rank = new
        if settled:
            break
    item = rank[-1]
    # return rank[0] / rank[-1]
    rank_bar = np.zeros_like(rank)
    rank_bar[-1] = -(rank[0] / item) / item
    rank_bar[0] += 1.0 / item
    # for _ in range(100):
    damping_bar = 0.0
    transition_bar = np.zeros_like(transition)
    for _ in reversed(range(iterations)):
        # rank = new
        rank = rank_saved.pop()
        # new = (1.0 - damping) / n + damping * rank @ transition
        quotient_bar = np.sum(rank_bar)
        product_bar = transition @ rank_bar
        transition_bar += np.outer(damping * rank, rank_bar)
        damping_bar += product_bar @ rank
        rank_bar = damping * product_bar
        damping_bar -= quotient_bar / n
    # transition = links / np.sum(links, axis=1, keepdims=True)
    links_bar = transition_bar / sum_value
    product = np.einsum("ij,ij->i", transition_bar, transition)[:, None] / sum_value
    links_bar -= product
    return links_bar, damping_bar
