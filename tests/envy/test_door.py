"""What importing an auditor costs: a service starts with what it needs, and with nothing else."""

from __future__ import annotations

import subprocess
import sys

import evenhand.envy as door

HEAVY = ("pandas", "ibis", "duckdb", "pyarrow", "scipy.stats", "sklearn", "jinja2", "altair", "torch")
ASKED = """
import sys
from evenhand.envy import Auditor, SystemAudit, certificate, verify
auditor = Auditor(2, budget=3, rng=1)
while auditor.outcome is None:
    auditor.report(auditor.assign(deadline=5).id, 1.0)
certificate(auditor)
print(*[name for name in sys.argv[1:] if name in sys.modules])
"""


def test_an_audit_and_its_certificate_import_nothing_heavy():
    heavy = (*HEAVY, "evenhand.envy.online.designs.block_kernel", "evenhand.envy.online.simulated.planning")
    done = subprocess.run([sys.executable, "-c", ASKED, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_name_of_the_door_is_there_and_files_of_the_same_name_do_not_hide_it():
    import evenhand.envy.audit
    import evenhand.envy.utilities  # noqa: F401

    assert all(getattr(door, name).__module__.startswith("evenhand.envy.") for name in door.__all__)
    assert callable(door.audit)
    assert callable(door.utilities)
    assert set(dir(door)) == set(door.__all__)
