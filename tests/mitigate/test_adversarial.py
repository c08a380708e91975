"""Training against an adversary: what it learns, whom it is told about, and that it goes on after a stop."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.recommenders import Interactions
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.taken.splits import Split, random_split

QUICK = {"factors": 8, "epochs": 25, "batch": 512, "learning_rate": 0.02, "regularisation": 0.001}


@pytest.fixture(scope="module")
def parts() -> Split:
    """600 users of two values who take items of their own kind three times in four."""
    rng = np.random.default_rng(0)
    rows = []
    for user in range(600):
        weights = np.where(np.arange(80) % 2 == user % 2, 3.0, 1.0) * (1 + np.arange(80) % 5)
        taken = rng.choice(80, size=15, replace=False, p=weights / weights.sum())
        rows += [(user, int(item)) for item in taken]
    frame = pd.DataFrame(rows, columns=["user_id", "item_id"])
    return random_split(Interactions.from_frame(frame), np.random.default_rng(0))


@pytest.fixture(scope="module")
def gender() -> pd.Series:
    return pd.Series(["F", "M"] * 300, index=pd.Index(range(600), name="user_id"), name="gender")


def test_what_is_refused_before_torch_is_asked(parts, gender):
    for changed, message in (
        ({"weight": -1}, "weight is -1"),
        ({"held_out": 2}, "held_out is 2"),
        ({"attribute": dict.fromkeys(range(600), "F")}, "only the value 'F'"),
        ({"train": [1]}, "must be Interactions or a pandas DataFrame"),
    ):
        with pytest.raises(InputError, match=message):
            eh.mitigate.adversarial_bpr(**({"train": parts.train, "attribute": gender} | changed))


@pytest.mark.slow
def test_held_out_users_are_harder_to_tell_and_lists_are_still_good(parts, gender):
    pytest.importorskip("torch")
    base, _ = eh.recommenders.fit("bpr", parts.train, parts.valid, 0, **QUICK)
    done = eh.mitigate.adversarial_bpr(parts.train, gender, weight=1.0, device="cpu", **QUICK)
    assert len(done.held_out) == 150
    found = eh.mitigate.compare_embeddings(
        base, done, gender, train=parts.train, test=parts.test, permutations=99
    ).result
    moved = found.find("attribute_accuracy_change", classifier="linear", who="held-out users")
    assert moved.details["before"] > 0.8
    assert moved.interval.high < -0.1
    popular, _ = eh.recommenders.fit("popularity", parts.train, parts.valid, 0)
    seen = parts.train.matrix()
    assert (
        full_ranking(done.recommender, parts.test, seen)["ndcg"]
        > 0.8 * (full_ranking(popular, parts.test, seen)["ndcg"])
    )


@pytest.mark.slow
def test_without_weight_it_is_bpr(parts, gender):
    pytest.importorskip("torch")
    from evenhand.recommenders import training
    from evenhand.recommenders.models import bpr

    settings = training.TrainingSettings(**QUICK)
    plain = training.train(lambda: bpr.BPR(parts.train, settings), parts.train, None, settings, 0, name="bpr")
    done = eh.mitigate.adversarial_bpr(parts.train, gender, weight=0, device="cpu", **QUICK)
    np.testing.assert_allclose(done.recommender.user_vectors, plain.user_vectors, atol=1e-5)


@pytest.mark.slow
def test_the_adversary_sees_only_users_whose_value_is_told(parts):
    torch = pytest.importorskip("torch")
    from evenhand.recommenders import training
    from evenhand.recommenders.models.adversarial import AdversarialBPR
    from evenhand.recommenders.models.bpr import BPR

    settings = training.TrainingSettings(**QUICK)
    codes = np.where(np.arange(600) < 300, np.arange(600) % 2, -1)
    torch.manual_seed(0)
    model = AdversarialBPR(parts.train, settings, codes, weight=2.0, hidden=4)
    items = torch.arange(40)
    for users, is_told in ((torch.arange(40), True), (torch.arange(300, 340), False)):
        plain, both = BPR.loss(model, users, items, items + 40), model.loss(users, items, items + 40)
        assert bool(plain == both) != is_told
        # Leaving the adversary in the dark is the opposite of what the adversary learns.
        model.zero_grad()
        (both - plain).backward()
        assert bool(model.users.grad.any()) == is_told
    users = torch.arange(40)
    gap = model.loss(users, items, items + 40) - BPR.loss(model, users, items, items + 40)
    model.zero_grad()
    gap.backward()
    reversed_ = model.users.grad.clone()
    pair = torch.cat([model.users[users], model.items[items]], dim=1)
    model.zero_grad()
    torch.nn.functional.cross_entropy(model.adversary(pair), torch.from_numpy(codes)[users]).backward()
    torch.testing.assert_close(reversed_, -2.0 * model.users.grad)


@pytest.mark.slow
def test_a_training_that_was_stopped_goes_on_and_is_saved_and_read(parts, gender, tmp_path):
    pytest.importorskip("torch")
    whole = eh.mitigate.adversarial_bpr(parts.train, gender, device="cpu", **QUICK | {"epochs": 6})

    class Stopped(Exception):
        pass

    def stop(message: str) -> None:
        if message.startswith("epoch 3"):
            raise Stopped

    given = {"device": "cpu", "checkpoint": tmp_path / "run", **QUICK, "epochs": 6}
    with pytest.raises(Stopped):
        eh.mitigate.adversarial_bpr(parts.train, gender, progress=stop, **given)
    again = eh.mitigate.adversarial_bpr(parts.train, gender, **given)
    np.testing.assert_array_equal(again.recommender.user_vectors, whole.recommender.user_vectors)
    with pytest.raises(InputError, match="belongs to another run"):
        eh.mitigate.adversarial_bpr(parts.train, gender, weight=5.0, **given)
    again.save(tmp_path / "model")
    loaded = eh.recommenders.load(tmp_path / "model")
    assert loaded.history.nnz == len(parts.train)
    found = eh.mitigate.compare_embeddings(
        loaded, tmp_path / "model", gender, test=parts.test, permutations=99
    )
    judged = found.result.find("attribute_accuracy", classifier="linear", when="after", who="held-out users")
    assert judged.n.count == len(whole.held_out)


@pytest.mark.slow
def test_settings_and_devices_that_are_not_there_are_refused(parts, gender):
    pytest.importorskip("torch")
    with pytest.raises(InputError, match="has no setting 'depth'"):
        eh.mitigate.adversarial_bpr(parts.train, gender, depth=3)
    with pytest.raises(InputError, match="device 'abacus' cannot be used"):
        eh.mitigate.adversarial_bpr(parts.train, gender, device="abacus")
