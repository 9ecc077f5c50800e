"""A Yagi antenna of six elements in nec2c: ``python yagi.py params.json`` writes antenna.nec, runs nec2c and writes
result.json.

There are two knobs: into how many segments every element is cut (odd, so that one is in the middle, where the driven
element is fed), and at how many frequencies of the band the antenna is computed.
"""

import json
import subprocess
import sys
from pathlib import Path

BAND = (143.0, 147.0)  # MHz
WAVELENGTH = 299.792458 / 145.0  # m, at the middle of the band: the unit of lengths and gaps
RADIUS = 0.003  # m, of every element
ELEMENTS = ("reflector", "driven", "director_1", "director_2", "director_3", "director_4")
GAPS = ("gap_1", "gap_2", "gap_3", "gap_4", "gap_5")  # between an element and the next one
PATIENCE = 120  # seconds after which nec2c counts as hanging


def boom(**design: float) -> float:
    """From the reflector to the last director, in wavelengths; the elements' lengths do not matter."""
    return sum(design[gap] for gap in GAPS)


def antenna(design: dict[str, float], segments: int, frequencies: int, folder: Path) -> dict[str, float]:
    """Worst gain, in dBi, and worst front-to-back ratio, in dB, over the band; nec2c's files stay in the folder."""
    (folder / "antenna.nec").write_text(cards(design, segments, frequencies), encoding="ascii")
    subprocess.run(["nec2c", "-i", "antenna.nec", "-o", "antenna.out"], cwd=folder, check=True, timeout=PATIENCE)
    ahead, behind = gains((folder / "antenna.out").read_text(encoding="ascii"), frequencies)
    ratios = [front - back for front, back in zip(ahead, behind, strict=True)]
    return {"gain": min(ahead), "front_to_back": min(ratios)}


def cards(design: dict[str, float], segments: int, frequencies: int) -> str:
    """The input of nec2c: a wire per element across the boom, fed in the middle of the second, in free space."""
    lines, position = ["CE"], 0.0
    for tag, (element, gap) in enumerate(zip(ELEMENTS, (None, *GAPS), strict=True), start=1):
        position += design[gap] * WAVELENGTH if gap else 0.0
        half = design[element] * WAVELENGTH / 2
        lines.append(f"GW {tag} {segments} {position:.6f} {-half:.6f} 0 {position:.6f} {half:.6f} 0 {RADIUS}")
    first, step = BAND[0], (BAND[1] - BAND[0]) / max(frequencies - 1, 1)
    if frequencies == 1:
        first = sum(BAND) / 2
    lines += ["GE 0", f"EX 0 2 {(segments + 1) // 2} 0 1 0"]
    lines += [f"FR 0 {frequencies} 0 0 {first} {step}", "RP 0 1 2 1000 90 0 0 180", "EN"]  # ahead and behind
    return "\n".join(lines) + "\n"


def gains(output: str, frequencies: int) -> tuple[list[float], list[float]]:
    """Gains ahead and behind in dBi, one of each per frequency."""
    rows = [line.split() for block in output.split("RADIATION PATTERNS")[1:] for line in block.splitlines()]
    ahead, behind = ([float(row[4]) for row in rows if row[:2] == ["90.00", angle]] for angle in ("0.00", "180.00"))
    if not len(ahead) == len(behind) == frequencies:
        raise ValueError(f"nec2c answered at {len(ahead)} of {frequencies} frequencies; see antenna.out")
    return ahead, behind


if __name__ == "__main__":
    question = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answer = antenna(question["parameters"], **question["fidelity"], folder=Path())
    Path("result.json").write_text(json.dumps(answer), encoding="utf-8")
