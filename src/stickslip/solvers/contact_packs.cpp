// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/contact_packs.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

/// Directions, arms and inertias that differ by no more than this, relative to their size, are alike. [-] Files and
/// rotations keep 1e-15; what is taken for a sphere changes W by this share at most.
constexpr double kAlike = 1e-12;
/// A body with more contacts than this is shared: each contact would need a colour of its own. Boxes in piles have up
/// to 24, spheres 12; with two bodies of this many contacts the colours of a word suffice. [-]
constexpr int kManyContacts = 32;
constexpr int kColours = 64;
static_assert(2 * (kManyContacts - 1) < kColours, "each contact of two bodies that are not shared finds a colour");
Matrix3 cross_matrix(const Vector3& n) {
  Matrix3 matrix;
  matrix << 0.0, -n(2), n(1), n(2), 0.0, -n(0), -n(1), n(0), 0.0;
  return matrix;
}

Matrix3 inertia_of(const BodyMobility& mobility) {
  const double* a = mobility.inertia;
  Matrix3 matrix;
  matrix << a[0], a[1], a[2], a[1], a[3], a[4], a[2], a[4], a[5];
  return matrix;
}

double component_along(const double (&vectors)[3][kLanes], int lane, const Vector3& direction) {
  return vectors[0][lane] * direction(0) + vectors[1][lane] * direction(1) + vectors[2][lane] * direction(2);
}

void put_lane(const Vector3& x, int lane, double (&vectors)[3][kLanes]) {
  for (int i = 0; i < 3; ++i) vectors[i][lane] = x(i);
}

/// A contact with at most one ball of friction.
bool is_plain(const ConeProblem& problem, const Cone& cone) {
  if (cone.kind != ConeKind::contact || cone.dim > 3) return false;
  return cone.n_blocks == 0 || (cone.n_blocks == 1 && problem.friction(cone)[0].facets == 0);
}

/// Whether bodies move in a plane: none has six velocities, and no contact three rows.
bool are_planar(const ConeProblem& problem) {
  const auto* factored = std::get_if<FactoredDelassus>(&problem.delassus);
  for (int k = 0; factored != nullptr && k < factored->n_bodies(); ++k) {
    if (factored->body(k).n_v == 6) return false;
  }
  return std::ranges::none_of(problem.cones,
                              [&](const Cone& cone) { return is_plain(problem, cone) && cone.dim == 3; });
}

}  // namespace

bool ContactPacks::may_build(const ConeProblem& problem) {
  return std::holds_alternative<PackedDelassus>(problem.delassus) ||
         std::holds_alternative<FactoredDelassus>(problem.delassus);
}

void ContactPacks::build(const ConeProblem& problem) {
  is_associated_ = problem.law == FrictionLaw::associated;
  is_planar_ = are_planar(problem);
  set_bodies(problem);
  classify(problem);
  scale_bodies();
  order();
  fill(problem, sphere_order_, spheres_);
  fill(problem, general_order_, general_);
  add_singles(problem);
}

/// A body's record, its inertia not scaled yet.
void ContactPacks::set_body(int n_v, const double* inverse_mass, Frame& frame) {
  BodyMobility& mobility = mobilities_[frame.record];
  const auto m = [&](int r, int c) { return inverse_mass[r * n_v + c]; };
  const int linear = is_planar_ ? 2 : 3;
  const int turns = is_planar_ ? 1 : 3;
  if (n_v != linear && n_v != linear + turns) return;
  for (int r = 0; r < n_v; ++r) {
    for (int c = 0; c < linear; ++c) {
      if (m(r, c) != (r == c ? m(0, 0) : 0.0)) return;
    }
  }
  frame.is_rigid = true;
  frame.is_point = n_v == linear;
  mobility.inverse_mass = m(0, 0);
  if (frame.is_point) return;
  if (is_planar_) {
    mobility.inertia[5] = m(2, 2);
    frame.is_isotropic = frame.is_turned = true;
    return;
  }
  int k = 0;
  for (int r = 3; r < 6; ++r) {
    for (int c = r; c < 6; ++c) mobility.inertia[k++] = m(r, c);
  }
}

