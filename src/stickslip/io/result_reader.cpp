// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/io/checksum.h"
#include "stickslip/io/contact_sets.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/limits_table.h"
#include "stickslip/io/result_writer.h"

namespace stickslip {
namespace {

/// Groups whose datasets have a row for each output instant, beside those that describe their axis.
constexpr std::array<const char*, 5> kAxes = {"/bodies", "/contacts", "/joints", "/sensors", "/measures"};

std::string step_path(const StepColumn& column) {
  return std::string("/steps/") + column.name;
}

}  // namespace

Trajectory::Trajectory(const std::filesystem::path& path) : file_(Hdf5File::open(path)) {
  if (!file_.has_attribute("/", "stickslip") || !file_.has_attribute("/", "format")) {
    throw InputError({path.string()}, "", "", "not a stickslip result");
  }
  const std::int64_t format = file_.read_integer("/", "format");
  if (format != kResultFormat) {
    throw InputError({path.string()}, "format", std::to_string(format),
                     format < kResultFormat ? fmt::format("format {} was never released: run the scene again", format)
                                            : fmt::format("this program reads results up to format {}", kResultFormat));
  }
  open_rows();
  rows_ = announced_rows_ = row_datasets_.at("/time").rows();
  for (const auto& [name, dataset] : row_datasets_) {
    announced_rows_ = std::min(announced_rows_, dataset.rows());
    rows_ = std::min(rows_, dataset.sound_rows());
  }
  rows_ = count_whole_sets(file_, rows_);
  open_steps();
  steps_ = announced_steps_ = step_datasets_.at("/steps/time").rows();
  for (const auto& [name, dataset] : step_datasets_) {
    announced_steps_ = std::min(announced_steps_, dataset.rows());
    steps_ = std::min(steps_, dataset.sound_rows());
  }
}

void Trajectory::open_rows() {
  row_datasets_.emplace("/time", file_.open_dataset("/time"));
  for (const char* path : {"/q", "/u", "/a"}) {
    if (file_.has(path)) row_datasets_.emplace(path, file_.open_dataset(path));
  }
  for (const char* group : kAxes) {
    if (!file_.has(group)) continue;
    for (const std::string& name : file_.children(group)) {
      const std::string path = fmt::format("{}/{}", group, name);
      std::optional<Hdf5Dataset> dataset = file_.find_numbers(path);
      if (dataset && dataset->can_grow()) row_datasets_.emplace(path, std::move(*dataset));
    }
  }
}

void Trajectory::open_steps() {
  for (const StepColumn& c : step_columns()) {
    if ((c.of_automatic_steps || c.may_lack) && !file_.has(step_path(c))) continue;
    step_datasets_.emplace(step_path(c), file_.open_dataset(step_path(c)));
  }
}

const Hdf5Dataset* Trajectory::find_rows(const std::string& path) const {
  const auto found = row_datasets_.find(path);
  return found == row_datasets_.end() ? nullptr : &found->second;
}

std::string Trajectory::scene() const {
  std::string scene = text("scene");
  if (static_cast<std::int64_t>(checksum_of(scene)) != file_.read_integer("/", "scene_checksum")) {
    throw InputError({file_.name()}, "scene", "", "damaged");
  }
  return scene;
}

RowMatrix Trajectory::read(const std::string& dataset, std::int64_t first, std::int64_t n,
                           const Checkpoint* up_to) const {
  const Hdf5Dataset* known = find_rows(dataset);
  std::optional<Hdf5Dataset> other;
  if (known == nullptr) known = &other.emplace(file_.open_dataset(dataset));
  const Hdf5Dataset& data = *known;
  if (first < 0 || n < 0 || first + n > data.stored_rows()) {
    throw InputError({file_.name()}, dataset, fmt::format("rows {} to {}", first, first + n - 1),
                     fmt::format("has {} rows", data.stored_rows()));
  }
  RowMatrix values(n, data.width());
  const std::span<double> numbers(values.data(), static_cast<std::size_t>(values.size()));
  up_to == nullptr ? data.read(first, numbers) : read_rows(data, first, up_to->rows, up_to->sums, numbers);
  return values;
}

RowMatrix Trajectory::read_item(const std::string& group, const std::string& name, const std::string& quantity) const {
  const std::vector<std::string> all = names(group);
  const auto found = std::find(all.begin(), all.end(), name);
  if (found == all.end()) throw InputError({file_.name()}, "/" + group, name, "not in /" + group + "/name");
  const Hdf5Dataset data = file_.open_dataset(fmt::format("/{}/{}", group, quantity));
  const std::int64_t item = found - all.begin();
  if (item >= data.items()) throw InputError({file_.name()}, data.path(), name, "damaged: fewer items than names");
  RowMatrix values(rows_, data.components());
  data.read_item(item, 0, std::span(values.data(), static_cast<std::size_t>(values.size())));
  return values;
}

std::vector<StepRow> Trajectory::read_steps(std::int64_t first, std::int64_t n, const Checkpoint* up_to) const {
  const auto read_column = [&](const Hdf5Dataset& data, auto numbers) {
    up_to == nullptr ? data.read(first, numbers) : read_rows(data, first, up_to->steps, up_to->sums, numbers);
  };
  std::vector<StepRow> rows(static_cast<std::size_t>(n));
  std::vector<double> reals(rows.size());
  std::vector<std::int64_t> integers(rows.size());
  for (const StepColumn& c : step_columns()) {
    const auto found = step_datasets_.find(step_path(c));
    if (found == step_datasets_.end()) continue;
    const Hdf5Dataset& data = found->second;
    if (const auto* real = std::get_if<double StepRow::*>(&c.member)) {
      read_column(data, std::span(reals));
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*(*real) = reals[i];
    } else {
      read_column(data, std::span(integers));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].*std::get<int StepRow::*>(c.member) = static_cast<int>(integers[i]);
      }
    }
  }
  return rows;
}

