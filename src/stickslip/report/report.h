// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/report/page_data.h"

namespace stickslip {

inline constexpr double kMaxReportBytes = 50e6;  // a page of 160 MB was measured to crash a browser's tab

/// The page without data: one file of HTML with its styles and its program, as web/ builds it.
std::string_view page_template();

/// The same for a server: without data, and allowed to ask that server alone for them.
struct ServedPage {
  std::string text;
  std::string policy;  // its Content-Security-Policy, which no other page may frame
};
ServedPage page_for_server();
/// The same without a replay, and so of a thirtieth of its size: indices, studies that do not move, comparisons.
std::string_view tables_template();

/// One of these pages with its data, elements of HTML, in their place.
std::string fill_page(std::string_view page, std::string_view data);

/// {"name": value, ...} as an element that the program of a page finds by its class; json holds no '<'.
std::string make_json_element(std::string_view css_class, std::string_view json);
/// Numbers as such an element, in Base64.
std::string make_numbers_element(std::string_view css_class, std::span<const std::byte> bytes);

/// A result as elements of a page in at most `room` bytes; none where the fewest rows take more. Throws InputError.
std::optional<std::string> make_result_elements(const Trajectory& result, double room);

/// What a page shows of a result: bodies, shapes, poses, contacts, the rows' and the steps' columns for plots, and its
/// certificate, in about `bytes` bytes of numbers. expected_rows: as many as that will be there are not yet; what would
/// be left out then is left out already. Throws InputError, and Interrupted where it is stopped.
PageData make_page_data(const Trajectory& result, double bytes, std::int64_t expected_rows = 0, StopToken stop = {});

/// One self-contained page of these results, in at most max_bytes bytes; larger results have fewer rows, and the page
/// says so. It needs no network and no other file. Throws InputError if a result cannot be read, or if even the fewest
/// rows take more.
std::string make_report(const std::vector<std::filesystem::path>& results, double max_bytes = kMaxReportBytes);

/// Whether a file is such a page: it may be written over.
bool is_report(const std::filesystem::path& path);

}  // namespace stickslip
