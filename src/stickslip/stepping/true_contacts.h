// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "stickslip/collision/broad_phase.h"
#include "stickslip/collision/true_gap.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/model/contact_filter.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/body_sizes.h"

namespace stickslip {

/// How far before the shapes touch a scheme lets a contact act.
struct ContactReach {
  double gap = 0.0;   // [m] at rest
  double time = 0.0;  // [s] before the contact closes, by the velocities of the bodies
};

/// Measures how far shapes overlap at the end of a step, from the shapes and where they are (collision/true_gap.h): no
/// rows of a scheme. All pairs count that the scene lets touch, named and detected; not beams, whose gaps are those of
/// points, and not stops of joints.
///
/// Pairs that may come near are listed by balls round the shapes, each wider than the shape by a margin, and listed
/// again when a shape has moved farther than its margin. So a step looks at few pairs, and what it finds does not
/// depend on when they were listed.
class TrueContacts {
 public:
  /// The system must outlive this.
  explicit TrueContacts(const System& system, ContactReach reach = {});

  /// Two bodies that overlap more than the rows between them say, by more than the step explains.
  struct Missed {
    int body_a, body_b;
    double gap;      // [m] the true one
    double claimed;  // [m] the least of their rows; infinite: they have none
  };

  /// Where a step started.
  struct Start {
    double t = 0.0;  // [s]
    Vector q, u;     // (n_q), (n_u)
  };

  /// Makes the gaps of a report, and its penetration, those of the shapes where `state` is, at the end of a step from
  /// `start` on; null: of a scheme that looks at contacts where they are at the end. Else a row is linear about where
  /// it was found, so its gap may be off by the way that the two bodies move past each other in the step, by their
  /// velocities or by a projection. Returns the bodies that are off by more, the worst.
  std::optional<Missed> measure(const Start* start, const State& state, StepReport& report);

  /// Two shapes that a percussion pushed apart, but which did not touch.
  struct Apart {
    int body_a, body_b;
    double gap;  // [m] the true one at the end of the step
  };
  /// After measure(): the contact of the step from `start` on that acted although its shapes are apart at the end by
  /// more than the step explains, the worst: more than their way to each other and back, by their velocities at its
  /// ends, what a fall is, and the reach of contacts.
  std::optional<Apart> find_apart(const Start& start, const State& state, const StepReport& report);

 private:
  struct Round {
    int shape;  // its number
    int body;
    const Solid* solid;
    double radius;                        // [m] of a ball round the shape
    double margin = 0.0;                  // [m] of the list
    Vector3 listed_at = Vector3::Zero();  // (3) [m] its centre when it was listed
    Vector3 center = Vector3::Zero();     // (3) [m] and now
  };
  struct Wall {
    int shape, body;
    const SurfaceFeature* surface;
    bool moves;
  };
  /// A round shape, or a wall where `wall`, against a round one.
  struct Pair {
    bool wall;
    int first, second;  // into walls_ or rounds_; into rounds_
    int manifold;       // index into System::manifold_pairs(); -1: none
  };
  /// Of two bodies, the lower index first, where they overlap most or are nearest.
  struct Overlap {
    int body_a, body_b;
    Pair pair;
    double gap;             // [m]
    Vector3 place, normal;  // (3) [m], [-] world: on the second of the pair, from its first to its second
    double claimed = std::numeric_limits<double>::infinity();  // [m] the least gap of rows between the two bodies
    int row = -1;                                              // of that gap; -1: there is none
  };

  void add_named();
  std::optional<Pair> make_pair(int shape_a, int shape_b, int manifold) const;
  std::optional<Pair> pair_of(std::size_t k, const ContactReport& contact) const;
  std::pair<int, int> bodies_of(const Pair& pair) const;  // the lower index first
  std::pair<int, int> shapes_of(const Pair& pair) const;  // likewise
  bool may_touch(const Round& a, const Round& b) const;
  void place();
  bool has_moved() const;
  void list_pairs(double h);
  bool is_near(const Pair& pair, double margin) const;
  double calc_gap(const Pair& pair, double within, TrueGap& found);
  void find_overlaps(double near);
  void lift_rows(StepReport& report);
  void put_gap(const Overlap& overlap, StepReport& report) const;
  double calc_same(int body_a, int body_b) const;
  double calc_least_gap(int body_a, int body_b);
  double calc_speed(const Overlap& overlap, const Vector& u, double t) const;
  double calc_move(const Overlap& overlap, const Start& start) const;
  double calc_way(const Overlap& overlap, const Start& start, const State& state) const;
  double calc_way_and_back(const Overlap& overlap, const Start& start, const State& state) const;
  double calc_rest(double h) const;

  const System& system_;
  ContactReach reach_;
  BodySizes sizes_;
  std::optional<ContactFilter> filter_;
  std::vector<Round> rounds_;
  std::vector<Wall> walls_;
  std::vector<int> round_of_, wall_of_;  // (n shapes) indices into rounds_ and walls_, -1: none
  std::vector<Pair> named_;
  std::vector<std::optional<Pair>> points_;  // (n named points)
  bool varies_ = false;                      // whether rows are linear about where they were found
  double common_margin_ = 0.0;               // [m]
  bool is_listed_ = false;
  std::uint64_t attendance_ = 0;  // for which they are, see System

  // Workspace.
  BodySnapshot at_;
  TrueGapFinder finder_;
  BroadPhase broad_phase_;
  std::vector<BoundingBox> boxes_;
  std::vector<int> present_;  // rounds of bodies that are present: those in boxes_
  std::vector<BroadPhase::Pair> near_;
  std::vector<Pair> pairs_;                    // listed
  std::vector<Overlap> overlaps_;              // of bodies, sorted, the deepest of each two
  std::vector<std::pair<int, int>> touching_;  // of shapes that are as near as a contact at rest, sorted
};

}  // namespace stickslip
