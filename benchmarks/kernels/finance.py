"""The worth of many European call options by Black and Scholes.

S Phi(d1) - K exp(-r T) Phi(d2),  d1, d2 = (log(S / K) + (r +- s^2 / 2) T) / (s sqrt T)
"""

import math

import numpy as np
from scipy.special import ndtr

from benchmarks.kernels.kernel import Kernel, timed
from s2sad import rule

rule.elementwise(ndtr, lambda x, out: np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi))


def worth(spot, strike, volatility, rate, time):
    """The sum over options: (n,) each, but for one rate."""
    deviation = volatility * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / deviation
    d2 = d1 - deviation
    return np.sum(spot * ndtr(d1) - strike * np.exp(-rate * time) * ndtr(d2))


def worth_grad(spot, strike, volatility, rate, time):
    root = np.sqrt(time)
    deviation = volatility * root
    logarithm = np.log(spot / strike) + (rate + 0.5 * volatility**2) * time
    d1 = logarithm / deviation
    d2 = d1 - deviation
    discounted = strike * np.exp(-rate * time)
    chance2 = ndtr(d2)
    spot_bar = ndtr(d1)
    d2_bar = -discounted * np.exp(-0.5 * d2 * d2) / math.sqrt(2.0 * math.pi)
    d1_bar = spot * np.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi) + d2_bar
    logarithm_bar = d1_bar / deviation
    deviation_bar = -d2_bar - logarithm_bar * d1
    spot_bar += logarithm_bar / spot
    timed_bar = logarithm_bar * time
    rate_bar = np.sum(timed_bar) + np.dot(discounted * chance2, time)
    volatility_bar = timed_bar * volatility + deviation_bar * root
    return spot_bar, volatility_bar, rate_bar


def worth_greeks(spot, strike, volatility, rate, time):
    """The Greeks of any textbook: both densities cancel."""
    root = np.sqrt(time)
    deviation = volatility * root
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / deviation
    vega = spot * root * np.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    rho = time * strike * np.exp(-rate * time) * ndtr(d1 - deviation)
    return ndtr(d1), vega, np.sum(rho)


def worth_in_a_loop(spot, strike, volatility, rate, time):
    total = 0.0
    for i in range(len(spot)):
        deviation = volatility[i] * math.sqrt(time[i])
        drift = (rate + 0.5 * volatility[i] ** 2) * time[i]
        d1 = (math.log(spot[i] / strike[i]) + drift) / deviation
        d2 = d1 - deviation
        first = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        second = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        total += spot[i] * first - strike[i] * math.exp(-rate * time[i]) * second
    return total


def worth_in_a_loop_grad(spot, strike, volatility, rate, time):
    spot_bar = np.empty_like(spot)
    volatility_bar = np.empty_like(volatility)
    rate_bar = 0.0
    root_two, factor = math.sqrt(2.0), 1.0 / math.sqrt(2.0 * math.pi)
    for i in range(len(spot)):
        s, v, t = spot[i], volatility[i], time[i]
        root = math.sqrt(t)
        deviation = v * root
        d1 = (math.log(s / strike[i]) + (rate + 0.5 * v**2) * t) / deviation
        d2 = d1 - deviation
        first = 0.5 * (1.0 + math.erf(d1 / root_two))
        second = 0.5 * (1.0 + math.erf(d2 / root_two))
        discounted = strike[i] * math.exp(-rate * t)
        d2_bar = -discounted * math.exp(-0.5 * d2 * d2) * factor
        d1_bar = s * math.exp(-0.5 * d1 * d1) * factor + d2_bar
        logarithm_bar = d1_bar / deviation
        timed_bar = logarithm_bar * t
        spot_bar[i] = first + logarithm_bar / s
        volatility_bar[i] = timed_bar * v - (d2_bar + logarithm_bar * d1) * root
        rate_bar += timed_bar + t * discounted * second
    return spot_bar, volatility_bar, rate_bar


def data(rng, n):
    return (
        90.0 + 20.0 * rng.random(n),
        90.0 + 20.0 * rng.random(n),
        0.1 + 0.3 * rng.random(n),
        0.03,
        0.5 + rng.random(n),
    )


WRT = ("spot", "volatility", "rate")
KERNELS = (
    Kernel(
        "black_scholes",
        worth,
        worth_grad,
        data,
        timed((100,), 3_000, 100_000, tiny=(4,)),
        WRT,
        closed_form=worth_greeks,
    ),
    Kernel(
        "black_scholes_in_a_loop",
        worth_in_a_loop,
        worth_in_a_loop_grad,
        data,
        timed((10,), 100, 1_000, tiny=(4,)),
        WRT,
    ),
)
