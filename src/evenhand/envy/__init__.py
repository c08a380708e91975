"""Would a user be better off with another user's recommendations?

Names are looked up when they are first asked for: a service that runs audits needs none of the libraries that
read tables, compile simulations or draw pictures.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.envy.audit import audit
    from evenhand.envy.online.answers import Planned, Simulated, planned, simulated
    from evenhand.envy.online.auditor import Auditor
    from evenhand.envy.online.certificates.certificate_files import save_certificate, verify_files
    from evenhand.envy.online.certificates.certify import certificate, not_checked, verify
    from evenhand.envy.online.drawing import sample_sizes
    from evenhand.envy.online.simulated.planning import PlannedAudit, plan
    from evenhand.envy.online.simulated.simulation import Simulation, simulate
    from evenhand.envy.online.simulated.system_simulation import SystemSimulation, simulate_system
    from evenhand.envy.online.system import SystemAudit, digest_of, drawn_places
    from evenhand.envy.utilities import utilities

_HOMES = {
    "audit": ("audit",),
    "online.answers": ("Planned", "Simulated", "planned", "simulated"),
    "online.auditor": ("Auditor",),
    "online.certificates.certificate_files": ("save_certificate", "verify_files"),
    "online.certificates.certify": ("certificate", "not_checked", "verify"),
    "online.drawing": ("sample_sizes",),
    "online.simulated.planning": ("PlannedAudit", "plan"),
    "online.simulated.simulation": ("Simulation", "simulate"),
    "online.simulated.system_simulation": ("SystemSimulation", "simulate_system"),
    "online.system": ("SystemAudit", "digest_of", "drawn_places"),
    "utilities": ("utilities",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

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
    "digest_of",
    "drawn_places",
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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__


class _Door(ModuleType):
    """`envy.audit` and `envy.utilities` are the functions, also when somebody imports the files named so."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Door
