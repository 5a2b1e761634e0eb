// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/base/ranks.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/cone/cone_problem.h"
#include "stickslip/solvers/contact_pack.h"

namespace stickslip {

/// The cones of a problem in the order in which coloured Gauss-Seidel sweeps visit them: contacts between rigid bodies
/// in packs of eight that share no body, all others one by one.
///
/// A contact is packed if its rows are orthonormal directions in the plane or in space, with at most one ball of
/// friction, between bodies with a mass and an inertia; its velocity is then u = v_2 + A_2 w_2 - v_1 - A_1 w_1. It goes
/// to a SpherePack where both arms are along the normal and the bodies turn alike about all axes, else to a
/// GeneralPack.
///
/// Contacts are coloured greedily in their order, those that share a body differently. The packs of a colour are a
/// batch: they share no body, so that threads may visit them in any order, in blocks. Bodies with many contacts are
/// shared: these contacts are coloured by themselves and come last, in batches that keep their order; and where a pack
/// holds m contacts of such a body, each counts the body's mobility m times, which keeps the step of all of them short
/// enough.
///
/// The current Ranks share the blocks of batches whose packs share no body: rank r of R has blocks [n r / R,
/// n (r + 1) / R) of each, and fills their packs alone. Batches that keep their order belong to all ranks.
class ContactPacks {
 public:
  /// Packs of a block at most: four microseconds of a sweep, a few times what it takes to hand them to a thread. Fewer
  /// cost processor time that threads wait, more would leave colours of a thousand contacts to one thread. [-]
  static constexpr int kBlock = 48;

  /// Packs of one kind, which are visited after those of the batches before.
  struct Batch {
    bool is_general;
    bool is_ordered;  // packs share bodies
    int begin, end;   // among the packs of their kind
    int first_block;  // blocks of batches before
    BlockRange own;   // among its blocks, those of this rank
    int size() const { return end - begin; }
    int n_blocks() const { return count_blocks(size(), kBlock); }
  };
  /// A cone that is visited by itself, over the unknowns that it touches: u_i = left v + b, v += right^T p. Both
  /// row-major (dim, n unknowns).
  struct Single {
    int cone;
    std::size_t unknowns_begin, unknowns_end;
    std::size_t values_begin;
  };

  /// Whether packs can stand for the problem's operator: one of bodies.
  static bool may_build(const ConeProblem& problem);
  void build(const ConeProblem& problem);

  /// The ranks that share the packs; null: this one does all.
  Ranks* ranks() const { return ranks_; }
  /// What rank r has of the blocks of a batch that it shares.
  static BlockRange share_of(const Batch& batch, int rank, int n_ranks) {
    return {batch.n_blocks() * rank / n_ranks, batch.n_blocks() * (rank + 1) / n_ranks};
  }
  /// Calls visit(record) for the bodies of a pack, of whatever rank.
  template <class Visit>
  void for_records(bool is_general, int pack, Visit&& visit) const {
    const int* cones = (is_general ? general_order_ : sphere_order_).data() + std::ptrdiff_t{kLanes} * pack;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (cones[lane] < 0) continue;
      for (const int body : {pairs_[cones[lane]].first, pairs_[cones[lane]].second}) {
        if (body >= 0) visit(frames_[body].record);
      }
    }
  }

  int n_packs() const { return static_cast<int>(spheres_.size() + general_.size()); }
  int n_sphere_packs() const { return static_cast<int>(spheres_.size()); }
  std::span<const SpherePack> spheres() const { return spheres_; }
  std::span<const GeneralPack> general() const { return general_; }
  std::span<const Batch> batches() const { return batches_; }
  /// Of all batches.
  int n_blocks() const { return batches_.empty() ? 0 : batches_.back().first_block + batches_.back().n_blocks(); }
  /// Whether there are so many that threads share them.
  bool are_many() const { return sphere_order_.size() + general_order_.size() >= kManyPacks * std::size_t{kLanes}; }
  std::span<const Single> singles() const { return singles_; }
  std::span<const int> unknowns(const Single& single) const {
    return {unknowns_.data() + single.unknowns_begin, single.unknowns_end - single.unknowns_begin};
  }
  const double* left(const Single& single) const { return left_.data() + single.values_begin; }
  const double* right(const Single& single) const { return right_.data() + single.values_begin; }
  /// Records of velocities: bodies, what singles have beside them, and those of empty lanes, which each block of a
  /// batch has for itself.
  std::span<const BodyMobility> mobilities() const { return mobilities_; }
  /// Those before the records of empty lanes.
  int n_records() const { return n_records_; }

