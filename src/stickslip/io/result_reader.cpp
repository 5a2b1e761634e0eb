// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/result_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "stickslip/base/input_error.h"
#include "stickslip/io/contact_sets.h"
#include "stickslip/io/result_writer.h"

namespace stickslip {

Trajectory::Trajectory(const std::filesystem::path& path) : file_(Hdf5File::open(path)) {
  if (!file_.has_attribute("/", "stickslip") || !file_.has_attribute("/", "format")) {
    throw InputError({path.string()}, "", "", "not a stickslip result");
  }
  const std::int64_t format = file_.read_integer("/", "format");
  if (format < 1 || format > kResultFormat) {
    throw InputError({path.string()}, "format", std::to_string(format),
                     fmt::format("this program reads results up to format {}", kResultFormat));
  }
  rows_ = count_rows();
  steps_ = file_.open_dataset("/steps/time").rows();
  for (const StepColumn& c : step_columns()) {
    if (!has_column(c)) continue;
    steps_ = std::min(steps_, file_.open_dataset(std::string("/steps/") + c.name).rows());
  }
}

bool Trajectory::has_column(const StepColumn& column) const {
  return !column.is_optional || file_.has(std::string("/steps/") + column.name);
}

/// A killed program may have written one row more of some datasets than of others.
std::int64_t Trajectory::count_rows() const {
  std::vector<std::string> datasets = {"/time", "/q", "/u", "/a"};
  for (const char* parent : {"/bodies", "/contacts"}) {
    std::vector<std::string> groups;
    if (std::string_view(parent) == "/contacts") {
      groups = contact_points();
    } else {
      groups = file_.children(parent);
    }
    for (const std::string& group : groups) {
      const std::string path = fmt::format("{}/{}", parent, group);
      for (const std::string& name : file_.children(path)) datasets.push_back(fmt::format("{}/{}", path, name));
    }
  }
  std::int64_t rows = file_.open_dataset("/time").rows();
  for (const std::string& path : datasets) rows = std::min(rows, file_.open_dataset(path).rows());
  return count_whole_sets(file_, rows);
}

RowMatrix Trajectory::read(const std::string& dataset, std::int64_t first, std::int64_t n) const {
  const Hdf5Dataset data = file_.open_dataset(dataset);
  RowMatrix values(n, data.width());
  data.read(first, std::span(values.data(), static_cast<std::size_t>(values.size())));
  return values;
}

std::vector<StepRow> Trajectory::read_steps(std::int64_t first, std::int64_t n) const {
  std::vector<StepRow> rows(static_cast<std::size_t>(n));
  std::vector<double> reals(rows.size());
  std::vector<std::int64_t> integers(rows.size());
  for (const StepColumn& c : step_columns()) {
    if (!has_column(c)) continue;
    const Hdf5Dataset data = file_.open_dataset(std::string("/steps/") + c.name);
    if (const auto* real = std::get_if<double StepRow::*>(&c.member)) {
      data.read(first, reals);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*(*real) = reals[i];
    } else {
      data.read(first, integers);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].*std::get<std::int64_t StepRow::*>(c.member) = integers[i];
      }
    }
  }
  return rows;
}

std::vector<LayoutRow> Trajectory::layout() const {
  const std::vector<std::string> names = file_.read_text_field("/layout", "body");
  const std::vector<std::string> types = file_.read_text_field("/layout", "type");
  const std::vector<std::int64_t> q_offset = file_.read_integer_field("/layout", "q_offset");
  const std::vector<std::int64_t> n_q = file_.read_integer_field("/layout", "n_q");
  const std::vector<std::int64_t> u_offset = file_.read_integer_field("/layout", "u_offset");
  const std::vector<std::int64_t> n_u = file_.read_integer_field("/layout", "n_u");
  std::vector<LayoutRow> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({names[i], types[i], static_cast<int>(q_offset[i]), static_cast<int>(n_q[i]),
                    static_cast<int>(u_offset[i]), static_cast<int>(n_u[i])});
  }
  return rows;
}

std::vector<std::string> Trajectory::contact_points() const {
  std::vector<std::string> points;
  for (const std::string& pair : file_.children("/contacts")) {
    if (file_.has(fmt::format("/contacts/{}/gap", pair))) {
      points.push_back(pair);
      continue;
    }
    for (const std::string& point : file_.children("/contacts/" + pair)) points.push_back(pair + "/" + point);
  }
  return points;
}

}  // namespace stickslip
