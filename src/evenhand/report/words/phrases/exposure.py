"""A policy in words."""

from __future__ import annotations

from evenhand.findings import Finding

_POLICIES = {"static": "the static ranking", "observed": "the lists as shown"}


def policy(finding: Finding) -> dict[str, str]:
    beta = finding.subject["beta"]
    return {"policy": _POLICIES.get(str(beta), f"beta {beta}")}
