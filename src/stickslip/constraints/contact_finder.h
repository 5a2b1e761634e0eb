// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/base/rank_share.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/collision/broad_phase.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/manifold_finder.h"
#include "stickslip/model/contact_filter.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// The contact points of a step: those of the named pairs, always, then those that come and go, in order of their ids:
/// of pairs whose points vary, and of shapes that System::detection() lets touch, as far as they are near enough to do
/// so in the step. The answer depends on what is asked
/// alone and not on earlier steps, so that a run that goes on from a saved state finds the same.
///
/// Near enough: with c the centre of a ball and v its velocity, the ball's reach over a step is
///   max(h |v| + h^2 |gravity|, half the envelope),
/// a surface's likewise with its velocity beside the ball, and two features are candidates where their distance at the
/// start is at most the sum of their reaches. Where a step
/// ends beyond a reach, as after an impact from a fast neighbour, extend() finds what it met there.
class ContactFinder {
 public:
  /// Whatever takes long asks `stop`, and throws Interrupted where it is raised.
  explicit ContactFinder(const System& system, StopToken stop = {});

  /// Looks up to gaps of `envelope` [m] at least, beside what the scene says.
  void set_envelope(double envelope) { envelope_ = envelope; }

  const System& system() const { return system_; }
  /// Named points first, by their index in System::contact_points(); then detected ones by id; then what extend()
  /// added.
  const std::vector<ContactPoint>& points() const { return points_; }
  int n_named() const { return n_named_; }
  /// The ids of those that come and go, sorted.
  std::span<const ElementId> ids() const { return ids_; }

  /// Whether it looks for any; else the points are those that the scene names, always, and as they are.
  bool detects() const { return filter_.has_value() || manifolds_.is_needed(); }

  /// The points of the step from an instant (t, q, u) to t_end, and of the contacts `keep` (ids, sorted) in any case.
  /// `again`: for the same step and at least the same `keep`, after extend(): what touches at a point that it added is
  /// what touched then.
  void find(const BodySnapshot& start, double t_end, std::span<const ElementId> keep = {}, bool again = false);
  /// For bodies at a time h after find(): finds the points of manifolds again whose frozen features no longer tell
  /// whether the shapes overlap, because the bodies moved far.
  void follow(const BodySnapshot& at, double h);
  /// Finds contacts with gaps of at most `distance` [m]; may include some with larger gaps.
  void find_touching(const BodySnapshot& at, double distance = 0.0);
  /// Adds contacts that overlap at the end of the step and that find() did not foresee, once after each find().
  /// Whether there were some. Points of manifolds that overlap by what was frozen at the start are found again.
  bool extend(const BodySnapshot& end);

 private:
  /// Of a surface without bounds, a half-space or the inside of a container: the balls that may touch it.
  struct Wall {
    int surface = 0;         // into System::surfaces()
    std::vector<int> balls;  // into System::balls()
  };

  void list_present();
  void calc_reaches(const BodySnapshot& start, double h);
  void collect(const BodySnapshot& at, double h, std::vector<ElementId>& ids);
  void collect_on_curved(const BodySnapshot& at, int curved, int k, std::vector<ElementId>& ids);
  void collect_on_surfaces(const BodySnapshot& at, double h, const RankShare& share, std::vector<ElementId>& ids);
  void collect_far(const BodySnapshot& at, std::size_t n_far, std::vector<ElementId>& ids);
  void list_near_far(std::size_t n_far);
  void try_balls(int i, int j, std::vector<ElementId>& ids) const;
  void try_on_wall(const BodySnapshot& at, double h, const Wall& wall, int k, std::vector<ElementId>& ids) const;
  void extend_balls(const BodySnapshot& end);
  void make_points();
  template <class F>
  void append_ids(std::size_t n, const RankShare& share, std::vector<ElementId>& ids, const F& append_block);

  const System& system_;
  StopToken stop_;
  std::vector<ContactPoint> points_;
  int n_named_ = 0;

  // Of a system with detection(); else empty.
  std::optional<ContactFilter> filter_;
  std::vector<Wall> walls_;
  std::vector<int> round_;   // balls in the broad phase: spheres and points
  std::vector<int> curved_;  // behind them: surfaces of solid cylinders and ellipsoids
  bool walls_move_ = false;
  /// All of them, where only those of bodies that are present are listed above.
  struct Lists {
    std::vector<Wall> walls;
    std::vector<int> round, curved;
  };
  std::optional<Lists> all_;
  std::uint64_t attendance_ = 0;  // for which they are listed, see System
  ManifoldFinder manifolds_;
  double envelope_ = 0.0;           // [m] of the scheme
  double detected_envelope_ = 0.0;  // [m] the largest of detected contacts
  double margin_ = 0.0;             // [m] reach of a body at rest

  // Workspace.
  BroadPhase broad_phase_;
  std::vector<BoundingBox> boxes_;
  std::vector<BroadPhase::Pair> pairs_;
  std::vector<Vector3> centers_;        // (n balls) (3) [m] at the start of the step
  std::vector<double> reaches_;         // (n balls) [m]
  std::vector<char> moved_far_;         // (n balls) whether one has left its reach at the end of the step
  std::vector<char> marks_;             // (numbers of cells) whether a ball that has may touch what is there
  std::vector<int> near_;               // balls in cells with a mark
  std::vector<double> curved_reaches_;  // (n curved) [m]
  std::vector<std::vector<ElementId>> ids_of_blocks_;
  RankRecords records_;
  std::vector<ContactPoint*> overlapping_;
  std::vector<ElementId> kept_manifolds_;  // of the ids to be kept, those of manifolds
  std::vector<ElementId> ids_;             // sorted; of the points after the named ones
  std::vector<ElementId> some_ids_;        // of balls: to be kept, then found by extend()
  std::vector<ElementId> added_ids_;       // by extend()
};

}  // namespace stickslip
