// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/contact_sets.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <span>

namespace stickslip {
namespace {

constexpr const char* kOffsets = "/contact_sets/offsets";
/// Contacts of a row, for the size of chunks; runs of a few hundred bodies have as many. [-]
constexpr std::int64_t kTypicalContacts = 64;

Hdf5File& with_group(Hdf5File& file) {
  file.create_group("/contact_sets");
  return file;
}

std::vector<Column> contact_columns(Hdf5Type real) {
  const auto path = [](const char* name) { return std::string("/contact_sets/") + name; };
  return {
      {path("body_a"), Hdf5Type::int64, 1, 1, "1", "row of /layout: the body that the normal points from"},
      {path("body_b"), Hdf5Type::int64, 1, 1, "1", "row of /layout: the body that the normal points to"},
      {path("id"), Hdf5Type::uint64, 1, 1, "1", "the contact's name, the same from row to row"},
      {path("status"), Hdf5Type::int32, 1, 1, "1", "0 open, 1 stick, 2 slip"},
      {path("gap"), real, 1, 1, "m", "distance, negative in penetration, at the end of the step"},
      {path("point"), real, 2, 3, "m", "the contact point on body b, world frame"},
      {path("normal"), real, 2, 3, "1", "from body a to body b, world frame"},
      {path("percussion"), real, 2, 3, "N s", "normal and friction percussion on body b, world frame"},
  };
}

std::int64_t read_offset(const Hdf5File& file, std::int64_t row) {
  std::int64_t offset = 0;
  file.open_dataset(kOffsets).read(row, std::span(&offset, 1));
  return offset;
}

}  // namespace

ContactSets::ContactSets(Hdf5File& file, Hdf5Type real, std::int64_t expected_rows)
    : contacts_(with_group(file), contact_columns(real), kTypicalContacts * expected_rows),
      offsets_(
          file,
          {{kOffsets, Hdf5Type::int64, 1, 1, "1", "row i of /time has the contacts offsets[i] to offsets[i+1] - 1"}},
          expected_rows + 1) {
}

void ContactSets::record(const System& system, const StepReport& report) {
  if (offsets_.rows() == 0) {
    *offsets_.integers(0) = 0;
    offsets_.end_row();
  }
  for (std::size_t k = system.contact_points().size(); k < report.contacts.size(); ++k) {
    const ContactReport& contact = report.contacts[k];
    if (contact.status != ContactStatus::open || contact.gap < 0.0) add(system, contact);
  }
  *offsets_.integers(0) = contacts_.rows();
  offsets_.end_row();
}

void ContactSets::add(const System& system, const ContactReport& contact) {
  *contacts_.integers(0) = contact.body_a;
  *contacts_.integers(1) = contact.body_b;
  *contacts_.integers(2) = static_cast<std::int64_t>(contact.id);
  *contacts_.integers(3) = static_cast<int>(contact.status);
  *contacts_.reals(4) = contact.gap;
  Vector3 percussion = contact.percussion[0] * contact.normal + contact.percussion[1] * contact.tangent;
  if (!system.planar()) percussion += contact.percussion[2] * contact.normal.cross(contact.tangent);
  Eigen::Map<Vector3>(contacts_.reals(5)) = contact.position;
  Eigen::Map<Vector3>(contacts_.reals(6)) = contact.normal;
  Eigen::Map<Vector3>(contacts_.reals(7)) = percussion;
  contacts_.end_row();
}

/// Offsets last: what they count is there.
void ContactSets::flush() {
  contacts_.flush();
  offsets_.flush();
}

void ContactSets::copy_rows(const Hdf5File& from, std::int64_t rows) {
  contacts_.copy_rows(from, read_offset(from, rows));
  offsets_.copy_rows(from, rows + 1);
}

std::int64_t count_whole_sets(const Hdf5File& file, std::int64_t rows) {
  if (!file.has("/contact_sets")) return rows;
  rows = std::min(rows, std::max<std::int64_t>(file.open_dataset(kOffsets).rows() - 1, 0));
  std::vector<Column> columns = contact_columns(Hdf5Type::float64);
  std::int64_t whole = file.open_dataset(columns.front().path).rows();
  for (const Column& column : columns) whole = std::min(whole, file.open_dataset(column.path).rows());
  while (rows > 0 && read_offset(file, rows) > whole) --rows;
  return rows;
}

}  // namespace stickslip
