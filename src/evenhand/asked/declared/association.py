"""What do the embeddings know about a sensitive attribute? And what takes it out of them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from evenhand.asked import written
from evenhand.asked.declared.embeddings import (
    Alpha,
    AttributeStep,
    ClassWeight,
    Cost,
    Direction,
    Missing,
    Most,
    Permutations,
    Scheme,
    Toward,
    VectorStep,
    Zeros,
)
from evenhand.asked.marks import Location, Must, Table, TableColumn, Written
from evenhand.asked.model import Asked
from evenhand.asked.types import HOW, METHOD, Level, below


class AskedAssociation(Asked):
    """What `evenhand.association.audit` can be asked."""

    toward: Toward = None
    pairs: Annotated[
        list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None,
        Field(description="Two groups to compare; repeat it."),
        Must("a list of pairs, each the names of two groups"),
        Written(metavar="GROUP,GROUP", read=written.pairs, repeated=True, default="all pairs"),
    ] = None
    overlap: Annotated[
        Literal["exclude", "regress"],
        Field(
            description="Items in both groups of a pair: 'exclude' them, or hold all other groups fixed "
            "('regress')."
        ),
    ] = "exclude"
    missing: Missing = "refuse"
    zeros: Zeros = "refuse"
    per_space: Annotated[
        bool, Field(description="Audit users alone, for a model whose users and items share no space.")
    ] = False
    tolerance: Annotated[
        float | None,
        Field(
            ge=0,
            lt=1,
            description="How far GEAA, DEAA and R-RIPA, which are cosines, may be from 0 either way.",
        ),
        below(1, "a mean cosine"),
    ] = None
    level: Level = 0.95
    method: Direction = "svc"
    test: Annotated[
        Literal["crossfit", "permutation", "insample"],
        Field(
            description="How a direction is tested; 'permutation' is slower and more powerful, 'insample' as "
            "published, which alarms on noise."
        ),
        HOW,
    ] = "crossfit"
    scheme: Scheme = "one-vs-rest"
    item_test: Annotated[
        Literal["permutation", "rank_sum"], Field(description="How sets of items are compared."), HOW
    ] = "permutation"
    aggregate: Annotated[
        Literal["mean", "sum"],
        Field(
            description="GEAA as a mean over the items, or as a sum, as published, which has no tolerance."
        ),
        HOW,
    ] = "mean"
    permutations: Permutations = 10_000
    most: Most = 200
    class_weight: ClassWeight = None
    cost: Cost = None
    alpha: Alpha = 0.05

    @model_validator(mode="after")
    def _a_sum_has_no_tolerance(self) -> AskedAssociation:
        if self.aggregate == "sum" and self.tolerance is not None:
            raise ValueError(
                "tolerance is how far a mean cosine may be from 0, and aggregate='sum' makes of GEAA a sum, "
                "which grows with the items of a group; leave one of them out"
            )
        return self


class AskedLeakage(Asked):
    """What `evenhand.association.leakage` can be asked."""

    toward: Toward = None
    popular: Annotated[
        int, Field(ge=1, description="Users that took an item for it to count as popular.")
    ] = 50
    missing: Missing = "refuse"
    zeros: Zeros = "refuse"
    tolerance: Annotated[
        float | None,
        Field(ge=0, lt=1, description="How large differences between shares may be, either way; below 1."),
        below(1, "a difference between shares"),
    ] = None
    level: Level = 0.95
    trainings: Annotated[
        Literal["unbalanced", "balanced"] | list[Literal["unbalanced", "balanced"]],
        Field(
            min_length=1,
            description="Whom the classifier learns from: 'unbalanced', all others, or 'balanced', as many "
            "with the value as without; repeat it.",
        ),
        Must("unbalanced, balanced or a list of both"),
        Written("--training", section=METHOD, default="both"),
    ] = Field(default=["balanced", "unbalanced"])
    threshold: Annotated[
        Literal["histories", "classifier"],
        Field(
            description="Where a prediction changes: where 'histories' are told apart best, or that of the "
            "'classifier', as published."
        ),
        HOW,
    ] = "histories"
    folds: Annotated[int, Field(ge=2, le=100, description="In how many parts users are predicted."), HOW] = 5
    permutations: Permutations = 199
    cost: Cost = None


class AskedAmplification(Asked):
    """What `evenhand.association.amplification` can be asked."""

    toward: Toward = None
    missing: Missing = "refuse"
    tolerance: Annotated[
        float | None,
        Field(ge=0, lt=1, description="The most that a mean cosine may grow; below 1."),
        below(1, "a mean cosine"),
    ] = None
    level: Level = 0.95
    method: Direction = "svc"
    test: Annotated[
        Literal["trainings", "ks"],
        Field(
            description="What growth is tested by: 'trainings', which are the sample, or 'ks' as published, "
            "for one of each."
        ),
        HOW,
    ] = "trainings"
    scheme: Annotated[
        Literal["one-vs-rest", "one-vs-one"],
        Field(description="Which directions of more than two values."),
        HOW,
    ] = "one-vs-rest"
    most: Most = 200
    class_weight: ClassWeight = None
    cost: Cost = None
    alpha: Alpha = 0.05


class AskedErasure(Asked):
    """What `evenhand.mitigate.erase_and_compare` can be asked."""

    toward: Toward = None
    missing: Missing = "refuse"
    held_out: Annotated[
        float,
        Field(
            ge=0,
            le=0.9,
            description="Share of users whose value is not used, and who therefore say what it did.",
        ),
    ] = 0.25
    k: Annotated[int, Field(ge=1, description="How many items a list has.")] = 10
    level: Level = 0.95
    method: Annotated[
        Literal["leace", "projection", "nullspace"],
        Field(
            description="leace, the least change after which no linear classifier tells anything; "
            "projection, one direction; or nullspace, one after the other."
        ),
        HOW,
    ] = "leace"
    direction: Annotated[
        Literal["svc", "centroid"],
        Field(description="For projection: the direction of the classifier (svc), or centroid."),
        HOW,
    ] = "svc"
    rounds: Annotated[
        int | None,
        Field(ge=1, description="For nullspace: the most directions to remove."),
        Written(section=METHOD, default="until chance"),
    ] = None
    permutations: Permutations = 10_000


class AssociationStep(VectorStep, AskedAssociation):
    """What do the embeddings know about a sensitive attribute?

    Looks for a direction that tells the values of the attribute apart, tests it on those who had no part in
    making it, and measures which groups of items lie along it (GEAA, DEAA and R-RIPA).
    """

    calls: ClassVar[str] = "evenhand.association:audit"
    title_form: ClassVar[str] = "{} in the vectors of {}"
    needs_items: ClassVar[bool] = False

    audit: Literal["association"] = "association"

    @model_validator(mode="after")
    def _groups_or_users_alone(self) -> AssociationStep:
        if self.groups and self.per_space:
            raise ValueError("per_space audits the users alone, so leave the groups of items out")
        if self.pairs and not self.groups:
            raise ValueError(
                "pairs are of groups of items, so say which (groups, on the command line --groups)"
            )
        return self


class LeakageStep(VectorStep, AskedLeakage):
    """Can the attribute of users be read off the vectors of the items that they took?

    A classifier learns the attribute from vectors of users and is shown those of items: histories of other
    users, single items, and groups of items.
    """

    calls: ClassVar[str] = "evenhand.association:leakage"
    title_form: ClassVar[str] = "{} in the items that users took: {}"
    by_id: ClassVar[tuple[str, ...]] = ("interactions",)

    audit: Literal["association_leakage"] = "association_leakage"
    interactions: Annotated[
        str,
        Table(("user_id", "item_id"), several=True),
        Field(description="Table of user_id and item_id: who took what. A pair counts once."),
    ]


class AmplificationStep(AttributeStep, AskedAmplification):
    """Did the association grow from one state of a model (a round, a release) to another?

    Two trainings or more of the first and of the last state are needed to tell growth from the noise of
    training: --state first-a,first-b --state last-a,last-b.
    """

    calls: ClassVar[str] = "evenhand.association:amplification"
    title_form: ClassVar[str] = "{} in the vectors, up to {}"

    audit: Literal["association_amplification"] = "association_amplification"
    states: Annotated[
        list[str | list[str]],
        Location(otherwise="another"),
        Field(
            min_length=2,
            description="Folder of a trained model, or several trained alike with different seeds; "
            "repeat it, in order.",
        ),
        Must("two states or more, each the folder of a trained model or a list of several"),
        Written("--state", "PATH[,PATH]", read=written.states, repeated=True),
    ]
    groups: Annotated[
        str,
        TableColumn("item_id"),
        Field(
            description="Table of item_id and groups, such as items.parquet:genre; an item may be in several."
        ),
    ]


class ErasureStep(VectorStep, AskedErasure):
    """Take an attribute out of embeddings, and say what that did.

    With --out, the folder also gets model/, the vectors without the attribute, which every command takes as
    --model.
    """

    calls: ClassVar[str] = "evenhand.mitigate:erase_and_compare"
    title_form: ClassVar[str] = "{} taken out of the vectors of {}"
    by_id: ClassVar[tuple[str, ...]] = ("test", "train")
    writes: ClassVar[str | None] = "model"
    writes_what: ClassVar[str] = "vectors"

    audit: Literal["mitigate_embeddings"] = "mitigate_embeddings"
    test: Annotated[
        str | None,
        Table(("user_id", "item_id"), several=True),
        Field(description="Table of user_id and item_id to judge lists by."),
        Written(default="what --model held out"),
    ] = None
    train: Annotated[
        str | None,
        Table(("user_id", "item_id"), several=True),
        Field(description="Table of user_id and item_id that lists leave out."),
        Written(default="what --model learnt from"),
    ] = None

    @model_validator(mode="after")
    def _lists_can_be_judged(self) -> ErasureStep:
        if self.train and not self.test and not self.model:
            raise ValueError("train is what lists leave out, but there is no test to compare them by")
        return self
