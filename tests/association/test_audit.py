"""The front door of the association audit: what it finds, where vectors may come from, what it refuses."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import evenhand as eh
from association.worlds import world
from evenhand.asked.declared.association import AssociationStep
from evenhand.errors import InputError
from evenhand.findings import Verdict
from evenhand.recommenders import Embeddings, Factors
from evenhand.report.words.sentences import how_much, sentence

QUICK = {"permutations": 199}


@pytest.fixture(scope="module")
def leaning():
    return world()


@pytest.fixture(scope="module")
def result(leaning):
    return eh.association.audit(leaning.items, leaning.users, leaning.gender, leaning.genres, **QUICK)


def test_a_planted_direction_is_found_with_the_groups_on_their_sides(result):
    found = result.find("direction")
    assert found.details["passes"]
    assert found.p_value < 0.001
    assert found.interval.low > 0
    assert found.details["cosines"]["centroid"] > 0.9
    assert found.details["accuracy"]["test"] > found.details["accuracy"]["majority"]
    for measure in ("geaa", "r_ripa"):
        assert (
            result.find(measure, group="Romance").estimate > 0 > result.find(measure, group="Action").estimate
        )
        assert result.find(measure, group="Romance").p_value <= 0.01
    pair = result.find("deaa", first="Action", second="Romance")
    assert pair.estimate < 0
    assert pair.p_value == max(pair.details["p_attribute"], pair.details["p_items"]) <= 0.01
    assert pair.details["effect_size"] < -1
    assert result.find("r_ripa", group="Western").p_value > 0.05


def test_there_is_a_finding_for_every_group_and_pair(result):
    counts = pd.Series([finding.measure for finding in result.findings]).value_counts()
    assert counts.to_dict() == {"direction": 1, "geaa": 3, "deaa": 3, "r_ripa": 6}
    assert all(finding.interval is not None for finding in result.findings)


def test_a_group_by_itself_has_narrower_limits_around_the_same_estimate(leaning, result):
    for finding in result.findings:
        if finding.measure != "direction":
            alone, together = finding.details["pointwise"], finding.interval
            assert together.low < alone["low"] < finding.estimate < alone["high"] < together.high
    one = ["Western" if "Western" in genres else "" for genres in leaning.genres]
    found = eh.association.audit(leaning.items, leaning.users, leaning.gender, one, **QUICK)
    for measure in ("geaa", "r_ripa"):  # with nothing to hold at once, both are the same
        alone, together = found.find(measure).details["pointwise"], found.find(measure).interval
        assert (alone["low"], alone["high"]) == pytest.approx((together.low, together.high))


def test_a_sum_is_called_one_and_has_no_tolerance(leaning, result):
    given = leaning.items, leaning.users, leaning.gender, leaning.genres
    found = eh.association.audit(*given, aggregate="sum", **QUICK).find("geaa", group="Romance")
    mean = result.find("geaa", group="Romance")
    assert found.estimate == pytest.approx(mean.estimate * mean.n.count)
    for end in ("low", "high"):
        wanted = mean.details["pointwise"][end] * mean.n.count
        assert found.details["pointwise"][end] == pytest.approx(wanted)
    assert "cosine summed over its items" in sentence(found)
    assert "mean cosine" not in sentence(found)
    assert "mean cosine" in sentence(mean)
    assert "in summed cosine" in how_much(found)
    with pytest.raises(InputError, match="aggregate='sum' makes of GEAA a sum"):
        eh.association.audit(*given, aggregate="sum", tolerance=0.1, **QUICK)
    with pytest.raises(InputError, match="aggregate='sum' makes of GEAA a sum"):
        AssociationStep.read(
            {"model": "model", "attribute": "people:gender", "aggregate": "sum", "tolerance": 0.1}
        )


def test_measures_are_those_of_the_functions(leaning, result):
    women = np.array(leaning.gender) == "F"
    romance = np.array(["Romance" in genres for genres in leaning.genres])
    action = np.array(["Action" in genres for genres in leaning.genres])
    a, b = leaning.users[women], leaning.users[~women]
    assert result.find("geaa", group="Romance").estimate == pytest.approx(
        eh.association.geaa(leaning.items[romance], a, b, **QUICK).estimate
    )
    only = leaning.items[romance & ~action], leaning.items[action & ~romance]
    assert -result.find("deaa", first="Action", second="Romance").estimate == pytest.approx(
        eh.association.deaa(*only, a, b, **QUICK).estimate
    )
    line = eh.association.direction(a, b, "svc")
    assert result.find("r_ripa", group="Romance").estimate == pytest.approx(
        eh.association.r_ripa(leaning.items[romance], line).estimate, abs=1e-3
    )


def test_a_small_group_whose_items_are_alike_is_not_taken_to_be_known(leaning):
    """Two copies of one item have no spread of their own; they borrow that of the other groups."""
    items = np.vstack([leaning.items, leaning.items[:1], leaning.items[:1]])
    genres = [*leaning.genres, ["Twins"], ["Twins"]]
    found = eh.association.audit(items, leaning.users, leaning.gender, genres, **QUICK)
    women = np.array(leaning.gender) == "F"
    a, b = leaning.users[women], leaning.users[~women]
    own = eh.association.geaa(items[-2:], a, b, **QUICK).interval
    for measure in ("geaa", "r_ripa"):
        limits = found.find(measure, group="Twins").interval
        assert limits.high - limits.low > 5 * (own.high - own.low)


def test_without_a_direction_r_ripa_is_not_applicable_and_says_why():
    nothing = world(strength=0.0)
    found = eh.association.audit(nothing.items, nothing.users, nothing.gender, nothing.genres, **QUICK)
    assert not found.find("direction").details["passes"]
    for finding in found.findings:
        if finding.measure == "r_ripa":
            assert finding.verdict is Verdict.NOT_APPLICABLE
            assert "did not pass its tests" in finding.warnings[0]
        else:
            assert finding.estimate is not None


def test_the_same_seed_gives_the_same_findings_and_they_survive_json(leaning, result, tmp_path):
    again = eh.association.audit(leaning.items, leaning.users, leaning.gender, leaning.genres, **QUICK)
    assert again.document.model_dump_json() == result.document.model_dump_json()
    saved = result.save(tmp_path)
    assert "Romance" in saved.report.read_text(encoding="utf-8")


def test_every_finding_has_a_sentence_of_its_own(result):
    said = [sentence(finding) for finding in result.findings]
    assert any(text.startswith("Romance leans to F: mean cosine ") for text in said)
    assert "On held-out users, users with attribute F and M differ by" in said[0]
    assert len(set(said)) == len(said)


def test_toward_turns_the_sign(leaning, result):
    turned = eh.association.audit(
        leaning.items,
        leaning.users,
        leaning.gender,
        leaning.genres,
        toward="M",
        pairs=[("Action", "Romance")],
        **QUICK,
    )
    assert turned.find("geaa", group="Action").estimate == pytest.approx(
        -result.find("geaa", group="Action").estimate
    )
    assert sum(finding.measure == "deaa" for finding in turned.findings) == 1


def test_overlaps_by_regression_hold_the_other_groups_fixed(leaning, result):
    found = eh.association.audit(
        leaning.items, leaning.users, leaning.gender, leaning.genres, overlap="regress", **QUICK
    ).find("deaa", first="Action", second="Romance")
    assert found.estimate == pytest.approx(found.details["others_fixed"]["difference"])
    assert found.interval.low < found.estimate < found.interval.high < 0
    assert found.p_value <= 0.01


def test_a_tolerance_gives_verdicts_either_way(leaning):
    found = eh.association.audit(
        leaning.items, leaning.users, leaning.gender, leaning.genres, tolerance=0.05, **QUICK
    )
    assert found.find("r_ripa", group="Action").verdict is Verdict.VIOLATION
    assert found.find("r_ripa", group="Romance").verdict is Verdict.VIOLATION
    assert found.find("direction").verdict is None


def test_the_way_of_the_source_is_there_with_a_warning(leaning):
    found = eh.association.audit(leaning.items, leaning.users, leaning.gender, test="insample", **QUICK)
    assert "alarms on noise" in found.find("direction").warnings[0]
    assert found.find("direction").details["tested_by"] == "insample"


def test_several_categories(leaning):
    rng = np.random.default_rng(0)
    ages = rng.choice(["young", "middle", "old"], len(leaning.users))
    found = eh.association.audit(
        leaning.items, leaning.users, ages, leaning.genres, method="centroid", pairs=[], **QUICK
    )
    named = [finding.subject["direction"] for finding in found.findings if finding.measure == "direction"]
    assert named == [
        "middle against the rest",
        "old against the rest",
        "young against the rest",
        "all categories",
    ]
    assert found.find("r_ripa", direction="all categories", group="Action").estimate is None
    assert "mean_cosine" in found.find("direction", direction="all categories").details


def by_row(result):
    return [(finding.measure, finding.estimate) for finding in result.findings]


def test_vectors_and_labels_from_files_and_tables(leaning, tmp_path):
    def audit(items, users, attribute=leaning.gender, groups=leaning.genres, **more):
        return by_row(
            eh.association.audit(
                items, users, attribute, groups, method="centroid", pairs=[], permutations=20, **more
            )
        )

    known = audit(leaning.items, leaning.users)
    np.save(tmp_path / "items.npy", leaning.items)
    np.savez(tmp_path / "users.npz", user_vectors=leaning.users, user_ids=np.arange(600))
    assert audit(tmp_path / "items.npy", str(tmp_path / "users.npz")) == known

    people = pd.DataFrame({"user_id": np.arange(600), "vector": list(leaning.users)})
    people.sample(frac=1, random_state=0).to_parquet(tmp_path / "vectors.parquet")
    wide = pd.DataFrame(leaning.items, columns=[f"v{n}" for n in range(12)]).assign(item_id=np.arange(400))
    tables = pd.DataFrame({"user_id": np.arange(600), "gender": leaning.gender}).sample(
        frac=1, random_state=1
    )
    tables.to_parquet(tmp_path / "users.parquet")
    genres = pd.DataFrame({"item_id": np.arange(400), "genre": leaning.genres})
    found = audit(wide, tmp_path / "vectors.parquet", f"{tmp_path}/users.parquet:gender", (genres, "genre"))
    assert [measure for measure, _ in found] == [measure for measure, _ in known]
    np.testing.assert_allclose([size for _, size in found], [size for _, size in known], atol=1e-9)

    model = Factors(np.arange(600), np.arange(400), leaning.users, leaning.items)
    found = audit(model, None, dict(enumerate(leaning.gender)))
    np.testing.assert_allclose([size for _, size in found], [size for _, size in known], atol=1e-5)
    member = {
        name: np.flatnonzero([name in genres for genres in leaning.genres])
        for name in ("Action", "Romance", "Western")
    }
    assert audit(leaning.items, leaning.users, groups=member) == known
    frame = pd.DataFrame({name: np.isin(np.arange(400), rows).astype(int) for name, rows in member.items()})
    assert audit(leaning.items, leaning.users, groups=frame) == known


def test_users_without_a_value_are_refused_or_left_out(leaning):
    some = [None if place < 50 else value for place, value in enumerate(leaning.gender)]
    with pytest.raises(InputError, match="empty or unknown for 50 of 600 users"):
        eh.association.audit(leaning.items, leaning.users, some)
    found = eh.association.audit(leaning.items, leaning.users, some, missing="exclude").find("direction")
    assert found.n.count == 550
    assert found.excluded[0].count == 50


def test_spaces_that_are_not_shared_are_refused_or_audited_alone(leaning):
    apart = Embeddings(leaning.users.astype(np.float32), leaning.items.astype(np.float32), shared_space=False)
    with pytest.raises(InputError, match="do not share a space: its score is not a product"):
        eh.association.audit(apart, None, leaning.gender, leaning.genres)
    found = eh.association.audit(apart, None, leaning.gender, leaning.genres, per_space=True)
    assert [finding.measure for finding in found.findings] == ["direction"]
    assert "do not share a space" in found.find("direction").warnings[0]


@pytest.fixture(scope="module")
def kinds():
    """160 users and 80 items of two kinds; users take mostly items of their own kind."""
    rng = np.random.default_rng(0)
    kind = np.arange(160) % 2
    chance = np.where(np.arange(80) % 2 == kind[:, None], 0.5, 0.1)
    user, item = np.nonzero(rng.random(chance.shape) < chance)
    frame = pd.DataFrame({"user_id": user, "item_id": item})
    return frame, dict(enumerate(kind.tolist())), {item: f"kind {item % 2}" for item in range(80)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:OpenBLAS is configured:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Method expects CSR input:UserWarning")
def test_folders_of_models_that_were_trained(kinds, tmp_path):
    pytest.importorskip("torch")
    frame, attribute, genres = kinds
    for name in ("bpr", "neumf"):
        eh.recommenders.train_and_save(name, frame, tmp_path / name, seed=0, factors=8, epochs=40, batch=256)
    found = eh.association.audit(tmp_path / "bpr", None, attribute, genres, **QUICK)
    assert found.find("direction").details["passes"]
    assert found.find("geaa", group="kind 0").estimate > 0
    with pytest.raises(InputError, match="do not share a space"):
        eh.association.audit(tmp_path / "neumf", None, attribute, genres)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:OpenBLAS is configured:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Intel MKL BLAS is configured:RuntimeWarning")
def test_a_model_of_implicit(kinds):
    als = pytest.importorskip("implicit.als")
    frame, attribute, genres = kinds
    taken = sparse.csr_matrix((np.ones(len(frame)), (frame["user_id"], frame["item_id"])), dtype=np.float32)
    model = als.AlternatingLeastSquares(factors=8, num_threads=1, random_state=0)
    model.fit(taken, show_progress=False)
    ids = {"user_ids": np.arange(160), "item_ids": np.arange(80)}
    found = eh.association.audit(model, None, attribute, genres, **ids, **QUICK)
    assert found.find("direction").details["passes"]
    with pytest.raises(InputError, match="pass user_ids and item_ids"):
        eh.association.audit(model, None, attribute, genres)


@pytest.mark.slow
def test_a_pipeline_of_lenskit(kinds):
    pytest.importorskip("lenskit")
    from lenskit.als import ImplicitMFScorer
    from lenskit.data import from_interactions_df
    from lenskit.pipeline import topn_pipeline

    frame, attribute, genres = kinds
    pipeline = topn_pipeline(ImplicitMFScorer(embedding_size=8, epochs=5))
    pipeline.train(from_interactions_df(frame))
    found = eh.association.audit(pipeline, None, attribute, genres, **QUICK)
    assert found.find("direction").details["passes"]
    assert found.find("deaa", first="kind 0", second="kind 1").estimate > 0


@pytest.fixture
def in_files(leaning, tmp_path):
    """Vectors without ids, and tables in the same order whose ids begin at 1, as those of MovieLens do."""
    np.save(tmp_path / "users.npy", leaning.users)
    np.save(tmp_path / "items.npy", leaning.items)
    people = pd.DataFrame({"user_id": range(1, len(leaning.users) + 1), "gender": leaning.gender})
    films = pd.DataFrame({"item_id": range(1, len(leaning.items) + 1), "genre": list(leaning.genres)})
    people.to_parquet(tmp_path / "people.parquet")
    films.to_parquet(tmp_path / "films.parquet")
    return tmp_path


def test_vectors_without_ids_are_in_the_order_of_the_table_and_not_one_off(in_files, result):
    found = eh.association.audit(
        in_files / "items.npy", in_files / "users.npy", f"{in_files}/people.parquet:gender",
        (in_files / "films.parquet", "genre"), **QUICK,
    )  # fmt: skip
    assert [one.estimate for one in found.findings] == [one.estimate for one in result.findings]
    assert all("order of the rows" in one.assumptions[-1] for one in found.findings)
    assert found.inputs["attribute"].source == "people.parquet"
    assert not any("order" in said for one in result.findings for said in one.assumptions)


def test_a_table_of_another_length_is_no_order(in_files, leaning):
    people = pd.read_parquet(in_files / "people.parquet")
    with pytest.raises(InputError, match="have no ids, so they would have to be in the order of the rows"):
        eh.association.audit(leaning.items, leaning.users, (people.iloc[1:], "gender"), missing="exclude")


def test_interactions_do_not_go_with_vectors_in_the_order_of_a_table(in_files, leaning):
    people = pd.read_parquet(in_files / "people.parquet")
    taken = pd.DataFrame({"user_id": [1, 2, 3], "item_id": [1, 2, 3]})
    with pytest.raises(InputError, match="interactions name users and items by their ids"):
        eh.association.leakage(leaning.items, leaning.users, (people, "gender"), taken)


def test_ids_that_number_the_rows_may_be_among_others(leaning, result):
    people = pd.DataFrame({"user_id": range(len(leaning.users)), "gender": leaning.gender})
    more = pd.concat([people, pd.DataFrame({"user_id": [-1, 10**6], "gender": ["M", "F"]})])
    mixed = more.sample(frac=1, random_state=1)
    found = eh.association.audit(leaning.items, leaning.users, (mixed, "gender"), leaning.genres, **QUICK)
    assert found.find("direction").estimate == result.find("direction").estimate


def test_users_alone_need_no_items(leaning, result):
    found = eh.association.audit(None, leaning.users, leaning.gender)
    assert found.find("direction").estimate == result.find("direction").estimate
    assert set(found.inputs) == {"users"}
    with pytest.raises(InputError, match="there are no vectors of items"):
        eh.association.audit(None, leaning.users, leaning.gender, leaning.genres)


def test_what_a_model_never_saw_is_left_out_and_counted(leaning, result):
    ids = np.arange(len(leaning.users)), np.arange(len(leaning.items) + 3)
    items = np.concatenate([leaning.items, np.zeros((3, leaning.items.shape[1]))])
    model = Factors(*ids, leaning.users, items)
    genres = pd.Series([*leaning.genres, "Action", "Action", "Western"], index=ids[1])
    frame = genres.rename_axis("item_id").reset_index(name="genre")
    found = eh.association.audit(model, None, leaning.gender, (frame, "genre"), **QUICK)
    for one in found.findings:
        assert one.excluded[-1].what == "items with a vector of zeros"
        assert one.excluded[-1].count == 3
    assert found.find("geaa", group="Action").estimate == pytest.approx(
        result.find("geaa", group="Action").estimate, abs=1e-6
    )
    with pytest.raises(InputError, match=r"3 of .* vectors are zero"):
        eh.association.audit(items, leaning.users, leaning.gender)


def test_a_tolerance_that_holds_nothing_is_refused(leaning):
    with pytest.raises(InputError, match="nothing would be held against it"):
        eh.association.audit(None, leaning.users, leaning.gender, tolerance=0.01)
