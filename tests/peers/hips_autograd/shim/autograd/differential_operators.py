"""The derivatives, each of which takes a function and the numbers of its arguments.

The function is made one of the arguments that vary first, since autograd counts the
items of ``*args`` too.
"""

import inspect

import numpy as np
import s2sad

from .unary import (
    chosen,
    conjugated,
    one_real_number,
    ones_like,
    with_chosen,
)


def grad(fun, argnum=0):
    """
    Returns a function which computes the gradient of a function of one real result,
    which may be an array of one number."""

    def number_of(x, args, kwargs):
        return one_real_number(fun(*with_chosen(args, argnum, x), **kwargs), "grad")

    derivative = s2sad.grad(number_of)

    def gradient(*args, **kwargs):
        return conjugated(derivative(chosen(args, argnum), args, kwargs))

    return gradient


def value_and_grad(fun, argnum=0):
    """The value and the gradient."""

    def number_of(x, args, kwargs):
        result = fun(*with_chosen(args, argnum, x), **kwargs)
        return one_real_number(result, "value_and_grad"), result

    derivative = s2sad.grad(number_of, has_aux=True)

    def value_and_gradient(*args, **kwargs):
        found, value = derivative(chosen(args, argnum), args, kwargs)
        return value, conjugated(found)

    return value_and_gradient


def grad_and_aux(fun, argnum=0):
    """The gradient of the first result, and the second one."""

    def number_of(x, args, kwargs):
        result, aux = fun(*with_chosen(args, argnum, x), **kwargs)
        return one_real_number(result, "grad_and_aux"), aux

    derivative = s2sad.grad(number_of, has_aux=True)

    def gradient_and_aux(*args, **kwargs):
        found, aux = derivative(chosen(args, argnum), args, kwargs)
        return conjugated(found), aux

    return gradient_and_aux


def elementwise_grad(fun, argnum=0):
    """The gradient of the sum of all results."""

    def sum_of(x, args, kwargs):
        result = fun(*with_chosen(args, argnum, x), **kwargs)
        if np.iscomplexobj(result):
            raise TypeError("elementwise_grad is for functions of real results")
        return np.sum(result)

    derivative = s2sad.grad(sum_of)

    def gradient(*args, **kwargs):
        return conjugated(derivative(chosen(args, argnum), args, kwargs))

    return gradient


def holomorphic_grad(fun, argnum=0):
    """The complex derivative of a holomorphic function."""

    def real_part(x, args, kwargs):
        return np.real(fun(*with_chosen(args, argnum, x), **kwargs))

    derivative = s2sad.grad(real_part)

    def gradient(*args, **kwargs):
        return conjugated(derivative(chosen(args, argnum), args, kwargs))

    return gradient


def jacobian(fun, argnum=0):
    """The derivative of each element of the result by each of an argument."""

    def result_of(x, args, kwargs):
        return fun(*with_chosen(args, argnum, x), **kwargs)

    derivative = s2sad.jacobian(result_of)

    def all_derivatives(*args, **kwargs):
        return conjugated(derivative(chosen(args, argnum), args, kwargs))

    return all_derivatives


def hessian(fun, argnum=0):
    """The second derivatives of a function of one real result."""

    def number_of(x, args, kwargs):
        return one_real_number(fun(*with_chosen(args, argnum, x), **kwargs), "hessian")

    derivative = s2sad.hessian(number_of)

    def second_derivatives(*args, **kwargs):
        return derivative(chosen(args, argnum), args, kwargs)

    return second_derivatives


def make_vjp(fun, argnum=0):
    """``make_vjp(fun)(x)`` is the pullback of cotangents at x, and the value."""

    def result_of(x, args, kwargs):
        return fun(*with_chosen(args, argnum, x), **kwargs)

    def made(*args, **kwargs):
        value, pullback = s2sad.vjp(result_of, chosen(args, argnum), args, kwargs)

        def vjp(cotangent):
            return conjugated(pullback(conjugated(cotangent))[0])

        return vjp, value

    return made


def make_jvp(fun, argnum=0):
    """``make_jvp(fun)(x)`` takes a tangent of x to the value and its tangent."""

    def made(*args, **kwargs):
        def result_of(x):
            return fun(*with_chosen(args, argnum, x), **kwargs)

        def jvp(tangent):
            return s2sad.jvp(result_of, (chosen(args, argnum),), (tangent,))

        return jvp

    return made


def deriv(fun, argnum=0):
    """The tangent of the result along ones."""

    def derivative(*args, **kwargs):
        ones = ones_like(chosen(args, argnum))
        return make_jvp(fun, argnum)(*args, **kwargs)(ones)[1]

    return derivative


def make_hvp(fun, argnum=0):
    """The pullback of the gradient at a point, and the gradient."""
    return make_vjp(grad(fun, argnum), argnum)


def hessian_tensor_product(fun, argnum=0):
    """Takes the arguments and, behind them, what the Hessian is multiplied with."""

    def number_of(x, args, kwargs):
        return one_real_number(
            fun(*with_chosen(args, argnum, x), **kwargs), "hessian_tensor_product"
        )

    product = s2sad.hvp(number_of)

    def hessian_product(*args, **kwargs):
        *arguments, tensor = args
        arguments = tuple(arguments)
        return product(chosen(arguments, argnum), arguments, kwargs, tensor)

    return hessian_product


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun, argnum=0):
    """Takes the arguments and, behind them, what is contracted with the first axes of
    the Jacobian."""

    def contracted(x, args, kwargs, tensor):
        result = fun(*with_chosen(args, argnum, x), **kwargs)
        return np.tensordot(tensor, result, axes=np.ndim(tensor))

    derivative = s2sad.jacobian(contracted)

    def product(*args, **kwargs):
        *arguments, tensor = args
        arguments = tuple(arguments)
        return derivative(chosen(arguments, argnum), arguments, kwargs, tensor)

    return product


vector_jacobian_product = tensor_jacobian_product


def half_squares(x):
    """Half the sum of squares over the last axis."""
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f, g=half_squares, f_argnum=0):
    """Products with the Gauss-Newton matrix J^T H J, H the Hessian of g."""

    def made(*args, **kwargs):
        def result_of(x):
            return f(*with_chosen(args, f_argnum, x), **kwargs)

        x = chosen(args, f_argnum)
        value, pullback = s2sad.vjp(result_of, x)

        def product(vector):
            _, tangent = s2sad.jvp(result_of, (x,), (vector,))
            return pullback(s2sad.hvp(g)(value, tangent))[0]

        return product

    return made


def grad_named(fun, argname):
    """The gradient with respect to the parameter of this name."""
    return grad(fun, list(inspect.signature(fun).parameters).index(argname))


def multigrad_dict(fun):
    """The gradients with respect to all parameters, by name; those of ``*args`` in a
    tuple, those of ``**kwargs`` in a dict."""
    signature = inspect.signature(fun)

    def gradients(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names = tuple(bound.arguments)
        found = s2sad.grad(fun, names)(*args, **kwargs)
        return dict(zip(names, map(conjugated, found)))

    return gradients


def checkpoint(fun):
    """A function of which only the arguments are kept."""
    return s2sad.checkpoint(fun)
