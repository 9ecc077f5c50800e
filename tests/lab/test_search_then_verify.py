"""What is said of fronts that are searched for first, then measured."""

import pytest

from experiments.search_then_verify import row_of, table_rows


def test_the_cost_is_where_the_median_of_measured_designs_stays_near_the_best() -> None:
    tracks = [
        {"spent": [6.0, 8.0, 10.0], "lacking": [1.0, 0.5, 0.05]},
        {"spent": [6.0, 8.0, 11.0], "lacking": [1.0, 0.4, 0.04]},
        {"spent": [6.0, 8.0, 12.0], "lacking": [1.0, 0.3, 0.9]},
    ]
    row = row_of("trap", tracks)  # beside those of Branin-Currin, which is the same at full accuracy
    assert (row["cost"], row["ends at"], row["lacks there"]) == (11.0, 12.0, 0.05)
    assert row["lacking at most"] == pytest.approx(0.074, abs=0.005)
    assert row["rival cost"] > row["cost"]
    never = row_of("trap", tracks[2:])
    assert never["cost"] is None
    assert table_rows([never])[0].endswith("| > 12 | – | 90 % at 12 |")