void ContactPacks::set_bodies(const ConeProblem& problem) {
  frames_.clear();
  mobilities_.clear();
  n_records_ = 0;
  if (const auto* packed = std::get_if<PackedDelassus>(&problem.delassus)) {
    is_planar_ = false;
    make_room(frames_, packed->n_bodies());
    frames_.resize(packed->n_bodies());
    make_room(mobilities_, packed->n_bodies() + kLanes);
    mobilities_.resize(packed->n_bodies(), {});
    for (int k = 0; k < packed->n_bodies(); ++k) {
      const PackedDelassus::Body& body = packed->body(k);
      frames_[k].record = n_records_;
      frames_[k].is_rigid = frames_[k].is_turned = true;
      mobilities_[n_records_].inverse_mass = body.inverse_mass;
      std::ranges::copy(body.inverse_inertia, mobilities_[n_records_++].inertia);
    }
  } else {
    const auto& factored = std::get<FactoredDelassus>(problem.delassus);
    make_room(frames_, factored.n_bodies());
    frames_.resize(factored.n_bodies());
    for (int k = 0; k < factored.n_bodies(); ++k) {
      const int n_v = factored.body(k).n_v;
      frames_[k].record = n_records_;
      n_records_ += std::max(1, (n_v + 7) / 8);
      make_room(mobilities_, n_records_ + kLanes);
      mobilities_.resize(n_records_, {});
      set_body(n_v, factored.inverse_mass(k), frames_[k]);
    }
  }
  for (Frame& frame : frames_) {
    if (is_planar_ || frame.is_point || !frame.is_rigid) continue;
    const double* a = mobilities_[frame.record].inertia;
    const double size = std::max({std::abs(a[0]), std::abs(a[3]), std::abs(a[5])});
    const double off =
        std::max({std::abs(a[1]), std::abs(a[2]), std::abs(a[4]), std::abs(a[0] - a[3]), std::abs(a[0] - a[5])});
    frame.is_isotropic = off <= kAlike * size;
  }
}

void ContactPacks::view_packed_axes(const PackedDelassus& w, int i, View& view) {
  const PackedDelassus::Contact& contact = w.contact(i);
  view.first = contact.first;
  view.second = contact.second;
  view.normal = contact.normal;
  view.tangent = view.third = Vector3::Zero();
  if (w.dim() > 1) {
    view.tangent = contact.tangent;
    view.third = contact.normal.cross(contact.tangent);
  }
}

bool ContactPacks::view_packed(const PackedDelassus& w, int i, View& view) {
  view_packed_axes(w, i, view);
  const PackedDelassus::Contact& contact = w.contact(i);
  view.arm_first = -cross_matrix(contact.arm_first);
  view.arm_second = -cross_matrix(contact.arm_second);
  return true;
}

bool ContactPacks::view_factored(const FactoredDelassus& w, const Cone& cone, int i, View& view) const {
  const std::span<const FactoredDelassus::Block> row = w.row(i);
  if (row.empty()) return false;
  view.first = view.second = -1;
  view.arm_first.setZero();
  view.arm_second.setZero();
  Matrix3 directions = Matrix3::Zero();  // rows
  for (std::size_t k = 0; k < row.size(); ++k) {
    const Frame& frame = frames_[row[k].body];
    if (!frame.is_rigid) return false;
    const int n_v = row[k].n;
    if (n_v != w.body(row[k].body).n_v) return false;
    const int linear = is_planar_ ? 2 : 3;
    const double* values = w.values(row[k]);
    Matrix3 of_body = Matrix3::Zero();
    Matrix3 turned = Matrix3::Zero();
    for (int r = 0; r < cone.dim; ++r) {
      for (int c = 0; c < linear; ++c) of_body(r, c) = values[r * n_v + c];
      for (int c = linear; c < n_v; ++c) turned(r, is_planar_ ? 2 : c - linear) = values[r * n_v + c];
    }
    if (k == 0) {
      directions = row.size() == 1 ? of_body : Matrix3(-of_body);
      (row.size() == 1 ? view.second : view.first) = row[k].body;
    } else {
      view.second = row[k].body;
      if (!((of_body - directions).cwiseAbs().maxCoeff() <= kAlike)) return false;
    }
    const bool is_second = view.second == row[k].body;
    (is_second ? view.arm_second : view.arm_first) = directions.transpose() * (is_second ? turned : Matrix3(-turned));
  }
  const Matrix3 products = directions * directions.transpose();
  for (int r = 0; r < cone.dim; ++r) {
    for (int c = 0; c < cone.dim; ++c) {
      if (!(std::abs(products(r, c) - (r == c ? 1.0 : 0.0)) <= kAlike)) return false;
    }
  }
  view.normal = directions.row(0);
  view.tangent = directions.row(1);
  view.third = directions.row(2);
  return true;
}

