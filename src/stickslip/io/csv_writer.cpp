// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/csv_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

#include "stickslip/base/input_error.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/io/write_error.h"

namespace stickslip {
namespace {

/// A name as a field of a CSV file [RFC4180]: quoted where it has to be.
std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

}  // namespace

CsvWriter::CsvWriter(const std::filesystem::path& path, const System& system) : system_(system), path_(path) {
  const std::vector<std::string> names = column_names();
  if (names.size() > static_cast<std::size_t>(kMostCsvColumns)) {
    throw InputError(
        {}, "--csv", path.string(),
        fmt::format("at most {} columns, here {}: the result holds the same numbers", kMostCsvColumns, names.size()));
  }
  if (!is_device(path)) file_name_.emplace(path);
  errno = 0;
  open_to_write(file_name_ ? file_name_->temporary_path() : path, out_);
  check("cannot be made");
  out_ << fmt::format("{}\n", fmt::join(names, ","));
}

std::vector<std::string> CsvWriter::column_names() const {
  std::vector<std::string> names = {"t"};
  for (int i = 1; i <= system_.n_body_q(); ++i) names.push_back(fmt::format("q{}", i));
  for (int i = 1; i <= system_.n_u(); ++i) names.push_back(fmt::format("u{}", i));
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    const std::string name = contact_name(system_, static_cast<int>(k));
    const auto add = [&](const std::string& quantity) {
      names.push_back(quoted(fmt::format("{}.{}", name, quantity)));
    };
    for (const char* quantity : {"gap", "lambda_N", "Lambda_N", "P_N"}) add(quantity);
    const int n_friction = system_.contacts()[system_.contact_points()[k].pair].friction_dim;
    for (const char* quantity : {"lambda_F", "Lambda_F", "P_F"}) {
      for (int i = 1; i <= n_friction; ++i) add(quantity + std::to_string(i));
    }
  }
  return names;
}

void CsvWriter::begin(const State& state, const StepReport& report) {
  record(state, report, true);
  flush();
}

void CsvWriter::begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) {
  copy_rows(before, checkpoint, stop);
  flush();
}

void CsvWriter::write_row() {
  fmt::memory_buffer line;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    fmt::format_to(std::back_inserter(line), "{}{:.17g}", i == 0 ? "" : ",", row_[i]);
  }
  line.push_back('\n');
  out_.write(line.data(), static_cast<std::streamsize>(line.size()));
}

void CsvWriter::record(const State& state, const StepReport& report, bool is_row) {
  if (!is_row) return;
  row_.assign(1, state.t);
  row_.insert(row_.end(), state.q.begin(), state.q.begin() + system_.n_body_q());
  row_.insert(row_.end(), state.u.begin(), state.u.end());
  for (std::size_t i = 0; i < system_.bodies().size() && !system_.all_are_present(); ++i) {
    const Body& body = system_.bodies()[i];
    if (system_.is_present(body)) continue;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::fill_n(row_.begin() + 1 + body.q_offset, body.n_q, kNone);
    std::fill_n(row_.begin() + 1 + system_.n_body_q() + body.u_offset, body.n_u, kNone);
  }
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    const ContactReport& c = report.contacts[k];
    row_.insert(row_.end(), {c.gap, c.force[0], c.impulse[0], c.percussion[0]});
    for (const auto* components : {&c.force, &c.impulse, &c.percussion}) {
      row_.insert(row_.end(), components->begin() + 1, components->begin() + 1 + c.friction_dim);
    }
  }
  write_row();
}

/// Impulses that the result does not have, as its scheme does not tell them apart, are nan.
void CsvWriter::copy_rows(const Trajectory& from, const Checkpoint& up_to, const StopToken& stop) {
  const std::int64_t rows = up_to.rows;
  const std::size_t n_points = system_.contact_points().size();
  constexpr std::array<const char*, 7> kQuantities = {"gap",
                                                      "normal_force",
                                                      "normal_impulse",
                                                      "normal_percussion",
                                                      "friction_force",
                                                      "friction_impulse",
                                                      "friction_percussion"};
  constexpr std::int64_t kBlock = 1000;  // [-] rows read at a time
  for (std::int64_t first = 0; first < rows; first += kBlock) {
    const std::int64_t n = std::min(kBlock, rows - first);
    const RowMatrix time = from.read("/time", first, n, &up_to), q = from.read("/q", first, n, &up_to),
                    u = from.read("/u", first, n, &up_to);
    std::array<RowMatrix, kQuantities.size()> contacts;
    for (std::size_t c = 0; c < contacts.size() && n_points > 0; ++c) {
      const std::string path = std::string("/contacts/") + kQuantities[c];
      const auto width = static_cast<Eigen::Index>(c < 4 ? n_points : 3 * n_points);
      contacts[c] = from.file().has(path) ? from.read(path, first, n, &up_to)
                                          : RowMatrix::Constant(n, width, std::numeric_limits<double>::quiet_NaN());
    }
    for (std::int64_t i = 0; i < n; ++i) {
      stop.check();
      row_.assign(1, time(i, 0));
      row_.insert(row_.end(), q.row(i).begin(), q.row(i).end());
      row_.insert(row_.end(), u.row(i).begin(), u.row(i).end());
      for (std::size_t k = 0; k < n_points; ++k) {
        const auto point = static_cast<Eigen::Index>(k);
        const int n_friction = system_.contacts()[system_.contact_points()[k].pair].friction_dim;
        for (std::size_t c = 0; c < 4; ++c) row_.push_back(contacts[c](i, point));
        for (std::size_t c = 4; c < contacts.size(); ++c) {
          for (int j = 0; j < n_friction; ++j) row_.push_back(contacts[c](i, 3 * point + j));
        }
      }
      write_row();
    }
  }
}

void CsvWriter::flush() {
  errno = 0;
  out_.flush();
  check("cannot be written");
}

void CsvWriter::publish() {
  if (file_name_) file_name_->publish();
}

void CsvWriter::finish(const RunEnd& /*end*/) {
  errno = 0;
  out_.close();
  check("cannot be written");
  if (file_name_) file_name_->check_published();
}

void CsvWriter::check(const char* what) {
  if (out_) return;
  const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  throw WriteError(fmt::format("{}: {}{}", path_.string(), what, why));
}

}  // namespace stickslip
