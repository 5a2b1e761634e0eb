// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "stickslip/base/assert.h"
#include "stickslip/base/base64.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/output_file.h"
#include "stickslip/report/certificate_data.h"
#include "stickslip/report/picture_data.h"
#include "stickslip/report/row_reader.h"

namespace stickslip {
namespace {

constexpr std::string_view kMark = "<!doctype html><!-- stickslip page -->";
constexpr std::string_view kDataPlace = "<!-- stickslip data -->";
constexpr double kBase64 = 4.0 / 3.0;  // [-] characters a byte
// Of the room for numbers: poses draw the picture, contacts are thinned first, plots take what they need.
constexpr double kPoseShare = 0.5;
constexpr double kContactShare = 0.2;
constexpr double kSignalShare = 0.2;
constexpr double kStepShare = 0.1;
constexpr std::int64_t kMostPlottedSteps = 20000;  // [-] in a plot of 1000 pixels: 20 a pixel
constexpr std::int64_t kFewestRows = 200;    // [-] below these a plot says nothing, and columns are left out instead
constexpr std::int64_t kStepBlock = 100000;  // [-] rows read at a time

/// A dataset with a row for each output instant that can be plotted.
constexpr std::array<const char*, 29> kSignals = {"/contacts/gap",
                                                  "/contacts/normal_force",
                                                  "/contacts/normal_percussion",
                                                  "/contacts/status",
                                                  "/contacts/friction_force",
                                                  "/contacts/friction_percussion",
                                                  "/joints/coordinate",
                                                  "/joints/rate",
                                                  "/joints/drift",
                                                  "/joints/friction",
                                                  "/joints/drive",
                                                  "/joints/effort",
                                                  "/joints/power",
                                                  "/joints/reaction_force",
                                                  "/joints/reaction_torque",
                                                  "/sensors/value",
                                                  "/measures/bodies",
                                                  "/measures/kinetic_energy",
                                                  "/measures/coordination",
                                                  "/measures/force_mean",
                                                  "/measures/force_max",
                                                  "/measures/force_deviation",
                                                  "/measures/stress",
                                                  "/measures/crossed",
                                                  "/measures/flow",
                                                  "/q",
                                                  "/u",
                                                  "/contacts/normal_impulse",
                                                  "/a"};

/// The column of each step that is kept: of many, in each bucket the one whose residual is largest.
std::vector<std::int64_t> pick_steps(const std::vector<double>& residual, std::int64_t most) {
  const auto n = static_cast<std::int64_t>(residual.size());
  std::vector<std::int64_t> kept;
  const std::int64_t buckets = std::min(n, std::max<std::int64_t>(most, 2));
  for (std::int64_t b = 0; b < buckets; ++b) {
    const std::int64_t first = b * n / buckets, end = (b + 1) * n / buckets;
    std::int64_t best = first;
    for (std::int64_t i = first; i < end; ++i) {
      if (residual[static_cast<std::size_t>(i)] > residual[static_cast<std::size_t>(best)]) best = i;
    }
    if (b == 0) best = 0;  // energies begin where the run does, and end where it ends
    kept.push_back(b == buckets - 1 ? n - 1 : best);
  }
  return kept;
}

void add_steps(const Trajectory& result, double bytes, PageData& data, std::vector<std::string>& notes) {
  CertificateData certificate;
  std::vector<double> residual;
  for (std::int64_t first = 0; first < result.steps(); first += kStepBlock) {
    const std::vector<StepRow> rows = result.read_steps(first, std::min(kStepBlock, result.steps() - first));
    for (const StepRow& row : rows) {
      const bool initial = residual.empty();
      residual.push_back(std::isfinite(row.residual) ? row.residual : 0.0);
      if (!initial) certificate.add(row);
    }
  }
  certificate.set_limits(result.limits());
  data.set("certificate", certificate.to_json(PlaceNames(result)));
  const double column_bytes = 8.0;
  const double most = bytes / (column_bytes * static_cast<double>(step_columns().size()));
  const std::vector<std::int64_t> kept =
      pick_steps(residual, std::min(kMostPlottedSteps, static_cast<std::int64_t>(std::max(most, 2.0))));
  if (static_cast<std::int64_t>(kept.size()) < result.steps()) {
    notes.push_back(fmt::format("the steps' figures: {} of {} steps are in this page, those of the largest residuals",
                                kept.size(), result.steps()));
  }
  std::string columns;
  for (const StepColumn& column : step_columns()) {
    const std::string path = std::string("/steps/") + column.name;
    if (!result.file().has(path)) continue;
    columns += fmt::format("{}[{},{},{}]", columns.empty() ? "" : ",", to_json(column.name), to_json(column.unit),
                           to_json(column.meaning));
    data.add(path, read_picked(result, path, kept));
  }
  data.set("steps", '[' + columns + ']');
}

void add_signals(const Trajectory& result, double bytes, std::int64_t expected_rows, PageData& data,
                 std::vector<std::string>& notes) {
  const std::vector<std::int64_t> whole = pick_rows(result.rows(), result.rows());
  std::vector<std::string> paths;
  std::vector<std::string> left_out;
  double row_bytes = 8.0;
  const double fewest = static_cast<double>(
      std::min<std::int64_t>(kFewestRows, std::max<std::int64_t>({result.rows(), expected_rows, 1})));
  for (const char* path : kSignals) {
    if (!result.file().has(path)) continue;
    const double width = 8.0 * static_cast<double>(result.file().open_dataset(path).width());
    if ((row_bytes + width) * fewest > bytes) {
      left_out.emplace_back(path);
      continue;
    }
    row_bytes += width;
    paths.emplace_back(path);
  }
  const std::vector<std::int64_t> rows = pick_rows(result.rows(), static_cast<std::int64_t>(bytes / row_bytes));
  if (rows.size() < whole.size() && !paths.empty()) {
    notes.push_back(fmt::format("plots: {} of {} rows are in this page", rows.size(), whole.size()));
  }
  if (!left_out.empty()) notes.push_back(fmt::format("not in this page, too large: {}", fmt::join(left_out, ", ")));
  data.add("row_time", read_picked(result, "/time", rows));
  for (const std::string& path : paths) data.add(path, read_picked(result, path, rows));
}

}  // namespace

ServedPage page_for_server() {
  constexpr std::string_view kNobody = "connect-src 'none'", kOwnServer = "connect-src 'self'";
  constexpr std::string_view kPolicy = "http-equiv=\"Content-Security-Policy\" content=\"";
  ServedPage page{std::string(page_template()), ""};
  const std::size_t place = page.text.find(kNobody);
  const std::size_t policy = page.text.find(kPolicy);
  STICKSLIP_ASSERT(place != std::string::npos && policy != std::string::npos);
  page.text.replace(place, kNobody.size(), kOwnServer);
  const std::size_t begin = policy + kPolicy.size();
  page.policy = page.text.substr(begin, page.text.find('"', begin) - begin) + "; frame-ancestors 'none'";
  return page;
}

PageData make_page_data(const Trajectory& result, double bytes, std::int64_t expected_rows, StopToken stop) {
  PageData data;
  std::vector<std::string> notes;
  for (const char* name : {"name", "scheme", "solver", "version", "commit", "outcome", "message"}) {
    data.set(name, to_json(result.text(name)));
  }
  data.set("file", to_json(std::filesystem::path(result.file().name()).filename().string()));
  data.set("scene", to_json(result.scene()));
  data.set("contacts", to_json(result.names("contacts")));
  data.set("joints", to_json(result.names("joints")));
  data.set("sensors", to_json(result.names("sensors")));
  data.set("measures", to_json(result.names("measures")));
  if (result.file().has("/sensors/type")) {
    data.set("sensor_types", to_json(result.file().read_texts("/sensors/type")));
    data.add("sensor_offset", result.file().read_numbers("/sensors/offset"));
  }
  if (result.file().has("/joints/type")) data.set("joint_types", to_json(result.file().read_texts("/joints/type")));
  if (result.file().has("/contacts/friction_coefficient")) {
    data.add("friction_coefficient", result.file().read_numbers("/contacts/friction_coefficient"));
  }
  if (result.rows() == 0) throw InputError({result.file().name()}, "/time", "", "has no rows: nothing to show");
  add_steps(result, kStepShare * bytes, data, notes);
  stop.check();
  add_picture(result, kPoseShare * bytes, data, notes);
  stop.check();
  add_contacts(result, kContactShare * bytes, data, notes);
  stop.check();
  add_signals(result, kSignalShare * bytes, expected_rows, data, notes);
  data.set("notes", to_json(notes));
  return data;
}

std::string fill_page(std::string_view page, std::string_view data) {
  const std::size_t place = page.find(kDataPlace);
  return fmt::format("{}{}{}", page.substr(0, place), data, page.substr(place + kDataPlace.size()));
}

std::string make_json_element(std::string_view css_class, std::string_view json) {
  return fmt::format("<script type=\"application/json\" class=\"{}\">{}</script>\n", css_class, json);
}

std::string make_numbers_element(std::string_view css_class, std::span<const std::byte> bytes) {
  return fmt::format("<script type=\"text/plain\" class=\"{}\">{}</script>\n", css_class, to_base64(bytes));
}

std::optional<std::string> make_result_elements(const Trajectory& result, double room) {
  for (double bytes = room / kBase64; bytes >= 0.5; bytes *= 0.5) {
    const PageData data = make_page_data(result, bytes);
    std::string elements = make_json_element("result", data.header());
    if (static_cast<double>(elements.size()) + kBase64 * static_cast<double>(data.bytes().size()) > room) continue;
    elements += make_numbers_element("numbers", data.bytes());
    if (static_cast<double>(elements.size()) <= room) return elements;
  }
  return std::nullopt;
}

std::string make_report(const std::vector<std::filesystem::path>& results, double max_bytes) {
  const std::string_view page = page_template();
  // Headers, with scenes and names, are small beside the numbers; what they take too much shows in the end.
  const double room = (max_bytes - static_cast<double>(page.size())) / static_cast<double>(results.size());
  std::string data;
  for (const std::filesystem::path& path : results) {
    const Trajectory result(path);
    const std::optional<std::string> elements = make_result_elements(result, room);
    if (!elements) {
      const PageData least = make_page_data(result, 0.0);
      const double taken =
          kBase64 * static_cast<double>(least.bytes().size()) + static_cast<double>(least.header().size());
      throw InputError(fmt::format("--max-size: {} leave no room for {}, which takes {} with the fewest rows",
                                   describe_bytes(max_bytes), path.string(),
                                   describe_bytes(taken + static_cast<double>(page.size()))));
    }
    data += *elements;
  }
  return fill_page(page, data);
}

bool is_report(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // reading from a pipe may wait for ever
  std::ifstream file(path, std::ios::binary);
  std::string head(kMark.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.good() && head == kMark;
}

}  // namespace stickslip
