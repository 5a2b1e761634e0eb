// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/sweep_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "stickslip/base/assert.h"
#include "stickslip/base/build_info.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/write_error.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "rows are written as they stand in memory");

constexpr std::int64_t kTableFormat = 1;
/// Of a message; longer ones are cut. With 1e7 rows this is 2 GB, of which a disk holds what is written. [bytes]
constexpr std::size_t kMessageBytes = 200;
constexpr std::int64_t kRowsAtOnce = 4096;  // [-] read or filled in

/// The same for plans that differ in comments and spaces alone.
std::string meaning_of(const std::string& plan_text) {
  Document document;
  document.root = parse_toml(plan_text, 0, "plan");
  return write_document(document);
}

/// As much of a UTF-8 text as fits.
std::string cut_message(std::string text) {
  if (text.size() <= kMessageBytes) return text;
  std::size_t end = kMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string quote_csv(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

SweepTable::SweepTable(const ParameterSweep& sweep, const std::optional<fs::path>& path, bool force)
    : sweep_(sweep), rows_(sweep.plan().rows()), name_(path ? path->string() : "the table in memory") {
  list_fields();
  std::error_code error;
  if (path && fs::exists(*path, error)) {
    std::string why;
    if (WriteLock::is_held(*path)) throw InputError({name_}, "", "", "another sweep is writing it");
    if (resume(*path, why)) return;
    if (!force) throw InputError({name_}, "", "", why + ": --force writes over it");
  }
  create(path);
}

SweepTable::~SweepTable() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SweepTable::list_fields() {
  using Type = InPlaceDataset::Type;
  fields_.push_back({{"/status", Type::integer}});
  fields_.push_back({{"/steps", Type::integer}});
  fields_.push_back({{"/message", Type::text, kMessageBytes}});
  for (const SweepColumn& column : sweep_.plan().columns) fields_.push_back({{"/parameters/" + column.name}});
  for (const SweepQuantity& quantity : sweep_.plan().quantities) {
    fields_.push_back({{"/quantities/" + quantity.name, Type::real, quantity.width(), quantity.is_list}});
  }
}

void SweepTable::set_places(const std::vector<std::int64_t>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) fields_[i].place = places[i];
}

void SweepTable::create(const std::optional<fs::path>& path) {
  double row_bytes = 0.0;
  for (const Field& field : fields_) row_bytes += static_cast<double>(field.dataset.row_bytes());
  if (path) check_room(*path, row_bytes * static_cast<double>(rows_));
  std::error_code error;
  const fs::path place = path ? *path : fs::temp_directory_path(error) / "stickslip-sweep.h5";
  if (error) throw WriteError(fmt::format("TMPDIR, the folder for temporary files: {}", error.message()));
  NewFile file(place, BeforePublish::named);  // the library opens no other
  fill(file.temporary_path());
  if (!path) return;  // it loses its name here, and is there as long as it is open
  file.publish();
  lock_ = WriteLock(*path);
}

/// All that a table has before its first row is run.
void SweepTable::fill(const fs::path& place) {
  const SweepPlan& plan = sweep_.plan();
  descriptor_ = ::open(place.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) throw WriteError(fmt::format("{}: {}", name_, std::generic_category().message(errno)));
  const std::vector<std::string> groups = {"/parameters", "/quantities"};
  const std::vector<InPlaceAttribute> attributes = {{"sweep", kTableFormat},
                                                    {"version", std::string(version())},
                                                    {"plan", plan.text},
                                                    {"scene", sweep_.scene_text()},
                                                    {"files", static_cast<std::int64_t>(sweep_.scene().checksum())}};
  std::vector<InPlaceDataset> datasets;
  for (const Field& field : fields_) datasets.push_back(field.dataset);
  set_places(create_in_place(place, name_, groups, attributes, datasets, rows_));
  std::vector<double> values;
  for (std::int64_t first = 0; first < rows_; first += kRowsAtOnce) {
    const std::int64_t n = std::min(kRowsAtOnce, rows_ - first);
    const auto length = static_cast<std::size_t>(n);
    values.resize(plan.columns.size() * length);
    for (std::size_t i = 0; i < length; ++i) {
      const std::vector<double> row = plan.values(first + static_cast<std::int64_t>(i));
      for (std::size_t c = 0; c < row.size(); ++c) values[c * length + i] = row[c];
    }
    for (std::size_t c = 0; c < plan.columns.size(); ++c) write(parameter_field(c), first, n, &values[c * length]);
    const std::vector<std::int64_t> none(length, -1);
    write(status_field(), first, n, none.data());
  }
}

/// Whether the file is the table of this sweep, which then goes on; why not.
bool SweepTable::resume(const fs::path& path, std::string& why) {
  const auto check = [&](const Hdf5File& file) {
    why = "exists and is no table of a sweep";
    if (!file.has_attribute("/", "sweep")) return false;
    why = "exists and is the table of another version of this program";
    if (file.read_integer("/", "sweep") != kTableFormat || file.read_text("/", "version") != version()) return false;
    why = "exists and is the table of another plan";
    if (meaning_of(file.read_text("/", "plan")) != meaning_of(sweep_.plan().text)) return false;
    why = "exists and is the table of another scene";
    if (file.read_text("/", "scene") != sweep_.scene_text()) return false;
    if (file.read_integer("/", "files") != static_cast<std::int64_t>(sweep_.scene().checksum())) return false;
    why = "exists and is a damaged table";
    return true;
  };
  try {
    if (!check(Hdf5File::open(path))) return false;
    std::vector<InPlaceDataset> datasets;
    for (const Field& field : fields_) datasets.push_back(field.dataset);
    set_places(find_in_place(path, datasets, rows_));
  } catch (const InputError& error) {
    why = fmt::format("exists and is no table that can be read ({})", error.allowed());
    return false;
  }
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw WriteError(fmt::format("{}: {}", name_, std::generic_category().message(errno)));
  }
  lock_ = WriteLock(path);
  return true;
}

