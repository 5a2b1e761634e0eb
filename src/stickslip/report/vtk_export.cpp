// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/vtk_export.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/new_folder.h"
#include "stickslip/io/output_file.h"
#include "stickslip/report/result_contacts.h"
#include "stickslip/report/vtk_mesh.h"

namespace stickslip {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 4> kSeries = {"bodies", "spheres", "contacts", "joints"};
constexpr std::string_view kFrameMark = "<!-- frames of stickslip -->";

using Floats = std::vector<float>;
using Indices = std::vector<std::int32_t>;
using Arrays = std::vector<VtkArray>;
/// The text of a row's file in each series; empty: the result has no such series.
using Frames = std::array<std::string, kSeries.size()>;

void append(Floats& list, const Vector3& v) {
  for (const double x : v) list.push_back(static_cast<float>(x));
}

VtkArray floats(std::string_view name, int components, const Floats& numbers) {
  return {name, components, std::span<const float>(numbers)};
}

VtkArray indices(std::string_view name, const Indices& numbers) {
  return {name, 1, std::span<const std::int32_t>(numbers)};
}

Indices count_up(std::size_t n) {
  Indices numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// A cell for each of n points.
VtkTopology single_points(std::size_t n) {
  VtkCells cells;
  for (const std::int32_t at : count_up(n)) cells.add(std::span(&at, 1), at);
  return VtkTopology(cells);
}

std::vector<const VtkArray*> pointers(std::initializer_list<const Arrays*> lists) {
  std::vector<const VtkArray*> all;
  for (const Arrays* list : lists) {
    for (const VtkArray& array : *list) all.push_back(&array);
  }
  return all;
}

std::vector<std::int64_t> all_rows(const Trajectory& result) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(result.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Makes the frames of a result, row by row.
class FrameMaker {
 public:
  explicit FrameMaker(const Trajectory& result);
  Frames next();

 private:
  static constexpr std::int64_t kRowsAtATime = 100;  // [-]
  /// A row of a dataset, (width); null: the result has none.
  const double* row(const char* path) const;
  void load();
  Pose pose(int body) const;
  Twist twist(int body) const;
  void add_points(const std::vector<VtkMesh::Place>& places, Floats& points, Floats& velocities) const;
  std::string make_bodies() const;
  std::string make_spheres() const;
  std::string make_contacts();
  std::string make_joints() const;
  std::string make_points(const Floats& points, const Arrays& fields, const Arrays& of_points) const;

  const Trajectory& result_;
  std::vector<LayoutRow> layout_;
  VtkMesh mesh_;
  ResultContacts contacts_;
  bool has_velocities_, has_contacts_, has_joints_;
  // What is the same in all frames.
  Arrays body_fields_, contact_fields_, joint_fields_, cell_owners_, of_balls_;
  std::vector<VtkTopology> topology_;  // points, lines, polygons
  std::int64_t row_ = -1, first_ = 0;
  std::map<std::string, RowMatrix, std::less<>> block_;  // rows from first_ on, by path
};

FrameMaker::FrameMaker(const Trajectory& result)
    : result_(result), layout_(result.layout()), mesh_(make_vtk_mesh(result)), contacts_(result, all_rows(result)) {
  const auto has = [&result](std::string_view group, std::initializer_list<const char*> names) {
    return std::ranges::all_of(
        names, [&](const char* name) { return result.find_rows(fmt::format("{}/{}", group, name)) != nullptr; });
  };
  has_velocities_ = has("/bodies", {"velocity", "angular_velocity"});
  has_contacts_ = has("/contacts", {"point", "normal", "gap", "status"}) || result.file().has("/contact_sets");
  has_joints_ = has("/joints", {"point", "drift", "reaction_force", "reaction_torque"});
  const VtkArray body_names("body_name", result.names("bodies"));
  body_fields_ = {body_names};
  contact_fields_ = {body_names};
  if (const auto names = result.names("contacts"); !names.empty()) contact_fields_.emplace_back("contact_name", names);
  joint_fields_.emplace_back("joint_name", result.names("joints"));
  Indices owners, ball_owners;
  for (const VtkCells* cells : {&mesh_.vertices, &mesh_.lines, &mesh_.polygons}) {  // the order of cells in a file
    topology_.emplace_back(*cells);
    owners.insert(owners.end(), cells->owner.begin(), cells->owner.end());
  }
  for (const VtkMesh::Place& ball : mesh_.balls) ball_owners.push_back(ball.body);
  cell_owners_ = {indices("body", owners)};
  of_balls_ = {floats("radius", 1, mesh_.radii), indices("body", ball_owners)};
}

const double* FrameMaker::row(const char* path) const {
  const auto found = block_.find(path);
  return found == block_.end() ? nullptr : found->second.row(row_ - first_).data();
}

void FrameMaker::load() {
  first_ = row_;
  for (const char* path :
       {"/time", "/q", "/u", "/bodies/position", "/bodies/orientation", "/bodies/velocity", "/bodies/angular_velocity",
        "/joints/point", "/joints/drift", "/joints/reaction_force", "/joints/reaction_torque"}) {
    if (result_.find_rows(path) == nullptr) continue;
    block_[path] = result_.read(path, first_, std::min(kRowsAtATime, result_.rows() - first_));
  }
}

Pose FrameMaker::pose(int body) const {
  const double* e = row("/bodies/orientation") + 4 * body;
  return {Vector3(row("/bodies/position") + 3 * body), Eigen::Quaterniond(e[0], e[1], e[2], e[3]).matrix()};
}

Twist FrameMaker::twist(int body) const {
  if (!has_velocities_) return {};
  return {Vector3(row("/bodies/velocity") + 3 * body),
          pose(body).R_WB * Vector3(row("/bodies/angular_velocity") + 3 * body)};
}

void FrameMaker::add_points(const std::vector<VtkMesh::Place>& places, Floats& points, Floats& velocities) const {
  int body = -1;
  Pose at;
  Twist moves;
  for (const VtkMesh::Place& place : places) {
    if (place.body != body) {
      body = place.body;
      at = pose(body);
      moves = twist(body);
    }
    const Vector3 arm = at.R_WB * place.at;
    append(points, at.p_WB + arm);
    append(velocities, moves.v_WB + moves.w_WB.cross(arm));
  }
}

std::string FrameMaker::make_bodies() const {
  Floats points, velocities;
  add_points(mesh_.corners, points, velocities);
  for (const auto& [body, xi] : mesh_.on_beams) {
    const BeamCurve& curve = mesh_.beams.at(body);
    const auto in_space = [](const Eigen::Vector2d& v) { return Vector3(v.x(), v.y(), 0.0); };
    append(points, in_space(curve.at(xi, row("/q") + layout_[body].q_offset)));
    const double* u = row("/u");
    append(velocities, u == nullptr ? Vector3::Zero() : in_space(curve.at(xi, u + layout_[body].u_offset)));
  }
  const auto doubles = [](const char* name, int components, std::size_t n, const double* numbers) {
    return VtkArray(name, components, std::span(numbers, n * static_cast<std::size_t>(components)));
  };
  const std::size_t n = layout_.size();
  Arrays poses = {doubles("position", 3, n, row("/bodies/position")),
                  doubles("orientation", 4, n, row("/bodies/orientation"))};
  Arrays of_points;
  if (has_velocities_) {
    std::vector<double> rates;
    for (std::size_t b = 0; b < n; ++b) {
      const Vector3 rate = twist(static_cast<int>(b)).w_WB;
      rates.insert(rates.end(), rate.begin(), rate.end());
    }
    poses.push_back(doubles("velocity", 3, n, row("/bodies/velocity")));
    poses.push_back(doubles("angular_velocity", 3, n, rates.data()));
    of_points.push_back(floats("velocity", 3, velocities));
  }
  const VtkArray where = floats("points", 3, points);
  return to_vtp({.time = *row("/time"),
                 .fields = pointers({&body_fields_, &poses}),
                 .of_points = pointers({&of_points}),
                 .of_cells = pointers({&cell_owners_}),
                 .points = &where,
                 .vertices = topology_.data(),
                 .lines = &topology_[1],
                 .polygons = &topology_[2]});
}

/// Points alone.
std::string FrameMaker::make_points(const Floats& points, const Arrays& fields, const Arrays& of_points) const {
  const VtkArray where = floats("points", 3, points);
  const VtkTopology topology = single_points(points.size() / 3);
  return to_vtp({.time = *row("/time"),
                 .fields = pointers({&fields}),
                 .of_points = pointers({&of_points}),
                 .of_cells = {},
                 .points = &where,
                 .vertices = &topology});
}

std::string FrameMaker::make_spheres() const {
  Floats points, velocities;
  add_points(mesh_.balls, points, velocities);
  Arrays of_points = of_balls_;
  if (has_velocities_) of_points.push_back(floats("velocity", 3, velocities));
  return make_points(points, body_fields_, of_points);
}

std::string FrameMaker::make_contacts() {
  Floats points, gap, normal, force, percussion, mu;
  std::vector<std::uint8_t> status;
  Indices body_a, body_b, shape_a, shape_b, number;
  for (const ContactRecord& c : contacts_.next()) {
    const bool is_candidate = c.index < 0 && c.status == 0 && c.percussion.isZero(0.0);
    if (is_candidate || !c.point.allFinite() || !c.normal.allFinite()) continue;  // limits of joints may have no place
    append(points, c.point);
    append(normal, c.normal);
    append(force, c.force);
    append(percussion, c.percussion);
    gap.push_back(static_cast<float>(c.gap));
    mu.push_back(static_cast<float>(c.mu));
    status.push_back(static_cast<std::uint8_t>(c.status));
    body_a.push_back(c.body_a);
    body_b.push_back(c.body_b);
    shape_a.push_back(c.shape_a);
    shape_b.push_back(c.shape_b);
    number.push_back(c.index);
  }
  return make_points(points, contact_fields_,
                     {floats("gap", 1, gap), VtkArray("status", 1, std::span<const std::uint8_t>(status)),
                      floats("normal", 3, normal), floats("force", 3, force), floats("percussion", 3, percussion),
                      floats("friction_coefficient", 1, mu), indices("body_a", body_a), indices("body_b", body_b),
                      indices("shape_a", shape_a), indices("shape_b", shape_b), indices("contact", number)});
}

std::string FrameMaker::make_joints() const {
  const std::size_t n = result_.find_rows("/joints/point")->width() / 3;
  const auto copy = [&](const char* path, std::size_t components) {
    return Floats(row(path), row(path) + components * n);
  };
  return make_points(
      copy("/joints/point", 3), joint_fields_,
      {indices("joint", count_up(n)), floats("reaction_force", 3, copy("/joints/reaction_force", 3)),
       floats("reaction_torque", 3, copy("/joints/reaction_torque", 3)), floats("drift", 2, copy("/joints/drift", 2))});
}

Frames FrameMaker::next() {
  if (++row_ == 0 || row_ == first_ + kRowsAtATime) load();
  return {make_bodies(), mesh_.balls.empty() ? "" : make_spheres(), has_contacts_ ? make_contacts() : "",
          has_joints_ ? make_joints() : ""};
}

std::string frame_name(std::int64_t row) {
  return fmt::format("{:07}.vtp", row);
}

bool is_frame(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(".vtp") || name.size() < frame_name(0).size()) return false;
  return std::all_of(name.begin(), name.end() - 4, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_list(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(128, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find(kFrameMark) != std::string::npos;
}

/// The lists first: they list no frames that are not there.
void remove_series(const fs::path& folder) {
  std::error_code error;
  for (const char* name : kSeries) {
    const fs::path list = folder / (std::string(name) + ".pvd");
    if (is_list(list)) fs::remove(list, error);
    std::vector<fs::path> frames;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / name, error)) {
      if (is_frame(entry.path())) frames.push_back(entry.path());
    }
    for (const fs::path& frame : frames) fs::remove(frame, error);
  }
}

std::string make_list(std::string_view name, const std::vector<double>& times) {
  std::string list = fmt::format(
      "<?xml version=\"1.0\"?>\n{}\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n", kFrameMark);
  for (std::size_t row = 0; row < times.size(); ++row) {
    list += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}/{}\"/>\n", times[row], name,
                        frame_name(static_cast<std::int64_t>(row)));
  }
  return list + "  </Collection>\n</VTKFile>\n";
}

}  // namespace

