// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stickslip/gallery/run_gallery.h"

// Galleries as pages that any browser opens from a folder, without a server: one a study, and an index.

namespace stickslip {

/// The file of a study's page, below the folder of its gallery.
std::string study_page_name(const StudyRecord& study);

/// A study: its figures with the published values as marks, its numbers with agreement or reason, its runs. The runs
/// that figures are of move in a replay, read from `results`, the folder that run_gallery() left them in; where no
/// figure is of a run, the first does. Throws InputError.
std::string make_study_page(const GalleryRecord& gallery, const StudyRecord& study,
                            const std::filesystem::path& results);

/// All studies with a picture of a figure and how many numbers agree; pages are at GALLERY/STUDY.html.
std::string make_index_page(const std::vector<GalleryRecord>& galleries);

}  // namespace stickslip
