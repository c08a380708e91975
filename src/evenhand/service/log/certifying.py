"""The certificate of an audit by its log. People are called by their numbers: ids are in the log alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificates.agreed import agreed_event
from evenhand.envy.online.certificates.certify import certificate
from evenhand.envy.online.settings import with_later
from evenhand.envy.online.system import SystemAudit, settings_of
from evenhand.service.log.streams import AuditStream, PersonStream

_ASKED = ("epsilon", "delta", "alpha", "gamma", "lambda_", "criterion", "budget", "dropouts", "unshown")
_OF_ALL = ("criterion", "delta", "gamma", "lambda_", "dropouts")
_AGREED = ("reward", "deadline_s", "grace_s", "window_s", "daily")


def begun_with(about: AuditStream) -> list[Any]:
    """The event by which the log of each target holds what the audit was begun with, as certificates say
    it."""
    asked, one = about.settings, Auditor(**with_later(about.of_a_user), rng=0).settings
    return agreed_event(
        {
            "agreed": _agreed(asked),
            "settings": settings_of(one, **{name: asked[name] for name in _OF_ALL}),
            "population": asked["population"],
            "population_digest": asked["digest"],
        }
    )


def _agreed(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings.get(name) for name in _AGREED}


def certificate_of(about: AuditStream, people: list[PersonStream]) -> dict[str, Any]:
    """Of the targets as they are; a deleted one has the outcome that they had."""
    settings = about.settings
    system = SystemAudit(
        population=settings["population"],
        digest=settings["digest"],
        ids={place: number for number, place in enumerate(about.places, start=1)},
        rng=about.seed,
        passes=with_later(about.of_a_user)["passes"],
        **{name: with_later(settings)[name] for name in _ASKED},
    )
    system.agreed = _agreed(settings)
    system.linked_only = {one.number for one in people if one.number in about.deleted}
    for one in people:
        if one.number in about.deleted:
            audit = system.audits[one.number]
            audit.outcome, audit.reason = about.outcomes[one.number], "The user was deleted."
        else:
            folded: Any = one.audited
            system.audits[one.number] = folded
    system.take_versions()
    return certificate(system, {one.number: (one.seq, one.head.hex()) for one in people})
