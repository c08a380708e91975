"""What random traffic costs

What each share of random traffic tells in the time that there is: the share below, and above it how many
fewer liked items users are shown.
"""

import evenhand as eh

result = eh.opportunity.plan_traffic(
    rates={"young": 0.02, "old": 0.03},
    utilities={"young": 2.4, "old": 2},
    rows_a_day=100_000,
    days=14,
    half_width=0.05,
)
picture = result.picture(result.find("share_needed").id)
