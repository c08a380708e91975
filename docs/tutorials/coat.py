"""What docs/tutorials/real-data.md shows, from the published files of Coat:

python docs/tutorials/coat.py data/coat > docs/tutorials/coat.txt
"""

import sys
from pathlib import Path

# [read]
import evenhand as eh

coat = eh.datasets.coat(sys.argv[1])
chosen = coat.selected.assign(liked=coat.selected["rating"] >= 4)
random = coat.random.assign(liked=coat.random["rating"] >= 4)

print(f"{len(coat.users)} people, {len(coat.items)} coats")
for name, rows in {"chosen": chosen, "at random": random}.items():
    print(
        f"{name}: {len(rows):,} ratings, {rows['liked'].mean():.0%} liked"
    )
# [read end]
print("[read end]")


def numbers(finding):
    low, high = finding.interval.low, finding.interval.high
    return f"{finding.estimate:.3f}, from {low:.3f} to {high:.3f}: {finding.verdict}"


# [ask]
def audited(attributes, on, cluster="user_id"):
    return eh.opportunity.audit(
        chosen,
        random,
        label="liked",
        group="gender",
        attributes=attributes,
        on=on,
        cluster=cluster,
    )


by_coat = audited(coat.items, "item_id")
by_person = audited(coat.users, "user_id")
results = {
    "coats for men, for women": by_coat,
    "men, women": by_person,
}
for name, result in results.items():
    print(name)
    print("  penalty     ", numbers(result.find("reo_penalty")))
    print("  worst ratio ", numbers(result.find("worst_ratio")))
    print(f"  equality     p = {result.find('equality').p_value:.3f}")
# [ask end]
print("[ask end]")

# [more]
needed = by_coat.find("reo_penalty").more_data
print(f"{needed.times:,.0f} times as many {needed.of};", end=" ")
print(f"at least {needed.low:.1f} times")
# [more end]
print("[more end]")

# [like]
like_these = audited(
    coat.items, "item_id", cluster=("user_id", "item_id")
)
print("coats like these:", numbers(like_these.find("reo_penalty")))
print(f"  equality     p = {like_these.find('equality').p_value:.3f}")
# [like end]
print("[like end]")

if len(sys.argv) > 2:  # where the picture goes
    by_coat.picture("creators").save(Path(sys.argv[2]))
