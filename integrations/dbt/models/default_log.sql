-- What was shown, as the plan reads it: a Parquet file (dbt-duckdb). Your own columns and sources go here.
{{ config(materialized="external", location=env_var("EVENHAND_DATA_DIR", "data") ~ "/default.parquet") }}

select user_id, item_id, creator_age, liked
from {{ source("feed", "impressions") }}
where not is_random
