"""`[[monitoring.tell]]`: whom a flag is told, and how. A plan names secrets; it never holds one."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from evenhand.asked.marks import Must
from evenhand.plan.strict import Strict

Name = Annotated[
    str,
    Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"),
    Must("a name of 1 to 60 characters, on one line"),
]
Seconds = Annotated[int, Field(ge=1, le=60, description="How long one attempt may take, in seconds.")]
# No system takes a zero character in a path or an argument.
_NO_ZERO = r"^[^\x00]*$"
_NO_ZERO_SAID = Must("a text without a zero character")
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"
_HOST = r"^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$"
_ADDRESS = re.compile(r"[^\s@<>,;\"()\[\]\\]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")


def _variable(help_text: str) -> object:
    return Field(description=help_text, json_schema_extra={"pattern": _VARIABLE})


def named(given: Any, *keys: str) -> Any:
    """What was given, with the first of these keys that it has as its name where it has none."""
    if not isinstance(given, dict) or "name" in given:
        return given
    said = (given[key] for key in keys if isinstance(given.get(key), str) and given[key].strip())
    return {**given, "name": next(said, "unnamed")[:60]}


class Channel(Strict):
    """What all ways to tell somebody have."""

    name: Annotated[
        Name, Field(description="What this channel is called in flags and lists. Default: its `by`.")
    ] = ""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        return named(given, "by")

    def _check_variable(self, key: str, given: str | None) -> None:
        """Of a wrong value nothing is said: somebody may have put the secret itself there."""
        if given is not None and not re.fullmatch(_VARIABLE, given):
            raise ValueError(
                f"{key} of the channel {self.name!r} must be the name of an environment variable, such as "
                "EVENHAND_SECRET; a secret itself does not belong in a plan (what stands there is not shown)"
            )


class Webhook(Channel):
    """An HTTP address that flags are sent to, signed."""

    by: Annotated[Literal["webhook"], Field(description="How: by this kind of channel.")]
    url: Annotated[
        str | None,
        Field(description="Where to send: https://..., or http:// on this machine (localhost) only."),
    ] = None
    url_from: Annotated[
        str | None,
        _variable("Environment variable that holds the address, where the address itself is a secret."),
    ] = None
    secret_from: Annotated[
        str, _variable("Environment variable that holds the secret with which messages are signed.")
    ]
    timeout: Seconds = 10

    @model_validator(mode="after")
    def _address_is_fit(self) -> Webhook:
        self._check_variable("secret_from", self.secret_from)
        self._check_variable("url_from", self.url_from)
        if (self.url is None) == (self.url_from is None):
            raise ValueError(f"the webhook {self.name!r} needs an address: either url or url_from")
        if self.url is not None and (wrong := [one for one in (forbidden(self.url), _asks(self.url)) if one]):
            raise ValueError(f"url of the webhook {self.name!r} {'; and it '.join(wrong)}")
        return self


class Command(Channel):
    """A program that gets the message as JSON on its standard input; 0 means that it was told."""

    by: Annotated[Literal["command"], Field(description="How: by this kind of channel.")]
    run: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=4096, pattern=_NO_ZERO)]],
        Field(
            min_length=1,
            max_length=100,
            description="The program and its arguments, a list; no shell reads them. Paths are relative to "
            "the plan.",
        ),
        Must('a list of a program and its arguments, such as ["./page.sh", "fairness"]'),
    ]
    timeout: Seconds = 30


class Email(Channel):
    """A mail server that takes messages by SMTP."""

    by: Annotated[Literal["email"], Field(description="How: by this kind of channel.")]
    host: Annotated[
        str,
        Field(max_length=253, pattern=_HOST, description="The mail server."),
        Must("the name of a mail server, such as mail.example.org"),
    ]
    port: Annotated[int, Field(ge=1, le=65535, description="Its port.")] = 587
    security: Annotated[
        Literal["starttls", "tls", "none"],
        Field(description="How the connection is encrypted; 'none' on this machine only."),
    ] = "starttls"
    user: Annotated[str | None, Field(max_length=254, description="Whom to log in as, if at all.")] = None
    password_from: Annotated[
        str | None, _variable("Environment variable that holds the password of that user.")
    ] = None
    sender: Annotated[str, Field(description="The address that messages come from.")]
    to: Annotated[
        list[str],
        Field(min_length=1, max_length=50, description="Addresses of those who are told."),
        Must('a list of 1 to 50 addresses, such as ["rai@example.org"]'),
    ]
    timeout: Seconds = 30

    @model_validator(mode="after")
    def _server_is_fit(self) -> Email:
        self._check_variable("password_from", self.password_from)
        wrong = []
        if (self.user is None) != (self.password_from is None):
            wrong.append(f"the e-mail {self.name!r} has one of user and password_from: give both or none")
        if self.security == "none" and not on_this_machine(self.host):
            wrong.append(
                f'security of the e-mail {self.name!r} is "none", but {self.host} is another machine: what '
                'is sent could be read on the way; use "starttls" or "tls"'
            )
        wrong += [
            f"{address!r} of the e-mail {self.name!r} is no address; write it bare, like rai@example.org"
            for address in (self.sender, *self.to)
            if not _ADDRESS.fullmatch(address) or len(address) > 254
        ]
        if wrong:
            raise ValueError("; and ".join(wrong))
        return self


class File(Channel):
    """A file to which every message is added as a line of JSON."""

    by: Annotated[Literal["file"], Field(description="How: by this kind of channel.")]
    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4096,
            pattern=_NO_ZERO,
            description="The file; made if needed, and only ever added to. Relative to the plan.",
        ),
        _NO_ZERO_SAID,
    ]


AnyChannel = Annotated[Webhook | Command | Email | File, Field(discriminator="by")]


def _asks(url: str) -> str:
    """Why an address with a question mark is not sent to, or nothing."""
    try:
        asks = bool(urlsplit(url).query)
    except ValueError:
        return ""
    return (
        "has something after a '?', which is often a secret: put the whole address into an environment "
        "variable and name it with url_from"
        if asks
        else ""
    )


def on_this_machine(host: str) -> bool:
    """Whether what is sent there never leaves this machine; names other than localhost may lead anywhere."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def forbidden(url: str) -> str:
    """Why nothing is sent to this address, without repeating it, or nothing; it begins with a verb."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # reading a port that is none raises
    except ValueError:
        return "is not an address that can be read; write https://host/path"
    if re.search(r"[\x00-\x20\x7f]", url):
        return "has a space or a control character in it"
    if parts.scheme not in ("https", "http"):
        scheme = parts.scheme if re.fullmatch(r"[a-z][a-z0-9+.-]{0,15}", parts.scheme) else ""
        named = f"has the scheme {scheme!r}" if scheme else "has no scheme"
        return f"{named}, and flags are sent by https only: others reach files, or are not encrypted"
    if not host:
        return "names no host; write https://host/path"
    if "@" in parts.netloc:
        return (
            "has a user or a password in it, and a plan is read by many: leave them out (messages are "
            "signed), or put the whole address into an environment variable and name it with url_from"
        )
    if parts.scheme == "http" and not on_this_machine(host):
        return (
            "begins with http://, and its host is another machine: what is sent could be read and changed on "
            "the way; use https:// (http is for localhost only)"
        )
    if parts.fragment:
        return "has something after a '#', which is never sent: leave it out"
    return ""
