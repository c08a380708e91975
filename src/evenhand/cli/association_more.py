"""`evenhand association leakage`, `amplify` and `mitigate`: what items give away, what grows, what can go."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evenhand.cli import common
from evenhand.cli import vector_options as options


def leakage(
    interactions: Annotated[
        list[str],
        typer.Option(metavar="PATH", help="Table of user_id and item_id: who took what. A pair counts once."),
    ],
    attribute: options.Attribute = None,
    users: options.Users = None,
    items: options.Items = None,
    model: options.Model = None,
    groups: options.Groups = None,
    training: Annotated[
        list[str] | None,
        typer.Option(
            help="Whom the classifier learns from: 'unbalanced', all others, or 'balanced', as many with the "
            "value as without; repeat it.  [default: both]"
        ),
    ] = None,
    threshold: Annotated[
        str,
        typer.Option(
            help="Where a prediction changes: where 'histories' are told apart best, or that of the "
            "'classifier', as in the source."
        ),
    ] = "histories",
    folds: Annotated[int, typer.Option(help="In how many parts users are predicted.")] = 5,
    popular: Annotated[int, typer.Option(help="Users that took an item for it to count as popular.")] = 50,
    toward: options.Toward = None,
    permutations: options.Permutations = 199,
    cost: options.Cost = None,
    missing: options.Missing = "refuse",
    zeros: options.Zeros = "refuse",
    tolerance: Annotated[
        float | None, typer.Option(help="How large differences between shares may be, either way; below 1.")
    ] = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Can the attribute of users be read off the vectors of the items that they took?

    A classifier learns the attribute from vectors of users and is shown those of items: histories of other
    users, single items, and groups of items.
    """
    tables, named = options.columns(attribute=attribute, groups=groups)
    step: dict[str, Any] = {
        "audit": "association_leakage",
        **options.vectors(users, items, model),
        **named,
        "interactions": "interactions",
        "trainings": training or None,
        "threshold": threshold,
        "folds": folds,
        "popular": popular,
        "toward": toward,
        "permutations": permutations,
        "cost": cost,
        "missing": missing,
        "zeros": zeros,
        "tolerance": tolerance,
        "level": level,
    }
    form = "{attribute} in the items that users took: {name}"
    title = options.titled(title, form, attribute, model, users)
    common.run_step(
        {**tables, "interactions": interactions}, step, "association leakage", title=title, out=out,
        seed=seed, as_json=as_json, quiet=quiet, fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def amplify(
    state: Annotated[
        list[str],
        typer.Option(
            metavar="PATH[,PATH]",
            help="Folder of a trained model, or several trained alike with different seeds; repeat it, in "
            "order.",
        ),
    ],
    attribute: options.Attribute = None,
    groups: options.Groups = None,
    method: options.Method = "svc",
    test: Annotated[
        str,
        typer.Option(help="'trainings', which are the sample; or 'ks', the source's own, for one of each."),
    ] = "trainings",
    scheme: options.Scheme = "one-vs-rest",
    toward: options.Toward = None,
    cost: options.Cost = None,
    missing: options.Missing = "refuse",
    alpha: options.Alpha = 0.05,
    tolerance: Annotated[
        float | None, typer.Option(help="The most that a mean cosine may grow; below 1.")
    ] = None,
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
) -> None:
    """Did the association grow from one state of a model (a round, a release) to another?

    Two trainings or more of the first and of the last state are needed to tell growth from the noise of
    training: --state first-a,first-b --state last-a,last-b.
    """
    tables, named = options.columns(attribute=attribute, groups=groups)
    folders = [one.split(",") for one in state]
    step: dict[str, Any] = {
        "audit": "association_amplification",
        "states": [several if len(several) > 1 else several[0] for several in folders],
        **named,
        "method": method,
        "test": test,
        "scheme": scheme,
        "toward": toward,
        "cost": cost,
        "missing": missing,
        "alpha": alpha,
        "tolerance": tolerance,
        "level": level,
    }
    form = "{attribute} in the vectors, up to {name}"
    title = options.titled(title, form, attribute, folders[-1][0])
    common.run_step(
        tables, step, "association amplify", title=title, out=out, seed=seed, as_json=as_json, quiet=quiet,
        fail_on=fail_on, min_cell=min_cell,
    )  # fmt: skip


def mitigate(
    attribute: options.Attribute = None,
    users: options.Users = None,
    items: options.Items = None,
    model: options.Model = None,
    groups: options.Groups = None,
    method: Annotated[
        str,
        typer.Option(
            help="leace, the least change after which no linear classifier tells anything; projection, one "
            "direction; or nullspace, one after the other."
        ),
    ] = "leace",
    direction: Annotated[
        str, typer.Option(help="For projection: the direction of the classifier (svc), or centroid.")
    ] = "svc",
    rounds: Annotated[
        int | None, typer.Option(help="For nullspace: most directions.  [default: until chance]")
    ] = None,
    held_out: Annotated[
        float,
        typer.Option(help="Share of users whose value is not used, and who therefore say what it did."),
    ] = 0.25,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Table of user_id and item_id to judge lists by.  [default: what --model held out]",
        ),
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Table of user_id and item_id that lists leave out.  [default: what --model learnt from]",
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="How many items a list has.")] = 10,
    toward: options.Toward = None,
    permutations: options.Permutations = 10_000,
    missing: options.Missing = "refuse",
    title: common.Title = None,
    level: common.Level = 0.95,
    out: common.Out = None,
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    min_cell: common.MinCell = 5,
) -> None:
    """Take an attribute out of embeddings, and say what that did.

    With --out, the folder also gets model/, the vectors without the attribute, which every command takes as
    --model.
    """
    tables, named = options.columns(attribute=attribute, groups=groups)
    pairs = {name: paths for name, paths in (("test", test), ("train", train)) if paths}
    step: dict[str, Any] = {
        "audit": "mitigate_embeddings",
        **options.vectors(users, items, model),
        **named,
        **{name: name for name in pairs},
        "method": method,
        "direction": direction,
        "rounds": rounds,
        "held_out": held_out,
        "k": k,
        "toward": toward,
        "permutations": permutations,
        "missing": missing,
        "level": level,
    }
    form = "{attribute} taken out of the vectors of {name}"
    title = options.titled(title, form, attribute, model, users)
    common.run_step(
        {**tables, **pairs}, step, "association mitigate", title=title, out=out, seed=seed, as_json=as_json,
        quiet=quiet, fail_on=None, min_cell=min_cell,
    )  # fmt: skip
