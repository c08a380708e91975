"""The pages of docs/ as their tests see them: blocks of code, words, sentences. It reads, and runs nothing.

python tests/pages/__init__.py          # blocks a page, run and not run, with the reasons
"""

import re
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

DOCS = Path(__file__).parents[2] / "docs"
RUN = ("python", "console")
_MARK = re.compile(r"<!--\s*(not run|file):\s*(.+?)\s*-->", re.S)
_PART_OF_THE_SITE = re.compile(r"^\{[\w-]+\}")  # {toctree}, {code-cell}: Sphinx reads these, and runs some


class Block(NamedTuple):
    """A fenced block: its language, its text, its first line; why it is not run, or the file that it is."""

    page: Path
    line: int
    language: str
    text: str
    not_run: str = ""
    file: str = ""

    @property
    def runs(self) -> bool:
        return self.language in RUN and not self.not_run and not self.file


class Command(NamedTuple):
    """A command of a console block, and what it prints (None: that is not shown)."""

    line: int
    command: str
    prints: str | None


def all_pages() -> list[Path]:
    hidden = {"_ext", "_static", "_build"}
    return sorted(page for page in DOCS.rglob("*.md") if not hidden & set(page.relative_to(DOCS).parts))


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, but those that Sphinx reads."""
    found, marks = [], {}
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block":
            marks = dict(_MARK.findall(token.content))
        elif token.type == "fence":
            language = token.info.split()[0] if token.info.strip() else ""
            if not _PART_OF_THE_SITE.match(language):
                line = (token.map or [0])[0] + 1
                why, file = marks.get("not run", ""), marks.get("file", "")
                found.append(Block(page, line, language, token.content, why, file))
            marks = {}
        elif token.type not in ("html_inline",):
            marks = {}
    return found


def indented(page: Path) -> list[int]:
    """The lines where code is indented and not fenced: nothing says what language that is."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    return [(token.map or [0])[0] + 1 for token in tokens if token.type == "code_block"]


def commands(block: Block) -> list[Command]:
    """The commands of a console block: `$ ` begins one; `> `, or a line after a backslash, goes on."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), start=block.line + 1):
        if line.startswith("$ "):
            found.append(Command(number, line[2:], None))
            continue
        if not found:
            raise ValueError(
                f"{name_of(block.page)}, line {number}: a console block begins with a command ('$ ')"
            )
        last = found[-1]
        if last.prints is None and (last.command.endswith("\\") or line == ">" or line.startswith("> ")):
            more = line[2:] if line.startswith(">") else line
            found[-1] = last._replace(command=f"{last.command}\n{more}")
        else:
            found[-1] = last._replace(prints=line if last.prints is None else f"{last.prints}\n{line}")
    return found


def words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


def prose(page: Path) -> list[str]:
    """Its paragraphs and points as plain text: no code, no table, no heading, no comment."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^---\n.*?^---\n", "", text, flags=re.S)
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1[ \t]*$", "\n", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "\n", text, flags=re.S)
    kept = [line for line in text.splitlines() if not re.match(r"\s*(\||#|!\[|:\w+:|\[\w+\]:)", line)]
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.)\s)", "\n".join(kept))
    plain = (re.sub(r"\]\([^)]*\)|[*_>\[\]]|^\s*(?:-|\d+\.)\s", "", part) for part in parts)
    return [" ".join(part.split()) for part in plain if part.strip()]


def sentences(page: Path) -> list[str]:
    ends = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(`A-Z0-9])")
    return [one for part in prose(page) for one in ends.split(part) if re.search(r"\w", one)]


def words_a_sentence(page: Path) -> float:
    found = sentences(page)
    return sum(len(one.split()) for one in found) / max(len(found), 1)


def main() -> None:
    ran = left = 0
    for page in all_pages():
        code = [block for block in blocks(page) if block.language in RUN]
        if not code:
            continue
        run = sum(not block.not_run for block in code)
        ran, left = ran + run, left + len(code) - run
        print(f"{name_of(page)}: {run} run, {len(code) - run} not run")
        for block in code:
            if block.not_run:
                print(f"    line {block.line}: {block.not_run}")
    print(f"Blocks of Python and of commands: {ran} run, {left} not run.")


if __name__ == "__main__":
    main()
