"""Would a user be better off with another user's recommendations?"""

from evenhand.envy.audit import audit
from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificate_files import save_certificate, verify_files
from evenhand.envy.online.certify import certificate, verify
from evenhand.envy.online.planning import PlannedAudit, plan
from evenhand.envy.online.simulation import Simulation, simulate
from evenhand.envy.online.system import SystemAudit, sample_sizes
from evenhand.envy.online.system_simulation import SystemSimulation, simulate_system
from evenhand.envy.utilities import utilities

__all__ = [
    "Auditor",
    "PlannedAudit",
    "Simulation",
    "SystemAudit",
    "SystemSimulation",
    "audit",
    "certificate",
    "plan",
    "sample_sizes",
    "save_certificate",
    "simulate",
    "simulate_system",
    "utilities",
    "verify",
    "verify_files",
]
