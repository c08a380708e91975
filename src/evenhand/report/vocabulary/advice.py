"""What to do about what was found."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict

# What to do about a verdict of an audit.
_TRACE = (
    "Look at how the system treats the groups that are served worse (recall, ranking, filters), and test a "
    "change with evenhand compare."
)
_COLLECT = "Where it is not decided, collect more traffic, random traffic first if that is the scarce one."
ADVICE: dict[str, dict[Verdict | None, str]] = {
    "opportunity": {Verdict.VIOLATION: _TRACE, Verdict.INCONCLUSIVE: _COLLECT},
    "series": {
        Verdict.VIOLATION: (
            "Look at what was released before the days outside the tolerance, and at how the system treats "
            "the groups that are served worse; test a change with evenhand compare."
        ),
        Verdict.INCONCLUSIVE: (
            "Where it is not decided, longer periods (weeks) or more traffic would tell; random traffic "
            "first if that is the scarce one."
        ),
    },
    "experiments": {
        Verdict.VIOLATION: (
            "Do not roll out the changes that make opportunity less equal; test those that overlap with "
            "another experiment again, on their own."
        ),
        Verdict.INCONCLUSIVE: _COLLECT,
    },
    "stages": {Verdict.INCONCLUSIVE: _COLLECT},
    "compare": {
        Verdict.VIOLATION: "Do not roll the change out as it is: it makes opportunity less equal.",
        Verdict.INCONCLUSIVE: _COLLECT,
    },
    "exposure": {
        Verdict.VIOLATION: (
            "Look at the pairs of groups that are over- or under-exposed. A more random ranking brings them "
            "nearer to what relevance asks for but shows users less of what they want; training with the "
            "exposure loss (docs/exposure.md) costs far less."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use more users, or fewer and larger groups.",
    },
    "groups": {
        Verdict.VIOLATION: (
            "Look at what the worst served group is shown (data, features, candidates), and try a re-ranking "
            "of its lists; audit again with new users."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use fewer and larger groups, or more users.",
    },
    "envy": {
        Verdict.VIOLATION: (
            "Look at what the envied policies show that the envious users are not shown; a model that fits "
            "those users better, or a policy nearer to the optimal one, removes envy. Confirm it online "
            "before a change: preferences may have been estimated wrongly."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, draw more users, or more policies for each.",
    },
    "association": {
        Verdict.VIOLATION: (
            "Look at the groups of items that lean to one value of the attribute, and ask whether that is "
            "what users wanted or what the system taught itself; before these vectors are used as features "
            "elsewhere, remember that they carry the attribute."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use more users, or fewer and larger groups.",
    },
    "association_amplification": {
        Verdict.VIOLATION: (
            "Look at what is accepted from round to round, and break the loop: show some items that the "
            "model did not choose, or train on what was taken without being shown."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, train the first and the last state more often.",
    },
    "association_leakage": {
        Verdict.VIOLATION: (
            "Before vectors of items are used elsewhere or given away, remember that a history of items "
            "tells the attribute of its user; take the attribute out of the vectors, or do not pass them on."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use more users, or fewer and larger groups.",
    },
    "mitigate": {
        None: (
            "Show the new lists to some users of the chosen groups first, as one arm of an A/B test: a "
            "change on past candidates says what is shown, not what users will do with it."
        ),
    },
    "mitigate_embeddings": {
        None: (
            "A linear classifier at chance says nothing about other ones: where a non-linear one still tells "
            "the attribute, do not give these vectors away as if they did not know it. Try the new lists in "
            "an A/B test before they replace the old ones."
        ),
    },
}


_DOUBTED = (
    "First see to what speaks against the numbers that cannot be decided either way: the warnings say what "
    "it is, and more of the same data does not help."
)
# What the stages of a system are called together.
_WHOLE = "all stages"


def next_steps(findings: Sequence[Finding]) -> list[str]:
    """What to do, once for each audit and verdict, or the lack of one."""
    # What is outside comes before what is not decided. Where the data speaks against a number, more of it
    # does not help.
    sure = [f for f in findings if not f.doubts]
    steps = [ADVICE.get(f.audit, {}).get(f.verdict) for f in sorted(sure, key=_is_not_outside)]
    doubted = [_DOUBTED] if len(sure) < len(findings) else []
    return list(dict.fromkeys([*doubted, *_about_stages(findings), *(step for step in steps if step)]))


def _is_not_outside(finding: Finding) -> bool:
    return finding.verdict is not Verdict.VIOLATION


def _about_stages(findings: Sequence[Finding]) -> list[str]:
    """Which stages to look at first: those outside by themselves, if any is."""
    outside = list(
        dict.fromkeys(
            str(f.subject["stage"])
            for f in findings
            if "stage" in f.subject and f.verdict is Verdict.VIOLATION
        )
    )
    alone = [name for name in outside if name != _WHOLE]
    if alone:
        return [f"Look at {' and '.join(alone)} first, outside the tolerance by {_itself(alone)}."]
    if outside:
        return [
            "Only all stages together are outside the tolerance, no stage by itself: look for stages that "
            "lean the same way, whose small differences multiply."
        ]
    return []


def _itself(names: Sequence[str]) -> str:
    return "itself" if len(names) == 1 else "themselves"
