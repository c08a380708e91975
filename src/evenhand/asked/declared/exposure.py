"""Who is shown to whom?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from evenhand.asked import written
from evenhand.asked.marks import COLUMN, Location, Must, Table, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import Level

Temperature = Annotated[float, Field(gt=0, allow_inf_nan=False)] | Literal["static"]
Patience = Annotated[float, Field(gt=0, lt=1)]
Weights = dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]]


class AskedComparedExposure(Asked):
    """What `evenhand.exposure.compare` can be asked, and `audit` as well."""

    user_group: Annotated[
        str | list[str] | None, Field(description="Attribute of users; repeat it for combinations."), COLUMN
    ] = None
    item_group: Annotated[
        str | None, Field(description="Attribute of items: one value, or a list of several."), COLUMN
    ] = None
    beta: Annotated[
        Temperature | list[Temperature] | None,
        Field(description="Temperature of the policy, or 'static'; repeat it."),
        Must("a finite number above 0 or 'static', or a list of them"),
        Written(default="8, 1, static; with several models static"),
    ] = None
    relative: Annotated[bool, Field(description="Take beta in units of the spread of a user's scores.")] = (
        False
    )
    patience: Annotated[
        Patience | list[Patience],
        Field(description="Chance to look one place further (RBP); repeat it."),
        Must("a number above 0 and below 1, or a list of them"),
    ] = 0.8
    discount: Annotated[
        Literal["rbp", "dcg"] | list[float],
        Field(description="How positions count: rbp or dcg; in a plan also their weights."),
        Must("one of rbp, dcg, or a list of the weights of positions"),
        Written(metavar="rbp|dcg", read=written.as_it_is),
    ] = "rbp"
    k: Annotated[int | None, Field(ge=1, description="Nobody looks beyond place k.")] = None
    target: Annotated[
        Literal["equal", "published"],
        Field(description="What exposure is asked for: equal, or published (that of published code)."),
    ] = "equal"
    user_weights: Annotated[
        Weights | None,
        Field(description="How much a user group counts; repeat it for every group."),
        Written("--user-weight", "GROUP=NUMBER", read=written.by_group, repeated=True),
    ] = None
    item_weights: Annotated[
        Weights | None,
        Field(description="How much an item group counts; repeat it for every group."),
        Written("--item-weight", "GROUP=NUMBER", read=written.by_group, repeated=True),
    ] = None
    propensity: Annotated[
        str | None,
        Field(description="Column of the relevance table with the chance that a relevant pair was observed."),
        COLUMN,
    ] = None
    tradeoff: Annotated[
        list[Temperature] | None,
        Field(min_length=3, description="Temperatures of the trade-off, three or more."),
        Must("three temperatures or more, each a finite number above 0 or 'static'"),
        Written(metavar="BETA", default="those of --beta; with several models 8 to .125 and static"),
    ] = None
    level: Level = 0.95


class AskedExposure(AskedComparedExposure):
    """What `evenhand.exposure.audit` can be asked."""

    tolerance: Annotated[
        float | None,
        Field(
            gt=0,
            le=10,
            description="How far the exposure of a pair of groups may be off, as a share of the target; at "
            "most 10.",
        ),
        Must("a share of what relevance asks for, above 0 and at most 10: 0.3 is 30%"),
    ] = None
    top: Annotated[
        int,
        Field(
            ge=1,
            le=1000,
            description="How many pairs of groups to list; those come first that are surely off.",
        ),
    ] = 100


class ExposureStep(Step, AskedExposure):
    """Who is shown to whom, beside what relevance asks for?

    Compares the expected exposure of items to users under the ranking, or under a stochastic policy over the
    scores, with equal expected exposure of equally relevant items, for individuals and groups on both sides.
    With several models, compares how much relevance each gives for its disparity.
    """

    calls: ClassVar[str] = "evenhand.exposure:audit"
    follows: ClassVar[str | None] = "evenhand.exposure:followed"
    found_daily: ClassVar[Mapping[str, Sequence[str]]] = {"exposure": ("pair_exposure", "relevant_exposure")}

    audit: Literal["exposure"] = "exposure"
    relevance: Annotated[
        str,
        Table(("user_id", "item_id"), several=True),
        Field(description="Table of user_id and item_id of relevant pairs (and relevance)."),
    ]
    user_group: Annotated[
        str | list[str], Field(description="Attribute of users; repeat it for combinations."), COLUMN
    ]
    item_group: Annotated[
        str, Field(description="Attribute of items: one value, or a list of several."), COLUMN
    ]
    users: Annotated[str, Table(("user_id",)), Field(description="Table of user_id and the user group.")]
    items: Annotated[str, Table(("item_id",)), Field(description="Table of item_id and the item group.")]
    scores: Annotated[
        str | None,
        Table(("user_id", "item_id", "score"), several=True),
        Field(description="Table of user_id, item_id, score: the candidates of each user."),
    ] = None
    model: Annotated[
        str | list[str] | None,
        Location(otherwise="scores", lists=True),
        Field(
            description="Folder of a trained model, which scores everything, a file of lists (TREC, Elliot, "
            "LensKit) or the address of an endpoint, instead; repeat it to compare models."
        ),
    ] = None
    lists: Annotated[
        str | None,
        Table(("user_id", "item_id", "rank"), several=True),
        Field(
            description="Table of user_id, item_id, rank (and list_id) of what users were really shown, "
            "instead."
        ),
    ] = None

    @property
    def user_column(self) -> str | None:
        return "user_id"

    def function(self) -> str:
        return "evenhand.exposure:compare" if isinstance(self.model, list) else self.calls

    @model_validator(mode="after")
    def _one_source(self) -> ExposureStep:
        given = [name for name in ("scores", "model", "lists") if getattr(self, name)]
        if len(given) != 1:
            said = f"; there are {' and '.join(given)}" if given else ""
            raise ValueError(f"an exposure audit needs one of scores, model and lists{said}")
        if self.lists:
            if self.beta is not None:
                raise ValueError("lists that were shown have no beta; leave it out")
            if self.tradeoff is not None or self.relative:
                what = "relative" if self.tradeoff is None else "tradeoff"
                raise ValueError(f"lists that were shown have no temperature; leave {what} out")
        return self

    @model_validator(mode="after")
    def _models_can_be_compared(self) -> ExposureStep:
        if not isinstance(self.model, list):
            return self
        if len(self.model) < 2 or len({Path(model).name for model in self.model}) < len(self.model):
            raise ValueError(
                "several models are compared by the names of their folders, so there must be two or more, "
                "with different names"
            )
        if isinstance(self.patience, list) and len(self.patience) > 1:
            raise ValueError(f"models are compared at one patience; there are {len(self.patience)}")
        if self.tolerance is not None:
            raise ValueError("a comparison of models has no tolerance; leave it out, or audit one model")
        return self

    def check(self, tables: Mapping[str, Any]) -> None:
        super().check(tables)
        groups = [self.user_group] if isinstance(self.user_group, str) else self.user_group
        tables[self.users].require(*groups)
        tables[self.items].require(self.item_group)
        if self.propensity:
            tables[self.relevance].require(self.propensity)

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = self.given(tables)
        sources = [given.pop(key) for key in ("scores", "model", "lists")]
        given |= {"user_groups": given.pop("users"), "item_groups": given.pop("items")}
        if self.beta is None:  # each call has a default of its own
            del given["beta"]
        if isinstance(self.model, list):
            del given["tolerance"], given["top"]
            if self.tradeoff is None:
                del given["tradeoff"]
            return given | {"systems": {Path(one).name: one for one in self.model}}
        # Of days that were counted there are only names of tables.
        if self.lists and "score" in getattr(sources[2], "columns", ()):
            # What was shown counts, whatever the scores behind it.
            sources[2] = replace(sources[2], expr=sources[2].expr.drop("score"))
        return given | {"scores": next(source for source in sources if source is not None)}
