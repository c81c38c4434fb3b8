"""Programs that type checkers read; nobody runs them."""
