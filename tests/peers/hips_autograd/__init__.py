"""The tests of HIPS autograd, run against s2sad.

``shim/autograd`` is a package of autograd's names over s2sad's public API. NumPy and
SciPy stay as they are. None of autograd's code is here: the command

    python -m tests.peers.hips_autograd autograd-1.9.1.tar.gz

unpacks its source distribution, runs the tests in it, and groups what fails by reason.
"""
