"""`follow_up: true` against a real corpus: it finds what the question alone does not."""

from __future__ import annotations

from benchmarks.follow_ups.measuring import measured, passages, questions


def test_every_answer_is_in_the_corpus():
    corpus = [" ".join(text.split()) for text in passages().values()]
    missing = [each for each in questions() if not any(each.gold in text for text in corpus)]
    assert len(missing) <= 3  # other versions of Python word some passages differently


def test_follow_up_questions_find_more_and_others_hardly_less():
    found = {
        (each.query, each.kind): each.mean for each in measured(["keyword"], budgets=[512, 1024])
    }
    gained = found["follow_up: true", "follow_up"] - found["alone", "follow_up"]
    lost = found["alone", "new_topic"] - found["follow_up: true", "new_topic"]
    assert gained > 15
    assert lost < 10
