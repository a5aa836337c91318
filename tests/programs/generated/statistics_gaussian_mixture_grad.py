def gaussian_mixture_grad(weights, components, data):
    """Gradient of gaussian_mixture with respect to weights and components."""
    components_0 = components[0]
    components_0_mu = components_0["mu"]
    components_0_sigma = components_0["sigma"]
    components_1 = components[1]
    components_1_mu = components_1["mu"]
    components_1_sigma = components_1["sigma"]
    sum_value = np.sum(weights)
    normalised = weights / sum_value
    count = len(normalised)
    terms = []
    condition = 0 < count
    if condition:
        w = normalised[0]
        sigma = components_0_sigma
        z = (data - components_0_mu) / components_0_sigma
        product = -0.5 * z
        terms.append(
            np.log(w) + (product * z - math.log(components_0_sigma) - HALF_LOG_TWO_PI)
        )
        condition_2 = 1 < count
        if condition_2:
            w_2 = normalised[1]
            log_density_sigma = components_1_sigma
            log_density_z = (data - components_1_mu) / components_1_sigma
            product_2 = -0.5 * log_density_z
            difference = (
                product_2 * log_density_z
                - math.log(components_1_sigma)
                - HALF_LOG_TWO_PI
            )
            terms.append(np.log(w_2) + difference)
    result = terms[0]
    difference = len(terms) - 1
    result_saved = []
    out_saved = []
    for item_index in range(difference):
        out = np.logaddexp(result, terms[item_index + 1])
        result_saved.append(result)
        result = out
        out_saved.append(out)
    # return np.sum(functools.reduce(np.logaddexp, terms))
    result_bar = np.broadcast_to(1.0, result.shape)
    terms_bar = np.zeros(np.shape(terms))
    for item_index in reversed(range(difference)):
        out = out_saved.pop()
        result = result_saved.pop()
        total = item_index + 1
        shift = np.where(out == -np.inf, 0.0, out)
        item_bar = result_bar * np.exp(terms[total] - shift)
        result_bar = result_bar * np.exp(result - shift)
        terms_bar[total] += item_bar
    terms_bar[0] += result_bar
    if condition:
        if condition_2:
            # terms = [np.log(w) + log_density(data, **component) for w, component in...
            total_bar = terms_bar[-1]
            terms_bar = terms_bar[:-1]
            log_bar = np.sum(total_bar)
            # return -0.5 * z * z - math.log(sigma) - HALF_LOG_TWO_PI
            log_density_sigma_bar = -log_bar / log_density_sigma
            log_density_z_bar = total_bar * product_2
            log_density_z_bar -= 0.5 * total_bar * log_density_z
            # z = (x - mu) / sigma
            log_density_sigma_bar -= (
                log_density_z_bar @ log_density_z / log_density_sigma
            )
            log_density_mu_bar = -np.sum(log_density_z_bar) / log_density_sigma
            # terms = [np.log(w) + log_density(data, **component) for w, component in...
            components_1_sigma_bar = log_density_sigma_bar
            components_1_mu_bar = log_density_mu_bar
            w_bar = 0.0 if log_bar == 0.0 else log_bar / w_2
            normalised_bar = np.zeros_like(normalised)
            normalised_bar[1] = w_bar
        else:
            # terms = [np.log(w) + log_density(data, **component) for w, component in...
            normalised_bar = np.zeros_like(normalised)
            components_1_mu_bar = 0.0
            components_1_sigma_bar = 0.0
        # terms = [np.log(w) + log_density(data, **component) for w, component in zip...
        total_bar = terms_bar[-1]
        log_bar = np.sum(total_bar)
        # return -0.5 * z * z - math.log(sigma) - HALF_LOG_TWO_PI
        sigma_bar = -log_bar / sigma
        z_bar = total_bar * product
        z_bar -= 0.5 * total_bar * z
        # z = (x - mu) / sigma
        sigma_bar -= z_bar @ z / sigma
        mu_bar = -np.sum(z_bar) / sigma
        # terms = [np.log(w) + log_density(data, **component) for w, component in zip...
        components_0_sigma_bar = sigma_bar
        components_0_mu_bar = mu_bar
        w_bar = 0.0 if log_bar == 0.0 else log_bar / w
        normalised_bar[0] += w_bar
    else:
        # terms = [np.log(w) + log_density(data, **component) for w, component in zip...
        components_0_mu_bar = 0.0
        components_0_sigma_bar = 0.0
        normalised_bar = np.zeros_like(normalised)
        components_1_mu_bar = 0.0
        components_1_sigma_bar = 0.0
    # normalised = weights / np.sum(weights)
    product = normalised_bar / sum_value
    weights_bar = np.where(normalised_bar == 0.0, 0.0, product)
    where = np.where(normalised_bar == 0.0, 0.0, -product * normalised)
    weights_bar += np.sum(where)
    return (
        weights_bar,
        [
            {"mu": components_0_mu_bar, "sigma": components_0_sigma_bar},
            {"mu": components_1_mu_bar, "sigma": components_1_sigma_bar},
        ],
    )
