"""How much random traffic

The days that each share of random traffic takes. More of it is sooner done, and costs users more.
"""

import evenhand as eh

result = eh.opportunity.plan_traffic(
    rates={"young": 0.02, "old": 0.03},
    utilities={"young": 2.4, "old": 2},
    rows_a_day=100_000,
    random_share=[0.005, 0.01, 0.02, 0.05, 0.1],
    half_width=0.05,
)
needed = [one for one in result.findings if one.measure == "days_needed"]
picture = eh.AuditResult(tuple(needed)).picture("creators")