  /// Percussions between the rows of the problem (n) and packs (n_packs); of singles none. take() those of this rank.
  void take(const ConeProblem& problem, std::span<const double> p, std::span<PackVector> packed) const;
  void give(const ConeProblem& problem, std::span<const PackVector> packed, std::span<double> p) const;

 private:
  /// A contact as packs have it: u = v_2 + A_2 w_2 - v_1 - A_1 w_1 in the axes of the operator.
  struct View {
    int first = -1, second = -1;                                        // bodies; -1: fixed
    Vector3 normal, tangent, third;                                     // (3) of its rows, zero where none
    Matrix3 arm_first = Matrix3::Zero(), arm_second = Matrix3::Zero();  // A (3, 3) [m]
  };
  /// How a body's velocities stand in its record.
  struct Frame {
    bool is_rigid = false, is_point = false;  // it has a mass, and no inertia
    bool is_isotropic = false;                // it turns alike about all axes
    bool is_turned = false;                   // `turn` is known
    bool is_shared = false;
    int n_contacts = 0;
    double length = 0.0;                 // [m] s; 0: not known yet
    double size = 0.0;                   // [m] the longest arm
    Matrix3 turn = Matrix3::Identity();  // (3, 3) w of the record = turn w / s
    int record = 0;
  };
  struct Pair {
    int first, second;  // bodies; -1: fixed
  };
  enum class Kind : std::uint8_t { sphere, general, single };
  /// Packs from which on threads pay: a sweep takes some times what waking threads does.
  static constexpr int kManyPacks = 512;
  /// Packs from which on ranks share them: with half as many the messages after each batch take what two ranks save.
  static constexpr int kManyPacksOfRanks = 1024;

  void set_bodies(const ConeProblem& problem);
  void set_body(int n_v, const double* inverse_mass, Frame& frame);
  void scale_bodies();
  bool view(const ConeProblem& problem, int i, View& view) const;
  bool view_axes(const ConeProblem& problem, int i, View& view) const;
  static void view_packed_axes(const PackedDelassus& w, int i, View& view);
  static bool view_packed(const PackedDelassus& w, int i, View& view);
  bool view_factored(const FactoredDelassus& w, const Cone& cone, int i, View& view) const;
  bool is_sphere(const View& view, bool is_second, bool slides);
  bool is_known_sphere(const PackedDelassus::Contact& contact) const;
  void classify(const ConeProblem& problem);
  void order();
  void share_batches();
  void colour(std::span<const int> members, Kind kind, bool is_ordered, std::vector<int>& order);
  template <class Pack>
  void fill(const ConeProblem& problem, std::span<const int> order, std::vector<Pack>& packs);
  template <class Pack>
  void fill_pack(const ConeProblem& problem, const int* cones, int empty, bool is_ordered, Pack& pack) const;
  void fill_lane(const ConeProblem& problem, const View& view, int i, int lane, PackOfContacts& pack) const;
  void fill_arms(const View& view, int lane, SpherePack& pack) const;
  void fill_arms(const View& view, int lane, GeneralPack& pack) const;
  /// How many lanes of a pack count a body's mobility: those that have it, where bodies are shared.
  int count_lanes(const PackOfContacts& pack, int body, bool is_ordered) const {
    if (!is_ordered || body >= n_records_) return 1;
    int n = 0;
    for (int lane = 0; lane < kLanes; ++lane) n += int{pack.first[lane] == body} + int{pack.second[lane] == body};
    return n;
  }
  void set_metric(int lane, bool is_ordered, SpherePack& pack) const;
  void set_metric(int lane, bool is_ordered, GeneralPack& pack) const;
  void add_singles(const ConeProblem& problem);
  template <class PackVectors, class Visit>
  void visit_lanes(bool only_own, PackVectors packed, const Visit& visit) const;

  Ranks* ranks_ = nullptr;
  bool is_planar_ = false, is_associated_ = false;
  std::vector<BodyMobility> mobilities_;           // (records)
  int n_records_ = 0;                              // without those of empty lanes
  std::vector<Frame> frames_;                      // (bodies)
  std::vector<Kind> kinds_;                        // (cones)
  std::vector<Pair> pairs_;                        // (cones)
  std::vector<std::uint64_t> colours_of_;          // (bodies) bit by bit, those of their contacts so far
  std::vector<int> members_;                       // cones that are coloured together
  std::vector<int> sphere_order_, general_order_;  // cones lane by lane; -1: none
  std::vector<int> colours_;                       // (members)
  std::vector<SpherePack> spheres_;
  std::vector<GeneralPack> general_;
  std::vector<Batch> batches_;
  std::vector<Single> singles_;
  std::vector<int> bodies_of_single_;  // scratch
  std::vector<int> unknowns_;
  std::vector<double> left_, right_;
};

}  // namespace stickslip
