def streaming_statistics_grad(signal, memory):
    """Gradient of streaming_statistics with respect to signal and memory."""
    mean = 0.0
    spread = 0.0
    values = []
    values_2 = []
    kept = []
    spread_saved = []
    for k, value in enumerate(signal):
        values.append(value)
        condition = len(values) > 3
        if condition:
            del values[0]
        difference = value - mean
        mean += (1.0 - memory) * difference
        difference_2 = value - mean
        spread_saved.append(spread)
        spread = memory * spread + (1.0 - memory) * difference_2**2
        condition_2 = abs(sum(values)) > 2.0
        if condition_2:
            values_2.append(mean * k)
            values_2.append(spread)
        kept.append((condition, condition_2, difference, difference_2))
    max_value = max(values)
    min_value = min(values)
    values_2.append(max_value - min_value)
    # return np.sum(np.array(alarms) ** 2) + mean * spread
    mean_bar = spread
    spread_bar = mean
    values_bar = 2.0 * np.array(values_2)
    # alarms.append(max(window) - min(window))
    values_bar_2 = values_bar[:-1]
    difference_bar = values_bar[-1]
    ties = np.array(values) == min_value
    ties_2 = np.array(values) == max_value
    values_bar = np.where(ties_2, difference_bar / np.sum(ties_2), 0.0) - np.where(
        ties, difference_bar / np.sum(ties), 0.0
    )
    # for k, value in enumerate(signal):
    memory_bar = 0.0
    signal_bar = np.zeros_like(signal)
    for item_index in reversed(range(len(signal))):
        # spread = memory * spread + (1.0 - memory) * (value - mean) ** 2
        condition, condition_2, difference, difference_2 = kept.pop()
        if condition_2:
            # alarms.extend([mean * k, spread])
            values_bar_3 = values_bar_2[:-1]
            spread_bar += values_bar_2.item(-1)
            values_bar_2 = values_bar_3[:-1]
            mean_bar += values_bar_3.item(-1) * item_index
        spread = spread_saved.pop()
        difference_bar = 2 * spread_bar * (1.0 - memory) * difference_2
        mean_bar_2 = mean_bar - difference_bar
        value_bar = difference_bar
        memory_bar -= spread_bar * difference_2 * difference_2
        memory_bar += spread_bar * spread
        spread_bar = spread_bar * memory
        # mean += (1.0 - memory) * (value - mean)
        difference_bar = mean_bar_2 * (1.0 - memory)
        value_bar += difference_bar
        mean_bar = mean_bar_2 - difference_bar
        memory_bar -= mean_bar_2 * difference
        if condition:
            # window.append(value)
            values_bar = np.insert(values_bar, 0, 0.0)
        # window.append(value)
        value_bar += values_bar[-1]
        values_bar = values_bar[:-1]
        # for k, value in enumerate(signal):
        signal_bar[item_index] = value_bar
    return signal_bar, memory_bar
