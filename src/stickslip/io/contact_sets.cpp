// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/contact_sets.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace stickslip {
namespace {

constexpr const char* kOffsets = "/contact_sets/offsets";
/// Contacts of a row, for the size of chunks; runs of a few hundred bodies have as many. [-]
constexpr std::int64_t kTypicalContacts = 64;

Hdf5File& with_group(Hdf5File& file) {
  file.create_group("/contact_sets");
  return file;
}

std::vector<Column> contact_columns(Hdf5Type real, bool has_moments) {
  const auto path = [](const char* name) { return std::string("/contact_sets/") + name; };
  std::vector<Column> columns = {
      {path("body_a"), Hdf5Type::int64, {}, "1", "index of /bodies/name: the body that the normal points from"},
      {path("body_b"), Hdf5Type::int64, {}, "1", "index of /bodies/name: the body that the normal points to"},
      {path("id"), Hdf5Type::uint64, {}, "1", "the contact's own number, the same from row to row"},
      {path("pair"), Hdf5Type::int64, {}, "1", "index of /pairs/name; -1: no pair that the scene names"},
      {path("shape_a"), Hdf5Type::int64, {}, "1", "index of /shapes/name: the shape of body a"},
      {path("shape_b"), Hdf5Type::int64, {}, "1", "index of /shapes/name: the shape of body b"},
      {path("status"), Hdf5Type::int32, {}, "1", "0 open, 1 stick, 2 slip"},
      {path("friction_coefficient"), real, {}, "1", "mu"},
      {path("gap"), real, {}, "m", "distance, negative in penetration, at the end of the step"},
      {path("point"), real, {3}, "m", "the contact point on body b, world frame"},
      {path("normal"), real, {3}, "1", "from body a to body b, world frame"},
      {path("percussion"), real, {3}, "N s", "normal and friction percussion on body b, world frame"},
  };
  if (has_moments) {
    columns.push_back(
        {path("moment"), real, {3}, "N m s", "percussion of rolling and spinning friction on body b, world frame"});
  }
  return columns;
}

std::vector<Column> contact_columns(const System& system, const OutputChoice& output) {
  return contact_columns(output.single_precision ? Hdf5Type::float32 : Hdf5Type::float64, sets_have_moments(system));
}

/// By their index in /shapes, of the first and the second body.
std::array<int, 2> shapes_of(const System& system, const ContactReport& contact) {
  std::array<int, 2> shapes = {};
  if (const auto manifold = system.find_manifold(contact.id)) {
    shapes = {manifold->first_shape, manifold->second_shape};
  } else {
    const ContactPoint point = system.make_contact_point(contact.id);
    shapes = {system.surfaces()[point.surface].shape, system.balls()[point.ball].shape};
  }
  if (system.shapes()[shapes[0]].body != contact.body_a) std::swap(shapes[0], shapes[1]);
  return shapes;
}

}  // namespace

ContactSets::ContactSets(Hdf5File& file, const System& system, Hdf5Type real, std::int64_t expected_rows)
    : system_(system),
      has_moments_(sets_have_moments(system)),
      contacts_(with_group(file), contact_columns(real, has_moments_), kTypicalContacts * expected_rows),
      offsets_(file,
               {{kOffsets, Hdf5Type::int64, {}, "1", "row i of /time has the contacts offsets[i] to offsets[i+1] - 1"}},
               expected_rows + 1) {
}

std::int64_t ContactSets::contact_bytes(const System& system, const OutputChoice& output) {
  std::int64_t bytes = 0;
  for (const Column& column : contact_columns(system, output)) bytes += column.row_bytes();
  return bytes;
}

double ContactSets::estimate_bytes(const System& system, const OutputChoice& output, std::int64_t rows,
                                   double contacts) {
  return estimate_table_bytes(contact_columns(system, output), kTypicalContacts * rows,
                              contacts * static_cast<double>(rows));
}

void ContactSets::record(const StepReport& report) {
  if (offsets_.rows() == 0) {
    *offsets_.integers(0) = 0;
    offsets_.end_row();
  }
  for (std::size_t k = system_.contact_points().size(); k < report.contacts.size(); ++k) add(report.contacts[k]);
  *offsets_.integers(0) = contacts_.rows();
  offsets_.end_row();
}

void ContactSets::add(const ContactReport& contact) {
  *contacts_.integers(0) = contact.body_a;
  *contacts_.integers(1) = contact.body_b;
  *contacts_.integers(2) = static_cast<std::int64_t>(system_.number_of(contact.id));
  *contacts_.integers(3) = contact.contact;
  const auto [shape_a, shape_b] = shapes_of(system_, contact);
  *contacts_.integers(4) = shape_a;
  *contacts_.integers(5) = shape_b;
  *contacts_.integers(6) = static_cast<int>(contact.status);
  *contacts_.reals(7) = friction_of(system_, contact);
  *contacts_.reals(8) = contact.gap;
  Eigen::Map<Vector3>(contacts_.reals(9)) = contact.position;
  Eigen::Map<Vector3>(contacts_.reals(10)) = contact.normal;
  Eigen::Map<Vector3>(contacts_.reals(11)) = world_force(contact, contact.percussion);
  if (has_moments_) Eigen::Map<Vector3>(contacts_.reals(12)) = contact.moment;
  contacts_.end_row();
}

/// Offsets last: what they count is there.
void ContactSets::flush() {
  contacts_.flush();
  offsets_.flush();
}

void ContactSets::add_sums(std::vector<RowSum>& sums) const {
  contacts_.add_sums(sums);
  offsets_.add_sums(sums);
}

void ContactSets::copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums,
                            const StopToken& stop) {
  std::int64_t contacts = 0;
  read_rows(from.open_dataset(kOffsets), rows, rows + 1, sums, std::span(&contacts, 1));
  contacts_.copy_rows(from, contacts, sums, stop);
  offsets_.copy_rows(from, rows + 1, sums, stop);
}

std::int64_t count_whole_sets(const Hdf5File& file, std::int64_t rows) {
  if (!file.has("/contact_sets")) return rows;
  const Hdf5Dataset dataset = file.open_dataset(kOffsets);
  rows = std::min(rows, std::max<std::int64_t>(dataset.sound_rows() - 1, 0));
  std::int64_t whole = std::numeric_limits<std::int64_t>::max();
  for (const Column& column : contact_columns(Hdf5Type::float64, true)) {
    if (!file.has(column.path)) continue;  // a result of an earlier version has no shapes and no mu, few have moments
    whole = std::min(whole, file.open_dataset(column.path).sound_rows());
  }
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(rows) + 1);
  dataset.read(0, std::span(offsets).first(rows > 0 ? offsets.size() : 0));
  while (rows > 0 && offsets[static_cast<std::size_t>(rows)] > whole) --rows;
  return rows;
}

}  // namespace stickslip
