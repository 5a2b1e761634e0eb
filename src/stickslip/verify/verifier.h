// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "stickslip/io/result_reader.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/verify/contact_bounds.h"
#include "stickslip/verify/friction_bounds.h"
#include "stickslip/verify/momentum.h"
#include "stickslip/verify/result_rows.h"
#include "stickslip/verify/touching_shapes.h"
#include "stickslip/verify/verify.h"

// What verify_result() does, row by row. Included by the .cpp files of verify/ only.
namespace stickslip {

/// What a figure may be worse than its claim by: relative, and lengths in metres.
inline constexpr double kRelative = 1e-9;
inline constexpr double kLength = 1e-12;
/// [-] Of what a sum is made of, in units of the stored precision.
inline constexpr double kSumRoundOffs = 16.0;

/// One result, as it is recomputed.
class Verifier {
 public:
  using Rows = ResultRows;

  Verifier(const Trajectory& result, const StopToken& stop)
      : result_(result),
        stop_(stop),
        scene_(read_scene_of(result)),
        built_(build(scene_, nullptr, stop)),
        system_(*built_.system),
        rows_(result),
        shapes_(system_),
        balance_(system_, rows_),
        friction_(system_),
        eps_(rows_.is_single() ? 0x1p-24 : 0x1p-53),
        motion_(system_.shown_bodies().size()),
        motion_before_(motion_),
        places_(system_.shapes().size()),
        manifolds_(system_.contact_points().size(), -1) {
    for (std::size_t i = 0; i < system_.manifold_pairs().size(); ++i) {
      const int point = system_.manifold_pairs()[i].point;
      if (point >= 0) manifolds_[point] = static_cast<int>(i);
    }
    for (const Body& body : system_.shown_bodies()) {
      if (body.n_u > 0) heaviest_ = std::max(heaviest_, body.mass);
    }
  }

  Verification verify(const std::string& file);

 private:
  void check_shape_of_file();
  void list_not_checked();
  void check_steps();
  void claim(std::string_view what, std::string_view who, const char* unit, double t, double claimed, double found,
             double excess);
  /// Claims that `found` is at most `claimed` + `bound`. `who` names the bodies, and is called where that is false.
  template <class Who>
  void at_most(std::string_view what, const Who& who, const char* unit, double t, double claimed, double found,
               double bound);
  /// Claims that `found` and `claimed` differ by at most `bound`.
  void same(std::string_view what, std::string_view who, const char* unit, double t, double claimed, double found,
            double bound);

  void take_state(std::int64_t k);
  void take_absent(std::int64_t k);
  void check_bodies(std::int64_t k);
  void check_gaps(std::int64_t k);
  void check_penetration(std::int64_t k);
  void check_touch(std::int64_t k);
  void check_touch(int shape_a, int shape_b);
  void check_cones(std::int64_t k);
  std::optional<double> find_friction(const ContactLaw& law, const FrictionBounds::Contact& contact);
  template <class Who>
  void check_cone(const Who& who, const ContactLaw& law, const FrictionBounds::Contact& contact, double normal,
                  const Vector3& friction, double largest);
  template <class Who>
  void check_size(const Who& who, double mu, double normal, double size, double largest);
  template <class Who>
  void check_moment(const Who& who, const ContactBounds& bounds, double normal, const Vector3& n, const Vector3& moment,
                    double largest) {
    const double lever = bounds.lever();
    const Vector3 about = system_.planar() ? Vector3(Vector3::Zero()) : Vector3(n.dot(moment) * n);
    check_size(who, bounds.spinning / lever, normal, about.norm() / lever, largest);
    check_size(who, bounds.rolling / lever, normal, (moment - about).norm() / lever, largest);
  }
  void check_energy(std::int64_t k);
  void check_momentum(std::int64_t k);
  void check_kind(std::int64_t k, Rows::Column normal, Rows::Column friction, Rows::Column world, const char* what);

  std::string name(int body) const { return body < 0 ? "" : system_.bodies()[body].name; }
  std::string names(int a, int b) const { return fmt::format("{}, {}", name(a), name(b)); }
  /// The row of /steps that ends at t, or -1.
  std::int64_t find_step(double t) const;
  /// Whether impacts accumulate in the step of the row: those that are passed over obey no law.
  bool has_accumulation() const;

  const Trajectory& result_;
  StopToken stop_;
  Scene scene_;
  BuiltScene built_;
  const System& system_;
  ResultRows rows_;
  TouchingShapes shapes_;
  MomentumBalance balance_;
  FrictionBounds friction_;
  double eps_;
  Verification out_;

  std::vector<StepRow> steps_;
  std::vector<double> accumulations_;  // [s] in order
  bool has_q_ = false, has_u_ = false, has_poses_ = false;
  double t_ = 0.0;                             // [s] of the row
  std::int64_t step_ = -1, step_before_ = -1;  // in steps_
  Vector q_, u_, q_before_, u_before_;         // (n_q), (n_u)
  std::vector<Placement> motion_;              // (bodies)
  std::vector<Placement> motion_before_;       // (bodies) of the row before
  std::vector<Placement> places_;              // (shapes)
  std::vector<char> absent_, absent_before_;   // (bodies) who takes no part in the row, and in the row before
  std::vector<int> manifolds_;                 // (points) index into System::manifold_pairs(), -1: none
  double heaviest_ = 0.0;                      // [kg] of the bodies
  bool slips_unknown_ = false;                 // of contacts whose friction depends on them
  bool wide_rows_ = false;                     // some rows are more than a step apart
};

template <class Who>
void Verifier::at_most(std::string_view what, const Who& who, const char* unit, double t, double claimed, double found,
                       double bound) {
  if (found <= claimed + bound) return;
  claim(what, who(), unit, t, claimed, found, (found - claimed) / bound);
}

}  // namespace stickslip
