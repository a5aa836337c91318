def normal_log_likelihood_grad(mu, sigma, x):
    """Gradient of normal_log_likelihood with respect to mu and sigma."""
    z = (x - mu) / sigma
    # z = (x - mu) / sigma
    sigma_bar = z @ z / sigma - quotient(x.size, sigma)
    mu_bar = np.sum(z) / sigma
    return mu_bar, sigma_bar
