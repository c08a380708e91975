#!/usr/bin/env bash
# Adds the last days to a monitor. A line of a crontab, every morning at a quarter past six:
#
#     15 6 * * *  PLAN=/srv/feed/audit.toml PROMETHEUS=/srv/metrics/feed.prom /srv/feed/evenhand-daily.sh
#
# A day that is there already costs nothing, so days that a broken morning left out are made up for, late as they are.
# Days are kept beside the plan, or where EVENHAND_STORE says.
# Cron mails what is printed: nothing, unless something went wrong.
set -euo pipefail
: "${PLAN:?name the plan}"

# One at a time; the one that is at work does what this one would.
exec 9> "${LOCK:-${PLAN%.toml}.lock}"
flock --nonblock 9 || exit 0

worst=0
for back in $(seq "${DAYS:-3}" -1 1); do
    day=$(date --utc --date="${TODAY:-today} -$back days" +%F)
    evenhand monitor add "$PLAN" --day "$day" --late --quiet || worst=$?
done
if [ -n "${PROMETHEUS:-}" ]; then
    evenhand monitor export "$PLAN" --out "$PROMETHEUS"
fi
exit "$worst"
