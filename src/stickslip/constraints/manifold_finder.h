// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stickslip/base/rank_share.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/collision/broad_phase.h"
#include "stickslip/collision/manifold.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/found_point.h"
#include "stickslip/model/contact_filter.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// The contact points of shapes between which they depend on where the bodies are: polytopes and capsules with each
/// other and with balls and points, cylinders and meshes with half-spaces. Found where the bodies are at one instant by
/// the narrow phase, and frozen there.
///
/// A shape's reach over a step of length h is, v being the velocity of its body, w its angular velocity and r the
/// largest distance of the shape from the body's origin,
///   max(h (|v| + |w| r) + h^2 |gravity|, half the envelope),
/// and points are listed whose gap is at most the sum of two reaches.
class ManifoldFinder {
 public:
  /// filter: which shapes are looked for though no pair names them; null: none.
  ManifoldFinder(const System& system, const ContactFilter* filter, StopToken stop);

  /// Whether the system has such shapes at all, present or not.
  bool is_needed() const { return !(all_ ? all_->shapes : shapes_).empty() || !system_.manifold_pairs().empty(); }

  /// With the reaches over a step of length h from `at` on, and the points `keep` (ids, sorted) in any case. `again`:
  /// after extend() in the same step, of which points are kept as they were found there, at its end.
  void find(const BodySnapshot& at, double h, double margin, std::span<const ElementId> keep, bool again);
  /// For bodies at a time h after find(): finds the points of two shapes again if their frozen features no longer tell
  /// whether the shapes overlap. Returns whether there were any.
  bool follow(const BodySnapshot& at, double h);
  /// With reaches of `distance` [m].
  void find_within(const BodySnapshot& at, double distance);
  /// Points with gaps of at most 0 that are not listed yet; once after each find(). Whether there are some.
  bool extend(const BodySnapshot& at);

  /// Finds again where the bodies are what touches at points that find() listed: their features, or that they are
  /// apart.
  void refresh(const BodySnapshot& at, std::span<ContactPoint* const> points);
  /// The same of all that fixed() lists.
  void refresh_fixed(const BodySnapshot& at) { find_fixed(at); }

  /// Points of named pairs with one point each, in the order of System::manifold_pairs(), without pairs that have none.
  std::span<const ContactPoint> fixed() const { return fixed_; }
  /// Of pairs whose points vary, named ones first, sorted by id; then those that extend() added.
  std::span<const ContactPoint> varying() const { return varying_; }
  std::span<const ContactPoint> added() const { return added_; }

 private:
  void list_present();
  void list_edged();
  void find_pairs();
  bool are_present(int shape_a, int shape_b) const {
    return system_.is_present(system_.shapes()[shape_a].body) && system_.is_present(system_.shapes()[shape_b].body);
  }
  void set_reaches(const BodySnapshot& at, double h, double margin);
  void collect(const BodySnapshot& at, std::vector<FoundPoint>& found);
  void collect_on_planes(const BodySnapshot& at, std::vector<FoundPoint>& found);
  /// Workspace of the narrow phase, one for each block that threads visit at once.
  struct Workspace {
    NarrowPhase narrow;
    std::vector<ManifoldPoint> manifold;
    std::vector<FoundPoint> found;
    std::uint64_t made_again = 0;  // ElementId::pair of the last point that was made again, in this block
  };
  /// A point found, for sorting.
  struct Key {
    ElementId id;
    std::size_t index;
  };
  template <class Visit>
  void find_shared(std::size_t n, std::vector<FoundPoint>& found, const Visit& visit);
  void sort_found();
  void collect_detected(const BodySnapshot& at, std::vector<FoundPoint>& found);
  void calc_boxes(const BodySnapshot& at);
  bool are_within_reach(const BodySnapshot& at) const;
  void collect_pair(const BodySnapshot& at, int shape_a, int shape_b, int manifold_pair, double within,
                    Workspace& workspace, std::vector<FoundPoint>& found) const;
  void keep_point(const BodySnapshot& at, ElementId id, bool again, Workspace& workspace) const;
  std::optional<ManifoldPoint> make_again(const BodySnapshot& at, const System::ManifoldOfId& of, ElementId id,
                                          Workspace& workspace) const;
  FoundPoint freeze(const ManifoldPoint& point, int shape_a, int shape_b, int manifold_pair) const;
  void find_fixed(const BodySnapshot& at, std::size_t manifold_pair, std::size_t n);
  void find_fixed(const BodySnapshot& at);
  bool has_passed(const BodySnapshot& at, std::span<const ContactPoint> points, double h);
  double calc_reach(int shape_a, int shape_b, int manifold_pair) const;
  void place(std::vector<FrozenFeatures>& features, std::vector<ContactPoint>& points);
  Placement placement(const BodySnapshot& at, int shape) const;

  const System& system_;
  const ContactFilter* filter_;
  StopToken stop_;
  std::vector<int> shapes_;              // in the broad phase: those with solids, where some of them are not round
  std::vector<int> edged_;               // into shapes_: those that are not round
  std::vector<int> planes_, on_planes_;  // half-spaces in space; cylinders and meshes, where they are looked for
  /// All of them, where only those of bodies that are present are listed above.
  struct Lists {
    std::vector<int> shapes, planes, on_planes;
  };
  std::optional<Lists> all_;
  std::uint64_t attendance_ = 0;  // for which they are listed, see System
  double step_ = 0.0;             // [s] that reaches look ahead
  std::vector<double> radius_;    // (shapes of the system) [m] largest distance from the body's origin
  std::vector<double> reach_;     // (shapes of the system) [m]
  bool looks_ahead_ = false;      // whether the envelopes of named pairs count

  // Points, each with the features that it points to.
  std::vector<ContactPoint> fixed_, varying_, added_;
  std::vector<FrozenFeatures> fixed_features_, varying_features_, added_features_;

  // Workspace.
  Workspace workspace_;
  std::vector<Workspace> of_blocks_;
  std::vector<FoundPoint> found_;
  std::vector<Key> order_;        // of found_, by id
  std::vector<ElementId> asked_;  // points to be kept that are not found
  RankRecords records_;
  std::vector<double> numbers_;  // of points that ranks tell each other
  BroadPhase broad_phase_;
  std::vector<BoundingBox> boxes_;
  std::vector<BroadPhase::Pair> pairs_;  // of shapes_ whose boxes overlap, with the reaches of the last search

  // Of the search of find(), whose pairs are all that may touch as long as no shape leaves its reach.
  std::vector<Placement> places_;  // (shapes_)
  std::vector<double> reaches_;    // (shapes_) [m]
  bool knows_pairs_ = false;
};

}  // namespace stickslip
