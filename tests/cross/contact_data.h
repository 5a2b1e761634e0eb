// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip::test {

// Readers of tests/data/contact, and the cone problems made of it.

/// tests/data/contact/one_contact.txt: u = W p + b, spatial friction, with all exact Coulomb solutions.
struct OneContactCase {
  double mu = 0.0;                             // [-]
  std::vector<double> w;                       // (3, 3) row-major [1/kg]
  std::vector<double> b;                       // (3) [m/s]
  std::vector<double> p_associated;            // (3) [N s] the solution of the relaxed law
  std::vector<std::vector<double>> p_coulomb;  // (3) each [N s]
};
std::vector<OneContactCase> read_one_contact_cases();

/// Contacts between bodies with a diagonal mass matrix, and where there are any bilateral rows.
struct ContactSystem {
  std::vector<double> inverse_mass;  // (n_v) [1/kg and like]; bodies of six, or of fewer at the end
  std::vector<double> v_free;        // (n_v)
  std::vector<double> gap_rate;      // (n_contacts) [m/s] gap over step
  std::vector<double> offset;        // (n_rows) [m/s] of the bilateral rows
  std::vector<double> mu;            // (n_contacts) [-]
  std::vector<double> d;             // (n_v, 3 n_contacts) row-major
  std::vector<double> g;             // (n_v, n_rows) row-major
  std::vector<double> v_associated;  // (n_v) solution of the relaxed law
  std::vector<double> v_coulomb;     // (n_v) solution of the exact law, where the data has one

  int n_v() const { return static_cast<int>(inverse_mass.size()); }
  int n_contacts() const { return static_cast<int>(mu.size()); }
  int n_rows() const { return static_cast<int>(offset.size()); }
};
ContactSystem read_random_system(int number);
std::vector<ContactSystem> read_bilateral_systems();

/// The cone problem of a system: contacts first, then its bilateral rows (three a joint) as free cones.
ConeProblem make_factored_problem(const ContactSystem& system, FrictionLaw law);
ConeProblem make_stored_problem(const ContactSystem& system, FrictionLaw law);
/// v = v_free + M^-1 (D p + G lambda). (n_v)
std::vector<double> calc_velocity(const ContactSystem& system, const std::vector<double>& p);

}  // namespace stickslip::test
