def batch_norm_grad(x, gamma, beta, target):
    """Gradient of batch_norm with respect to x, gamma and beta."""
    centred = x - x.mean(axis=0)
    variance = np.mean(centred**2, axis=0)
    sqrt = np.sqrt(variance + 1e-05)
    normalised = centred / sqrt
    output = gamma * normalised + beta
    # return np.mean((output - target) ** 2)
    output_bar = 2.0 / output.size * (output - target)
    # output = gamma * normalised + beta
    beta_bar = np.sum(output_bar, axis=0)
    gamma_bar = np.einsum("ij,ij->j", output_bar, normalised)
    normalised_bar = gamma * output_bar
    # normalised = centred / np.sqrt(variance + 1e-5)
    centred_bar = normalised_bar / sqrt
    # variance = np.mean(centred**2, axis=0)
    product = np.einsum("ij,ij->j", normalised_bar, normalised) / centred.shape[0]
    centred_bar -= product / sqrt / sqrt * centred
    # centred = x - x.mean(axis=0)
    x_bar = centred_bar - np.sum(centred_bar, axis=0) / x.shape[0]
    return x_bar, gamma_bar, beta_bar
