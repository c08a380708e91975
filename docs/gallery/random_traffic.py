"""How long to collect random traffic

The half-width of an interval against days of logs. The diamond is where the line meets what is wanted.
"""

import evenhand as eh

result = eh.opportunity.plan_traffic(
    rates={"young": 0.02, "old": 0.03},
    utilities={"young": 2.4, "old": 2},
    rows_a_day=100_000,
    random_share=0.01,
    half_width=0.05,
)
picture = result.picture(result.find("days_needed").id)
