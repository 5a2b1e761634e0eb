// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/csv_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

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

bool is_device(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error) &&
         !std::filesystem::is_directory(path, error);
}

}  // namespace

CsvWriter::CsvWriter(const std::filesystem::path& path, const System& system) : system_(system), path_(path) {
  if (!is_device(path)) file_name_.emplace(path);
  errno = 0;
  out_.open(file_name_ ? file_name_->temporary_path() : path);
  check("cannot be made");
  write_header();
}

void CsvWriter::write_header() {
  std::string line = "t";
  for (int i = 1; i <= system_.n_q(); ++i) line += fmt::format(",q{}", i);
  for (int i = 1; i <= system_.n_u(); ++i) line += fmt::format(",u{}", i);
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    const std::string name = contact_group(system_, static_cast<int>(k)).substr(std::string("/contacts/").size());
    const auto add = [&](const std::string& quantity) { line += ',' + quoted(name + '.' + quantity); };
    for (const char* quantity : {"gap", "lambda_N", "Lambda_N", "P_N"}) add(quantity);
    const int n_friction = system_.contacts()[system_.contact_points()[k].pair].friction_dim;
    for (const char* quantity : {"lambda_F", "Lambda_F", "P_F"}) {
      for (int i = 1; i <= n_friction; ++i) add(quantity + std::to_string(i));
    }
  }
  out_ << line << '\n';
}

void CsvWriter::write_row() {
  fmt::memory_buffer line;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    fmt::format_to(std::back_inserter(line), "{}{:.17g}", i == 0 ? "" : ",", row_[i]);
  }
  line.push_back('\n');
  out_.write(line.data(), static_cast<std::streamsize>(line.size()));
}

void CsvWriter::record(const State& state, const StepReport& report) {
  row_.assign(1, state.t);
  row_.insert(row_.end(), state.q.begin(), state.q.end());
  row_.insert(row_.end(), state.u.begin(), state.u.end());
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    const ContactReport& c = report.contacts[k];
    row_.insert(row_.end(), {c.gap, c.force[0], c.impulse[0], c.percussion[0]});
    for (const auto* components : {&c.force, &c.impulse, &c.percussion}) {
      row_.insert(row_.end(), components->begin() + 1, components->begin() + 1 + c.friction_dim);
    }
  }
  write_row();
}

void CsvWriter::copy_rows(const Trajectory& from, std::int64_t rows) {
  std::vector<std::string> datasets = {"/time", "/q", "/u"};
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    const std::string group = contact_group(system_, static_cast<int>(k));
    for (const char* name : {"gap", "normal_force", "normal_impulse", "normal_percussion"}) {
      datasets.push_back(fmt::format("{}/{}", group, name));
    }
    if (system_.contacts()[system_.contact_points()[k].pair].friction_dim == 0) continue;
    for (const char* name : {"friction_force", "friction_impulse", "friction_percussion"}) {
      datasets.push_back(fmt::format("{}/{}", group, name));
    }
  }
  constexpr std::int64_t kBlock = 1000;  // [-] rows read at a time
  for (std::int64_t first = 0; first < rows; first += kBlock) {
    const std::int64_t n = std::min(kBlock, rows - first);
    std::vector<RowMatrix> columns;
    for (const std::string& dataset : datasets) columns.push_back(from.read(dataset, first, n));
    for (std::int64_t i = 0; i < n; ++i) {
      row_.clear();
      for (const RowMatrix& column : columns) {
        for (Eigen::Index j = 0; j < column.cols(); ++j) row_.push_back(column(i, j));
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

void CsvWriter::finish() {
  errno = 0;
  out_.close();
  check("cannot be written");
}

void CsvWriter::check(const char* what) {
  if (out_) return;
  const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  throw WriteError(fmt::format("{}: {}{}", path_.string(), what, why));
}

}  // namespace stickslip
