"""Under which names a server may be asked for, what its token is compared with, and what its headers forbid."""

import socket

from imoca.web.security import HEADERS, Access


def test_listening_everywhere_allows_addresses_and_own_names_but_no_others() -> None:
    access = Access("::", "t" * 16)
    assert access.allows_host("192.168.1.7:8765")
    assert access.allows_host("[fe80::1]:8765")
    assert access.allows_host(f"{socket.gethostname()}:8765")
    assert not access.allows_host("evil.example:8765")


def test_a_named_host_is_allowed_and_its_neighbours_are_not() -> None:
    access = Access("Cluster.example", "t" * 16)
    assert access.allows_host("cluster.example:80")
    assert not access.allows_host("other.example:80")
    assert not access.allows_host("192.168.1.7")


def test_the_token_is_not_shown_with_the_access() -> None:
    assert "secret" not in repr(Access("127.0.0.1", "secret"))


def test_the_policy_allows_nothing_inline_and_no_other_host() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "*" not in policy
