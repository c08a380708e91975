"""Days as a monitor keeps them, in memory."""

from dataclasses import dataclass, field


@dataclass
class KeptDays:
    """What `evenhand.following.Days` gives to a look."""

    period: str = "day"
    labels: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    evidence: dict[str, dict[str, bytes]] = field(default_factory=dict)
    state: bytes | None = None

    @property
    def number(self):
        return self.numbers[-1]

    def content(self, label, kind):
        return self.evidence[label][kind]

    were_together = False

    def contents(self, kind):
        return [self.evidence[label][kind] for label in self.labels]

    def add(self, following, asked, label, seed=0):
        """Count a day, look at it, and keep what the look leaves."""
        names = {key: key if hasattr(value, "columns") else value for key, value in asked.items()}
        counted = following.count(asked, ["users"], lambda message: None, b"secret")
        self.labels.append(label)
        self.numbers.append(len(self.labels))
        self.evidence[label] = dict(counted.evidence)
        look = following.look(names, self, seed)
        self.state = look.state
        return {one.id: one for one in (*look.so_far, *look.findings)}
