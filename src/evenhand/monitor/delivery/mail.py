"""A message by e-mail, through the mail server that the plan names."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate

from evenhand.monitor.delivery.limits import within
from evenhand.monitor.delivery.message import Attempt, NotDelivered, from_environment
from evenhand.plan.watched.channels import Email


def send(channel: Email, attempt: Attempt) -> str:
    """Hand it to the server once. Taken for some addresses is told: another attempt would reach those twice,
    and an address that is refused for good would hold up everything after it."""
    password = None if channel.password_from is None else from_environment(channel.password_from)
    mail = _written(channel, attempt)
    return within(channel.timeout, lambda: _handed_over(channel, mail, password))


def _written(channel: Email, attempt: Attempt) -> EmailMessage:
    told = attempt.message.told
    mail = EmailMessage()
    mail["Subject"] = " ".join(str(told["subject"]).split())
    mail["From"], mail["To"] = channel.sender, ", ".join(channel.to)
    mail["Date"] = formatdate(attempt.now)
    # The same at every attempt: programs that read mail show one of two.
    mail["Message-ID"] = f"<{attempt.message.id}@{channel.sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(str(told["text"]))
    return mail


def _handed_over(channel: Email, mail: EmailMessage, password: str | None) -> str:
    secure = ssl.create_default_context()
    try:
        server: smtplib.SMTP
        if channel.security == "tls":
            server = smtplib.SMTP_SSL(channel.host, channel.port, timeout=channel.timeout, context=secure)
        else:
            server = smtplib.SMTP(channel.host, channel.port, timeout=channel.timeout)
        with server:
            if channel.security == "starttls":
                server.starttls(context=secure)
            if channel.user is not None and password is not None:
                server.login(channel.user, password)
            refused = server.send_message(mail, channel.sender, channel.to)
    except smtplib.SMTPRecipientsRefused as error:
        codes = sorted({code for code, _ in error.recipients.values()})
        raise NotDelivered(f"the mail server refused every address ({_listed(codes)})") from None
    except smtplib.SMTPAuthenticationError as error:
        raise NotDelivered(f"the mail server refused to log in ({error.smtp_code})") from None
    except smtplib.SMTPResponseException as error:
        raise NotDelivered(f"the mail server refused ({error.smtp_code})") from None
    except smtplib.SMTPException as error:
        raise NotDelivered(f"the mail server failed ({type(error).__name__})") from None
    except ssl.SSLError:
        raise NotDelivered("the certificate of the mail server is not trusted") from None
    except TimeoutError:
        raise NotDelivered(f"no answer within {channel.timeout} seconds") from None
    except OSError as error:
        raise NotDelivered(f"the mail server cannot be reached ({error.strerror or 'no route'})") from None
    return f"refused for {len(refused)} of {len(channel.to)} addresses" if refused else ""


def _listed(codes: list[int]) -> str:
    return ", ".join(map(str, codes))
