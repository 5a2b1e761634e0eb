// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/vtk_writer.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/io/checksum.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/table.h"

namespace stickslip {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 3> kSeries = {"bodies", "contacts", "joints"};
constexpr std::int64_t kRowsAtATime = 100;  // [-] read of a result

using Floats = std::vector<float>;
using Indices = std::vector<std::int32_t>;

void append(Floats& list, const Vector3& v) {
  list.insert(list.end(), {static_cast<float>(v(0)), static_cast<float>(v(1)), static_cast<float>(v(2))});
}

VtkArray floats(std::string_view name, int components, const Floats& numbers) {
  return {name, components, std::span<const float>(numbers)};
}

VtkArray indices(std::string_view name, const Indices& numbers) {
  return {name, 1, std::span<const std::int32_t>(numbers)};
}

std::vector<const VtkArray*> pointers(const std::vector<VtkArray>& arrays) {
  std::vector<const VtkArray*> list;
  list.reserve(arrays.size());
  for (const VtkArray& array : arrays) list.push_back(&array);
  return list;
}

/// A cell for each of n points.
VtkCells single_points(std::size_t n) {
  VtkCells cells;
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = static_cast<std::int32_t>(k);
    cells.add(std::span(&at, 1), at);
  }
  return cells;
}

/// What a row shows follows from these, in a scene.
std::uint64_t key_of(double t, std::span<const double> q, std::span<const double> u) {
  Checksum sum;
  sum.add(std::bit_cast<std::uint64_t>(t));
  sum.add_words(std::as_bytes(q));
  sum.add_words(std::as_bytes(u));
  return sum.value();
}

std::vector<std::string> names_of(const std::vector<Body>& bodies) {
  std::vector<std::string> names;
  names.reserve(bodies.size());
  for (const Body& body : bodies) names.push_back(body.name);
  return names;
}

/// A checksum of what is the same in all frames.
std::uint64_t parts_of(const std::vector<VtkArray>& fields, const VtkMesh* mesh) {
  Checksum sum;
  for (const VtkArray& array : fields) sum.add(array.data());
  if (mesh == nullptr) return sum.value();
  for (const VtkCells* cells : {&mesh->vertices, &mesh->lines, &mesh->polygons}) {
    for (const Indices* list : {&cells->connectivity, &cells->ends, &cells->owner}) {
      for (const std::int32_t x : *list) sum.add(static_cast<std::uint64_t>(x));
    }
  }
  for (const Vector3& point : mesh->points) {
    for (const double x : point) sum.add(std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(x))});
  }
  return sum.value();
}

}  // namespace

struct VtkWriter::ContactPoints {
  Floats position, normal, percussion, force, gap;
  std::vector<std::uint8_t> status;
  Indices body_a, body_b, contact;

  /// on_second: percussion [N s] on the second body; h: length of the step [s]. Limits of joints may have no place.
  void add(const Vector3& at, const Vector3& direction, const Vector3& on_second, double h, double distance, int state,
           int a, int b, int number) {
    if (!at.allFinite() || !direction.allFinite()) return;
    append(position, at);
    append(normal, direction);
    append(percussion, on_second);
    append(force, h > 0.0 ? Vector3(on_second / h) : Vector3::Zero());
    gap.push_back(static_cast<float>(distance));
    status.push_back(static_cast<std::uint8_t>(state));
    body_a.push_back(a);
    body_b.push_back(b);
    contact.push_back(number);
  }
};

struct VtkWriter::JointPoints {
  Floats position, force, torque, drift;

  void add(const Vector3& at, const Vector3& reaction, const Vector3& moment, double length, double angle) {
    append(position, at);
    append(force, reaction);
    append(torque, moment);
    drift.insert(drift.end(), {static_cast<float>(length), static_cast<float>(angle)});
  }
};

