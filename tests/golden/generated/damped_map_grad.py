def damped_map_grad(x, theta, n):
    """Gradient of damped_map with respect to x and theta."""
    x_saved = []
    for i in range(n):
        x_saved.append(x)
        x = x + 0.1 * np.sin(theta * x)
    # for i in range(n):
    theta_bar = 0.0
    x_bar = 0.0
    for i in reversed(range(n)):
        # cost += x * x
        x_bar += 2.0 * x
        # x = x + 0.1 * np.sin(theta * x)
        x = x_saved.pop()
        product_bar = 0.1 * x_bar * np.cos(theta * x)
        theta_bar += product_bar * x
        x_bar += product_bar * theta
    return x_bar, theta_bar
