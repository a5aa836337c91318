"""Functions that one factory made: they have the same text, and other variables."""

from tests.frontend.whole_programs import assert_differentiated


def test_recursive_functions_of_one_factory_are_two_functions():
    assert_differentiated("""
        def make(s):
            def f(x, n):
                return 1.0 if n <= 0 else s * x * f(x, n - 1)
            return f

        double, triple = make(2.0), make(3.0)

        def program(x, k):
            return double(x, k) * triple(x, k)
    """)


def test_one_recursive_function_calls_another_of_the_same_factory():
    assert_differentiated("""
        def make(s, other):
            def f(x, n):
                return other(x) if n <= 0 else s * x * f(x, n - 1)
            return f

        inner = make(2.0, math.sin)
        outer = make(3.0, lambda x: inner(x, 2))

        def program(x, k):
            return outer(x, k)
    """)


def test_a_decorator_is_applied_twice():
    assert_differentiated("""
        import functools

        def scaled(scale, **extra):
            def decorate(f):
                @functools.wraps(f)
                def inner(*args, **kwargs):
                    kwargs.setdefault("b", 2.0)
                    return f(*args, **kwargs) * scale + extra.get("shift", 0.0)
                return inner
            return decorate

        @scaled(3.0, shift=1.0)
        @scaled(0.5)
        def f(x, *, b=1.0, c=0.0):
            return x * b + c

        def program(x, y):
            return f(x) * f(y, b=x) + f(x, c=y, b=x * y)
    """)


def test_a_function_wraps_one_of_the_same_factory():
    assert_differentiated("""
        def make(f):
            def inner(x):
                y = f(x)
                return y * x + y
            return inner

        h = make(make(math.sin))

        def program(x):
            return h(x)
    """)


def test_generators_of_one_factory_run_inside_of_each_other():
    assert_differentiated("""
        def make(s, inner):
            def g(x):
                for a in inner(x):
                    b = s * a
                    yield b
                    yield b * a
            return g

        g = make(2.0, make(3.0, lambda x: (x, x * x)))

        def program(x):
            return sum(g(x))
    """)


def test_a_function_of_a_factory_calls_itself_on_arguments_of_another_form():
    assert_differentiated("""
        def make(s):
            def f(a, mode=None):
                b = a * s
                if mode == "x":
                    c = f(a, "y")
                    return b * c
                b = b * 3
                return b
            return f

        f = make(2.0)

        def program(x):
            return f(x, "x") * f(x * x)
    """)
