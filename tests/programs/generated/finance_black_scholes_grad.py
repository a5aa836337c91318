def black_scholes_grad(market, strike, maturity, kind):
    """Gradient of black_scholes with respect to market, strike and maturity."""
    market_spot = market.spot
    market_rate = market.rate
    market_volatility = market.volatility
    if not (maturity > 0.0 and market_volatility > 0.0):
        raise ValueError("maturity and volatility must be positive")
    sqrt = math.sqrt(maturity)
    total = market_volatility * sqrt
    exp = math.exp(market_rate * maturity)
    forward = market_spot * exp
    quotient_2 = forward / strike
    quotient_3 = math.log(quotient_2) / total
    d1 = quotient_3 + 0.5 * total
    d2 = d1 - total
    discount = math.exp(-market_rate * maturity)
    x = -d2
    sqrt_2 = math.sqrt(2.0)
    quotient_4 = x / sqrt_2
    product = 0.5 * (1.0 + math.erf(quotient_4))
    phi_x = -d1
    sqrt_3 = math.sqrt(2.0)
    quotient_5 = phi_x / sqrt_3
    product_2 = 0.5 * (1.0 + math.erf(quotient_5))
    # return discount * (strike * phi(-d2) - forward * phi(-d1))
    product_3 = discount * forward * math.exp(-quotient_5 * quotient_5)
    d1_bar = product_3 / math.sqrt(3.141592653589793) / sqrt_3
    strike_bar = discount * product
    product_3 = -discount * strike * math.exp(-quotient_4 * quotient_4)
    d2_bar = product_3 / math.sqrt(3.141592653589793) / sqrt_2
    # discount = math.exp(-market.rate * maturity)
    product_bar = (strike * product - forward * product_2) * discount
    # d2 = d1 - total
    d1_bar += d2_bar
    # d1 = math.log(forward / strike) / total + 0.5 * total
    total_bar = 0.5 * d1_bar - d2_bar
    total_bar -= d1_bar * quotient_3 / total
    product = d1_bar / total / quotient_2 / strike
    forward_bar = product - discount * product_2
    strike_bar -= product * quotient_2
    # forward = market.spot * math.exp(market.rate * maturity)
    market_spot_bar = forward_bar * exp
    product_bar_2 = market_spot_bar * market_spot
    market_rate_bar = product_bar_2 * maturity - product_bar * maturity
    maturity_bar = product_bar_2 * market_rate - product_bar * market_rate
    # total = market.volatility * math.sqrt(maturity)
    market_volatility_bar = total_bar * sqrt
    product = quotient(0.5 * total_bar * market_volatility, sqrt)
    maturity_bar += product
    return (
        Market(
            spot=market_spot_bar, rate=market_rate_bar, volatility=market_volatility_bar
        ),
        strike_bar,
        maturity_bar,
    )