/// The rows of a result up to a checkpoint, some at a time.
class VtkWriter::RowsOfResult {
 public:
  RowsOfResult(const VtkWriter& writer, const Trajectory& from, const Checkpoint& up_to)
      : writer_(writer), system_(writer.system_), from_(from), up_to_(up_to) {
    std::vector<std::string> needed = {"/q", "/u"};
    for (const char* name : {"point", "normal", "gap", "status", "percussion"}) {
      if (!system_.contact_points().empty()) needed.push_back(fmt::format("/contacts/{}", name));
      if (system_.has_varying_contacts()) needed.push_back(fmt::format("/contact_sets/{}", name));
    }
    for (const char* name : {"drift", "reaction_force", "reaction_torque"}) {
      if (!system_.joints().empty()) needed.push_back(fmt::format("/joints/{}", name));
    }
    for (const std::string& path : needed) {
      if (from_.file().has(path)) continue;
      throw InputError({from_.file().name()}, path, "",
                       "not in this result (output.fields): its rows cannot be drawn for --vtk");
    }
    for (const StepRow& row : from_.read_steps(0, up_to_.steps, &up_to_)) {
      step_ends_.push_back(row.time);
      step_lengths_.push_back(row.step);
    }
  }

  std::vector<std::uint64_t> keys(const StopToken& stop) const {
    std::vector<std::uint64_t> keys;
    for (std::int64_t first = 0; first < up_to_.rows; first += kRowsAtATime) {
      stop.check();
      const std::int64_t n = std::min(kRowsAtATime, up_to_.rows - first);
      const RowMatrix time = read("/time", first, n), q = read("/q", first, n), u = read("/u", first, n);
      for (std::int64_t i = 0; i < n; ++i) {
        keys.push_back(key_of(time(i, 0), {q.row(i).data(), static_cast<std::size_t>(q.cols())},
                              {u.row(i).data(), static_cast<std::size_t>(u.cols())}));
      }
    }
    return keys;
  }

  void load(std::int64_t first) {
    first_ = first;
    const std::int64_t n = std::min(kRowsAtATime, up_to_.rows - first);
    time_ = read("/time", first, n);
    q_ = read("/q", first, n);
    u_ = read("/u", first, n);
    if (!system_.contact_points().empty()) {
      named_ = Points([&](const char* name) { return read(std::string("/contacts/") + name, first, n); });
      body_a_ = from_.file().read_integers("/contacts/body_a");
      body_b_ = from_.file().read_integers("/contacts/body_b");
    }
    if (system_.has_varying_contacts()) {
      offsets_ = read_set("offsets", first, n + 1, up_to_.rows + 1);
      const auto begin = static_cast<std::int64_t>(offsets_(0, 0)), end = static_cast<std::int64_t>(offsets_(n, 0));
      const auto all = static_cast<std::int64_t>(read_set("offsets", up_to_.rows, 1, up_to_.rows + 1)(0, 0));
      found_ = Points([&](const char* name) { return read_set(name, begin, end - begin, all); });
      found_a_ = read_set("body_a", begin, end - begin, all);
      found_b_ = read_set("body_b", begin, end - begin, all);
    }
    if (!system_.joints().empty()) {
      drift_ = read("/joints/drift", first, n);
      force_ = read("/joints/reaction_force", first, n);
      torque_ = read("/joints/reaction_torque", first, n);
    }
  }

  State state(std::int64_t row) const {
    const std::int64_t i = row - first_;
    State state;
    state.t = time_(i, 0);
    state.q = Vector::Zero(system_.n_q());
    state.q.head(q_.cols()) = q_.row(i).transpose();
    state.u = u_.row(i).transpose();
    return state;
  }

  ContactPoints contacts(std::int64_t row) const {
    const std::int64_t i = row - first_;
    const double h = find_step_length(time_(i, 0));
    ContactPoints list;
    for (std::size_t k = 0; k < body_a_.size(); ++k) {
      named_.add(i, static_cast<Eigen::Index>(k), h, static_cast<int>(body_a_[k]), static_cast<int>(body_b_[k]),
                 static_cast<int>(k), list);
    }
    if (offsets_.size() == 0) return list;
    const auto begin = static_cast<std::int64_t>(offsets_(0, 0));
    for (auto c = static_cast<std::int64_t>(offsets_(i, 0)); c < static_cast<std::int64_t>(offsets_(i + 1, 0)); ++c) {
      const std::int64_t k = c - begin;
      if (found_.status(k, 0) == 0.0) continue;
      found_.add(k, 0, h, static_cast<int>(found_a_(k, 0)), static_cast<int>(found_b_(k, 0)), -1, list);
    }
    return list;
  }

