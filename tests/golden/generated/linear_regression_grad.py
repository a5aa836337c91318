def linear_regression_grad(w, b, x, y):
    """Gradient of linear_regression with respect to w and b."""
    residual = x @ w + b - y
    # return np.mean(residual**2)
    residual_bar = 2.0 / residual.size * residual
    # residual = x @ w + b - y
    b_bar = np.sum(residual_bar)
    w_bar = x.T @ residual_bar
    return w_bar, b_bar
