// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/result_contacts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

/// Contacts that a block has, about. [-]
constexpr std::int64_t kBlock = 1 << 16;

Vector3 triple(const RowMatrix& m, Eigen::Index row, Eigen::Index item) {
  return Vector3(m.row(row).data() + 3 * item);
}

}  // namespace

ResultContacts::ResultContacts(const Trajectory& result, std::vector<std::int64_t> rows)
    : result_(result), rows_(std::move(rows)) {
  const RowMatrix ends = result.read("/steps/time", 0, result.steps());
  const RowMatrix lengths = result.read("/steps/step", 0, result.steps());
  step_ends_.assign(ends.data(), ends.data() + ends.size());
  step_lengths_.assign(lengths.data(), lengths.data() + lengths.size());
  read_named_constants();
  if (result.file().has("/contact_sets")) offsets_ = result.file().read_integers("/contact_sets/offsets");
}

void ResultContacts::read_named_constants() {
  const Hdf5File& file = result_.file();
  for (const char* path : {"/contacts/point", "/contacts/normal", "/contacts/gap", "/contacts/status"}) {
    if (result_.find_rows(path) == nullptr) return;
  }
  has_force_ = result_.find_rows("/contacts/force") != nullptr;
  has_percussion_ = result_.find_rows("/contacts/percussion") != nullptr;
  if (!has_force_ && !has_percussion_) return;
  const std::size_t n = result_.names("contacts").size();
  const auto read_shapes = [&](const char* path) {
    return file.has(path) ? file.read_integers(path) : std::vector<std::int64_t>(n, -1);
  };
  body_a_ = file.read_integers("/contacts/body_a");
  body_b_ = file.read_integers("/contacts/body_b");
  shape_a_ = read_shapes("/contacts/shape_a");
  shape_b_ = read_shapes("/contacts/shape_b");
  mu_ = file.read_numbers("/contacts/friction_coefficient");
  bool fits = mu_.size() == n;
  for (const auto* list : {&body_a_, &body_b_, &shape_a_, &shape_b_}) fits &= list->size() == n;
  for (const char* path : {"/contacts/gap", "/contacts/status"}) {
    fits &= result_.find_rows(path)->width() == static_cast<std::int64_t>(n);
  }
  for (const char* path : {"/contacts/point", "/contacts/normal", "/contacts/force", "/contacts/percussion"}) {
    const Hdf5Dataset* column = result_.find_rows(path);
    fits &= column == nullptr || column->width() == 3 * static_cast<std::int64_t>(n);
  }
  if (!fits) {
    throw InputError({file.name()}, "/contacts", "", "damaged: not one value for each name in /contacts/name");
  }
}

/// The picked rows from the next one on, as many as make a block, and those between them.
void ResultContacts::load() {
  const auto rows = static_cast<double>(std::max<std::int64_t>(result_.rows(), 1));
  const double entries =
      offsets_.empty() ? 0.0 : static_cast<double>(offsets_[static_cast<std::size_t>(result_.rows())]);
  const double per_row = static_cast<double>(mu_.size()) + entries / rows + 1.0;
  const auto most = std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(kBlock) / per_row), 1);
  first_ = rows_[next_];
  const auto end = std::lower_bound(rows_.begin(), rows_.end(), first_ + most);
  n_loaded_ = *(end - 1) + 1 - first_;
  time_ = result_.read("/time", first_, n_loaded_);
  if (!mu_.empty()) {
    const auto read = [this](const char* path) { return result_.read(path, first_, n_loaded_); };
    named_ = {read("/contacts/point"),
              read("/contacts/normal"),
              read("/contacts/gap"),
              read("/contacts/status"),
              has_force_ ? read("/contacts/force") : RowMatrix(),
              has_percussion_ ? read("/contacts/percussion") : RowMatrix()};
  }
  if (offsets_.empty()) return;
  const std::int64_t begin = offsets_[static_cast<std::size_t>(first_)];
  const std::int64_t n = offsets_[static_cast<std::size_t>(first_ + n_loaded_)] - begin;
  const auto read = [&](const char* name) { return result_.read(std::string("/contact_sets/") + name, begin, n); };
  detected_ = {read("point"), read("normal"), read("gap"), read("status"), RowMatrix(), read("percussion")};
  constexpr std::array<const char*, 5> kPairs = {"body_a", "body_b", "shape_a", "shape_b", "friction_coefficient"};
  detected_pairs_.resize(n, kPairs.size());
  for (std::size_t c = 0; c < kPairs.size(); ++c) {
    const auto column = static_cast<Eigen::Index>(c);
    const bool is_there = result_.file().has(std::string("/contact_sets/") + kPairs[c]);
    if (is_there) detected_pairs_.col(column) = read(kPairs[c]).col(0);
    if (!is_there) detected_pairs_.col(column).setConstant(c < 4 ? -1.0 : std::numeric_limits<double>::quiet_NaN());
  }
}

void ResultContacts::add_named(Eigen::Index row, double per_step) {
  for (std::size_t k = 0; k < mu_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    ContactRecord& c = records_.emplace_back();
    c.point = triple(named_.point, row, i);
    c.normal = triple(named_.normal, row, i);
    c.percussion = has_percussion_ ? triple(named_.percussion, row, i)
                                   : Vector3(Vector3::Constant(std::numeric_limits<double>::quiet_NaN()));
    c.force = has_force_ ? triple(named_.force, row, i) : Vector3(per_step * c.percussion);
    c.gap = named_.gap(row, i);
    c.status = static_cast<int>(named_.status(row, i));
    c.mu = mu_[k];
    c.body_a = static_cast<int>(body_a_[k]);
    c.body_b = static_cast<int>(body_b_[k]);
    c.shape_a = static_cast<int>(shape_a_[k]);
    c.shape_b = static_cast<int>(shape_b_[k]);
    c.index = static_cast<int>(k);
  }
}

void ResultContacts::add_detected(Eigen::Index entry, double per_step) {
  ContactRecord& c = records_.emplace_back();
  c.point = triple(detected_.point, entry, 0);
  c.normal = triple(detected_.normal, entry, 0);
  c.percussion = triple(detected_.percussion, entry, 0);
  c.force = per_step * c.percussion;
  c.gap = detected_.gap(entry, 0);
  c.status = static_cast<int>(detected_.status(entry, 0));
  c.body_a = static_cast<int>(detected_pairs_(entry, 0));
  c.body_b = static_cast<int>(detected_pairs_(entry, 1));
  c.shape_a = static_cast<int>(detected_pairs_(entry, 2));
  c.shape_b = static_cast<int>(detected_pairs_(entry, 3));
  c.mu = detected_pairs_(entry, 4);
}

const std::vector<ContactRecord>& ResultContacts::next() {
  const std::int64_t row = rows_[next_];
  if (next_ == 0 || row >= first_ + n_loaded_) load();
  ++next_;
  const Eigen::Index i = row - first_;
  const auto step = std::ranges::lower_bound(step_ends_, time_(i, 0));
  const double length =
      step == step_ends_.end() ? 0.0 : step_lengths_[static_cast<std::size_t>(step - step_ends_.begin())];
  const double per_step = length > 0.0 ? 1.0 / length : 0.0;
  records_.clear();
  add_named(i, per_step);
  if (offsets_.empty()) return records_;
  const std::int64_t begin = offsets_[static_cast<std::size_t>(first_)];
  for (std::int64_t k = offsets_[static_cast<std::size_t>(row)]; k < offsets_[static_cast<std::size_t>(row) + 1]; ++k) {
    add_detected(k - begin, per_step);
  }
  return records_;
}

}  // namespace stickslip
