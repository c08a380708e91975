"""How the pages become a site: `make docs`. Nothing here or on a page is fetched from elsewhere."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Evenhand"
author = "The Evenhand authors"
project_copyright = "The Evenhand authors. Apache License 2.0"

extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinxcontrib.bibtex",
    "for_machines",
    "from_code",
    "gallery",
    "mathml",
    "papers",
]
exclude_patterns = ["_ext", "_ipython"]
python_maximum_signature_line_length = 90

# Pages are Markdown; headings have the anchors that they have elsewhere, too.
source_suffix = {".md": "myst-nb"}
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 6
highlight_language = "none"
smartquotes = False  # options begin with two hyphens

# Tutorials are run when the site is built, each in a folder of its own; what fails there fails the build.
os.environ["IPYTHONDIR"] = str(Path(__file__).parent / "_ipython")
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

bibtex_bibfiles = ["bibliography.bib"]
bibtex_default_style = "plain"
bibtex_cite_id = "{key}"

html_theme = "pydata_sphinx_theme"
html_title = "Evenhand"
html_static_path = ["_static"]
html_css_files = ["evenhand.css", "notebooks.css"]
html_js_files = ["evenhand.js"]
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "article_header_end": [],
    "footer_start": ["copyright"],
    "footer_end": [],
}
