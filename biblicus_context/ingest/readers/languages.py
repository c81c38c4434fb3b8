"""Languages of programming, by the endings of their files."""

from __future__ import annotations

from typing import Final

LANGUAGES: Final = {
    ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hh": "c++",
    ".hpp": "c++", ".cs": "c#", ".dart": "dart", ".go": "go", ".java": "java",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".tsx": "typescript", ".kt": "kotlin", ".kts": "kotlin", ".lua": "lua",
    ".php": "php", ".pl": "perl", ".py": "python", ".pyi": "python", ".r": "r", ".rb": "ruby",
    ".rs": "rust", ".scala": "scala", ".sh": "shell", ".bash": "shell", ".sql": "sql",
    ".swift": "swift",
}  # fmt: skip
