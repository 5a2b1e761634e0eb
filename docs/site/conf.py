# SPDX-License-Identifier: BSD-3-Clause
# Sphinx on the pages that scripts/docs lays out: index.md (the README), docs/, the changelog.
project = "stickslip"
author = "the authors of stickslip"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
nitpicky = True
# Headings are link targets as on the pages of a repository.
myst_heading_anchors = 4
# Fences name languages that need no colours: usages, printed text.
highlight_language = "none"
html_theme = "furo"
html_title = "stickslip"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
