"""`python -m biblicus_context` is `biblicus-context`."""

from __future__ import annotations

import sys

from biblicus_context.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
