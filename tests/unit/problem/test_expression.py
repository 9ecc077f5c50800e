import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from imoca.errors import CostError
from imoca.problem.expression import compile_expression

FUNCTIONS = {
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sqrt": math.sqrt,
    "abs": abs,
    "min": min,
    "max": max,
}


def python_value(text: str, **variables: Any) -> Any:
    scope = {"__builtins__": {}, "pi": math.pi, "e": math.e, **FUNCTIONS, **variables}
    return eval(text, scope)  # noqa: S307 - the second route, on text that these tests built


def binary(inner: st.SearchStrategy[str], operators: list[str]) -> st.SearchStrategy[str]:
    return st.tuples(inner, st.sampled_from(operators), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")


def grow_positive(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Positive throughout: no cancellation, which would magnify the last digit in which libraries differ."""
    forms = [
        "exp({})",
        "log(1 + {})",
        "log10(1 + {})",
        "sqrt({})",
        "({})**2",
        "({})**-1",
        "({})**0.5",
        "2**{}",
    ]
    return st.one_of(
        binary(inner, ["+", "*", "/"]),
        st.tuples(st.sampled_from(forms), inner).map(lambda t: t[0].format(t[1])),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
    )


def grow_whole(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Whole numbers: exact in both arithmetics, so that signs and precedence show without parentheses."""
    forms = ["-{}", "+{}", "abs({})", "{}**2", "({})**2", "max({}, 3)", "min(3, {}, 2)"]
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join),
        binary(inner, ["+", "-", "*"]),
        st.tuples(st.sampled_from(forms), inner).map(lambda t: t[0].format(t[1])),
    )


positive_leaves = st.floats(0.01, 100).map(repr) | st.sampled_from(["0", "7", "z", "x1", "pi", "e"])
whole_leaves = st.integers(0, 9).map(str) | st.sampled_from(["z", "x1"])


@settings(deadline=None)
@given(st.recursive(positive_leaves, grow_positive, max_leaves=10), st.floats(0.1, 3), st.floats(0.1, 3))
def test_an_expression_equals_pythons_own_arithmetic(text: str, z: float, x1: float) -> None:
    result = compile_expression(text)({"z": np.array(z), "x1": np.array(x1)})
    try:
        expected = python_value(text, z=z, x1=x1)
    except (ZeroDivisionError, OverflowError):
        return
    if math.isfinite(expected):
        assert float(result) == pytest.approx(float(expected), rel=1e-6, abs=1e-300)


@settings(deadline=None)
@given(st.recursive(whole_leaves, grow_whole, max_leaves=8), st.integers(-3, 3), st.integers(-3, 3))
def test_signs_and_precedence_are_pythons_own(text: str, z: int, x1: int) -> None:
    assume("**2**2**2" not in text)
    largest_inside = python_value(text.replace("-", "+"), z=abs(z), x1=abs(x1), min=max)
    assume(largest_inside < 2**53)
    result = compile_expression(text)({"z": np.array(float(z)), "x1": np.array(float(x1))})
    assert float(result) == python_value(text, z=z, x1=x1)


@settings(deadline=None)
@given(st.floats(-0.999, -0.001))
def test_a_root_of_a_negative_number_is_not_a_number(x1: float) -> None:
    assert np.isnan(compile_expression("abs(x1**0.5)")({"x1": np.array(x1)}))


def test_arrays_broadcast() -> None:
    expression = compile_expression("x1 * 10 + max(z, 2, 3)")
    values = expression({"x1": np.array([[1.0], [2.0]]), "z": np.array([[1.0, 5.0]])})
    np.testing.assert_array_equal(values, [[13.0, 15.0], [23.0, 25.0]])
    assert expression.names == {"x1", "z"}
    assert compile_expression("pi * exp(z)").names == {"z"}
    assert compile_expression("pi * exp(z)").constants == {"pi"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.05 +",
        "z = 3",
        "z; z",
        "__import__('os').system('true')",
        "().__class__",
        "z.real",
        "z[0]",
        "[z]",
        "(z, z)",
        "lambda: 1",
        "z if z else 1",
        "z < 1",
        "z and 1",
        "not z",
        "~z",
        "z % 2",
        "z // 2",
        "z << 9",
        "z @ z",
        "'a' * 9",
        "b'a'",
        "f'{z}'",
        "True",
        "None",
        "1j",
        "...",
        "(z := 3)",
        "[a for a in z]",
        "eval(z)",
        "exp",
        "exp()",
        "exp(z, z)",
        "exp(z=1)",
        "exp(*z)",
        "min(z)",
        "pi(2)",
        "z\0",
        "z**1000",
        "z**-101",
        "1" + "0" * 400,
        "z" * 501,
        "(" * 240 + "z" + ")" * 240,
        "-" * 499 + "z",
        "not " * 120 + "z",
        "+".join("z" * 250),
        "1if z else 2",
        "exp(" * 80 + "z" + ")" * 80,
    ],
)
def test_anything_outside_the_whitelist_is_refused_with_the_text_and_what_is_allowed(text: str) -> None:
    if text == "exp":  # a bare name, refused where the parameter names are known
        assert compile_expression(text).names == {"exp"}
        return
    with pytest.raises(CostError, match="The expression") as caught:
        compile_expression(text)
    assert repr(text)[1:20] in caught.value.message
    assert "log10" in caught.value.hint


@pytest.mark.parametrize("text", ["9**9**9**9", "9**9**9**9**9**9**9", "1e999", "exp(exp(exp(99)))", "1/0", "log(0-1)"])
def test_overflow_and_faults_of_arithmetic_are_quick_and_not_finite(text: str) -> None:
    start = time.process_time()
    assert not np.isfinite(compile_expression(text)({}))
    assert time.process_time() - start < 10.0  # 9**9**9**9 in whole numbers would take longer than anybody waits


@settings(deadline=None)
@given(st.text(st.sampled_from("z19.e+-*/(), xpimn\n#'[]"), max_size=30))
def test_no_text_raises_anything_but_a_cost_error(text: str) -> None:
    try:
        expression = compile_expression(text)
    except CostError:
        return
    expression(dict.fromkeys(expression.names, np.array(0.5)))
