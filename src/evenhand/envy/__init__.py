"""Would a user be better off with another user's recommendations?"""

from evenhand.envy.auditor import Auditor
from evenhand.envy.certify import certificate, verify
from evenhand.envy.planning import PlannedAudit, plan
from evenhand.envy.simulation import Simulation, simulate
from evenhand.envy.system import SystemAudit, sample_sizes
from evenhand.envy.system_simulation import SystemSimulation, simulate_system

__all__ = [
    "Auditor",
    "PlannedAudit",
    "Simulation",
    "SystemAudit",
    "SystemSimulation",
    "certificate",
    "plan",
    "sample_sizes",
    "simulate",
    "simulate_system",
    "verify",
]
