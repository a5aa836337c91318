def checkpointed_map_grad(x, theta, n):
    """Gradient of checkpointed_map with respect to x and theta."""
    kept = first_snapshots(range(n), 3)
    x_snapshots = []
    for i in range(n):
        if i in kept:
            x_snapshots.append(x)
        x = x + 0.1 * np.sin(theta * x)
    # for i in checkpoint(range(n), snapshots=3):
    theta_bar = 0.0
    x_bar = 0.0
    for i in reversed(range(n)):
        # for i in checkpoint(range(n), snapshots=3):
        x = x_snapshots.pop()
        start = kept[-1]
        kept = snapshots_between(kept, i, 3)
        for again in range(start, i):
            if again in kept:
                x_snapshots.append(x)
            x = x + 0.1 * np.sin(theta * x)
        product = theta * x
        x_2 = x + 0.1 * np.sin(product)
        # cost += x * x
        x_bar += 2.0 * x_2
        # x = x + 0.1 * np.sin(theta * x)
        product_bar = 0.1 * x_bar * np.cos(product)
        theta_bar += product_bar * x
        x_bar += product_bar * theta
    return x_bar, theta_bar
