"""Ctrl-C once asks, twice forces; also when the second comes while the first is being answered."""

import builtins
import signal
import threading
import time
from typing import Any

import pytest

from imoca.study.stop_signals import StopSignals


def test_one_interrupt_asks_and_two_force(capsys: pytest.CaptureFixture[str]) -> None:
    stop = StopSignals()
    stop._on_signal(signal.SIGINT, None)
    assert (stop.is_asked, stop.is_forced) == (True, False)
    stop._on_signal(signal.SIGINT, None)
    assert stop.is_forced
    assert capsys.readouterr().err.count("Ctrl-C again ends them") == 1


def test_a_termination_forces_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    stop = StopSignals()
    stop._on_signal(signal.SIGTERM, None)
    assert stop.is_forced
    assert capsys.readouterr().err == ""


def test_a_second_interrupt_during_the_first_forces(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = StopSignals()
    n_printed = 0

    def interrupted(*_: Any, **__: Any) -> None:
        nonlocal n_printed
        n_printed += 1
        stop._on_signal(signal.SIGINT, None)

    monkeypatch.setattr(builtins, "print", interrupted)
    stop._on_signal(signal.SIGINT, None)
    assert stop.is_forced
    assert n_printed == 1


def test_a_forced_stop_leaves_a_simulator_of_this_thread() -> None:
    stop = StopSignals()
    with pytest.raises(KeyboardInterrupt), stop.raising(True):
        stop._on_signal(signal.SIGTERM, None)
    stop._on_signal(signal.SIGTERM, None)  # outside nothing is raised


def test_a_hangup_forces_at_once_and_what_still_has_a_reader_is_not_silenced(
    capfd: pytest.CaptureFixture[str],
) -> None:
    stop = StopSignals()
    stop._on_signal(signal.SIGHUP, None)
    assert stop.is_forced
    print("still heard")
    assert capfd.readouterr().out == "still heard\n"


def test_another_thread_forces_as_a_termination_does() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with StopSignals() as stop:

        def run_for_long() -> None:
            forcing = threading.Thread(target=stop.force)
            forcing.start()
            forcing.join()
            time.sleep(60.0)

        with pytest.raises(KeyboardInterrupt), stop.raising(True):
            run_for_long()
        assert (stop.is_asked, stop.is_forced) == (True, True)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_hangup_that_is_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with StopSignals() as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop.is_asked
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
