def damped_map_jvp(x, theta, n, x_dot, theta_dot):
    """Value and tangent of damped_map with respect to x and theta."""
    # cost = 0.0
    cost_dot = 0.0
    cost = 0.0
    for i in range(n):
        product = theta * x
        # x = x + 0.1 * np.sin(theta * x)
        product_dot = 0.1 * (theta_dot * x + x_dot * theta) * np.cos(product)
        x_dot += product_dot
        x = x + 0.1 * np.sin(product)
        # cost += x * x
        cost_dot += 2 * x_dot * x
        cost += x * x
    return cost, cost_dot
