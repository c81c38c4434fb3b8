"""The walk through the first pages reports every command, and each that does not do what a page shows."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.first_hour import Walk

PAGE = """\
```yaml
# contexts/a.yaml
kind: context
name: a
```

```console
$ cat contexts/a.yaml | head -n 1
# contexts/a.yaml
$ echo two
three
```

```python
word = "tea"
print("before")
```

```python
print(word)
```

```text
tea
```

```python
print(word * 2)
```

```text
tea
```
"""


def test_every_step_is_run_and_what_differs_from_the_page_is_named(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    steps = Walk({"PATH": os.environ["PATH"]}, tmp_path).page(page)
    assert [(step.what, bool(step.problem)) for step in steps] == [
        ("cat contexts/a.yaml | head -n 1", False),
        ("echo two", True),
        ('python: word = "tea"', False),
        ("python: print(word)", False),
        ("python: print(word * 2)", True),
    ]
