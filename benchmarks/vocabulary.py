"""The words and sentence patterns that generated texts are made of."""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    name: tuple(words.split())
    for name, words in {
        "determiner": "the the the a this that every each our your their another any no some",
        "adjective": """
            late damaged returned incomplete urgent annual quarterly regional temporary duplicate
            refundable undeliverable international unauthorised replacement preauthorised open
            overdue missing prepaid wholesale seasonal encrypted misplaced recalculated final
            nonrefundable archived provisional consolidated fragile oversized new small second
        """,
        "noun": """
            order invoice parcel refund customer warehouse courier account subscription handbook
            policy contract signature shipment receipt voucher complaint delivery deadline password
            statement technician appointment manufacturer reimbursement authorisation spreadsheet
            department supervisor backorder chargeback storefront reconciliation escalation team
            procurement thermostat dishwasher firmware keyboard battery cable driver office week
        """,
        "verb": """
            covers delays replaces confirms cancels explains requires postpones rejects forwards
            acknowledges reimburses contradicts supersedes reschedules documents transfers closes
            summarises invalidates checks follows reaches contains affects predates outlives keeps
            overrides renews stores
        """,
        "preposition": "for with before after without under during beside through about from to",
        "adverb": """
            usually rarely automatically retroactively immediately eventually still already again
            provisionally nevertheless often never quickly quietly
        """,
        "opening": """
            when because although unless until while since whenever
        """,
        "name": """
            Amsterdam Priyanka Okonkwo Reykjavik Oliver Montreal Guadalajara Svetlana Hamburg
            Fitzgerald Nakamura Lisbon Kowalczyk Boston Marguerite
        """,
        "number": "7 24 30 48 365 1,250 8812 2024 17.50 40931 600 90210",
        "code": "INV-20448 SKU-77-310 RMA-5519 KB-0042 #88120 v3.14.2 ISO-9001 TX-4410b",
        "joining": "and but so or yet",
    }.items()
}

PATTERNS: tuple[tuple[str, ...], ...] = tuple(
    tuple(pattern.split())
    for pattern in (
        "determiner adjective noun code verb determiner noun preposition number noun .",
        "determiner noun adverb verb determiner adjective noun , code .",
        "opening determiner noun verb determiner noun , name verb determiner noun code .",
        "name adverb verb determiner noun preposition number noun .",
        "determiner noun preposition name verb determiner adjective noun , joining "
        "determiner noun verb code .",
        "preposition determiner adjective noun , name verb determiner noun .",
        "determiner noun code verb determiner noun preposition determiner adjective noun .",
    )
)
"""Classes of words in sentence order; what is no class stands for itself."""

FILLING: tuple[str, ...] = (
    *("determiner", "adjective", "noun", "adverb"),
    *("verb", "determiner", "noun", "preposition"),
)
"""The pattern of the short sentences that bring a text to its exact length."""