bool ContactPacks::view(const ConeProblem& problem, int i, View& view) const {
  const Cone& cone = problem.cones[i];
  if (!is_plain(problem, cone)) return false;
  if (const auto* packed = std::get_if<PackedDelassus>(&problem.delassus)) return view_packed(*packed, i, view);
  if (cone.dim != 1 && cone.dim != (is_planar_ ? 2 : 3)) return false;
  return view_factored(std::get<FactoredDelassus>(problem.delassus), cone, i, view);
}

/// The same without arms, where these take time.
bool ContactPacks::view_axes(const ConeProblem& problem, int i, View& of) const {
  const auto* packed = std::get_if<PackedDelassus>(&problem.delassus);
  if (packed == nullptr) return view(problem, i, of);
  view_packed_axes(*packed, i, of);
  return true;
}

/// Whether one side of a contact is as that of a sphere, A = s [n]x (of the first body with the other sign). The first
/// contact of a body says how long s is and how its axes stand.
bool ContactPacks::is_sphere(const View& view, bool is_second, bool slides) {
  const int body = is_second ? view.second : view.first;
  if (body < 0) return true;
  Frame& frame = frames_[body];
  const Matrix3& arm = is_second ? view.arm_second : view.arm_first;
  const Vector3& n = view.normal;
  const double size = arm.norm();
  frame.size = std::max(frame.size, size);
  if (frame.is_point) return true;
  if (!slides) return (arm.transpose() * n).norm() <= kAlike * size;
  if (!frame.is_isotropic || !(size > 0.0)) return false;
  const double sign = is_second ? 1.0 : -1.0;
  const double length = frame.length > 0.0 ? frame.length : is_planar_ ? size : size * std::sqrt(0.5);
  Matrix3 turn = frame.turn;
  if (!frame.is_turned) {  // [t . n]x A = s (t x n)^T [n]x R gives two rows of R, and these the third
    const Vector3 t = view.tangent;
    const Vector3 b = n.cross(t);
    const Vector3 row_t = -sign / length * (arm.transpose() * t.cross(n));
    const Vector3 row_b = -sign / length * (arm.transpose() * b.cross(n));
    turn = n * row_t.cross(row_b).transpose() + t * row_t.transpose() + b * row_b.transpose();
    if (!((turn * turn.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() <= kAlike)) return false;
  }
  Matrix3 off = arm - sign * length * cross_matrix(n) * turn;
  if (is_planar_) off.leftCols<2>().setZero();
  if (!(off.cwiseAbs().maxCoeff() <= kAlike * length)) return false;
  frame.length = length;
  frame.turn = turn;
  frame.is_turned = true;
  return true;
}

/// Whether both sides of a contact are as those of spheres by what is known of its bodies already, as is_sphere() says
/// with A = -[r]x.
bool ContactPacks::is_known_sphere(const PackedDelassus::Contact& contact) const {
  const auto is_round = [&](int body, double sign, const Vector3& arm) {
    if (body < 0) return true;
    const Frame& frame = frames_[body];
    return frame.is_isotropic && frame.length > 0.0 &&
           (arm + sign * frame.length * contact.normal).cwiseAbs().maxCoeff() <= kAlike * frame.length;
  };
  return is_round(contact.first, -1.0, contact.arm_first) && is_round(contact.second, 1.0, contact.arm_second);
}

void ContactPacks::classify(const ConeProblem& problem) {
  make_room(kinds_, problem.n_cones());
  make_room(pairs_, problem.n_cones());
  kinds_.assign(problem.n_cones(), Kind::single);
  pairs_.assign(problem.n_cones(), {-1, -1});
  const auto* packed = std::get_if<PackedDelassus>(&problem.delassus);
  View of;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const bool slides = problem.cones[i].dim > 1;
    if (packed != nullptr && slides && is_plain(problem, problem.cones[i]) && is_known_sphere(packed->contact(i))) {
      of.first = packed->contact(i).first;
      of.second = packed->contact(i).second;
      kinds_[i] = Kind::sphere;
    } else {
      if (!view(problem, i, of)) continue;
      const bool first = is_sphere(of, false, slides);
      const bool second = is_sphere(of, true, slides);
      kinds_[i] = first && second ? Kind::sphere : Kind::general;
    }
    pairs_[i] = {of.first, of.second};
    for (const int body : {of.first, of.second}) {
      if (body >= 0) ++frames_[body].n_contacts;
    }
  }
}

