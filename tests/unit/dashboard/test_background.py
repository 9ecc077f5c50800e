"""Slow things are made one at a time, when they are wanted, and not too often."""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from imoca.dashboard import background
from imoca.dashboard.background import Product, Worker


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120.0
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def is_made(product: Product[Any, Any], stamp: str) -> bool:
    return product.made is not None and product.made.stamp == stamp


def test_a_product_is_made_once_per_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PAUSE", 0.0)
    calls: list[str] = []

    def make(source: str) -> int:
        calls.append(source)
        return len(calls)

    product = Product(Worker("test"), make, rest=0.0)
    for stamp, content in (("a", 1), ("a", 1), ("b", 2)):
        product.want(stamp, f"source {stamp}")
        wait_until(partial(is_made, product, stamp))
        assert product.made is not None
        assert product.made.content == content
    assert calls == ["source a", "source b"]


def test_asking_never_waits_and_does_not_pile_up() -> None:
    gate, calls = threading.Event(), []

    def slow(source: None) -> str:
        calls.append(1)
        gate.wait(120.0)
        return "done"

    product = Product(Worker("test"), slow)
    for _ in range(100):
        product.want("a", None)
    assert product.made is None  # had it waited, it would have been made
    gate.set()
    wait_until(lambda: product.made is not None)
    assert len(calls) == 1


def test_after_a_slow_making_there_is_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PAUSE", 60.0)
    worker, is_idle = Worker("test"), threading.Event()
    product: Product[None, str] = Product(worker, lambda source: "made")
    product.want("a", None)
    wait_until(lambda: product.made is not None)
    product.want("b", None)
    worker.submit(is_idle.set)  # after whatever was submitted before
    assert is_idle.wait(120.0)
    assert product.made is not None
    assert product.made.stamp == "a"


def test_what_cannot_be_made_is_told_and_the_worker_goes_on() -> None:
    worker = Worker("test")

    def broken(source: None) -> str:
        raise ValueError("no such number")

    bad = Product(worker, broken)
    good: Product[None, str] = Product(worker, lambda source: "made")
    bad.want("a", None)
    good.want("a", None)
    wait_until(lambda: good.made is not None)
    assert bad.made is not None
    assert bad.made.content is None
    assert "no such number" in bad.made.fault
