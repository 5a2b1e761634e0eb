// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/limits_table.h"

#include <algorithm>
#include <string>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

constexpr std::int64_t kChunkRows = 64;  // [-] entries: few runs have as many

std::size_t longest_name(const System& system) {
  std::size_t body = 0, joint = 0;
  for (const Body& b : system.bodies()) body = std::max(body, b.name.size());
  for (const Joint& j : system.joints()) joint = std::max(joint, j.options.name.size());
  return std::max(2 * body + 2, joint);  // "a, b"
}

std::size_t longest_kind() {
  std::size_t bytes = 0;
  for (int k = 0; k < kLimitKinds; ++k) bytes = std::max(bytes, limit_name(static_cast<LimitKind>(k)).size());
  return bytes;
}

Hdf5Dataset make_numbers(Hdf5File& file, const char* name, Hdf5Type type, std::string_view unit,
                         std::string_view meaning) {
  const std::string path = std::string("/limits/") + name;
  Hdf5Dataset dataset = file.create_dataset(path, {.type = type, .chunk_rows = kChunkRows, .checksum = true});
  file.describe(path, unit, meaning);
  return dataset;
}

Hdf5File& with_group(Hdf5File& file, const LimitOptions& limits, std::size_t name_bytes) {
  file.create_group("/limits");
  file.write_attribute("/limits", "penetration", std::span(&limits.penetration, 1));
  file.write_attribute("/limits", "drift", std::span(&limits.drift, 1));
  file.write_attribute("/limits", "energy", std::span(&limits.energy, 1));
  file.write_attribute("/limits", "contact_energy", std::span(&limits.contact_energy, 1));
  file.write_attribute("/limits", "on_passing", limits.stop ? "stop" : "warn");
  file.create_texts("/limits/what", longest_kind());
  file.describe("/limits/what", "1", "which limit was passed");
  file.create_texts("/limits/name", name_bytes);
  file.describe("/limits/name", "1", "by which bodies or joint");
  return file;
}

}  // namespace

LimitsTable::LimitsTable(Hdf5File& file, const System& system, const LimitOptions& limits)
    : file_(with_group(file, limits, longest_name(system))),
      name_bytes_(longest_name(system)),
      first_time_(make_numbers(file, "first_time", Hdf5Type::float64, "s", "end of the first step that passed it")),
      first_step_(make_numbers(file, "first_step", Hdf5Type::int64, "1", "number of that step, from 1")),
      count_(make_numbers(file, "count", Hdf5Type::int64, "1", "steps that passed it")),
      worst_(make_numbers(file, "worst", Hdf5Type::float64, "m, rad, 1", "the largest value, in the limit's unit")),
      limit_(make_numbers(file, "limit", Hdf5Type::float64, "m, rad, 1", "what should not have been passed")) {
}

void LimitsTable::write(std::span<const LimitEntry> entries) {
  if (std::ranges::equal(entries, written_)) return;
  std::vector<std::string> what, name;
  std::vector<double> first_time, worst, limit;
  std::vector<std::int64_t> count, first_step;
  for (const LimitEntry& entry : entries) {
    what.emplace_back(limit_name(entry.what));
    name.push_back(entry.name.substr(0, name_bytes_));
    first_time.push_back(entry.first_time);
    count.push_back(entry.count);
    first_step.push_back(entry.first_step);
    worst.push_back(entry.worst);
    limit.push_back(entry.limit);
  }
  file_.write_texts("/limits/what", 0, what);
  file_.write_texts("/limits/name", 0, name);
  first_time_.write(0, first_time);
  worst_.write(0, worst);
  limit_.write(0, limit);
  count_.write(0, count);
  first_step_.write(0, first_step);
  written_.assign(entries.begin(), entries.end());
}

std::vector<LimitEntry> read_limits(const Hdf5File& file) {
  const std::vector<std::string> what = file.read_texts("/limits/what");
  const std::vector<std::string> name = file.read_texts("/limits/name");
  const std::vector<double> first_time = file.read_numbers("/limits/first_time");
  const std::vector<double> worst = file.read_numbers("/limits/worst");
  const std::vector<double> limit = file.read_numbers("/limits/limit");
  const std::vector<std::int64_t> count = file.read_integers("/limits/count");
  const bool has_steps = file.has("/limits/first_step");  // files of earlier versions lack it
  const std::vector<std::int64_t> first_step =
      has_steps ? file.read_integers("/limits/first_step") : std::vector<std::int64_t>(count.size(), 0);
  // A killed program may have written more rows of some columns than of others.
  std::vector<LimitEntry> entries(std::min(
      {what.size(), name.size(), first_time.size(), worst.size(), limit.size(), count.size(), first_step.size()}));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    LimitEntry& entry = entries[i];
    int kind = 0;
    while (kind < kLimitKinds && limit_name(static_cast<LimitKind>(kind)) != what[i]) ++kind;
    if (kind == kLimitKinds) throw InputError({file.name()}, "/limits/what", what[i], "not a limit known here");
    entry.what = static_cast<LimitKind>(kind);
    entry.name = name[i];
    entry.first_time = first_time[i];
    entry.count = count[i];
    entry.first_step = first_step[i];
    entry.worst = worst[i];
    entry.limit = limit[i];
  }
  return entries;
}

}  // namespace stickslip
