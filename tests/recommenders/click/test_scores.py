"""Click models as arrays: what NumPy scores is what the formula says, and what torch scores."""

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import Features, Interactions, load
from evenhand.recommenders.scores.click.crossed import DCNScores, DeepFMScores, WideDeepScores
from evenhand.recommenders.scores.click.generated import FGCNNScores
from evenhand.recommenders.stored.storage import save

KINDS = {"widedeep": WideDeepScores, "deepfm": DeepFMScores, "dcn": DCNScores, "fgcnn": FGCNNScores}
BUILT = {
    "widedeep": {},
    "deepfm": {},
    "dcn": {"crosses": 2},
    "fgcnn": {"maps": [3, 2], "height": 3, "generated": 2},
}


@pytest.fixture(scope="module")
def small():
    pairs = [(f"u{u}", i) for u in range(7) for i in range(5) if (u + i) % 3]
    interactions = Interactions.from_frame(pd.DataFrame(pairs, columns=["user_id", "item_id"]))
    users = pd.DataFrame({"user_id": [f"u{u}" for u in range(6)], "gender": [*"FMMFM", None]})
    genres = [["a", "b"], ["b"], [], ["c", "a", "b"], ["a"]]
    return interactions, Features.of(
        interactions, users, pd.DataFrame({"item_id": range(5), "genres": genres})
    )


@pytest.fixture
def model_of(small):
    def make(name):
        interactions, features = small
        rng = np.random.default_rng(1)
        kind, built = KINDS[name], {"factors": 3, "layers": [6, 4], **BUILT[name]}
        blank = kind.__new__(kind)
        blank.features, blank.architecture, blank.factors, blank.layers = features, built, 3, [6, 4]
        weights = {key: rng.normal(size=shape) * 0.7 for key, shape in blank._shapes().items()}
        return kind(interactions.user_ids, interactions.item_ids, features, built, weights)

    return make


def vectors_of(model, user, item, table):
    """Field by field, one pair, from the codes alone."""
    found = []
    for field, start in zip(model.features.fields, model.features.starts, strict=True):
        codes = [code for code in field.codes[user if field.of == "user" else item] if code >= 0]
        found.append(np.mean([table[start + code] for code in codes], axis=0))
    return np.array(found, dtype=float)


def layers(model, x):
    names = sorted(n for n in model.weights if n.startswith("deep") and "weight" in n)
    for name in names:
        x = model.weights[name].astype(float) @ x + model.weights[name.replace("weight", "bias")]
        x = x if len(x) == 1 else np.maximum(x, 0)
    return x


def plain(name, model, user, item):
    """The score of one pair, as the papers write it, in loops."""
    w = model.weights
    v = vectors_of(model, user, item, w["vectors"])
    pairs = [(a, b) for a in range(len(v)) for b in range(a + 1, len(v))]
    if name in ("widedeep", "deepfm"):
        score = vectors_of(model, user, item, w["wide"][:, None]).sum() + layers(model, v.ravel())[0]
        return score + (sum(v[a] @ v[b] for a, b in pairs) if name == "deepfm" else 0)
    if name == "dcn":
        x = crossed = v.ravel()
        for weight, bias in zip(w["cross_weight"], w["cross_bias"], strict=True):
            crossed = x * (crossed @ weight) + bias + crossed
        return w["out.weight"][0] @ np.concatenate([crossed, layers(model, x)]) + w["out.bias"][0]
    maps, every = vectors_of(model, user, item, w["generating"])[None], [*v]
    for step in range(2):
        kernel, bias = w[f"convolve.{step}.weight"], w[f"convolve.{step}.bias"]
        fields, after = maps.shape[1], []
        for m in range(len(kernel)):
            rows = []
            for place in range(fields):
                total = np.full(maps.shape[2], float(bias[m]))
                for c in range(len(maps)):
                    for t in range(3):
                        if 0 <= place + t - 1 < fields:
                            total += kernel[m, c, t, 0] * maps[c, place + t - 1]
                rows.append(np.tanh(total))
            after.append([np.max(rows[start : start + 2], axis=0) for start in range(0, fields, 2)])
        maps = np.array(after)
        made = np.tanh(w[f"recombine.{step}.weight"] @ maps.ravel() + w[f"recombine.{step}.bias"])
        every += list(made.reshape(-1, 3))
    products = [every[a] @ every[b] for a in range(len(every)) for b in range(a + 1, len(every))]
    return layers(model, np.concatenate([np.ravel(every), products]))[0]


