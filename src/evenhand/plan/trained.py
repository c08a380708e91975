"""Trained models that a plan names by their folders."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import InputError


def trained_folder(folder: str, otherwise: str) -> str:
    """`folder`, if a model was saved there; `otherwise` is what can be given in its place."""
    if not (Path(folder) / "model.json").is_file():
        raise InputError(
            f"{folder} is not the folder of a trained model (it has no model.json); name one that "
            f"`evenhand train` wrote, or give {otherwise}."
        )
    return folder
