"""The check that stood here before ``test_util``."""

from .test_util import check_grads


def quick_grad_check(fun, arg0, extra_args=(), kwargs=None):
    check_grads(fun, order=1)(arg0, *extra_args, **(kwargs or {}))
