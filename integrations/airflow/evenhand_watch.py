"""Adds yesterday to a monitor, every morning; days that were missed are made up for, one after the other.

Put it into the folder of DAGs, and `PLAN` into the environment of the workers (Airflow 3). Days are kept
beside the plan, or where `EVENHAND_STORE` says.
"""

from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    "evenhand_watch",
    schedule="15 6 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=True,
    max_active_runs=1,  # days in their order
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
) as dag:
    BashOperator(
        task_id="add_day",
        bash_command=('evenhand monitor add "$PLAN" --day "{{ macros.ds_add(ds, -1) }}" --late --quiet'),
    )
