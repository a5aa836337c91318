def soft_histogram_grad(x, weight):
    """Gradient of soft_histogram with respect to x and weight."""
    counts = np.zeros(6)
    left = np.floor(x).astype(int)
    part = x - left
    difference = 1.0 - part
    np.add.at(counts, left, weight * difference)
    total = left + 1
    np.add.at(counts, total, weight * part)
    sum_value = counts.sum()
    counts = counts / sum_value
    total_2 = counts + 0.01
    # return -np.sum(counts * np.log(counts + 0.01))
    counts_bar = -np.log(total_2)
    counts_bar -= counts / total_2
    # counts /= counts.sum()
    counts_bar_2 = counts_bar / sum_value
    counts_bar_2 -= counts_bar @ counts / sum_value
    # np.add.at(counts, left + 1, weight * part)
    product_bar = counts_bar_2[total]
    weight_bar = product_bar * part
    part_bar = product_bar * weight
    # np.add.at(counts, left, weight * (1.0 - part))
    product_bar = counts_bar_2[left]
    weight_bar += product_bar * difference
    part_bar -= product_bar * weight
    return part_bar, weight_bar
