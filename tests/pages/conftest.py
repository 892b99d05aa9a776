"""Which browsers a test runs in: all three, or with TRAPDIAL_ENGINES=1 one each, in turn, as in CI; a demo's page."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.demo_terminal import DemoPage, demo_page

ENGINES = ("chromium", "firefox", "webkit")


@pytest.fixture
def page() -> Iterator[DemoPage]:
    """The page of a demo, in Chromium."""
    with demo_page() as opened:
        yield opened


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("TRAPDIAL_ENGINES") != "1":
        return
    tests = list(dict.fromkeys(_without_engine(item) for item in items))
    left_out = [
        item for item in items if (used := engine_of(item)) and used != ENGINES[tests.index(_without_engine(item)) % 3]
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def engine_of(item: pytest.Item) -> str | None:
    """The browser of a test that runs in each of them; None for any other test."""
    call = getattr(item, "callspec", None)
    return None if call is None else call.params.get("browser")


def _without_engine(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0] if engine_of(item) else item.nodeid
