"""luma.core packs pictures with Image.getdata, which Pillow 13 deprecates and 14 removes: it gets the successor."""

from __future__ import annotations

import pytest
from PIL import Image


@pytest.fixture
def luma_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let luma run with every Pillow, without a warning."""
    successor = getattr(Image.Image, "get_flattened_data", None)
    if successor is not None:
        monkeypatch.setattr(Image.Image, "getdata", successor, raising=False)