void ContactPacks::scale_bodies() {
  for (Frame& frame : frames_) {
    frame.is_shared = frame.n_contacts > kManyContacts;
    if (!frame.is_rigid || frame.is_point) continue;
    if (!(frame.length > 0.0)) frame.length = frame.size > 0.0 ? frame.size : 1.0;
    BodyMobility& mobility = mobilities_[frame.record];
    for (double& value : mobility.inertia) value *= frame.length * frame.length;
    mobility.spin = mobility.inertia[5];
  }
}

void ContactPacks::order() {
  sphere_order_.clear();
  general_order_.clear();
  batches_.clear();
  make_room(colours_of_, frames_.size());
  colours_of_.assign(frames_.size(), 0);
  const auto is_shared = [&](int body) { return body >= 0 && frames_[body].is_shared; };
  const bool some_are_shared = std::ranges::any_of(frames_, &Frame::is_shared);
  for (const bool shares : {false, true}) {
    if (shares && !some_are_shared) break;
    members_.clear();
    make_room(members_, kinds_.size());
    for (int i = 0; i < static_cast<int>(kinds_.size()); ++i) {
      if (kinds_[i] == Kind::single) continue;
      const bool is_of_shared = some_are_shared && (is_shared(pairs_[i].first) || is_shared(pairs_[i].second));
      if (is_of_shared == shares) members_.push_back(i);
    }
    colour(members_, Kind::sphere, shares, sphere_order_);
    colour(members_, Kind::general, shares, general_order_);
  }
  share_batches();
  // Empty lanes of blocks that threads visit at once.
  int n_sets = 1;
  for (const Batch& batch : batches_) {
    if (!batch.is_ordered) n_sets = std::max(n_sets, batch.n_blocks());
  }
  make_room(mobilities_, n_records_ + static_cast<std::size_t>(n_sets) * kLanes);
  mobilities_.resize(n_records_ + static_cast<std::size_t>(n_sets) * kLanes, {});
}

/// Numbers the blocks, and gives ranks their parts.
void ContactPacks::share_batches() {
  Ranks* ranks = Ranks::current();
  const std::size_t n_packs = (sphere_order_.size() + general_order_.size()) / kLanes;
  ranks_ = ranks != nullptr && ranks->size() > 1 && n_packs >= kManyPacksOfRanks ? ranks : nullptr;
  int first = 0;
  for (Batch& batch : batches_) {
    batch.first_block = std::exchange(first, first + batch.n_blocks());
    batch.own = {0, batch.n_blocks()};
    if (ranks_ != nullptr && !batch.is_ordered) batch.own = share_of(batch, ranks_->rank(), ranks_->size());
  }
}

