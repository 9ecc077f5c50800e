"""Whether a driver is alive."""

import dataclasses
import time

import pytest

from imoca.storage.owner import SILENCE, this_process


def test_this_process_is_alive_however_long_it_was_silent() -> None:
    owner = dataclasses.replace(this_process(), seen=0.0)
    assert owner.is_alive()


def test_the_number_of_a_process_that_started_at_another_time_is_another_process() -> None:
    owner = this_process()
    _, _, place = owner.born.partition("@")
    assert place  # this boot, this container
    assert not dataclasses.replace(owner, born=f"1@{place}").is_alive()


@pytest.mark.parametrize("elsewhere", ["host", "container"])
@pytest.mark.parametrize(("silence", "is_alive"), [(SILENCE - 60.0, True), (SILENCE + 60.0, False)])
def test_a_process_that_cannot_be_seen_from_here_is_alive_until_it_was_silent_for_long(
    elsewhere: str, silence: float, is_alive: bool
) -> None:
    owner = dataclasses.replace(this_process(), seen=time.time() - silence)
    moment, _, _ = owner.born.partition("@")
    if elsewhere == "host":
        owner = dataclasses.replace(owner, host="elsewhere")
    else:
        owner = dataclasses.replace(owner, born=f"{moment}@another start pid:[1]")
    assert owner.is_alive() is is_alive


def test_a_driver_stored_by_an_earlier_version_is_known_by_its_start_alone() -> None:
    owner = this_process()
    moment, _, _ = owner.born.partition("@")
    assert dataclasses.replace(owner, born=moment).is_alive()


def test_nobody_drives_a_copy() -> None:
    assert not dataclasses.replace(this_process(), token="").is_alive()
