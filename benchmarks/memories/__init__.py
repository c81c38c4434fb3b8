"""Memory libraries on the same memories and questions: time to build, tokens, evidence recall."""