void SweepTable::write(const Field& field, std::int64_t first, std::int64_t n, const void* data) const {
  const auto* bytes = static_cast<const char*>(data);
  const std::int64_t all = n * field.dataset.row_bytes();
  std::int64_t done = 0;
  while (done < all) {
    const ssize_t written = ::pwrite(descriptor_, bytes + done, static_cast<std::size_t>(all - done),
                                     field.place + first * field.dataset.row_bytes() + done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw WriteError(fmt::format("{}: cannot be written: {}", name_, std::generic_category().message(errno)));
    }
    done += written;
  }
}

void SweepTable::read(const Field& field, std::int64_t first, std::int64_t n, void* data) const {
  auto* bytes = static_cast<char*>(data);
  const std::int64_t all = n * field.dataset.row_bytes();
  std::int64_t done = 0;
  while (done < all) {
    const ssize_t got = ::pread(descriptor_, bytes + done, static_cast<std::size_t>(all - done),
                                field.place + first * field.dataset.row_bytes() + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError({name_}, "", "", "cannot be read: " + std::generic_category().message(errno));
    if (got == 0) {  // behind the last byte that was written are zeros
      std::fill(bytes + done, bytes + all, '\0');
      return;
    }
    done += got;
  }
}

std::vector<std::int64_t> SweepTable::pending() const {
  std::vector<std::int64_t> rows;
  const std::vector<std::int64_t> status = this->status();
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (status[i] < 0) rows.push_back(static_cast<std::int64_t>(i));
  }
  return rows;
}

void SweepTable::record(std::int64_t row, const SweepRow& result) {
  STICKSLIP_ASSERT(row >= 0 && row < rows_ && result.status >= 0);
  STICKSLIP_ASSERT(result.quantities.size() == static_cast<std::size_t>(sweep_.plan().width()));
  const double* numbers = result.quantities.data();
  for (std::size_t k = 0; k < sweep_.plan().quantities.size(); ++k) {
    write(quantity_field(k), row, 1, numbers);
    numbers += sweep_.plan().quantities[k].width();
  }
  write(steps_field(), row, 1, &result.steps);
  std::string message = cut_message(result.message);
  message.resize(kMessageBytes, '\0');
  write(message_field(), row, 1, message.data());
  write(status_field(), row, 1, &result.status);
}

std::vector<std::int64_t> SweepTable::read_integers(const Field& field) const {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(rows_));
  read(field, 0, rows_, numbers.data());
  return numbers;
}

std::vector<double> SweepTable::read_reals(const Field& field) const {
  std::vector<double> numbers(static_cast<std::size_t>(rows_ * field.dataset.width));
  read(field, 0, rows_, numbers.data());
  return numbers;
}

std::vector<double> SweepTable::parameter(std::size_t column) const {
  return read_reals(parameter_field(column));
}

std::vector<double> SweepTable::quantity(std::size_t quantity) const {
  return read_reals(quantity_field(quantity));
}

std::vector<std::string> SweepTable::messages() const {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(rows_));
  std::string cells;
  for (std::int64_t first = 0; first < rows_; first += kRowsAtOnce) {
    const std::int64_t n = std::min(kRowsAtOnce, rows_ - first);
    cells.resize(static_cast<std::size_t>(n) * kMessageBytes);
    read(message_field(), first, n, cells.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const std::string cell = cells.substr(i * kMessageBytes, kMessageBytes);
      texts.push_back(cell.substr(0, cell.find('\0')));
    }
  }
  return texts;
}

void SweepTable::write_csv(const fs::path& path) const {
  const SweepPlan& plan = sweep_.plan();
  const auto write_to = [&](const fs::path& place) {
    std::ofstream out;
    open_to_write(place, out);
    std::vector<std::vector<double>> columns;
    std::vector<std::size_t> widths;
    out << "row";
    for (std::size_t c = 0; c < plan.columns.size(); ++c) {
      out << ',' << quote_csv(plan.columns[c].name);
      columns.push_back(parameter(c));
      widths.push_back(1);
    }
    for (std::size_t k = 0; k < plan.quantities.size(); ++k) {
      const SweepQuantity& quantity = plan.quantities[k];
      for (std::int64_t i = 1; i <= quantity.width(); ++i) {
        out << ',' << quote_csv(quantity.is_list ? fmt::format("{}.{}", quantity.name, i) : quantity.name);
      }
      columns.push_back(this->quantity(k));
      widths.push_back(static_cast<std::size_t>(quantity.width()));
    }
    out << ",status,message\n";
    const std::vector<std::int64_t> status = this->status();
    const std::vector<std::string> message = messages();
    for (std::size_t row = 0; row < status.size(); ++row) {
      out << row;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t i = 0; i < widths[c]; ++i) out << fmt::format(",{:.17g}", columns[c][row * widths[c] + i]);
      }
      out << fmt::format(",{},{}\n", status[row], quote_csv(message[row]));
    }
    out.close();
    if (!out) throw WriteError(fmt::format("{}: cannot be written", path.string()));
  };
  if (is_device(path)) return write_to(path);
  NewFile file(path);
  write_to(file.temporary_path());
  file.publish();
}

}  // namespace stickslip
