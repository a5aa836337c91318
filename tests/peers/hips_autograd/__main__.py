"""``python -m tests.peers.hips_autograd SDIST [OPTIONS OF PYTEST]``."""

from __future__ import annotations

import sys

from tests.peers.hips_autograd.running import main

sys.exit(main(sys.argv[1:]))
