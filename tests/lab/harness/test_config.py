from pathlib import Path

import pytest

from imoca.errors import StudyFileError
from imoca_lab.harness.config import read_runs
from imoca_lab.harness.run_spec import as_json, from_json
from imoca_lab.problems.adversarial import ADVERSARIAL_NAMES

GOOD = """
checkpoints = 12
[[groups]]
problems = ["branin_currin", { name = "rocket", setting = "per_objective" }]
methods = ["random", { name = "imoca-t", n_fronts = 1, initial_design = "paper" }]
seeds = 2
budget = 20
time = "2m"

[[groups]]
problems = ["trap"]
methods = ["mesmo"]
seeds = [3, 7]
budget = 4.5
trials = 9
checkpoints = 5
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "comparison.toml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_groups_expand_into_every_method_on_every_problem_with_every_seed(config: Path) -> None:
    runs = read_runs(config)
    assert [run.id for run in runs] == [
        "branin_currin/random/seed-0",
        "branin_currin/imoca-t-n_fronts=1-paper/seed-0",
        "branin_currin/random/seed-1",
        "branin_currin/imoca-t-n_fronts=1-paper/seed-1",
        "rocket-per_objective/random/seed-0",
        "rocket-per_objective/imoca-t-n_fronts=1-paper/seed-0",
        "rocket-per_objective/random/seed-1",
        "rocket-per_objective/imoca-t-n_fronts=1-paper/seed-1",
        "trap/mesmo/seed-3",
        "trap/mesmo/seed-7",
    ]
    assert (runs[0].budget, runs[0].time, runs[0].trials, runs[0].checkpoints) == (20.0, 120.0, None, 12)
    assert (runs[-1].budget, runs[-1].time, runs[-1].trials, runs[-1].checkpoints) == (4.5, None, 9, 5)


def test_a_run_survives_json(config: Path) -> None:
    for run in read_runs(config):
        assert from_json(as_json(run)) == run


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("budget = 20", "budget = 0", "groups.0.budget is 0, but must be greater than 0"),
        ("budget = 20", "", "groups.0.budget is missing; add it"),
        ("budget = 20", "budgets = 20", "groups.0.budgets is not a known key; the known ones here are problems"),
        (
            "n_fronts = 1",
            "fronts = 1",
            "groups.0.methods.1.fronts is not a known key; the known ones here are name, n_",
        ),
        ("n_fronts = 1", "n_fronts = 0", "groups.0.methods.1.n_fronts is 0, but must be at least 1"),
        ("checkpoints = 12", "points = 12", "points is not a known key; the known ones here are checkpoints, groups"),
        ("seeds = 2", "seeds = []", "groups.0.seeds is empty"),
        ("seeds = 2", "seeds = 0", "groups.0.seeds is 0, but must be a list"),
        ('"2m"', '"2 fortnights"', "must be a number of seconds"),
        ('"trap"', '"trapp"', "There is no benchmark 'trapp'. Choose one of branin_currin"),
        ('"mesmo"', '"mesmoo"', "Unknown method 'mesmoo'"),
        ('"per_objective"', '"apart"', "'apart'"),
        ('initial_design = "paper"', 'initial_design = "costly"', "Unknown initial design 'costly'"),
        ("[[groups]]", "[[groups]", "is not valid TOML"),
        ("[3, 7]", "[3, 3]", "trap/mesmo/seed-3 is asked for 2 times"),
    ],
)
def test_a_fault_is_named_with_its_remedy_before_anything_runs(config: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    config.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(StudyFileError) as caught:
        read_runs(config)
    assert words in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match=r"nowhere\.toml cannot be read"):
        read_runs(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("name", ["paper", "fronts", "settings", "short", "adversarial"])
def test_the_experiments_can_be_run(name: str) -> None:
    assert read_runs(Path(__file__).parents[3] / "experiments" / f"{name}.toml")


def test_the_adversarial_comparison_is_of_every_variant_and_of_the_baselines_once_per_base() -> None:
    runs = read_runs(Path(__file__).parents[3] / "experiments" / "adversarial.toml")
    ours = {run.problem.variant for run in runs if run.method.name == "imoca-p"}
    assert ours == set(ADVERSARIAL_NAMES)
    for method in ("ehi", "smsego", "parego", "mesmo"):
        found = [run.problem.variant for run in runs if run.method.name == method and run.seed == 0]
        assert found == [name for name in ADVERSARIAL_NAMES if name.endswith("-honest")]
    assert {run.seed for run in runs} == set(range(10))
