"""Files of other tools as recommenders, and in the commands that take a model or a table of lists."""

from pathlib import Path

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender

LISTS = [[4, 5, 0.9], [4, 1, 0.2], [7, 3, 0.5], [7, 1, 0.4]]


def listed(source: object) -> list[list[float]]:
    return as_recommender(source).rank(k=5)[["user_id", "item_id", "score"]].to_numpy().tolist()


def test_what_lenskit_saved_before(tmp_path: Path) -> None:
    frame = pd.DataFrame(LISTS, columns=["user", "item", "score"]).assign(rank=[1, 2, 1, 2])
    frame.to_csv(tmp_path / "recs.csv", index=False)
    assert listed(tmp_path / "recs.csv") == LISTS


def test_what_elliot_saves(tmp_path: Path) -> None:
    pd.DataFrame(LISTS).to_csv(tmp_path / "recs.tsv", sep="\t", header=False, index=False)
    assert listed(str(tmp_path / "recs.tsv")) == LISTS


def test_a_file_without_scores(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("1 0 2 1\n")
    with pytest.raises(InputError, match=r"there is no column 'score'\. It has: user_id, item_id, relevance"):
        as_recommender(tmp_path / "a.qrels")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """The same world as tables and as files of other tools."""
    users = [(user, "fm"[user % 2]) for user in range(12)]
    pairs = [(user, item, 1 / (1 + (user * item) % 7)) for user in range(12) for item in range(6)]
    scores = pd.DataFrame(pairs, columns=["user_id", "item_id", "score"])
    scores.to_parquet(tmp_path / "scores.parquet")
    run = "".join(f"{user} Q0 {item} 1 {score!r} t\n" for user, item, score in pairs)
    (tmp_path / "system.run").write_text(run)
    scores.to_csv(tmp_path / "elliot.tsv", sep="\t", header=False, index=False)
    theirs = scores.rename(columns={"user_id": "user", "item_id": "item"})
    theirs.to_csv(tmp_path / "lenskit.csv", index=False)
    (tmp_path / "x.user").write_text(
        "user_id:token\tgender:token\n" + "".join(f"{user}\t{gender}\n" for user, gender in users)
    )
    (tmp_path / "x.item").write_text(
        "item_id:token\tgenre:token_seq\n" + "".join(f"{item}\t{'ab'[item % 2]} c\n" for item in range(6))
    )
    (tmp_path / "test.qrels").write_text("".join(f"{user} 0 {user % 6} 1\n" for user in range(12)))
    labels = scores[["user_id", "item_id"]].assign(label=scores["user_id"] % 6 == scores["item_id"])
    labels.to_parquet(tmp_path / "candidates.parquet")
    return tmp_path


def audited(world: Path, step: str) -> dict[str, float]:
    """Estimates of a plan with one step; inputs are the files of RecBole and TREC."""
    (world / "audit.toml").write_text(
        """
        [inputs]
        users.path = "x.user"
        items.path = "x.item"
        wanted.path = "test.qrels"
        scores.path = "scores.parquet"
        run.path = "system.run"
        candidates.path = "candidates.parquet"

        [[audits]]
        """
        + step
    )
    found = eh.plan.run(world / "audit.toml").findings
    assert found
    return {one.id: one.estimate for one in found}


def test_an_audit_of_exposure_takes_them(world: Path) -> None:
    step = """
        audit = "exposure"
        relevance = "wanted"
        users = "users"
        items = "items"
        user_group = "gender"
        item_group = "genre"
        """
    expected = audited(world, step + 'scores = "scores"')
    assert audited(world, step + 'scores = "run"') == expected
    for model in ("system.run", "elliot.tsv", "lenskit.csv"):
        assert audited(world, f'{step}model = "{model}"') == expected


def test_an_audit_of_groups_takes_them(world: Path) -> None:
    step = """
        audit = "groups"
        users = "users"
        candidates = "candidates"
        attributes = ["gender"]
        min_size = 2
        permutations = 20
        """
    expected = audited(world, step + 'model = "scores.parquet"')
    for model in ("system.run", "elliot.tsv", "lenskit.csv"):
        assert audited(world, f'{step}model = "{model}"') == expected


def test_an_audit_of_envy_takes_them_as_preferences(world: Path) -> None:
    step = """
        audit = "envy"
        inverse_temperature = 5
        preferences = "likes"
        """
    inputs = '[inputs]\nlikes = {{ path = "{}", columns = {{ preference = "score" }} }}\n[[audits]]\n'
    found = []
    for name in ("scores.parquet", "system.run"):
        (world / "envy.toml").write_text(inputs.format(name) + step)
        found.append({one.id: one.estimate for one in eh.plan.run(world / "envy.toml").findings})
    assert found[0] == found[1] != {}


def test_a_model_is_trained_on_an_atomic_file(tmp_path: Path) -> None:
    rows = [f"{user}\t{(user + step) % 9}\t{step}" for user in range(12) for step in range(5)]
    content = "user_id:token\titem_id:token\ttimestamp:float\n" + "\n".join(rows)
    (tmp_path / "x.inter").write_text(content)
    data = eh.datasets.load(tmp_path / "x.inter")
    eh.recommenders.train_and_save("popularity", data.interactions, tmp_path / "model")
    assert eh.recommenders.load(tmp_path / "model").item_ids.tolist() == list(range(9))


def test_what_is_no_model_is_refused_before_anything_runs(world: Path) -> None:
    with pytest.raises(InputError, match=r"none.run is not the folder of a trained model"):
        audited(
            world,
            'audit = "exposure"\nrelevance = "wanted"\nusers = "users"\nitems = "items"\n'
            'user_group = "gender"\nitem_group = "genre"\nmodel = "none.run"',
        )
