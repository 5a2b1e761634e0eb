// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/sundials_integrator.h"

#include <fmt/format.h>

#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/math/round_off.h"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#endif

namespace stickslip {

void require_sundials(std::string_view name, const std::string& available) {
  if (has_sundials()) return;
  throw InputError({}, "scheme.integrator", std::string(name), available + kWithoutSundials);
}

#ifdef STICKSLIP_WITH_SUNDIALS

bool has_sundials() {
  return true;
}

namespace {

/// From so many numbers of the motion on no matrix is made. [-] A matrix costs evaluations in proportion to them and a
/// factorisation in each stage, GMRES a number of evaluations that does not depend on them.
constexpr Eigen::Index kKrylovFrom = 75;
/// Products at most in a solution by GMRES: twice the eigenvalues of what contacts hold at several rates, with room.
constexpr int kKrylovMost = 30;

/// Steps at most between factorisations of Newton's matrix, 20 by default: in version 6.4.1 steps by an older one can
/// be off by a thousand tolerances unnoticed, already for y' = -10 (y - cos t) - sin t. [-]
constexpr int kSetups = 1;

/// Shortest step, relative to the time, but for the last. [-]
constexpr double kLeastStep = 4.0 * kEpsilon;

Eigen::Map<Vector> values(N_Vector v) {
  return {N_VGetArrayPointer_Serial(v), N_VGetLength_Serial(v)};
}

}  // namespace

/// What SUNDIALS holds, for y of one size, and what it calls.
struct SundialsIntegrator::Memory {
  Memory(SundialsIntegrator& owner, double t, const Vector& start, Eigen::Index n_of_motion)
      : self(owner), n(start.size()), n_motion(n_of_motion) {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(n, context);
    between = N_VNew_Serial(n, context);
    values(y) = start;
    at.resize(n);
    rates.resize(n);
    switch (self.method_) {
      case SundialsMethod::erk:
        solver = ERKStepCreate(calc_rates, t, y, context);
        ERKStepSetTableNum(solver, ARKODE_DORMAND_PRINCE_7_4_5);
        ERKStepSetErrHandlerFn(solver, take_message, this);
        ERKStepSetUserData(solver, this);
        ERKStepWFtolerances(solver, weigh);
        break;
      case SundialsMethod::dirk:
        solver = ARKStepCreate(nullptr, calc_rates, t, y, context);
        ARKStepSetTableNum(solver, ARKODE_ARK548L2SA_DIRK_8_4_5, ARKODE_ERK_NONE);
        ARKStepSetLSetupFrequency(solver, kSetups);
        ARKStepSetErrHandlerFn(solver, take_message, this);
        ARKStepSetUserData(solver, this);
        ARKStepWFtolerances(solver, weigh);
        make_linear_solver();
        ARKStepSetLinearSolver(solver, linear, matrix);
        if (matrix != nullptr) ARKStepSetJacFn(solver, calc_jacobian);
        if (matrix == nullptr) ARKStepSetJacTimes(solver, nullptr, calc_product);
        break;
      case SundialsMethod::bdf:
        solver = CVodeCreate(CV_BDF, context);
        CVodeInit(solver, calc_rates, t, y);
        CVodeSetErrHandlerFn(solver, take_message, this);
        CVodeSetUserData(solver, this);
        CVodeWFtolerances(solver, weigh);
        make_linear_solver();
        CVodeSetLinearSolver(solver, linear, matrix);
        if (matrix != nullptr) CVodeSetJacFn(solver, calc_jacobian);
        if (matrix == nullptr) CVodeSetJacTimes(solver, nullptr, calc_product);
        break;
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    switch (self.method_) {
      case SundialsMethod::erk:
        ERKStepFree(&solver);
        break;
      case SundialsMethod::dirk:
        ARKStepFree(&solver);
        break;
      case SundialsMethod::bdf:
        CVodeFree(&solver);
        break;
    }
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(between);
    SUNContext_Free(&context);
  }

  void make_linear_solver() {
    if (n_motion >= kKrylovFrom) {
      linear = SUNLinSol_SPGMR(y, SUN_PREC_NONE, kKrylovMost, context);
      return;
    }
    matrix = SUNDenseMatrix(n, n, context);
    linear = SUNLinSol_Dense(y, matrix, context);
  }

  int begin(double t, const Vector& start, double t_end) {
    values(y) = start;
    switch (self.method_) {
      case SundialsMethod::erk: {
        const int flag = ERKStepReInit(solver, calc_rates, t, y);
        return flag != ARK_SUCCESS ? flag : ERKStepSetStopTime(solver, t_end);
      }
      case SundialsMethod::dirk: {
        const int flag = ARKStepReInit(solver, nullptr, calc_rates, t, y);
        return flag != ARK_SUCCESS ? flag : ARKStepSetStopTime(solver, t_end);
      }
      case SundialsMethod::bdf:
        break;
    }
    const int flag = CVodeReInit(solver, t, y);
    return flag != CV_SUCCESS ? flag : CVodeSetStopTime(solver, t_end);
  }

  /// The time beyond which f is not asked for in the next step.
  void set_stop(double t) {
    switch (self.method_) {
      case SundialsMethod::erk:
        ERKStepSetStopTime(solver, t);
        return;
      case SundialsMethod::dirk:
        ARKStepSetStopTime(solver, t);
        return;
      case SundialsMethod::bdf:
        break;
    }
    CVodeSetStopTime(solver, t);
  }

  int step(double t_end, double& t) {
    switch (self.method_) {
      case SundialsMethod::erk:
        return ERKStepEvolve(solver, t_end, y, &t, ARK_ONE_STEP);
      case SundialsMethod::dirk:
        return ARKStepEvolve(solver, t_end, y, &t, ARK_ONE_STEP);
      case SundialsMethod::bdf:
        break;
    }
    return CVode(solver, t_end, y, &t, CV_ONE_STEP);
  }

  int interpolate(double t) {
    switch (self.method_) {
      case SundialsMethod::erk:
        return ERKStepGetDky(solver, t, 0, between);
      case SundialsMethod::dirk:
        return ARKStepGetDky(solver, t, 0, between);
      case SundialsMethod::bdf:
        break;
    }
    return CVodeGetDky(solver, t, 0, between);
  }

  double current_step() const {
    double h = 0.0;
    if (self.method_ == SundialsMethod::dirk) ARKStepGetCurrentStep(solver, &h);
    if (self.method_ == SundialsMethod::bdf) CVodeGetCurrentStep(solver, &h);
    return h;
  }

  /// 0: rates; 1: none there, try a shorter step; -1: leave.
  int ask(double t) {
    try {
      if (!at.allFinite()) return 1;
      ++self.evaluations_;
      return self.rates_(t, at, rates) && rates.allFinite() ? 0 : 1;
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
  }

  double tolerance(double value) const { return self.absolute_ + self.relative_ * std::abs(value); }

  static int calc_rates(double t, N_Vector y, N_Vector y_dot, void* data) {
    Memory& memory = *static_cast<Memory*>(data);
    memory.at = values(y);
    const int result = memory.ask(t);
    if (result == 0) values(y_dot) = memory.rates;
    return result;
  }

  /// SUNDIALS' norm is a root of a mean: these weights make a sum of it.
  static int weigh(N_Vector y, N_Vector weights, void* data) {
    const Memory& memory = *static_cast<Memory*>(data);
    Eigen::Map<Vector> w = values(weights);
    const Eigen::Map<Vector> at = values(y);
    const double root = std::sqrt(static_cast<double>(memory.n));
    for (Eigen::Index i = 0; i < memory.n_motion; ++i) w(i) = root / memory.tolerance(at(i));
    w.tail(memory.n - memory.n_motion) = root / memory.tolerances.array();
    return 0;
  }

  /// By differences as long as those of SUNDIALS: of half the digits of y_j, and not so short that round-off of f
  /// shows in a step.
  static int calc_jacobian(double t, N_Vector y, N_Vector y_dot, SUNMatrix jacobian, void* data, N_Vector, N_Vector,
                           N_Vector) {
    Memory& memory = *static_cast<Memory*>(data);
    constexpr double kAboveRoundOff = 1000.0;  // [-]
    const Eigen::Map<Vector> rates = values(y_dot);
    Eigen::Map<Matrix> j(SUNDenseMatrix_Data(jacobian), memory.n, memory.n);
    j.setZero();
    memory.at = values(y);
    double squared = 0.0;
    for (Eigen::Index i = 0; i < memory.n_motion; ++i) {
      squared += std::pow(rates(i) / memory.tolerance(memory.at(i)), 2);
    }
    const double of_rates = std::sqrt(squared / static_cast<double>(std::max<Eigen::Index>(memory.n_motion, 1)));
    const double least =
        kAboveRoundOff * std::abs(memory.current_step()) * kEpsilon * static_cast<double>(memory.n_motion) * of_rates;
    for (Eigen::Index i = 0; i < memory.n_motion; ++i) {
      const double before = memory.at(i);
      const double tolerance = memory.tolerance(before);
      const double wanted = std::max(std::sqrt(kEpsilon) * std::abs(before), std::max(least, kEpsilon) * tolerance);
      memory.at(i) = before + std::max(wanted, std::numeric_limits<double>::min() / kEpsilon);
      const double step = memory.at(i) - before;
      const int result = memory.ask(t);
      if (result != 0) return result;
      j.col(i) = (memory.rates - rates) / step;
      memory.at(i) = before;
    }
    return 0;
  }

  /// J v by a difference of f as long as those of the matrix, compared with tolerances.
  static int calc_product(N_Vector v, N_Vector product, double t, N_Vector y, N_Vector y_dot, void* data, N_Vector) {
    Memory& memory = *static_cast<Memory*>(data);
    const Eigen::Map<Vector> along = values(v);
    const Eigen::Map<Vector> from = values(y);
    double squared = 0.0;
    for (Eigen::Index i = 0; i < memory.n_motion; ++i) squared += std::pow(along(i) / memory.tolerance(from(i)), 2);
    values(product).setZero();
    if (!(squared > 0.0)) return 0;
    const double step = std::max(1.0, std::sqrt(kEpsilon) / memory.self.relative_) / std::sqrt(squared);
    memory.at = from;
    memory.at.head(memory.n_motion) += step * along.head(memory.n_motion);
    const int result = memory.ask(t);
    if (result == 0) values(product) = (memory.rates - values(y_dot)) / step;
    return result;
  }

  static void take_message(int code, const char*, const char*, char* text, void* data) {
    if (code < 0) static_cast<Memory*>(data)->message = text;
  }

  SundialsIntegrator& self;
  Eigen::Index n;
  Eigen::Index n_motion;  // numbers of the motion, the first ones
  Vector tolerances;      // (n - n_motion) of integrals
  SUNContext context = nullptr;
  N_Vector y = nullptr;        // at the end of the last step, of which ARKODE thinks that nobody writes on it
  N_Vector between = nullptr;  // interpolated
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* solver = nullptr;
  Vector at, rates;  // (n)
  std::exception_ptr thrown;
  std::string message;
};

SundialsIntegrator::SundialsIntegrator(SundialsMethod method, double relative, double absolute, Rates rates)
    : method_(method), relative_(relative), absolute_(absolute), rates_(std::move(rates)) {
  STICKSLIP_ASSERT(relative > 0.0 && absolute > 0.0);
}

SundialsIntegrator::~SundialsIntegrator() = default;

bool SundialsIntegrator::start(double t, const Vector& y, const Vector& tolerances, double t_end) {
  const Eigen::Index n_motion = y.size() - tolerances.size();
  STICKSLIP_ASSERT(n_motion > 0 && (tolerances.array() > 0.0).all());
  const bool fits = memory_ != nullptr && memory_->n == y.size() && memory_->n_motion == n_motion;
  if (!fits) memory_ = std::make_unique<Memory>(*this, t, y, n_motion);
  memory_->tolerances = tolerances;
  memory_->message.clear();
  message_.clear();
  t_ = t_start_ = t;
  t_end_ = t_end;
  start_ = end_ = y;
  const int flag = memory_->begin(t, y, t_end);
  if (flag < 0) message_ = memory_->message;
  return flag >= 0;
}

bool SundialsIntegrator::step(double t_most) {
  t_start_ = t_;
  start_ = end_;
  if (std::isfinite(t_most)) memory_->set_stop(std::min(t_most, t_end_));
  double reached = t_;
  const int flag = memory_->step(t_end_, reached);
  if (memory_->thrown != nullptr) {
    const std::exception_ptr thrown = std::exchange(memory_->thrown, nullptr);
    memory_.reset();
    std::rethrow_exception(thrown);
  }
  // SUNDIALS goes on for ever where steps shrink to nothing.
  const bool stands = reached < t_end_ && !(reached - t_ > kLeastStep * std::max(std::abs(t_), std::abs(t_end_)));
  if (flag < 0 || stands) {
    if (memory_->message.empty()) memory_->message = fmt::format("steps shrink to nothing at t = {:.9g}", t_);
    message_ = fmt::format("{}: {}", method_ == SundialsMethod::bdf ? "CVODE" : "ARKODE", memory_->message);
    memory_.reset();
    return false;
  }
  t_ = reached;
  end_ = values(memory_->y);
  return true;
}

void SundialsIntegrator::interpolate(double t, Vector& y) {
  if (t >= t_) {
    y = end_;
  } else if (t <= t_start_ || memory_->interpolate(t) < 0) {
    y = start_;
  } else {
    y = values(memory_->between);
  }
}

#else

bool has_sundials() {
  return false;
}

struct SundialsIntegrator::Memory {};

SundialsIntegrator::SundialsIntegrator(SundialsMethod method, double relative, double absolute, Rates rates)
    : method_(method), relative_(relative), absolute_(absolute), rates_(std::move(rates)) {
  STICKSLIP_ASSERT(has_sundials());
}
SundialsIntegrator::~SundialsIntegrator() = default;
bool SundialsIntegrator::start(double, const Vector&, const Vector&, double) {
  return false;
}
bool SundialsIntegrator::step(double) {
  return false;
}
void SundialsIntegrator::interpolate(double, Vector&) {
}

#endif

}  // namespace stickslip
