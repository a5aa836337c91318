def linear_regression_jvp(w, b, x, y, w_dot, b_dot):
    """Value and tangent of linear_regression with respect to w and b."""
    # residual = x @ w + b - y
    residual_dot = x @ w_dot + b_dot
    residual = x @ w + b - y
    return np.mean(residual**2), np.mean(2 * residual_dot * residual)
