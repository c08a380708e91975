"""Audits of a live system: what an auditor can be asked, and before it is, how it would go."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from evenhand.asked import written
from evenhand.asked.marks import Location, Must, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Question
from evenhand.asked.types import HOW, METHOD, NEVER, OUTPUT, REWARDS

OF_REWARDS = Written(section=REWARDS)
Alpha = Annotated[float, Field(gt=0, le=1)]
Runs = Annotated[int, Field(ge=1, le=10_000_000, description="How many audits to simulate.")]
COST = "Share of their own policy's reward that an audit may cost the user."


class AskedOnline(Asked):
    """What audits of a live system can be asked, but for what they may cost the user."""

    epsilon: Annotated[
        float,
        Field(gt=0, lt=1, description="How much better another policy may be without being envied."),
        Must("a finite number above 0 and below 1: no reward is better by more than that"),
    ] = 0.05
    delta: Annotated[
        float,
        Field(gt=0, lt=0.5, description="Probability that an audit may be wrong; below 0.5."),
        Must("a finite number above 0 and below 0.5: an audit may not be wrong as often as a coin"),
    ] = 0.05
    budget: Annotated[
        int | None,
        Field(ge=1, le=10**15, description="Most steps of an audit."),
        Written(default="no limit"),
    ] = None
    bound: Annotated[
        Literal["mixture", "lil"],
        Field(description="Confidence sequence; 'lil' is the published one."),
        HOW,
    ] = "mixture"
    choice: Annotated[
        Literal["adaptive", "uniform"],
        Field(description="Which policy to try next; 'uniform' is as published."),
        HOW,
    ] = "adaptive"
    design: Annotated[
        Literal["blocks", "unpaired"] | None,
        Field(
            description="How policies are compared: in randomised 'blocks', or 'unpaired', which assumes "
            "that mean rewards do not change."
        ),
        Written(section=METHOD, default="blocks, with --bound lil unpaired"),
    ] = None
    unreported: Annotated[
        Literal["compare", "worst"],
        Field(
            description="What a missing reward counts: 'compare' is 0, and inconclusive where policies lose "
            "different shares; 'worst' the worst that it can be for the claim."
        ),
        OF_REWARDS,
    ] = "compare"
    drift: Annotated[
        float, Field(ge=0, le=0.5, description="Error of the test for drift, unpaired."), NEVER
    ] = 0.01
    users: Annotated[
        int, Field(ge=1, le=10**12, description="How many users share the constraint on the cost."), NEVER
    ] = 1


class AskedOfOne(AskedOnline):
    """What the audit of one user can be asked, real or simulated."""

    alpha: Annotated[Alpha, Field(description=COST)] = 0.4


class AskedAuditor(AskedOfOne):
    """What an `evenhand.envy.Auditor` can be asked. In simulations everything is shown."""

    unshown: Annotated[
        Literal["compare", "again", "worst"],
        Field(
            description="What was assigned and not shown is offered again: with 'compare' claims must also "
            "hold with it as 0 and as 1; with 'worst' with it as the worst that it can be; 'again' is for "
            "where it does not depend on how it would be liked."
        ),
        OF_REWARDS,
    ] = "compare"
    passes: Annotated[
        int, Field(ge=1, le=10**6, description="How many users share the error of one who passes."), NEVER
    ] = 1


class AskedWorld(Asked):
    """What simulated users can be like."""

    rewards: Annotated[
        Literal["bernoulli", "beta", "mean"],
        Field(description="How rewards vary around their mean; 'mean' is not at all."),
        OF_REWARDS,
    ] = "bernoulli"
    concentration: Annotated[
        float,
        # A Beta distribution with less is one of 0 and 1.
        Field(ge=1e-6, allow_inf_nan=False, description="Of rewards that are 'beta'."),
        NEVER,
    ] = 2.0
    delay: Annotated[
        Literal["none", "random", "bad_late", "good_late"],
        Field(description="Which rewards come late, by up to `longest` steps."),
        OF_REWARDS,
    ] = "none"
    longest: Annotated[
        int,
        Field(ge=0, le=1_000_000, description="Most steps that a reward is late, which is its deadline."),
        Written(section=REWARDS, default="0"),
    ] = 0
    missing: Annotated[
        float,
        Field(ge=0, le=1, description="Share of rewards that are never reported."),
        Written(section=REWARDS, default="0"),
    ] = 0.0
    own_missing: Annotated[
        float | None,
        Field(ge=0, le=1, description="The same of the user's own policy, if that differs."),
        NEVER,
    ] = None


class AskedAudits(AskedOfOne, AskedWorld):
    """What simulated audits can be asked."""

    runs: Runs = 100


class SimulationQuestion(Question, AskedAudits):
    """Simulate online audits of a user whose true mean rewards are known.

    Says how they end, how long they take, what they cost the user, and how often the constraint on that held.
    """

    calls: ClassVar[str] = "evenhand.envy:simulate"

    means: Annotated[
        list[float],
        Field(description="Mean rewards, from 0 to 1, under the user's own policy and under every other."),
        Written(metavar="OWN,OTHER,...", read=written.numbers),
    ]
    certificate: Annotated[
        str | None,
        Location(),
        Field(
            description="Folder for certificate.json of one audit and its events, for evenhand envy verify."
        ),
        Written(section=OUTPUT),
    ] = None


class AskedAuditPlan(AskedOnline, AskedWorld):
    """What `evenhand.envy.plan` can be asked."""

    baseline: Annotated[
        float,
        Field(
            ge=0, le=1, description="Mean reward, from 0 to 1, that you expect under the user's own policy."
        ),
    ]
    gaps: Annotated[
        list[float],
        Field(description="How much better another policy is than that; repeat it for every policy."),
        Written("--gap"),
    ]
    alpha: Annotated[
        Alpha | list[Alpha],
        Field(description=f"{COST} Repeat it."),
        Must("a finite number above 0 and at most 1, or a list of several"),
    ] = Field(default=[0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
    runs: Runs = 100

    @property
    def alphas(self) -> list[float]:
        """One or several, each once."""
        return list(dict.fromkeys(self.alpha)) if isinstance(self.alpha, list) else [self.alpha]


class AuditPlanQuestion(Question, AskedAuditPlan):
    """How long an online audit would take and what it would cost the user, for each alpha, by simulation."""

    calls: ClassVar[str] = "evenhand.envy:plan"
