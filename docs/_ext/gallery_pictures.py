"""Run every file of the gallery and keep its picture: python gallery_pictures.py docs/gallery OUT"""

import functools
import runpy
import sys
from pathlib import Path

import evenhand as eh


def main(gallery: Path, out: Path) -> None:
    # Most pictures are of the same marketplace, which no file changes.
    eh.datasets.marketplace = functools.cache(eh.datasets.marketplace)
    for file in sorted(gallery.glob("*.py")):
        runpy.run_path(str(file))["picture"].save(out / f"{file.stem}.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
