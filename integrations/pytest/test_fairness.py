import evenhand as eh


def test_nobody_is_served_beyond_the_limits():
    result = eh.plan.run("audit.toml", out="audit/")
    verdicts = {part.verdict for answer in result.questions for part in answer.parts}
    assert verdicts <= {"within_tolerance", "inconclusive", None}, str(result)
