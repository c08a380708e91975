"""What each audit can be asked, declared once: its parameters with their ranges, defaults and help, and its
inputs. The Python call, the plan's step, the command and the schema for editors are all made from it.

Nothing here loads an audit, so that `--help` is quick.
"""
