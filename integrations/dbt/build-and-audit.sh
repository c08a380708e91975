#!/usr/bin/env bash
# Builds the tables of the audit, checks them, and runs the plan; the exit code is that of what failed first.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p data
dbt build --quiet --profiles-dir . --select source:feed default_log random_log
evenhand audit audit.toml --out audit ${FAIL_ON:+--fail-on "$FAIL_ON"}
