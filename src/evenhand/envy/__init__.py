"""Would a user be better off with another user's recommendations?"""

from evenhand.envy.audit import audit
from evenhand.envy.online.answers import Planned, Simulated, planned, simulated
from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificates.certificate_files import save_certificate, verify_files
from evenhand.envy.online.certificates.certify import certificate, not_checked, verify
from evenhand.envy.online.simulated.planning import PlannedAudit, plan
from evenhand.envy.online.simulated.simulation import Simulation, simulate
from evenhand.envy.online.simulated.system_simulation import SystemSimulation, simulate_system
from evenhand.envy.online.system import SystemAudit, sample_sizes
from evenhand.envy.utilities import utilities

__all__ = [
    "Auditor",
    "Planned",
    "PlannedAudit",
    "Simulated",
    "Simulation",
    "SystemAudit",
    "SystemSimulation",
    "audit",
    "certificate",
    "not_checked",
    "plan",
    "planned",
    "sample_sizes",
    "save_certificate",
    "simulate",
    "simulate_system",
    "simulated",
    "utilities",
    "verify",
    "verify_files",
]
