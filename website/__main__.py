"""``python -m website FOLDER`` builds the documentation there, and fails on a warning or on what check.py finds."""

import shutil
import subprocess
import sys
from pathlib import Path

from website.check import faults
from website.public import canonical, homes, public_names

ROOT = Path(__file__).parent.parent


def main(folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    strictly = ["--quiet", "--fail-on-warning", "--fresh-env"]
    pages = ["--builder", "html", "--conf-dir", str(ROOT / "website"), "--doctree-dir", str(folder / ".doctrees")]
    sphinx = [sys.executable, "-m", "sphinx", *strictly, *pages, str(ROOT), str(folder)]
    code = subprocess.run(sphinx, check=False).returncode
    shutil.rmtree(folder / ".doctrees", ignore_errors=True)
    if code:
        return code
    names = public_names(ROOT / "src" / "imoca")
    home_of = homes(names)
    found = faults(folder, sorted({home_of.get(canonical(public), public.path) for public in names}))
    for fault in found:
        print(fault, file=sys.stderr)
    print(f"{folder / 'index.html'}: {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
