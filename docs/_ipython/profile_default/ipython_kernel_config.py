"""How the kernels that run the tutorials begin; `conf.py` points to this folder."""

c = get_config()  # noqa: F821

# Pictures that need no script, and so nothing from elsewhere.
c.IPKernelApp.exec_lines = ["import altair", "altair.renderers.enable('svg')", "del altair"]
# A kernel of the build is asked on this machine alone: it need not say that it is not encrypted.
c.IPKernelApp.log_level = "ERROR"
c.HistoryManager.enabled = False