void export_vtk(const fs::path& path, const fs::path& folder, const StopToken& stop) {
  const Trajectory result(path);
  FrameMaker maker(result);
  Frames frames = maker.next();
  double bytes = 0.0;  // of a row; nobody knows what contacts to come will take
  for (const std::string& frame : frames) bytes += static_cast<double>(frame.size());
  NewFolder made(folder);
  check_room(folder / "bodies.pvd", bytes * static_cast<double>(result.rows()));
  made.keep();
  remove_series(folder);
  for (std::int64_t row = 0; row < result.rows(); ++row) {
    stop.check();
    if (row > 0) frames = maker.next();
    for (std::size_t k = 0; k < kSeries.size(); ++k) {
      if (frames[k].empty()) continue;
      if (row == 0) NewFolder(folder / kSeries[k]).keep();
      write_text(folder / kSeries[k] / frame_name(row), frames[k]);
    }
  }
  const std::vector<double> times = result.file().read_numbers("/time");
  for (std::size_t k = 0; k < kSeries.size(); ++k) {
    if (frames[k].empty()) continue;
    write_text(folder / (std::string(kSeries[k]) + ".pvd"),
               make_list(kSeries[k], {times.begin(), times.begin() + result.rows()}));
  }
}

void check_vtk_folder(const fs::path& folder, bool force) {
  const NewFolder can_be_made(folder);
  if (force) return;
  std::error_code error;
  for (const char* name : kSeries) {
    const fs::path list = folder / (std::string(name) + ".pvd");
    if (fs::is_regular_file(list, error) && !is_list(list)) {
      throw InputError({list.string()}, "", "",
                       "exists and is no list of frames of this program: --force writes over it");
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / name, error)) {
      if (is_frame(entry.path())) continue;
      throw InputError({entry.path().string()}, "", "",
                       "exists and is no frame of this program: --force writes beside it");
    }
  }
}

}  // namespace stickslip
