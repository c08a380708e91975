"""What can go wrong, said so that a reader can act on it.

Every message names what was wrong, where, how much of it there is, and what to do next. The library
raises; the command line prints the message alone and exits with 2.
"""


class EvenhandError(Exception):
    """Base of every error that Evenhand raises on purpose."""


class InputError(EvenhandError):
    """A table, column, parameter or plan that cannot be used as it is."""


class TooLittleError(InputError):
    """Data that are in order and too few to say anything: one day of many may be so."""


class ChangedError(InputError):
    """A document that can be read, and is not what an audit wrote; a check of it exits with 1."""


class UncheckableError(InputError):
    """A document that nothing contradicts, and whose claim nothing is left to bear out; a check of it exits
    with 1."""
