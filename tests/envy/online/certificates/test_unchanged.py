"""Certificates of audits in which nothing is withdrawn, missing or left are those of earlier versions, byte
for byte: whatever is mended of what is not told must not touch them.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from evenhand.envy import Auditor, SystemAudit, certificate

EARLIER = {
    "one better": "9e31f5e67430559919163b1ca983657606fb3e9c4cc62020246bdb3360844d80",
    "all equal": "e7dde94cdaa2111010aa1e75ed177c8ee55392d5206d4d149e88b812b4256c58",
    "uniform, worst": "4a71945bb91a353ab7ebe51970d4a66757062ce9a16e047e2f62a4e9807ee3b5",
    "unpaired": "a847dfc67fcb25cd062724c42f0909fc3e6e2ade9fe93abe220ce5d5b57ae885",
    "again": "fd68f5508fabda84506226248cd85bafe979c07f6c1125b4a68a96935d737303",
    "system": "5557612568364d68774b5afa98da22367a55bd5ad5c9ad5d3a706e2c45cfd1b0",
}


def document(name: str) -> dict:
    rng = np.random.default_rng(3)
    if name == "system":
        system = SystemAudit(range(30), epsilon=0.4, alpha=0.9, gamma=0.4, lambda_=0.4, rng=4)
        while system.outcome is None:
            for user in system.waiting:
                policy_of = system.next(user)
                system.observe(user, policy_of, float(rng.random() < (0.3 if policy_of == user else 0.2)))
        return certificate(system)
    means, asked = {
        "one better": ((0.4, 0.7, 0.4), {"alpha": 0.5}),
        "all equal": ((0.5, 0.5), {"alpha": 1.0}),
        "uniform, worst": ((0.6, 0.2, 0.1), {"choice": "uniform", "unreported": "worst"}),
        "unpaired": ((0.8, 0.2), {"design": "unpaired", "budget": 300}),
        "again": ((0.6, 0.2, 0.3), {"unshown": "again"}),
    }[name]
    auditor = Auditor(len(means) - 1, epsilon=0.2, rng=5, **asked)
    while auditor.outcome is None:
        arm = auditor.next()
        auditor.observe(arm, float(rng.random() < means[arm]))
    return certificate(auditor)


@pytest.mark.parametrize("name", EARLIER)
def test_certificates_without_anything_untold_stay_as_they_were(name):
    said = {**document(name), "software": ""}
    assert hashlib.sha256(json.dumps(said, indent=2).encode()).hexdigest() == EARLIER[name]