std::vector<LayoutRow> Trajectory::layout() const {
  const std::vector<std::string> bodies = file_.read_texts("/bodies/name");
  const std::vector<std::string> types = file_.read_texts("/bodies/type");
  std::vector<LayoutRow> rows;
  std::array<std::vector<std::int64_t>, 4> numbers;
  constexpr std::array<const char*, 4> kNumbers = {"/bodies/q_offset", "/bodies/n_q", "/bodies/u_offset",
                                                   "/bodies/n_u"};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = file_.read_integers(kNumbers[k]);
    if (numbers[k].size() != bodies.size() || types.size() != bodies.size()) {
      throw InputError({file_.name()}, kNumbers[k], "", "not one number for each body");
    }
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    rows.push_back({bodies[i], types[i], static_cast<int>(numbers[0][i]), static_cast<int>(numbers[1][i]),
                    static_cast<int>(numbers[2][i]), static_cast<int>(numbers[3][i])});
  }
  return rows;
}

std::vector<std::string> Trajectory::names(const std::string& group) const {
  const std::string path = "/" + group + "/name";
  return file_.has(path) ? file_.read_texts(path) : std::vector<std::string>{};
}

std::vector<LimitEntry> Trajectory::limits() const {
  return read_limits(file_);
}

void Trajectory::verify() const {
  const std::optional<Checkpoint> last = checkpoint();
  const auto verify_all = [&](const Hdf5Dataset& dataset) {
    verify_rows(dataset, dataset.rows(), last ? last->sums : std::vector<RowSum>{});
  };
  for (const auto& [path, dataset] : row_datasets_) verify_all(dataset);
  if (file_.has("/contact_sets")) {
    for (const std::string& name : file_.children("/contact_sets")) {
      verify_all(file_.open_dataset("/contact_sets/" + name));
    }
  }
  for (const auto& [path, dataset] : step_datasets_) verify_all(dataset);
  if (file_.has("/events/time")) verify_all(file_.open_dataset("/events/time"));
  scene();
  layout();
  limits();
  read_events(file_);
}

}  // namespace stickslip
