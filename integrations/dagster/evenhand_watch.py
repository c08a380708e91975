"""A monitor as an asset with a partition a day: a day that is missing is seen, and can be made up for.

`PLAN` is in the environment; `dagster dev -f evenhand_watch.py` shows it. Days are kept beside the plan, or
where `EVENHAND_STORE` says.
"""

import os
import subprocess

import dagster as dg

START = os.environ.get("EVENHAND_START", "2026-01-01")


@dg.asset(
    partitions_def=dg.DailyPartitionsDefinition(start_date=START),
    pool="evenhand",  # one day at a time: give the pool a limit of 1
)
def evenhand_watch(context: dg.AssetExecutionContext) -> None:
    """The day's evidence and findings, in the store of the monitor."""
    command = ["evenhand", "monitor", "add", os.environ["PLAN"], "--day", context.partition_key, "--late"]
    subprocess.run(command, check=True)


watch = dg.define_asset_job("evenhand_watch_job", selection=[evenhand_watch])
defs = dg.Definitions(
    assets=[evenhand_watch],
    jobs=[watch],
    schedules=[dg.build_schedule_from_partitioned_job(watch, hour_of_day=6, minute_of_hour=15)],
)
