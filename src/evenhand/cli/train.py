"""`evenhand train MODEL DATA`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.asked import written
from evenhand.asked.types import METHOD, QUESTION
from evenhand.cli import common
from evenhand.parameters import writable_folder


def _setting(about: str, whole: str | None = None) -> Any:
    """A setting of the model, which has its own default; `whole` is the flag of a whole number from 1."""
    parser = None if whole is None else common.whole_option(whole, 1)
    about = f"{about}  [default: that of the model]"
    return typer.Option(metavar="NUMBER", parser=parser, help=about, rich_help_panel=METHOD)


def train(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="One of bpr, dmf, neumf, bert4rec, popularity, random, puresvd, ease, als, knn, user-knn, "
            "plsa and lda.",
        ),
    ],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Folder of a public data set (MovieLens, Last.fm, KuaiRand), or a Parquet or CSV file with "
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
    their_names: common.Columns = None,
    split: Annotated[
        str,
        typer.Option(
            metavar="random|time|leave-one-out",
            help="How interactions are split: 'random', 80/10/10 of each user; by 'time'; or "
            "'leave-one-out', with one of each user held out among sampled negatives.",
            rich_help_panel=QUESTION,
        ),
    ] = "random",
    negatives: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=common.whole_option("--negatives", 5),
            help="For leave-one-out: items that the held-out one is ranked among.  [default: 49]",
            rich_help_panel=QUESTION,
        ),
    ] = None,
    seed: common.Seed = None,
    epochs: Annotated[int | None, _setting("Most epochs to train.", "--epochs")] = None,
    factors: Annotated[int | None, _setting("Length of the vectors.", "--factors")] = None,
    learning_rate: Annotated[float | None, _setting("Size of a step.")] = None,
    regularisation: Annotated[float | None, _setting("Weight of the penalty on size.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the description of the model as JSON instead of text.")
    ] = False,
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
        dataset = load(data, columns=written.names("--columns", their_names or []))
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
