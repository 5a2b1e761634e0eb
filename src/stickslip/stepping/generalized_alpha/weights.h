// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip::generalized_alpha {

/// The weights of the generalized-alpha method for a spectral radius rho_inf [Capobianco2021, text after eq. 71].
struct Weights {
  double alpha_m, alpha_f, gamma, beta;  // [-]
  double gamma_prime, beta_prime;        // [-] gamma and beta times d abar' / d a' = (1 - alpha_f) / (1 - alpha_m)
  bool forgets = false;                  // whether they are those of backward_euler()

  explicit Weights(double rho_inf)
      : alpha_m((2.0 * rho_inf - 1.0) / (rho_inf + 1.0)),
        alpha_f(rho_inf / (rho_inf + 1.0)),
        gamma(0.5 + alpha_f - alpha_m),
        beta(0.25 * (0.5 + gamma) * (0.5 + gamma)),
        gamma_prime(gamma * (1.0 - alpha_f) / (1.0 - alpha_m)),
        beta_prime(beta * (1.0 - alpha_f) / (1.0 - alpha_m)) {}

  /// Those of a step that takes nothing from before it: u' = u + dt a', q' = q + dt u', the backward Euler method. What
  /// is too stiff for the step's length it brings to rest, and no linear force gains energy by it.
  static Weights backward_euler() {
    Weights weights(0.0);
    weights.alpha_m = weights.alpha_f = 0.0;
    weights.gamma = weights.gamma_prime = weights.beta_prime = 1.0;
    weights.beta = 0.5;  // abar counts (1/2 - beta), and beta' belongs to a' alone
    weights.forgets = true;
    return weights;
  }

  /// xbar' = (af x + (1 - af) x' - am xbar) / (1 - am)   (71), (96), (114).
  double next_bar(double x, double x_next, double bar) const {
    return known_bar(x, bar) + (1.0 - alpha_f) / (1.0 - alpha_m) * x_next;
  }
  /// The part of it that is known before the step.
  double known_bar(double x, double bar) const { return (alpha_f * x - alpha_m * bar) / (1.0 - alpha_m); }
};

}  // namespace stickslip::generalized_alpha
