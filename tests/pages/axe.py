"""axe-core in a browser: what it finds against a page."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.pages.engines import Engine

_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((found) => done(found.violations.map((each) =>
  each.id + ': ' + each.nodes.map((node) =>
    node.html.slice(0, 120) + ' ' + node.failureSummary.slice(0, 200)).join(' | '))));
"""


def axe() -> str:
    """The text of axe.min.js, from whichever package brings it; the newer one first."""
    for package in ("axe_playwright_python", "axe_core_python"):
        found = importlib.util.find_spec(package)
        for folder in (found.submodule_search_locations or ()) if found else ():
            for file in Path(folder).rglob("axe.min.js"):
                return file.read_text(encoding="utf-8")
    pytest.skip("no axe-core on this machine: pip install axe-core-python")


def findings(browser: Engine, script: str) -> Any:
    browser.run(script + "; window.axe = axe;")
    return browser.run_async(_RUN)