/// Appends the cones of one kind, colour by colour, each filled up to whole packs.
void ContactPacks::colour(std::span<const int> members, Kind kind, bool is_ordered, std::vector<int>& order) {
  colours_.clear();
  make_room(colours_, members.size());
  int counts[kColours] = {};
  const auto visit_bodies = [&](const Pair& pair, const auto& visit) {
    for (const int body : {pair.first, pair.second}) {
      if (body >= 0 && !(is_ordered && frames_[body].is_shared)) visit(colours_of_[body]);
    }
  };
  for (const int i : members) {
    colours_.push_back(-1);
    if (kinds_[i] != kind) continue;
    std::uint64_t used = 0;
    visit_bodies(pairs_[i], [&](std::uint64_t colours) { used |= colours; });
    const int chosen = std::min(std::countr_one(used), kColours - 1);
    visit_bodies(pairs_[i], [&](std::uint64_t& colours) { colours |= std::uint64_t{1} << chosen; });
    colours_.back() = chosen;
    ++counts[chosen];
  }
  int begins[kColours];
  const auto n_before = static_cast<int>(order.size());
  int end = n_before;
  for (int c = 0; c < kColours; ++c) {
    begins[c] = end;
    end += (counts[c] + kLanes - 1) / kLanes * kLanes;
    if (counts[c] == 0 || is_ordered) continue;
    append(batches_, {kind == Kind::general, false, begins[c] / kLanes, end / kLanes, 0, {}});
  }
  if (end == n_before) return;
  if (is_ordered) append(batches_, {kind == Kind::general, true, n_before / kLanes, end / kLanes, 0, {}});
  make_room(order, end);
  order.resize(end, -1);
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (colours_[k] < 0) continue;
    order[begins[colours_[k]]++] = members[k];
    visit_bodies(pairs_[members[k]], [](std::uint64_t& colours) { colours = 0; });
  }
}

void ContactPacks::fill_lane(const ConeProblem& problem, const View& view, int i, int lane,
                             PackOfContacts& pack) const {
  const Cone& cone = problem.cones[i];
  put_lane(view.normal, lane, pack.normal);
  Vector3 free = problem.b[cone.offset] * view.normal;
  if (cone.dim > 1) free += problem.b[cone.offset + 1] * view.tangent;
  if (cone.dim > 2) free += problem.b[cone.offset + 2] * view.third;
  put_lane(free, lane, pack.free);
  pack.mu[lane] = cone.n_blocks > 0 ? problem.friction(cone)[0].mu : 0.0;
  pack.slides[lane] = cone.dim > 1 ? 1.0 : 0.0;
  if (view.first >= 0) pack.first[lane] = frames_[view.first].record;
  if (view.second >= 0) pack.second[lane] = frames_[view.second].record;
}

void ContactPacks::fill_arms(const View&, int, SpherePack&) const {
}

void ContactPacks::fill_arms(const View& view, int lane, GeneralPack& pack) const {
  const auto put_arm = [&](int body, const Matrix3& arm, double(&to)[3][3][kLanes]) {
    if (body < 0 || frames_[body].is_point) return;
    const Matrix3 scaled = arm * frames_[body].turn.transpose() / frames_[body].length;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) to[r][c][lane] = scaled(r, c);
    }
  };
  put_arm(view.first, view.arm_first, pack.arm_first);
  put_arm(view.second, view.arm_second, pack.arm_second);
}

void ContactPacks::set_metric(int lane, bool is_ordered, SpherePack& pack) const {
  double normal = 0.0, tangent = 0.0;
  for (const int body : {pack.first[lane], pack.second[lane]}) {
    const int n = count_lanes(pack, body, is_ordered);
    normal += n * mobilities_[body].inverse_mass;
    tangent += n * (mobilities_[body].inverse_mass + mobilities_[body].spin);
  }
  pack.metric_normal[lane] = normal;
  pack.metric_tangent[lane] = tangent;
}