  JointPoints joints(std::int64_t row) const {
    const std::int64_t i = row - first_;
    JointPoints list;
    const State at = state(row);
    for (std::size_t j = 0; j < system_.joints().size(); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      list.add(writer_.joint_point(j, at), Vector3(force_.row(i).data() + 3 * k),
               Vector3(torque_.row(i).data() + 3 * k), drift_(i, 2 * k), drift_(i, 2 * k + 1));
    }
    return list;
  }

 private:
  /// Quantities of contact points, each of a row one behind the other.
  struct Points {
    Points() = default;
    template <class Read>
    explicit Points(const Read& read)
        : point(read("point")),
          normal(read("normal")),
          percussion(read("percussion")),
          gap(read("gap")),
          status(read("status")) {}
    void add(Eigen::Index row, Eigen::Index k, double h, int a, int b, int number, ContactPoints& list) const {
      const auto triple = [row, k](const RowMatrix& m) { return Vector3(m.row(row).data() + 3 * k); };
      list.add(triple(point), triple(normal), triple(percussion), h, gap(row, k), static_cast<int>(status(row, k)), a,
               b, number);
    }
    RowMatrix point, normal, percussion, gap, status;
  };

  RowMatrix read(const std::string& path, std::int64_t first, std::int64_t n) const {
    return from_.read(path, first, n, &up_to_);
  }
  /// Of /contact_sets; `all` rows of it count.
  RowMatrix read_set(const char* name, std::int64_t first, std::int64_t n, std::int64_t all) const {
    const Hdf5Dataset dataset = from_.file().open_dataset(std::string("/contact_sets/") + name);
    RowMatrix values(n, dataset.width());
    read_rows(dataset, first, all, up_to_.sums,
              std::span<double>(values.data(), static_cast<std::size_t>(values.size())));
    return values;
  }
  double find_step_length(double t) const {
    const auto found = std::ranges::lower_bound(step_ends_, t);
    return found == step_ends_.end() ? 0.0 : step_lengths_[static_cast<std::size_t>(found - step_ends_.begin())];
  }

  const VtkWriter& writer_;
  const System& system_;
  const Trajectory& from_;
  const Checkpoint& up_to_;
  std::vector<double> step_ends_, step_lengths_;  // [s]
  std::int64_t first_ = 0;
  RowMatrix time_, q_, u_, drift_, force_, torque_, offsets_, found_a_, found_b_;
  Points named_, found_;
  std::vector<std::int64_t> body_a_, body_b_;
};

VtkWriter::VtkWriter(const fs::path& folder, const System& system, const State& initial, std::int64_t expected_rows)
    : system_(system),
      folder_path_(folder),
      folder_(folder),
      mesh_(make_vtk_mesh(system, initial)),
      expected_rows_(expected_rows) {
  make_static_arrays();
  const auto make = [&](std::optional<VtkSeries>& series, const char* name, const std::vector<VtkArray>& fields,
                        const VtkMesh* mesh) { series.emplace(folder, name, parts_of(fields, mesh), expected_rows); };
  make(bodies_, kSeries[0], body_fields_, &mesh_);
  const bool has_contacts = !system.contact_points().empty() || system.has_varying_contacts();
  if (has_contacts) make(contacts_, kSeries[1], contact_fields_, nullptr);
  if (!system.joints().empty()) make(joints_, kSeries[2], joint_fields_, nullptr);
}

void VtkWriter::make_static_arrays() {
  const VtkArray body_names("body_name", names_of(system_.bodies()));
  body_fields_ = {body_names};
  contact_fields_ = {body_names};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    names.push_back(contact_name(system_, static_cast<int>(k)));
  }
  if (!names.empty()) contact_fields_.emplace_back("contact_name", names);
  names.clear();
  for (const Joint& joint : system_.joints()) names.push_back(joint.options.name);
  joint_fields_.emplace_back("joint_name", names);
  joint_topology_.emplace_back(single_points(names.size()));
  Indices owners;
  for (const VtkCells* cells : {&mesh_.vertices, &mesh_.lines, &mesh_.polygons}) {  // the order of cells in a file
    topology_.emplace_back(*cells);
    owners.insert(owners.end(), cells->owner.begin(), cells->owner.end());
  }
  owners_ = {indices("body", owners)};
}

