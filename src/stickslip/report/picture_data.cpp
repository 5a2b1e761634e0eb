// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/picture_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <variant>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/base/input_error.h"
#include "stickslip/report/drawn_rows.h"
#include "stickslip/report/pose_codec.h"
#include "stickslip/report/result_contacts.h"
#include "stickslip/report/row_reader.h"
#include "stickslip/report/scene_facts.h"

namespace stickslip {
namespace {

std::vector<float> to_floats(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// The tree of bodies: on which each hangs, -1: none. What the scene says, else by its joints in their order, where no
/// circle comes of it: the second body hangs on the first, or else the first on the second. Fixed bodies hang on none.
std::vector<std::int32_t> find_parents(const std::vector<LayoutRow>& layout, const SceneFacts& facts,
                                       const std::vector<std::int32_t>& joint_bodies) {
  std::map<std::string, int> index;
  for (std::size_t b = 0; b < layout.size(); ++b) index[layout[b].body] = static_cast<int>(b);
  std::vector<std::int32_t> parents(layout.size(), -1);
  DisjointSets trees(layout.size());
  const auto hang = [&](int body, int parent) {
    if (body < 0 || parent < 0 || parents[body] >= 0 || layout[body].type == "fixed") return;
    if (trees.join(body, parent)) parents[body] = parent;
  };
  for (const auto& [body, parent] : facts.parents) {
    if (index.contains(body) && index.contains(parent)) hang(index.at(body), index.at(parent));
  }
  for (std::size_t j = 0; j + 1 < joint_bodies.size(); j += 2) {
    hang(joint_bodies[j + 1], joint_bodies[j]);
    hang(joint_bodies[j], joint_bodies[j + 1]);
  }
  return parents;
}

/// (2 n_joints) the first and the second body of each joint; -1: none.
std::vector<std::int32_t> read_joint_bodies(const Trajectory& result) {
  std::vector<std::int32_t> pairs;
  if (!result.file().has("/joints/body_a")) return pairs;
  const auto a = result.file().read_integers("/joints/body_a"), b = result.file().read_integers("/joints/body_b");
  for (std::size_t j = 0; j < a.size(); ++j) {
    pairs.insert(pairs.end(), {static_cast<std::int32_t>(a[j]), static_cast<std::int32_t>(b[j])});
  }
  return pairs;
}

void add_bodies(const Trajectory& result, const SceneFacts& facts, PageData& data) {
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::int32_t> offsets;
  for (const LayoutRow& row : result.layout()) {
    names.push_back(row.body);
    types.push_back(row.type);
    offsets.insert(offsets.end(), {row.q_offset, row.n_q, row.u_offset, row.n_u});
  }
  data.set("bodies", to_json(names));
  data.set("types", to_json(types));
  data.set("planar", facts.planar ? "true" : "false");
  data.set("gravity", fmt::format("[{},{},{}]", to_json(facts.gravity.x()), to_json(facts.gravity.y()),
                                  to_json(facts.gravity.z())));
  data.add("layout", std::span<const std::int32_t>(offsets));
  const std::vector<std::int32_t> pairs = read_joint_bodies(result);
  if (!pairs.empty()) data.add("joint_bodies", std::span(pairs));
  data.add("parents", std::span<const std::int32_t>(find_parents(result.layout(), facts, pairs)));
  if (result.file().has("/bodies/mass")) data.add("mass", result.file().read_numbers("/bodies/mass"));
}

std::vector<double> read_fixed(const Trajectory& result, const std::string& path) {
  const Hdf5Dataset dataset = result.file().open_dataset(path);
  std::vector<double> numbers(static_cast<std::size_t>(dataset.rows() * dataset.width()));
  dataset.read(0, std::span<double>(numbers));
  return numbers;
}

std::vector<std::int32_t> read_indices(const Trajectory& result, const std::string& path) {
  const Hdf5Dataset dataset = result.file().open_dataset(path);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(dataset.rows() * dataset.width()));
  dataset.read(0, std::span<std::int64_t>(numbers));
  return {numbers.begin(), numbers.end()};
}

void add_shapes(const Trajectory& result, PageData& data) {
  const Hdf5File& file = result.file();
  if (!file.has("/shapes")) return;
  data.set("shapes", to_json(file.read_texts("/shapes/name")));
  data.set("shape_types", to_json(file.read_texts("/shapes/type")));
  for (const char* name : {"body", "inside", "visual", "vertex_offset", "face_offset", "faces"}) {
    const std::string path = std::string("/shapes/") + name;
    if (file.has(path)) data.add("shapes/" + std::string(name), read_indices(result, path));
  }
  for (const char* name : {"position", "orientation", "size", "vertices"}) {
    const std::string path = std::string("/shapes/") + name;
    if (file.has(path)) data.add("shapes/" + std::string(name), to_floats(read_fixed(result, path)));
  }
}

/// Links as two bodies, a point in the frame of each, and whether it is a spring. Those to beams are left out: their
/// points are no points of a body.
void add_links(const Trajectory& result, const SceneFacts& facts, PageData& data) {
  std::map<std::string, std::size_t> index;
  const std::vector<LayoutRow> layout = result.layout();
  for (std::size_t b = 0; b < layout.size(); ++b) {
    if (layout[b].type != "beam") index[layout[b].body] = b;
  }
  const bool has_origin = result.file().has("/bodies/origin");
  const std::vector<double> origin = has_origin ? read_fixed(result, "/bodies/origin") : std::vector<double>{};
  std::vector<std::int32_t> bodies;
  std::vector<float> points;
  std::vector<std::uint8_t> springs;
  for (const Link& link : facts.links) {
    if (!index.contains(link.between[0]) || !index.contains(link.between[1])) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t b = index.at(link.between[side]);
      Vector3 at = link.at[side];
      if (origin.size() == 3 * layout.size()) at += Vector3(origin.data() + 3 * b);
      bodies.push_back(static_cast<std::int32_t>(b));
      for (const double x : at) points.push_back(static_cast<float>(x));
    }
    springs.push_back(link.spring ? 1 : 0);
  }
  data.add("link_bodies", std::span<const std::int32_t>(bodies));
  data.add("link_points", std::span<const float>(points));
  data.add("link_spring", std::span<const std::uint8_t>(springs));
}

/// The curves of all beams at each row.
void add_curves(const Trajectory& result, const SceneFacts& facts, const std::vector<std::int64_t>& rows,
                PageData& data) {
  if (facts.beams.empty() || !result.file().has("/q")) return;
  const std::vector<double> q = read_picked(result, "/q", rows);
  const std::size_t n_q = q.size() / std::max<std::size_t>(rows.size(), 1);
  const std::vector<LayoutRow> layout = result.layout();
  for (std::size_t b = 0; b < layout.size(); ++b) {
    const auto beam = facts.beams.find(layout[b].body);
    if (beam == facts.beams.end()) continue;
    const BeamCurve drawn(beam->second);
    if (drawn.n_q() != layout[b].n_q) continue;
    std::vector<float> curve;
    for (std::size_t row = 0; row < rows.size(); ++row) drawn.sample(q.data() + row * n_q + layout[b].q_offset, curve);
    data.add(fmt::format("curve/{}", b), std::span<const float>(curve));
  }
}

void add_poses(const Trajectory& result, const std::vector<std::int64_t>& rows, PageData& data) {
  const std::vector<double> position = read_picked(result, "/bodies/position", rows);
  const std::vector<double> orientation = read_picked(result, "/bodies/orientation", rows);
  const std::size_t n = result.layout().size();
  if (position.size() != rows.size() * n * 3 || orientation.size() != rows.size() * n * 4) {
    throw InputError({result.file().name()}, "/bodies/position", "", "damaged: not one pose for each body");
  }
  std::vector<PoseRange> ranges(n);
  for (std::size_t b = 0; b < n; ++b) {
    Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Vector3 p(position.data() + 3 * (row * n + b));
      if (!p.allFinite()) continue;
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    if (low.allFinite()) ranges[b] = {low, high - low};
  }
  std::vector<std::uint16_t> packed;
  packed.reserve(rows.size() * n * std::tuple_size_v<PackedPose>);
  std::vector<double> bounds;
  for (const PoseRange& range : ranges) {
    bounds.insert(bounds.end(), range.low.begin(), range.low.end());
    bounds.insert(bounds.end(), range.size.begin(), range.size.end());
  }
  for (std::size_t i = 0; i < rows.size() * n; ++i) {
    const PackedPose pose =
        pack_pose(ranges[i % n], Vector3(position.data() + 3 * i), Vector4(orientation.data() + 4 * i));
    packed.insert(packed.end(), pose.begin(), pose.end());
  }
  data.add("pose_range", std::span<const double>(bounds));
  data.add("poses", std::span<const std::uint16_t>(packed));
}

void note_thinned(const char* what, std::size_t shown, std::int64_t rows, std::vector<std::string>& notes) {
  if (static_cast<std::int64_t>(shown) >= rows) return;
  notes.push_back(fmt::format("{}: {} of {} rows are in this page", what, shown, rows));
}

}  // namespace

