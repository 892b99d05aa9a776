"""A disk that refuses at some of a station's writes; `python -m tests.station.disks` tries more of them."""

from __future__ import annotations

import errno

import pytest

from pi_app.station.troubles.troubles import StationTrouble
from tests.crash.disk import Image
from tests.station.disks import lived, prepared


@pytest.fixture(scope="module")
def image() -> Image:
    return prepared()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "first"), [(errno.ENOSPC, 0), (errno.ENOSPC, 693), (errno.EROFS, 603)])
def test_a_station_says_what_its_disk_refuses_and_goes_on_by_itself(image: Image, number: int, first: int) -> None:
    found = lived(image, number, first)
    assert found.wrong == []
    assert found.asked > first


@pytest.mark.slow
def test_a_station_whose_disk_never_refuses_says_nothing(image: Image) -> None:
    found = lived(image, errno.EIO, 10**9)
    assert (found.wrong, found.refused, found.said) == ([], False, set[StationTrouble]())
