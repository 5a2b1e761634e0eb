# SPDX-License-Identifier: BSD-3-Clause
"""Published studies run again: their figures, and each of their numbers beside ours. docs/gallery.md describes them."""