void VtkWriter::begin(const State& state, const StepReport& report) {
  for (auto* series : {&bodies_, &contacts_, &joints_}) {
    if (*series) (*series)->keep(0);
  }
  record(state, report, true);
  check_room_for(expected_rows_ - 1);
}

void VtkWriter::begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) {
  RowsOfResult rows(*this, before, checkpoint);
  const std::vector<std::uint64_t> keys = rows.keys(stop);
  auto ready = static_cast<std::int64_t>(keys.size());
  for (auto* series : {&bodies_, &contacts_, &joints_}) {
    if (*series) ready = std::min(ready, (*series)->count_ready(keys));
  }
  for (auto* series : {&bodies_, &contacts_, &joints_}) {
    if (*series) (*series)->keep(ready);
  }
  rows_ = ready;
  for (std::int64_t row = ready; row < checkpoint.rows; ++row) {
    stop.check();
    if (row == ready || row % kRowsAtATime == 0) rows.load(row - row % kRowsAtATime);
    write_row(rows.state(row), rows.contacts(row), rows.joints(row));
    if (row == ready) check_room_for(expected_rows_ - rows_);
  }
}

void VtkWriter::publish() {
  folder_.keep();
  for (auto* series : {&bodies_, &contacts_, &joints_}) {
    if (*series) (*series)->publish();
  }
}

void VtkWriter::record(const State& state, const StepReport& report, bool is_row) {
  if (is_row) write_row(state, points_of(report), joints_of(state, report));
}

void VtkWriter::finish(const RunEnd& /*end*/) {
  for (auto* series : {&bodies_, &contacts_, &joints_}) {
    if (*series) (*series)->finish();
  }
}

/// Nobody knows what contacts to come will take.
void VtkWriter::check_room_for(std::int64_t rows) const {
  check_room(folder_path_ / "bodies.pvd",
             static_cast<double>(row_bytes_) * static_cast<double>(std::max<std::int64_t>(rows, 0)));
}

void VtkWriter::check_replaceable(const fs::path& folder) {
  for (const char* name : kSeries) VtkSeries::check_replaceable(folder, name);
}

Vector3 VtkWriter::joint_point(std::size_t joint, const State& state) const {
  const Joint& j = system_.joints()[joint];
  const Pose pose = system_.calc_pose(j.side(Side::second), state.t, state.q);
  return pose.p_WB + pose.R_WB * j.options.on_second.at;
}

VtkWriter::ContactPoints VtkWriter::points_of(const StepReport& report) const {
  const std::size_t n_named = system_.contact_points().size();
  ContactPoints points;
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    const ContactReport& c = report.contacts[k];
    if (k >= n_named && c.status == ContactStatus::open) continue;  // candidates that the step did not close
    const bool is_named = k < n_named;
    const ContactPairOptions* pair = is_named ? &system_.contacts()[system_.contact_points()[k].pair].options : nullptr;
    points.add(c.position, c.normal, world_force(c, c.percussion), report.step, c.gap, static_cast<int>(c.status),
               is_named ? pair->first : c.body_a, is_named ? pair->second : c.body_b,
               is_named ? static_cast<int>(k) : -1);
  }
  return points;
}

VtkWriter::JointPoints VtkWriter::joints_of(const State& state, const StepReport& report) const {
  JointPoints points;
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    const JointReport& r = report.joints[j];
    points.add(joint_point(j, state), r.reaction_force, r.reaction_torque, r.drift_position, r.drift_angle);
  }
  return points;
}

void VtkWriter::write_row(const State& state, const ContactPoints& contacts, const JointPoints& joints) {
  const auto n_q = static_cast<std::size_t>(system_.n_body_q());
  const std::uint64_t key =
      key_of(state.t, {state.q.data(), n_q}, {state.u.data(), static_cast<std::size_t>(state.u.size())});
  row_bytes_ = 0;
  write_bodies(state, key);
  if (contacts_) write_contacts(contacts, state.t, key);
  if (joints_) write_joints(joints, state.t, key);
  ++rows_;
}

