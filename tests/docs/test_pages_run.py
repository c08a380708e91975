"""Every block of Python and of commands runs as it stands on its page, in a folder that has the demo."""

import pytest

from pages import RUN, all_pages, blocks, name_of
from pages.running import PageError, is_as_shown, run_page

# They are run by tests of their own, which look at more than what the page shows.
ELSEWHERE = {"howto/live-certificate.md": "tests/service/client/test_page.py"}
PAGES = [
    page
    for page in all_pages()
    if name_of(page) not in ELSEWHERE and any(block.runs for block in blocks(page))
]


@pytest.mark.slow
# Ibis itself, with DuckDB 2: who reads a page is not shown it, since Python hides it.
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_blocks_of_a_page_run(page, demo, tmp_path):
    ran = run_page(page, demo, tmp_path)
    commands = sum(block.language == "console" for block in blocks(page) if block.runs)
    assert len(ran) >= commands


def test_what_is_not_run_says_why():
    """The start of a reason is one of these: nobody leaves a block out since it fails."""
    allowed = ("needs ", "takes ", "changes ", "an excerpt", "shows ")
    for page in all_pages():
        for block in blocks(page):
            if block.not_run:
                assert block.language in RUN, (name_of(page), block.line)
                assert block.not_run.startswith(allowed), (name_of(page), block.line, block.not_run)


def test_most_blocks_run():
    code = [block for page in all_pages() for block in blocks(page) if block.language in RUN]
    assert sum(not block.not_run for block in code) > 2 * sum(bool(block.not_run) for block in code)


class TestARunner:
    """It can fail."""

    def page(self, folder, text):
        (folder / "demo").mkdir()
        (folder / "page.md").write_text(text, encoding="utf-8")
        return folder / "page.md"

    def run(self, tmp_path, monkeypatch, text):
        monkeypatch.setattr("pages.running.name_of", lambda page: page.name)
        return run_page(self.page(tmp_path, text), tmp_path / "demo", tmp_path / "run")

    def test_blocks_share_names_files_and_what_is_exported(self, tmp_path, monkeypatch):
        text = (
            "```python\na = 1\n```\n\n```console\n$ export B=2\n```\n\n"
            "<!-- file: c/d.txt -->\n```text\nthree\n```\n\n"
            "```python\nassert a == 1\n```\n\n```console\n$ echo $B; cat c/d.txt\n2\nthree\n```\n"
        )
        assert [done.status for done in self.run(tmp_path, monkeypatch, text)] == [0, 0]

    @pytest.mark.parametrize(
        "block",
        ["$ echo two\none", "$ false", "$ echo one\none\n$ exit 3", "$ no-such-command"],
        ids=["another output", "a status", "the shell ends", "no command"],
    )
    def test_a_wrong_command_is_found(self, tmp_path, monkeypatch, block):
        with pytest.raises(PageError):
            self.run(tmp_path, monkeypatch, f"```console\n{block}\n```\n")

    def test_wrong_python_is_found(self, tmp_path, monkeypatch):
        with pytest.raises(ZeroDivisionError):
            self.run(tmp_path, monkeypatch, "```python\n1 / 0\n```\n")

    def test_a_status_that_is_shown_is_right(self, tmp_path, monkeypatch):
        self.run(tmp_path, monkeypatch, "```console\n$ false\n$ echo $?\n1\n```\n")
        assert not is_as_shown("1", "2")

    def test_a_block_that_is_marked_is_not_run(self, tmp_path, monkeypatch):
        text = "<!-- not run: needs a warehouse -->\n```console\n$ false\n```\n"
        assert self.run(tmp_path, monkeypatch, text) == []

    @pytest.mark.parametrize("printed", ["a 1 b", "a\n2\nb"])
    def test_dots_stand_for_anything(self, printed):
        assert is_as_shown("a...b", printed)
        assert not is_as_shown("a...c", printed)

    def test_a_line_of_dots_stands_for_any_lines_or_none(self):
        assert is_as_shown("...\na\n...\nb\n...", "a\nb\n")
        assert is_as_shown("a\n...\nb", "a\n1\n\n2\nb")
        assert not is_as_shown("a\n...\nb", "a c\nb")
