-- The small log of uniformly random pairs.
{{ config(materialized="external", location=env_var("EVENHAND_DATA_DIR", "data") ~ "/random.parquet") }}

select user_id, item_id, creator_age, liked
from {{ source("feed", "impressions") }}
where is_random