/// W_ii, its normal and its largest tangential eigenvalue; under the associated law a bound of W_ii, which the step to
/// the nearest point needs: both larger by 1 + |W_NT| / sqrt(W_NN W_TT).
void ContactPacks::set_metric(int lane, bool is_ordered, GeneralPack& pack) const {
  Matrix3 w = Matrix3::Zero();
  const auto add = [&](int body, const double(&arm)[3][3][kLanes]) {
    const int n = count_lanes(pack, body, is_ordered);
    Matrix3 a;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) a(r, c) = arm[r][c][lane];
    }
    w += n * (mobilities_[body].inverse_mass * Matrix3::Identity() + a * inertia_of(mobilities_[body]) * a.transpose());
  };
  add(pack.first[lane], pack.arm_first);
  add(pack.second[lane], pack.arm_second);
  const Vector3 n(pack.normal[0][lane], pack.normal[1][lane], pack.normal[2][lane]);
  const Vector3 across = is_planar_ ? Vector3(0.0, 0.0, 1.0) : n.unitOrthogonal();
  const Vector3 along = across.cross(n);
  const double a = along.dot(w * along);
  const double b = is_planar_ ? 0.0 : along.dot(w * across);
  const double c = is_planar_ ? a : across.dot(w * across);
  const double largest = 0.5 * (a + c) + std::hypot(0.5 * (a - c), b);
  const double normal = n.dot(w * n);
  const Vector3 coupling = w * n - normal * n;
  put_lane(coupling, lane, pack.coupling);
  const double size = std::sqrt(normal * largest);
  const bool is_bound = is_associated_ && pack.mu[lane] > 0.0 && size > 0.0;
  const double by = is_bound ? 1.0 + coupling.norm() / size : 1.0;
  pack.metric_normal[lane] = by * normal;
  pack.metric_tangent[lane] = by * largest;
}

/// cones (kLanes); -1: none. `empty`: the record of the first lane, if that is.
template <class Pack>
void ContactPacks::fill_pack(const ConeProblem& problem, const int* cones, int empty, bool is_ordered,
                             Pack& pack) const {
  constexpr bool kHasArms = std::is_same_v<Pack, GeneralPack>;
  pack = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    pack.first[lane] = pack.second[lane] = empty + lane;
    pack.normal[2][lane] = 1.0;
  }
  View of;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = cones[lane];
    if (i < 0 || !(kHasArms ? view(problem, i, of) : view_axes(problem, i, of))) continue;
    fill_lane(problem, of, i, lane, pack);
    fill_arms(of, lane, pack);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (cones[lane] < 0) continue;
    set_metric(lane, is_ordered, pack);
    const double normal = pack.metric_normal[lane];
    const double tangent = pack.metric_tangent[lane];
    pack.inverse_normal[lane] = normal > 0.0 ? 1.0 / normal : 0.0;
    pack.inverse_tangent[lane] = tangent > 0.0 ? 1.0 / tangent : 0.0;
    pack.stretch[lane] = normal > 0.0 ? std::sqrt(tangent / normal) : 1.0;
  }
}

template <class Pack>
void ContactPacks::fill(const ConeProblem& problem, std::span<const int> order, std::vector<Pack>& packs) {
  make_room(packs, order.size() / kLanes);
  packs.resize(order.size() / kLanes);
  for (const Batch& batch : batches_) {
    if (batch.is_general != std::is_same_v<Pack, GeneralPack>) continue;
    for_blocks(are_many(), batch.size(), kBlock, batch.own, [&](std::size_t begin, std::size_t end, int block) {
      const int empty = n_records_ + (batch.is_ordered ? 0 : block * kLanes);
      for (std::size_t k = batch.begin + begin; k < batch.begin + end; ++k) {
        fill_pack(problem, order.data() + k * kLanes, empty, batch.is_ordered, packs[k]);
      }
    });
  }
}