@pytest.mark.parametrize("name", KINDS)
def test_every_score_is_that_of_the_formula(name, model_of):
    model = model_of(name)
    expected = np.array([[plain(name, model, user, item) for item in range(5)] for user in range(7)])
    assert np.ptp(expected) > 1
    model._at_a_time = 3  # so that there is more than one part
    assert model.score_block(np.arange(7)) == pytest.approx(expected, abs=1e-4)
    user, item = np.divmod(np.arange(35), 5)
    assert model.score_pairs(user, item) == pytest.approx(expected.ravel(), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_torch_scores_the_same(name, small):
    torch = pytest.importorskip("torch")
    from evenhand.recommenders.models import dcn, deepfm, fgcnn, widedeep
    from evenhand.recommenders.training import TrainingSettings

    modules = {"widedeep": widedeep.WideDeep, "deepfm": deepfm.DeepFM, "dcn": dcn.DCN, "fgcnn": fgcnn.FGCNN}
    torch.manual_seed(0)
    module = modules[name](small[0], TrainingSettings(factors=4), small[1])
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight) * 0.1)
        user, item = np.divmod(np.arange(35), 5)
        expected = module(torch.from_numpy(user), torch.from_numpy(item)).numpy()
    assert np.ptp(expected) > 0.1
    assert module.recommender(small[0]).score_pairs(user, item) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_a_stored_model_comes_back_as_it_was(name, model_of, small, tmp_path):
    model = model_of(name)
    save(tmp_path, model, name=name, history=small[0], description={})
    again = load(tmp_path)
    assert type(again) is KINDS[name]
    assert np.array_equal(again.score_block(np.arange(7)), model.score_block(np.arange(7)))
    assert again.features.names == ["user.gender", "item.genres"]
    assert again.features.digest() == model.features.digest()
    assert not again.embeddings.shared_space


def without_a_layer(content):
    content["architecture"]["layers"] = [6]


def without_architecture(content):
    del content["architecture"]


def with_another_value(content):
    content["architecture"]["fields"][0]["values"] += ["X"]


def without_fields(content):
    content["architecture"]["fields"] = []


def of_nobody(content):
    content["architecture"]["fields"][0]["of"] = "shop"


def without_layers(content):
    content["architecture"]["layers"] = []


def of_endless_width(content):
    content["architecture"]["factors"] = float("inf")


@pytest.mark.parametrize(
    "change",
    [
        without_a_layer, without_architecture, with_another_value, without_fields, of_nobody, without_layers,
        of_endless_width,
    ],
)  # fmt: skip
def test_a_declaration_that_does_not_fit_is_refused(change, model_of, small, tmp_path):
    import json

    save(tmp_path, model_of("dcn"), name="dcn", history=small[0], description={})
    content = json.loads((tmp_path / "model.json").read_text())
    change(content)
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"is damaged .*; train the model again"):
        load(tmp_path)


def test_codes_beyond_the_values_are_refused(model_of, small, tmp_path):
    save(tmp_path, model_of("deepfm"), name="deepfm", history=small[0], description={})
    with np.load(tmp_path / "arrays.npz") as file:
        arrays = dict(file)
    for wrong in (arrays["codes.0"] + 9, arrays["codes.0"] - 1, arrays["codes.0"].astype(float)):
        np.savez(tmp_path / "arrays.npz", **{**arrays, "codes.0": wrong})
        with pytest.raises(InputError, match=r"arrays.npz is damaged \(codes.0 are not"):
            load(tmp_path)
