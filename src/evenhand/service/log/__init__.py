"""Streams of events that are the truth of live audits: written once, durable before they are answered."""

from evenhand.service.log.answers import Answer, Key
from evenhand.service.log.asked import AskedLiveAudit
from evenhand.service.log.log import Log

__all__ = ["Answer", "AskedLiveAudit", "Key", "Log"]