/// Joints, dry friction and whatever is not packed, over the records of their bodies.
void ContactPacks::add_singles(const ConeProblem& problem) {
  singles_.clear();
  unknowns_.clear();
  left_.clear();
  right_.clear();
  const auto* factored = std::get_if<FactoredDelassus>(&problem.delassus);
  if (factored == nullptr) return;
  for (int i = 0; i < problem.n_cones(); ++i) {
    if (kinds_[i] != Kind::single) continue;
    const int dim = problem.cones[i].dim;
    Single single{i, unknowns_.size(), 0, left_.size()};
    const int n = factored->list_bodies(i, bodies_of_single_);
    make_room(unknowns_, unknowns_.size() + n);
    for (auto* values : {&left_, &right_}) {
      make_room(*values, single.values_begin + static_cast<std::size_t>(dim) * n);
      values->resize(single.values_begin + static_cast<std::size_t>(dim) * n, 0.0);
    }
    double* left = left_.data() + single.values_begin;
    double* right = right_.data() + single.values_begin;
    int column = 0;
    for (const int body : bodies_of_single_) {
      const int n_v = factored->body(body).n_v;
      const Frame& frame = frames_[body];
      const bool turns = frame.is_rigid && !frame.is_point;
      const auto place = [&](int c) { return is_planar_ ? (c == 2 ? 6 : c) : c < 3 ? c : c + 1; };
      for (int c = 0; c < n_v; ++c) unknowns_.push_back(8 * frame.record + (turns ? place(c) : c));
      for (const FactoredDelassus::Block& block : factored->row(i)) {
        for (int r = 0; block.body == body && r < dim; ++r) {
          std::copy_n(factored->values(block) + r * block.n, block.n, left + r * n + column + block.column);
          factored->add_response(block, r, right + r * n + column);
        }
      }
      for (int r = 0; turns && r < dim; ++r) {  // w of the record is s turn w
        double* l = left + r * n + column;
        double* v = right + r * n + column;
        if (is_planar_) {
          l[2] /= frame.length;
          v[2] *= frame.length;
          continue;
        }
        Eigen::Map<Vector3> of_left(l + 3), of_right(v + 3);
        of_left = (frame.turn * of_left.eval() / frame.length).eval();
        of_right = (frame.length * (frame.turn * of_right.eval())).eval();
      }
      column += n_v;
    }
    single.unknowns_end = unknowns_.size();
    append(singles_, single);
  }
}

void ContactPacks::take(const ConeProblem& problem, std::span<const double> p, std::span<PackVector> packed) const {
  const auto take_lane = [&](int i, int lane, View& of, PackVector& pack) {
    Vector3 world = Vector3::Zero();
    if (i >= 0 && view_axes(problem, i, of)) {
      const Cone& cone = problem.cones[i];
      const double* p_i = p.data() + cone.offset;
      world = p_i[0] * of.normal;
      if (cone.dim > 1) world += p_i[1] * of.tangent;
      if (cone.dim > 2) world += p_i[2] * of.third;
    }
    put_lane(world, lane, pack.x);
  };
  visit_lanes(true, packed, take_lane);
}

void ContactPacks::give(const ConeProblem& problem, std::span<const PackVector> packed, std::span<double> p) const {
  const auto give_lane = [&](int i, int lane, View& of, const PackVector& pack) {
    if (i < 0 || !view_axes(problem, i, of)) return;
    const Cone& cone = problem.cones[i];
    double* p_i = p.data() + cone.offset;
    p_i[0] = component_along(pack.x, lane, of.normal);
    if (cone.dim > 1) p_i[1] = component_along(pack.x, lane, of.tangent);
    if (cone.dim > 2) p_i[2] = component_along(pack.x, lane, of.third);
  };
  visit_lanes(false, packed, give_lane);
}

/// Calls visit(cone, lane, scratch, pack) for each lane of packs, all or those of this rank.
template <class PackVectors, class Visit>
void ContactPacks::visit_lanes(bool only_own, PackVectors packed, const Visit& visit) const {
  for (const Batch& batch : batches_) {
    const std::vector<int>& order = batch.is_general ? general_order_ : sphere_order_;
    const std::size_t first_pack = batch.is_general ? spheres_.size() : 0;
    const BlockRange blocks = only_own ? batch.own : BlockRange{0, batch.n_blocks()};
    for_blocks(are_many(), batch.size(), kBlock, blocks, [&](std::size_t begin, std::size_t end, int) {
      View of;
      for (std::size_t k = batch.begin + begin; k < batch.begin + end; ++k) {
        for (int lane = 0; lane < kLanes; ++lane) visit(order[k * kLanes + lane], lane, of, packed[first_pack + k]);
      }
    });
  }
}

}  // namespace stickslip
