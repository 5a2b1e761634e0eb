// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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
/// Contacts are coloured greedily in their order, those that share a body differently, cell by cell. Bodies with many
/// contacts are shared: these contacts are a cell of their own that comes last, and where a pack holds m contacts of
/// such a body, each counts the body's mobility m times, which keeps the step of all of them short enough.
class ContactPacks {
 public:
  /// Contacts that are coloured by themselves, as ranges of packs.
  struct Cell {
    int spheres_begin, spheres_end;  // packs
    int general_begin, general_end;  // among the general packs
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

  int n_packs() const { return static_cast<int>(spheres_.size() + general_.size()); }
  int n_sphere_packs() const { return static_cast<int>(spheres_.size()); }
  std::span<const SpherePack> spheres() const { return spheres_; }
  std::span<const GeneralPack> general() const { return general_; }
  std::span<const Cell> cells() const { return cells_; }
  std::span<const Single> singles() const { return singles_; }
  std::span<const int> unknowns(const Single& single) const {
    return {unknowns_.data() + single.unknowns_begin, single.unknowns_end - single.unknowns_begin};
  }
  const double* left(const Single& single) const { return left_.data() + single.values_begin; }
  const double* right(const Single& single) const { return right_.data() + single.values_begin; }
  /// Records of velocities: bodies, what singles have beside them, and those of empty lanes.
  std::span<const BodyMobility> mobilities() const { return mobilities_; }

  /// Percussions between the rows of the problem (n) and packs (n_packs); of singles none.
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
    std::uint64_t colours = 0;  // bit by bit, those of its contacts so far
  };
  struct Pair {
    int first, second;  // bodies; -1: fixed
  };
  enum class Kind : std::uint8_t { sphere, general, single };
  void set_bodies(const ConeProblem& problem);
  void set_body(int n_v, const double* inverse_mass, Frame& frame);
  void scale_bodies();
  bool view(const ConeProblem& problem, int i, View& view) const;
  static bool view_packed(const PackedDelassus& w, int i, View& view);
  bool view_factored(const FactoredDelassus& w, const Cone& cone, int i, View& view) const;
  bool is_sphere(const View& view, bool is_second, bool slides);
  void classify(const ConeProblem& problem);
  void order();
  void colour(std::span<const int> members, Kind kind, std::vector<int>& order);
  template <class Pack>
  void fill(const ConeProblem& problem, std::span<const int> order, std::vector<Pack>& packs);
  void fill_lane(const ConeProblem& problem, const View& view, int i, int lane, PackOfContacts& pack) const;
  void fill_arms(const View& view, int lane, SpherePack& pack) const;
  void fill_arms(const View& view, int lane, GeneralPack& pack) const;
  void set_metric(int lane, SpherePack& pack) const;
  void set_metric(int lane, GeneralPack& pack) const;
  void add_singles(const ConeProblem& problem);

  bool is_planar_ = false, is_associated_ = false;
  std::vector<BodyMobility> mobilities_;           // (records)
  int n_records_ = 0;                              // without those of empty lanes
  std::vector<Frame> frames_;                      // (bodies)
  std::vector<Kind> kinds_;                        // (cones)
  std::vector<Pair> pairs_;                        // (cones)
  std::vector<int> members_;                       // cones of the cell that is coloured
  std::vector<int> sphere_order_, general_order_;  // cones lane by lane; -1: none
  std::vector<int> colours_;                       // (contacts of a cell)
  std::vector<SpherePack> spheres_;
  std::vector<GeneralPack> general_;
  std::vector<Cell> cells_;
  std::vector<Single> singles_;
  std::vector<int> unknowns_;
  std::vector<double> left_, right_;
};

}  // namespace stickslip
