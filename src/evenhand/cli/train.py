"""`evenhand train MODEL DATA`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli import common
from evenhand.parameters import writable_folder


def train(
    model: Annotated[
        str, typer.Argument(help="bpr, dmf, neumf, popularity, random, puresvd, ease, als or knn.")
    ],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Folder of a public data set (MovieLens, Last.fm, Coat), or a Parquet or CSV file with "
            "user_id and item_id.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            parser=common.folder_option,
            help="Folder for the model; a run that was stopped goes on.",
        ),
    ],
    split: Annotated[
        str, typer.Option(help="random (80/10/10 a user), time, or leave-one-out (among sampled negatives).")
    ] = "random",
    negatives: Annotated[
        int | None,
        typer.Option(
            min=5, help="Items that the held-out one is ranked among (leave-one-out); the default is 49."
        ),
    ] = None,
    seed: common.Seed = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Most epochs to train.")] = None,
    factors: Annotated[int | None, typer.Option(min=1, help="Length of the vectors.")] = None,
    learning_rate: Annotated[float | None, typer.Option(min=0, help="Size of a step.")] = None,
    regularisation: Annotated[
        float | None, typer.Option(min=0, help="Weight of the penalty on size.")
    ] = None,
    as_json: common.Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Train a reference model, judge it, and write a folder that audits accept as a model."""
    from evenhand.datasets import load
    from evenhand.recommenders import Interactions, train_and_save
    from evenhand.recommenders.storage import describe

    writable_folder("--out", out)
    given = {
        "epochs": epochs,
        "factors": factors,
        "learning_rate": learning_rate,
        "regularisation": regularisation,
    }
    with common.progress_on_terminal(quiet) as progress:
        progress(f"reading {data.name}")
        dataset = load(data)
        trained = train_and_save(
            model,
            Interactions.from_frame(dataset.interactions),
            out,
            split=split,
            negatives=negatives,
            seed=seed or 0,
            data=dataset.name,
            progress=progress,
            **{key: value for key, value in given.items() if value is not None},
        )
    notes = [*dataset.notes, *trained.notes]
    if as_json:
        typer.echo(json.dumps(describe(out) | {"notes": notes}, indent=2))
    elif not quiet:
        for note in notes:
            typer.echo(f"Note: {note}")
        for name, value in trained.metrics.items():
            typer.echo(f"{name:14s} {value:.4f}")
        typer.echo(f"\nTrained in {trained.seconds:.0f} s. Model: {out}")
