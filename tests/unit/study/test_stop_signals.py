"""Ctrl-C once asks, twice forces; also when the second comes while the first is being answered."""

import builtins
import signal
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
