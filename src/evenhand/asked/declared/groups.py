"""Which users are served worst? And what re-ranking their lists does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from evenhand.asked import written
from evenhand.asked.marks import Location, Must, Table, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import HOW, Level


class AskedOfUsers(Asked):
    """What both can be asked."""

    attributes: Annotated[
        str | list[str],
        Field(
            description="Attribute of users; repeat it for combinations. Also activity, spend and "
            "highest_price, made from `history`."
        ),
        Written("--attribute", "COLUMN"),
    ]
    k: Annotated[int, Field(ge=1, le=1_000_000, description="How many items are shown.")] = 5
    min_size: Annotated[
        float,
        Field(
            gt=0,
            allow_inf_nan=False,
            description="Users that a group needs: a number, or a share below 1.",
        ),
        Must("a number of users above 0, or a share of them below 1"),
    ] = 20
    bins: Annotated[
        dict[str, int | list[float]] | None,
        Field(description="Bins of a number: age=4 for quarters, age=18,35,55 for edges."),
        Must("the bins of each attribute, a number of them or edges, such as {'age': 4}"),
        Written(metavar="COLUMN=N", read=written.bins, repeated=True),
    ] = None
    missing: Annotated[
        Literal["refuse", "group", "exclude"],
        Field(
            description="Users without a value, or whom `users` lacks: 'refuse', make them a 'group', or "
            "'exclude' them."
        ),
    ] = "refuse"
    level: Level = 0.95


class AskedGroups(AskedOfUsers):
    """What `evenhand.groups.audit` can be asked."""

    metric: Annotated[
        str | list[str],
        Field(
            description="auc, mrr, ndcg, ndcg_published, hit, recall, precision, urd, urp, urp_signed, or a "
            "number column of `users`. Repeat it."
        ),
        Written(metavar="METRIC"),
    ] = "mrr"
    no_positive: Annotated[
        Literal["exclude", "zero"],
        Field(description="Users without any positive candidate: 'exclude' them, or count them as 'zero'."),
    ] = "exclude"
    better: Annotated[
        Literal["higher", "lower"],
        Field(description="For a column of `users`: whether 'higher' or 'lower' is better."),
    ] = "higher"
    bounds: Annotated[
        list[float] | None,
        Field(
            min_length=2,
            max_length=2,
            description="For a column of `users`: between which values it can lie.",
        ),
        Must("two numbers, the lowest and the highest value"),
        Written(metavar="LOW,HIGH", read=written.numbers),
    ] = None
    tolerance: Annotated[
        float | None,
        Field(
            gt=0,
            allow_inf_nan=False,
            description="Largest acceptable gap between groups, below what the metric can differ.",
        ),
    ] = None
    top: Annotated[int, Field(ge=1, le=1_000, description="How many groups to report at either end.")] = 10
    search: Annotated[
        Literal["exhaustive", "threshold", "cube", "swarm"],
        Field(description="Which groups are looked at: all, or as the other searches find them."),
        HOW,
    ] = "exhaustive"
    permutations: Annotated[
        int, Field(ge=20, le=1_000_000, description="Most shuffles of users over groups."), HOW
    ] = 1000
    threshold: Annotated[
        float,
        Field(gt=0, le=1, description="For the search threshold: the least share of users in a group."),
        HOW,
    ] = 0.01
    depth: Annotated[
        int, Field(ge=1, le=20, description="For the search cube: most attributes in a combination."), HOW
    ] = 2
    budget: Annotated[
        float,
        Field(
            gt=0,
            allow_inf_nan=False,
            description="For the search swarm: most users to score, as a share, or as a number above 1.",
        ),
        Must("a share of users above 0, or a number of them above 1"),
        HOW,
    ] = 0.5
    seconds: Annotated[
        float | None,
        Field(
            gt=0,
            allow_inf_nan=False,
            description="For the search swarm: how long to search; repeats may then differ.",
        ),
        HOW,
    ] = None


class AskedReranking(AskedOfUsers):
    """What `evenhand.mitigate.rerank_groups` can be asked."""

    goal: Annotated[
        Literal["diversity", "popularity", "relevance"],
        Field(description="What the lists shall have more of."),
    ] = "diversity"
    metric: Annotated[
        str | None,
        Field(description="Metric by which the worst groups are chosen."),
        Written(metavar="METRIC", default="urd, urp or mrr, by --goal"),
    ] = None
    share: Annotated[
        float, Field(gt=0, le=1, description="The share of groups to re-rank, the worst first.")
    ] = 0.1
    strength: Annotated[
        float,
        Field(
            ge=0, allow_inf_nan=False, description="Weight of the goal against the score; 0 changes nothing."
        ),
    ] = 0.5
    also: Annotated[
        str | list[str] | None,
        Field(description="Metric to watch; repeat it."),
        Written(metavar="METRIC", default="all that can be computed"),
    ] = None


class _UserStep(Step):
    """What both name, as tables and as the folder of a trained model."""

    users: Annotated[str, Table(("user_id",)), Field(description="Table of user_id and attributes.")]
    candidates: Annotated[
        str | None,
        Table(several=True),
        Field(
            description="Table of user_id, item_id, score, label: what could be shown; list_id where users "
            "have several lists."
        ),
    ] = None
    history: Annotated[
        str | None, Table(several=True), Field(description="Table of user_id and item_id (and price).")
    ] = None
    items: Annotated[
        str | None, Table(), Field(description="Table of item_id with category or popularity.")
    ] = None
    model: Annotated[
        str | None,
        Location(),
        Field(
            description="Folder of a trained model, which scores the candidates; or a file of scores (TREC, "
            "Elliot, LensKit), or the address of an endpoint."
        ),
    ] = None

    checks: ClassVar[str | None] = "evenhand.groups:check_before_reading"
    dispensable: ClassVar[tuple[str, ...]] = ("candidates", "items")

    @property
    def user_column(self) -> str | None:
        return "user_id"

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = self.given(tables)
        return given | {"recommender": given.pop("model")}


class GroupsStep(_UserStep, AskedGroups):
    """Which users are served worst, and is that more than chance?

    Compares the mean of a metric over all groups of users that the attributes make, tells what shuffling
    users over the groups would give, and confirms the gap with users who had no part in finding it.
    """

    calls: ClassVar[str] = "evenhand.groups:audit"
    follows: ClassVar[str | None] = "evenhand.groups:followed"
    found_daily: ClassVar[Mapping[str, Sequence[str]]] = {"groups": ("confirmed_gap", "group_mean")}

    audit: Literal["groups"] = "groups"


class RerankStep(_UserStep, AskedReranking):
    """Re-rank the lists of the groups that are served worst, and say what that did, for whom.

    With --out, the folder also gets candidates.parquet, the candidates with their new scores; only those of
    users in the chosen groups differ.
    """

    calls: ClassVar[str] = "evenhand.mitigate:rerank_groups"
    writes: ClassVar[str | None] = "candidates.parquet"
    writes_what: ClassVar[str] = "lists"

    audit: Literal["mitigate"] = "mitigate"
