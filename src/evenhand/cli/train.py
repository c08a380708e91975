"""`evenhand train MODEL DATA`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.asked import written
from evenhand.asked.types import METHOD, QUESTION
from evenhand.cli import common
from evenhand.errors import InputError
from evenhand.parameters import choice, writable_folder

if TYPE_CHECKING:
    from evenhand.datasets import Dataset
    from evenhand.recommenders import Features, Interactions


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
            help="One of bpr, dmf, neumf, widedeep, deepfm, dcn, fgcnn, two-tower, bert4rec, popularity, "
            "random, puresvd, ease, als, knn, user-knn, plsa and lda.",
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
    features: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="What widedeep, deepfm, dcn, fgcnn and two-tower know besides the ids: columns of users and "
            "items with commas between, or 'none'.  [default: all categories of at most 50 values; for "
            "two-tower none]",
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
    from evenhand.recommenders.fitting.names import FEATURED, MODELS
    from evenhand.recommenders.stored.storage import describe

    writable_folder("--out", out)
    if features is not None and model not in FEATURED:
        choice("the model", model, MODELS)
        raise InputError(f"--features are for {', '.join(FEATURED)}; {model} takes none.")
    given = {
        "epochs": epochs,
        "factors": factors,
        "learning_rate": learning_rate,
        "regularisation": regularisation,
    }
    with common.progress_on_terminal(quiet) as progress:
        progress(f"reading {data.name}")
        dataset = load(data, columns=written.names("--columns", their_names or []))
        interactions = Interactions.from_frame(dataset.interactions)
        trained = train_and_save(
            model,
            interactions,
            out,
            features=_features(model, interactions, dataset, features),
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


def _features(model: str, interactions: Interactions, dataset: Dataset, named: str | None) -> Features | None:
    """Those that were named; else all for the click models, which are about them."""
    from evenhand.recommenders import Features
    from evenhand.recommenders.fitting.names import CLICK, FEATURED

    if model not in FEATURED:
        return None
    columns: list[str] | None = None
    if named is not None:
        columns = [] if named.strip() == "none" else [name.strip() for name in named.split(",")]
    elif model not in CLICK:
        columns = []
    return Features.of(interactions, dataset.users, dataset.items, columns)
