// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "stickslip/solvers/accelerated_gradient.h"
#include "stickslip/solvers/alternating_directions.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/de_saxce.h"
#include "stickslip/solvers/interior_point.h"
#include "stickslip/solvers/newton_fb.h"
#include "stickslip/solvers/proximal_newton.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/solvers/spectral_gradient.h"

// The members of `auto`, each by itself, as methods of an IterativeSolver.
namespace stickslip {

struct Apgd {
  using Options = ApgdOptions;
  static constexpr bool kKeepsBlocks = false;
  static constexpr const char* kFailure = "the accelerated gradient steps did not converge";
  explicit Apgd(const Options& /*options*/) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    gradient.start(problem, iterate);
    return gradient.advance(tolerance, max_iterations, deadline, iterate);
  }
  AcceleratedGradient gradient;
};

struct Spg {
  using Options = SpgOptions;
  static constexpr bool kKeepsBlocks = false;
  static constexpr const char* kFailure = "the spectral gradient steps did not converge";
  explicit Spg(const Options& /*options*/) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    gradient.start(problem, iterate);
    return gradient.advance(problem, tolerance, max_iterations, deadline, iterate);
  }
  SpectralGradient gradient;
};

struct Admm {
  using Options = AdmmOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the alternating directions did not converge";
  explicit Admm(const Options& options) : directions(options.stop) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    directions.start(problem);
    return directions.run(problem, tolerance, max_iterations, HUGE_VAL, deadline, iterate);
  }
  AlternatingDirections directions;
};

struct Prox {
  using Options = ProxOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the proximal steps did not converge";
  explicit Prox(const Options& options) : newton(options.stop) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    newton.start();
    return newton.run(problem, tolerance, max_iterations, HUGE_VAL, ProximalNewton::kFirstParameter, deadline, iterate)
        .iterations;
  }
  ProximalNewton newton;
};

/// Interior points, their last digits polished by proximal Newton steps. An iteration is one factorisation.
struct Ipm {
  using Options = IpmOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "neither interior points nor Newton steps converged";
  explicit Ipm(const Options& options)
      : delassus(options.stop), points(options.stop, &delassus), newton(options.stop, &delassus) {}
  static const char* find_reason_to_refuse(const ConeProblem& problem) {
    return InteriorPoint::find_reason_to_refuse(problem);
  }
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    delassus.start();
    const int steps = points.run(problem, tolerance, max_iterations, deadline, iterate);
    newton.start();
    return steps + newton
                       .run(problem, tolerance, max_iterations - steps, HUGE_VAL, ProximalNewton::kPolishParameter,
                            deadline, iterate)
                       .iterations;
  }
  SharedDelassus delassus;
  InteriorPoint points;
  ProximalNewton newton;
};

/// Steps on the Fischer-Burmeister function.
struct NewtonFb {
  using Options = NewtonFbOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the Newton steps did not converge";
  explicit NewtonFb(const Options& options) : steps(options.stop) {}
  static const char* find_reason_to_refuse(const ConeProblem& problem) {
    return InteriorPoint::find_reason_to_refuse(problem);
  }
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    steps.start(problem, iterate);
    return steps.advance(problem, tolerance, max_iterations, HUGE_VAL, deadline, iterate);
  }
  FischerBurmeister steps;
};

/// De Saxce's fixed point. An iteration is a Newton step of its inner solver.
struct DeSaxce {
  using Options = DeSaxceOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the fixed point of the shift did not converge";
  explicit DeSaxce(const Options& options) : shift(options.stop) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate) {
    shift.start(problem, iterate);
    return shift.advance(problem, tolerance, max_iterations, HUGE_VAL, deadline, iterate);
  }
  FixedShift shift;
};

}  // namespace stickslip
