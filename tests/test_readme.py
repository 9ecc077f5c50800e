"""The README's example runs as it stands."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.slow
def test_the_example_of_the_readme_prints_a_front(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    short = example.replace("budget=6", "budget=2.3")
    assert short != example
    exec(compile(short, "README.md", "exec"), {})  # noqa: S102
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 50
    assert "'branin'" in lines[0]