void add_picture(const Trajectory& result, double bytes, PageData& data, std::vector<std::string>& notes) {
  const SceneFacts facts = find_facts(result);
  add_bodies(result, facts, data);
  add_shapes(result, data);
  add_links(result, facts, data);
  if (!result.file().has("/bodies/position") || !result.file().has("/bodies/orientation")) {
    notes.emplace_back("the result holds no poses (output.fields): nothing moves here");
    return;
  }
  double row_bytes = 12.0 * static_cast<double>(result.layout().size()) + 8.0;
  for (const auto& [name, beam] : facts.beams) row_bytes += BeamCurve::row_bytes(beam);
  const double most = std::clamp(bytes / row_bytes, 2.0, 1e9);
  const std::vector<std::int64_t> rows = pick_rows(result.rows(), static_cast<std::int64_t>(most));
  note_thinned("poses, interpolated between", rows.size(), result.rows(), notes);
  data.add("frame_time", read_picked(result, "/time", rows));
  add_poses(result, rows, data);
  add_curves(result, facts, rows, data);
}

void add_contacts(const Trajectory& result, double bytes, PageData& data, std::vector<std::string>& notes) {
  const Hdf5File& file = result.file();
  double entries = static_cast<double>(result.names("contacts").size()) * static_cast<double>(result.rows());
  if (file.has("/contact_sets")) {
    entries +=
        static_cast<double>(file.read_integers("/contact_sets/offsets")[static_cast<std::size_t>(result.rows())]);
  }
  const double n_joints = static_cast<double>(result.names("joints").size());
  constexpr double kEntry = 57.0;  // [bytes] of a contact: 11 numbers of 4 bytes, 2 bodies, an index, a status
  const double n_rows = static_cast<double>(std::max<std::int64_t>(result.rows(), 1));
  const double row_bytes = std::max(kEntry * entries / n_rows + 12.0 * n_joints + 12.0, 1.0);
  const std::vector<std::int64_t> rows =
      pick_rows(result.rows(), static_cast<std::int64_t>(std::clamp(bytes / row_bytes, 2.0, 1e9)));
  if (entries + n_joints > 0.0) note_thinned("contacts and joints in the picture", rows.size(), result.rows(), notes);
  data.add("contact_time", read_picked(result, "/time", rows));
  if (n_joints > 0.0 && file.has("/joints/point")) {
    data.add("joint_point", to_floats(read_picked(result, "/joints/point", rows)));
  }
  if (entries == 0.0) return;
  ResultContacts contacts(result, rows);
  ContactList list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const ContactRecord& contact : contacts.next()) list.add(contact);
    list.end_row();
  }
  list.write(data);
}

}  // namespace stickslip
