"""What can be asked: where it is declared, and the command that asks it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from evenhand.asked.step import Question, Step

Kind = TypeVar("Kind", bound="Question", covariant=True)


class Declared(NamedTuple, Generic[Kind]):
    """A question as `--help` lists it; its declaration is loaded when it is asked for.

    `about` is the sentence with which the command's own help begins. Commands of two words belong to a group
    of the first one's name.
    """

    declaration: str
    command: str
    section: str
    about: str

    def load(self) -> type[Kind]:
        module, _, name = self.declaration.partition(":")
        found: type[Kind] = getattr(import_module(module), name)
        return found


# Audits of a plan.
AUDITS: dict[str, Declared[Step]] = {
    "opportunity": Declared(
        "evenhand.asked.declared.opportunity:OpportunityStep",
        "opportunity",
        "Creators",
        "Do creators get equal opportunity, given what users like?",
    ),
    "series": Declared(
        "evenhand.asked.declared.opportunity:SeriesStep",
        "opportunity",
        "Creators",
        "One default log day by day against random traffic.",
    ),
    "compare": Declared(
        "evenhand.asked.declared.ab_tests:CompareStep",
        "compare",
        "Creators",
        "Does a change to the system change who gets opportunity? An A/B test with any number of arms.",
    ),
    "experiments": Declared(
        "evenhand.asked.declared.ab_tests:ExperimentsStep",
        "experiments",
        "Creators",
        "Which of the changes that are tried at the same time change who gets opportunity?",
    ),
    "stages": Declared(
        "evenhand.asked.declared.opportunity:StagesStep",
        "stages",
        "Creators",
        "Which stage of the system makes opportunity unequal? Each stage against the one before.",
    ),
    "boost": Declared(
        "evenhand.asked.declared.opportunity:BoostStep",
        "boost",
        "Creators",
        "What would showing some groups more often do to equal opportunity?",
    ),
    "parity": Declared(
        "evenhand.asked.declared.opportunity:ParityStep",
        "parity",
        "Creators",
        "Are groups shown in proportion to what they offer, whatever users like?",
    ),
    "user_precision": Declared(
        "evenhand.asked.declared.opportunity:UserPrecisionStep",
        "user-precision",
        "Users",
        "Are users of all groups shown what they like?",
    ),
    "exposure": Declared(
        "evenhand.asked.declared.exposure:ExposureStep",
        "exposure",
        "Exposure",
        "Who is shown to whom, beside what relevance asks for?",
    ),
    "groups": Declared(
        "evenhand.asked.declared.groups:GroupsStep",
        "groups",
        "Users",
        "Which users are served worst, and is that more than chance?",
    ),
    "envy": Declared(
        "evenhand.asked.declared.envy:EnvyStep",
        "envy offline",
        "Envy",
        "Audit who would be better off with whose recommendations, where preferences are known.",
    ),
    "association": Declared(
        "evenhand.asked.declared.association:AssociationStep",
        "association",
        "Embeddings",
        "What do the embeddings know about a sensitive attribute?",
    ),
    "association_leakage": Declared(
        "evenhand.asked.declared.association:LeakageStep",
        "association leakage",
        "Embeddings",
        "Can the attribute of users be read off the vectors of the items that they took?",
    ),
    "association_amplification": Declared(
        "evenhand.asked.declared.association:AmplificationStep",
        "association amplify",
        "Embeddings",
        "Did the association grow from one state of a model (a round, a release) to another?",
    ),
    "mitigate": Declared(
        "evenhand.asked.declared.groups:RerankStep",
        "mitigate",
        "Users",
        "Re-rank the lists of the groups that are served worst, and say what that did, for whom.",
    ),
    "mitigate_embeddings": Declared(
        "evenhand.asked.declared.association:ErasureStep",
        "association mitigate",
        "Embeddings",
        "Take an attribute out of embeddings, and say what that did.",
    ),
}

# What is asked before and beside audits, by no plan: by the command, whose answer is written by hand.
QUESTIONS: dict[str, Declared[Question]] = {
    "plan_traffic": Declared(
        "evenhand.asked.declared.traffic:TrafficQuestion",
        "plan-traffic",
        "Creators",
        "How much random traffic, and for how many days, would answer the question?",
    ),
    "envy_simulate": Declared(
        "evenhand.asked.declared.envy_online:SimulationQuestion",
        "envy simulate",
        "Envy",
        "Simulate online audits of a user whose true mean rewards are known.",
    ),
    "envy_plan": Declared(
        "evenhand.asked.declared.envy_online:AuditPlanQuestion",
        "envy plan",
        "Envy",
        "How long an online audit would take and what it would cost the user, for each alpha, by simulation.",
    ),
}
