"""Small folders in the formats in which data sets were published, with everything odd that these have."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

KUAIRAND_HEADER = (
    "user_id,video_id,date,hourmin,time_ms,is_click,is_like,is_follow,is_comment,is_forward,is_hate,long_view,"
    "play_time_ms,duration_ms,profile_stay_time,comment_stay_time,is_profile_enter,is_rand,tab"
)


def kuairand_row(user: int, video: int, date: int, click: int, is_rand: int = 0) -> str:
    return (
        f"{user},{video},{date},1200,{1650600000000 + user},{click},0,0,0,0,0,{click},10,20,0,0,0,{is_rand},1"
    )


def write_kuairand(home: Path, variant: str = "pure", users: int = 40) -> Path:
    """A pool of videos 0 to 9, of which 9 has no row of default traffic; the system also shows 100 to 104."""
    folder = home / "data"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(7)
    random = [
        kuairand_row(user, video, 20220422 + video % 5, int(rng.random() < 0.4), 1)
        for user in range(users)
        for video in range(10)
    ]
    default = [
        kuairand_row(user, video, 20220422 + video % 5, int(rng.random() < 0.6))
        for user in range(users)
        for video in range(9)
    ]
    elsewhere = [kuairand_row(1, 100 + video, 20220423, 1) for video in range(5)]
    later = [kuairand_row(2, 3, 20220430, 1) for _ in range(2)]  # random traffic ended before
    marked = [kuairand_row(3, 4, 20220423, 1, 1)]
    again = [kuairand_row(5, 5, 20220423, 1)] * 2  # a pair may be shown again
    rows = [*default, *elsewhere, *later, *marked, *again]
    half = len(rows) // 2
    parts = (("_part1", rows[:half]), ("_part2", rows[half:])) if variant == "27k" else (("", rows),)
    for part, lines in parts:
        _write(folder / f"log_standard_4_22_to_5_08_{variant}{part}.csv", [KUAIRAND_HEADER, *lines])
    earlier = [kuairand_row(1, 1, 20220410, 1) for _ in range(7)]
    _write(folder / f"log_standard_4_08_to_4_21_{variant}.csv", [KUAIRAND_HEADER, *earlier])
    _write(folder / f"log_random_4_22_to_5_08_{variant}.csv", [KUAIRAND_HEADER, *random])
    videos = "video_id,author_id,video_type,upload_dt,upload_type,visible_status,video_duration,server_width,"
    videos += "server_height,music_id,music_type,tag"
    tags = ("", "12", '"12,65"')
    features = [
        f"{video},{video % 3},{'AD' if video % 2 else 'NORMAL'},2022-04-01,LongImport,public,"
        f"{'' if video == 2 else 9000.0},720,1280,{video},9.0,{tags[video % 3]}"
        for video in [*range(10), *range(100, 105)]
    ]
    _write(folder / f"video_features_basic_{variant}.csv", [videos, *features])
    people = [f"{user},{'full_active' if user % 2 else 'UNKNOWN'},{user % 3}" for user in range(users)]
    _write(folder / f"user_features_{variant}.csv", ["user_id,user_active_degree,onehot_feat0", *people])
    return home


def write_kuairec(home: Path) -> Path:
    folder = home / "data"
    folder.mkdir(parents=True)
    head = "user_id,video_id,play_duration,video_duration,time,date,timestamp,watch_ratio"
    small = [
        f"{user},{video},100,200,{'' if user == 1 else '2020-07-05 05:27:48.378'},"
        f"{'' if user == 1 else '20200705.0'},{'' if user == 1 else 1593898068.378},{(user + video) / 4}"
        for user in range(3)
        for video in range(4)
    ]
    _write(folder / "small_matrix.csv", [head, *small])
    big = [
        "0,9,1,2,2020-07-05 00:08:23.438,20200705,1593878903.438,0.5",
        "0,8,1,2,2020-07-05 00:08:24.438,20200705,1593878904.438,1.5",
        "0,9,4,2,2020-07-06 00:08:23.438,20200706,1593965303.438,2.0",
        "0,9,3,2,2020-07-04 00:08:23.438,20200704,1593792503.438,1.5",
        "7,9,3,2,2020-07-04 00:08:23.438,20200704,1593792503.438,0.25",
    ]
    _write(folder / "big_matrix.csv", [head, *big])
    _write(folder / "item_categories.csv", ["video_id,feat", *[f'{v},"[27,9]"' for v in range(9)], "9,[8]"])
    people = [f"{user},{'F' if user % 2 else 'M'},{'24-30'},full_active" for user in [0, 1, 2, 7]]
    _write(folder / "user_features_raw.csv", ["user_id,gender,age_range,user_active_degree", *people])
    text = "video_id,manual_cover_text,caption,topic_tag,first_level_category_id,first_level_category_name\n"
    text += "0,UNKNOWN,one\rtwo,[],8,food\n"
    text += '1,UNKNOWN,"a, b\nc",[],8,food\n'
    text += "".join(f"{video},UNKNOWN,plain,[],5,games\n" for video in range(2, 10))
    (folder / "kuairec_caption_category.csv").write_bytes(text.encode())
    return home


def write_yahoo(home: Path) -> Path:
    home.mkdir(parents=True)
    stem = home / "ydata-ymusic-rating-study-v1_0"
    # Users above 5,400 rated songs of their own choice alone.
    train = [f"{u}\t{s}\t{1 + (u * 3 + s) % 5}" for u in [*range(1, 31), 5401, 15400] for s in range(1, 11)]
    _write(Path(f"{stem}-train.txt"), train)
    _write(
        Path(f"{stem}-test.txt"),
        [f"{u}\t{s}\t{1 + (u + s) % 5}" for u in range(1, 31) for s in range(11, 21)],
    )
    return home


def write_open_bandit(home: Path, campaigns: tuple[str, ...] = ("men", "women")) -> Path:
    rng = np.random.default_rng(3)
    for policy in ("random", "bts"):
        for campaign in campaigns:
            folder = home / policy / campaign
            folder.mkdir(parents=True)
            _write(
                folder / "item_context.csv",
                [
                    ",item_id,item_feature_0,item_feature_1",
                    *[f"{i},{i},{i / 10},{'ab'[i % 2] * 4}" for i in range(4)],
                ],
            )
            head = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user-item_affinity_0"
            rows = [
                f"{n},2019-11-24 00:00:{n % 60:02}.5+00:00,{n % 4},{1 + n % 3},{int(rng.random() < 0.3)},"
                f"{0.25 if policy == 'random' else 0.1},{'cef3390e'},0.0"
                for n in range(400)
            ]
            _write(folder / f"{campaign}.csv", [head, *rows])
    return home


def write_mind(home: Path) -> Path:
    home.mkdir(parents=True)
    _write(
        home / "news.tsv",
        [
            f'N{n}\t{"sports" if n % 2 else "news"}\tsub\tA "quoted title\t{"" if n == 2 else "text"}\thttps://x\t[]\t[]'
            for n in range(5)
        ],
    )
    _write(
        home / "behaviors.tsv",
        [
            "1\tU1\t11/15/2019 8:55:22 AM\tN0 N1\tN2-0 N3-1",
            "2\tU1\t11/14/2019 1:05:22 PM\tN0 N1\tN3-1 N4-0 N2-0",
            "3\tU2\t11/13/2019 12:00:00 AM\t\tN2-1",
        ],
    )
    return home


def write_lastfm_360k(home: Path) -> Path:
    home.mkdir(parents=True)
    _write(
        home / "usersha1-artmbid-artname-plays.tsv",
        [
            "a1\tmb1\tbetty blowtorch\t2137",
            "a1\tmb1\tbetty  blowtorch\t3",
            'a1\t\t"quoted artist\t5',
            "a2\tmb1\tbetty blowtorch\t7",
            "sep 20, 2008\tmb1\tbetty blowtorch\t9",
        ],
    )
    _write(
        home / "usersha1-profile.tsv",
        [
            "a1\tf\t22\tGermany\tFeb 1, 2007",
            "a2\t\t\tMexico\tOct 4, 2006",
            "a3\tm\t-1337\tFrance\tOct 4, 2006",
        ],
    )
    return home


def write_black_friday(home: Path) -> Path:
    home.mkdir(parents=True)
    head = "User_ID,Product_ID,Gender,Age,Occupation,City_Category,Stay_In_Current_City_Years,Marital_Status,"
    head += "Product_Category_1,Product_Category_2,Product_Category_3,Purchase"
    rows = [
        "1000001,P00069042,F,0-17,10,A,2,0,3,,,8370",
        "1000001,P00248942,F,0-17,10,A,2,0,1,6,14,15200",
        "1000002,P00069042,M,55+,16,C,4+,0,3,,,7969",
    ]
    _write(home / "train.csv", [head, *rows])
    _write(home / "test.csv", [head.removesuffix(",Purchase"), *[row.rpartition(",")[0] for row in rows]])
    return home


def write_amazon(home: Path) -> Path:
    """That of 2014: metadata are dicts as Python prints them."""
    home.mkdir(parents=True)
    reviews = [
        {"reviewerID": "A1", "asin": "B000000001", "overall": 5.0, "unixReviewTime": 1300000000},
        {"reviewerID": "A1", "asin": "B000000001", "overall": 2.0, "unixReviewTime": 1400000000},
        {"reviewerID": "A2", "asin": "B000000002", "overall": 4.0, "unixReviewTime": 1350000000},
    ]
    with gzip.open(home / "reviews_Electronics_5.json.gz", "wt", encoding="utf-8") as file:
        file.write("".join(f"{json.dumps(review)}\n" for review in reviews))
    meta = [
        {"asin": "B000000001", "price": 1299.5, "title": "it's"},
        {"asin": "B000000002", "price": "$1,003.20"},
        {"asin": "B000000009", "price": "9.99"},
    ]
    with gzip.open(home / "meta_Electronics.json.gz", "wt", encoding="utf-8") as file:
        file.write("".join(f"{record}\n" for record in meta))
    return home


def write_movielens_csv(home: Path) -> Path:
    home.mkdir(parents=True)
    _write(
        home / "movies.csv",
        [
            "movieId,title,genres",
            '1,"American President, The (1995)",Comedy|Drama',
            "2,Nameless,(no genres listed)",
        ],
    )
    _write(
        home / "ratings.csv", ["userId,movieId,rating,timestamp", "1,1,0.5,1147880044", "2,1,5.0,1147868817"]
    )
    return home


WRITERS = {
    "KuaiRand-Pure": write_kuairand,
    "KuaiRec 2.0": write_kuairec,
    "Yahoo! R3": write_yahoo,
    "Open Bandit (men)": write_open_bandit,
    "MIND": write_mind,
    "LFM-360K": write_lastfm_360k,
    "Black Friday": write_black_friday,
    "Amazon reviews (Electronics)": write_amazon,
    "MovieLens (CSV files)": write_movielens_csv,
}


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
