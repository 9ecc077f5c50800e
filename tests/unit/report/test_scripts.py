"""The modules of the navigator, joined for a single file: the same names, none lost."""

import re

from imoca.report.page.scripts import IMPORT, NAVIGATOR, navigator_script


def test_every_module_is_joined_after_those_that_it_imports() -> None:
    script = navigator_script()
    order = re.findall(r'^modules\["([\w.]+)"\] = ', script, re.MULTILINE)
    assert sorted(order) == sorted(path.name for path in NAVIGATOR.glob("*.js"))
    for path in NAVIGATOR.glob("*.js"):
        for _, other in IMPORT.findall(path.read_text(encoding="utf-8")):
            assert order.index(other) < order.index(path.name)
    assert not re.findall(r"^(?:import|export)\b", script, re.MULTILINE)


def test_every_name_that_a_module_imports_is_handed_out_by_the_other() -> None:
    handed = dict(re.findall(r'^modules\["([\w.]+)"\] = .*?\nreturn \{ ([^}]*) \};', navigator_script(), re.M | re.S))
    for path in NAVIGATOR.glob("*.js"):
        for names, other in IMPORT.findall(path.read_text(encoding="utf-8")):
            assert set(names.split(", ")) <= set(handed[other].split(", ")), path.name


def test_no_module_makes_markup_of_text() -> None:
    for path in NAVIGATOR.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text)