void VtkWriter::write_bodies(const State& state, std::uint64_t key) {
  Floats points, velocities;
  points.reserve(3 * mesh_.points.size());
  velocities.reserve(3 * mesh_.points.size());
  std::vector<double> position, orientation, velocity, angular_velocity;
  const auto keep = [](std::vector<double>& list, const auto& v) { list.insert(list.end(), v.begin(), v.end()); };
  std::size_t on_beam = 0;
  for (std::size_t b = 0; b < system_.bodies().size(); ++b) {
    const int index = static_cast<int>(b);
    const Pose pose = system_.calc_pose(index, state.t, state.q);
    const Twist twist = system_.calc_twist(index, state.t, state.q, state.u);
    const Eigen::Quaterniond e(pose.R_WB);
    const Vector4 wxyz(e.w(), e.x(), e.y(), e.z());
    keep(position, pose.p_WB);
    keep(orientation, wxyz(0) < 0.0 ? Vector4(-wxyz) : wxyz);
    keep(velocity, twist.v_WB);
    keep(angular_velocity, twist.w_WB);
    for (std::size_t k = mesh_.begin[b]; k < mesh_.begin[b + 1]; ++k) {
      if (system_.bodies()[b].beam) {
        const Attachment& at = mesh_.on_beams[on_beam++];
        append(points, system_.calc_pose(at, state.t, state.q).p_WB);
        append(velocities, system_.calc_twist(at, state.t, state.q, state.u).v_WB);
      } else {
        const Vector3 arm = pose.R_WB * mesh_.points[k];
        append(points, pose.p_WB + arm);
        append(velocities, twist.v_WB + twist.w_WB.cross(arm));
      }
    }
  }
  const auto doubles = [](const char* name, int n, const std::vector<double>& x) {
    return VtkArray(name, n, std::span<const double>(x));
  };
  const std::vector<VtkArray> poses = {doubles("position", 3, position), doubles("orientation", 4, orientation),
                                       doubles("velocity", 3, velocity),
                                       doubles("angular_velocity", 3, angular_velocity)};
  const VtkArray where = floats("points", 3, points), how = floats("velocity", 3, velocities);
  VtkFrame frame;
  frame.time = state.t;
  frame.of_points = {&how};
  frame.of_cells = pointers(owners_);
  frame.points = &where;
  frame.fields = pointers(body_fields_);
  for (const VtkArray& array : poses) frame.fields.push_back(&array);
  frame.vertices = topology_.data();
  frame.lines = &topology_[1];
  frame.polygons = &topology_[2];
  const std::string text = to_vtp(frame);
  row_bytes_ += text.size();
  bodies_->add(state.t, key, text);
}

void VtkWriter::write_contacts(const ContactPoints& contacts, double t, std::uint64_t key) {
  const std::vector<VtkArray> quantities = {floats("gap", 1, contacts.gap),
                                            VtkArray("status", 1, std::span<const std::uint8_t>(contacts.status)),
                                            floats("normal", 3, contacts.normal),
                                            floats("force", 3, contacts.force),
                                            floats("percussion", 3, contacts.percussion),
                                            indices("body_a", contacts.body_a),
                                            indices("body_b", contacts.body_b),
                                            indices("contact", contacts.contact)};
  const VtkArray where = floats("points", 3, contacts.position);
  const VtkTopology topology(single_points(contacts.gap.size()));
  const std::string text = to_vtp({.time = t,
                                   .fields = pointers(contact_fields_),
                                   .of_points = pointers(quantities),
                                   .of_cells = {},
                                   .points = &where,
                                   .vertices = &topology});
  row_bytes_ += text.size();
  contacts_->add(t, key, text);
}

void VtkWriter::write_joints(const JointPoints& joints, double t, std::uint64_t key) {
  Indices numbers(joints.position.size() / 3);
  for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = static_cast<std::int32_t>(j);
  const std::vector<VtkArray> quantities = {indices("joint", numbers), floats("reaction_force", 3, joints.force),
                                            floats("reaction_torque", 3, joints.torque),
                                            floats("drift", 2, joints.drift)};
  const VtkArray where = floats("points", 3, joints.position);
  const std::string text = to_vtp({.time = t,
                                   .fields = pointers(joint_fields_),
                                   .of_points = pointers(quantities),
                                   .of_cells = {},
                                   .points = &where,
                                   .vertices = joint_topology_.data()});
  row_bytes_ += text.size();
  joints_->add(t, key, text);
}

}  // namespace stickslip
