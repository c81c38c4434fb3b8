"""Files that users share with others, and with groups: found by these alone, and no longer than they may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from biblicus_context.errors import InputError
from biblicus_context.systems.prime import ContextAssemblyService, File, StoredService

T = TypeVar("T")
ASKED = "What is the price of the lamp Aurora?"
PRICE = "The lamp Aurora costs 79 euros."


def run(work: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await work

    return asyncio.run(awaited())


def file(name: str, text: str, owner: str) -> File:
    return File(id=name, path=f"docs/{name}.md", content=text, owner_user_id=owner)


@pytest.fixture
def service(tmp_path: Path) -> StoredService:
    service = ContextAssemblyService.open(tmp_path / "prime", workspace="acme")
    run(service.files.put(file("prices", PRICE, "ann")))
    return service


def seen(service: StoredService, user: str, *groups: str) -> bool:
    context = run(service.build_prime_context("t", ASKED, user, groups=groups))
    assert ("79 euros" in context.text) == any(e.path == "docs/prices.md" for e in context.items)
    return "79 euros" in context.text


def test_a_shared_file_is_found_by_those_it_is_shared_with_alone(service: StoredService):
    assert seen(service, "ann")
    assert not seen(service, "bob")
    run(service.files.share("prices", "ann", users=["bob"], groups=["sales"]))
    assert seen(service, "ann")
    assert seen(service, "bob")
    assert seen(service, "cleo", "sales")
    assert not seen(service, "cleo")
    assert not seen(service, "cleo", "staff")
    readers = run(service.files.readers_of("prices", "ann"))
    assert (readers.users, readers.groups) == ({"bob"}, {"sales"})


def test_what_is_taken_back_is_gone_from_the_next_context_on(service: StoredService):
    run(service.files.share("prices", "ann", users=["bob", "cleo"], groups=["sales"]))
    assert seen(service, "bob")
    run(service.files.unshare("prices", "ann", users=["bob"]))
    assert not seen(service, "bob")
    assert seen(service, "cleo")
    run(service.files.unshare("prices", "ann"))
    assert not seen(service, "cleo", "sales")
    assert run(service.files.readers_of("prices", "ann")).closed
    run(service.files.unshare("prices", "ann"))  # which is no mistake


def test_a_shared_file_follows_its_owner(service: StoredService):
    run(service.files.share("prices", "ann", users=["bob"]))
    run(service.files.put(file("prices", "The lamp Aurora costs 99 euros.", "ann")))
    assert "99 euros" in run(service.build_prime_context("t", ASKED, "bob")).text
    run(service.files.remove("prices", user_id="ann"))
    assert run(service.build_prime_context("t", ASKED, "bob")).text == ""


def test_a_user_who_is_forgotten_shares_nothing_any_more(service: StoredService):
    run(service.files.share("prices", "ann", users=["bob"]))
    done = run(service.forget_user("ann"))
    assert done.removed["files"] == ("prices",)
    assert len(done.removed["shared"]) == 1
    assert not seen(service, "bob")
    place = service.files.shared._corpus.of("ann").place
    service.close()
    assert not any(
        b"79 euros" in each.read_bytes() for each in Path(place).rglob("*") if each.is_file()
    )


def test_ids_and_tenants_do_not_meet(service: StoredService, tmp_path: Path):
    run(service.files.put(file("prices", "The lamp Borealis is secret.", "bob")))
    run(service.files.share("prices", "ann", users=["bob"]))
    text = run(service.build_prime_context("t", "the lamps Aurora and Borealis", "bob")).text
    assert "79 euros" in text
    assert "Borealis" in text
    assert "Borealis" not in run(service.build_prime_context("t", "lamp Borealis", "ann")).text
    other = ContextAssemblyService.open(tmp_path / "prime", workspace="globex")
    assert not seen(other, "bob")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.files.share("prices", "ann"), "users: nobody is named"),
        (lambda it: it.files.share("prices", "bob", users=["cleo"]), "file_id: the user has no such file"),
        (lambda it: it.files.share("prices", "ann", users="bob"), "users: a list of texts is expected"),
        (lambda it: it.build_prime_context("t", ASKED, "bob", groups="sales"), "groups: a list of texts"),
    ],
)  # fmt: skip
def test_a_mistake_is_an_error_that_names_it(service: StoredService, call, message: str):
    with pytest.raises(InputError, match=message):
        run(call(service))


@pytest.mark.parametrize("seed", range(3))
def test_nobody_ever_sees_what_is_not_shared_with_them(service: StoredService, seed: int):
    random, users, groups = Random(seed), ["bob", "cleo"], ["sales", "staff"]
    member = {"bob": ["sales"], "cleo": ["staff"]}
    shared_users, shared_groups = set[str](), set[str]()
    for _ in range(12):
        user, group = random.choice(users), random.choice(groups)
        if random.random() < 0.5:
            run(service.files.share("prices", "ann", users=[user], groups=[group]))
            shared_users.add(user)
            shared_groups.add(group)
        else:
            run(service.files.unshare("prices", "ann", users=[user], groups=[group]))
            shared_users.discard(user)
            shared_groups.discard(group)
        for each in users:
            may = each in shared_users or bool(shared_groups & {*member[each]})
            assert seen(service, each, *member[each]) == may
