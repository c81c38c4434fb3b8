"""What looks like a secret is taken out of a text, and what only talks of one stays."""

from __future__ import annotations

import pytest

from biblicus_context.text import redacted

TOKEN = "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKE12"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"aws_secret_access_key = {TOKEN}", "aws_secret_access_key = [redacted: a password or key]"),
        (f"AccountKey={TOKEN}", "AccountKey=[redacted: a password or key]"),
        (f"npm_{TOKEN}", "[redacted: an npm token]"),
        (f"pypi-{TOKEN}{TOKEN}", "[redacted: a PyPI token]"),
        (f"SG.{TOKEN}.{TOKEN}", "[redacted: a SendGrid key]"),
        ("The password is hunter2!", "The password is [redacted: a password]"),
        ("pwd: s3cret, then", "pwd: [redacted: a password], then"),
        ("see redis://u:pa55@host/1", "see redis://u:[redacted: a password]@host/1"),
    ],
)  # fmt: skip
def test_a_secret_is_taken_out(text: str, left: str):
    assert redacted(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "The password is required.",
        "The password is documented-here",
        "password=$DATABASE_PASSWORD",
        "primary_key = customer_id_2024",
        "Ask for the password: nobody knows it.",
        "The key is the idempotency key of 2024-05-01.",
    ],
)
def test_what_only_talks_of_a_secret_stays(text: str):
    assert redacted(text) == text


def test_what_is_redacted_stays_as_it_is():
    once = redacted(f"password is hunter2! and npm_{TOKEN}")
    assert redacted(once) == once
