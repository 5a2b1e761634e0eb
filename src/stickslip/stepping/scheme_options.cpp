// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/scheme_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/certified_stepper.h"

namespace stickslip {
namespace {

ContactReach reach_of(const SchemeOptions& options) {
  if (const auto* moreau = std::get_if<MoreauOptions>(&options)) return {moreau->activation, 0.0};
  const auto* relaxation = std::get_if<RelaxationOptions>(&options);
  if (relaxation == nullptr || relaxation->form != RelaxationForm::ode) return {};
  // By (64) a contact bears at gaps below 2 zeta delta V and delta^2 times what presses it.
  return {0.0, (2.0 * relaxation->zeta + 1.0) * relaxation->delta};
}

/// The polygons that friction of two directions has under a scheme [Trinkle2003 eq. 35]; none: discs.
struct Polygons {
  const char* key = nullptr;  // that asks for them
  std::string value;
  const char* without = nullptr;  // what gives discs
};
Polygons polygons_of(const SchemeOptions& options) {
  int facets = 0;
  if (const auto* stewart_trinkle = std::get_if<StewartTrinkleOptions>(&options)) facets = stewart_trinkle->facets;
  if (const auto* event_driven = std::get_if<EventDrivenOptions>(&options)) facets = event_driven->facets;
  if (facets != 0) return {"scheme.facets", std::to_string(facets), "facets = 0"};
  const auto* relaxation = std::get_if<RelaxationOptions>(&options);
  if (relaxation == nullptr || relaxation->inclusion != RelaxationInclusion::facets) return {};
  return {"scheme.inclusion", "facets", "another inclusion"};
}

/// Throws InputError for a law of contact that the scheme does not take.
void refuse_laws(const SchemeOptions& options, const ContactPair& pair) {
  const std::string who = pair.options.name.empty() ? "a detected contact" : "contact '" + pair.options.name + "'";
  const auto refuse = [&](const char* schemes, const char* what) {
    throw InputError({}, "scheme.type", std::string(scheme_traits(options).name),
                     std::string(schemes) + ": " + who + " has " + what);
  };
  const Polygons polygons = polygons_of(options);
  if (polygons.key != nullptr && pair.friction_dim > 2 && pair.law().has_friction()) {
    throw InputError({}, polygons.key, polygons.value,
                     std::string(polygons.without) + ": " + who +
                         " has Coulomb-Contensou friction, which has three dimensions and no polygons");
  }
  const auto* relaxation = std::get_if<RelaxationOptions>(&options);
  const bool is_exact = relaxation != nullptr && relaxation->inclusion == RelaxationInclusion::exact &&
                        relaxation->model == RelaxationModel::baumgarte;
  const bool has_sets = is_on_velocities(options) || std::holds_alternative<GeneralizedAlphaOptions>(options);
  if (pair.has_moments() && !has_sets && !is_exact) {
    refuse("moreau, ccp, stewart-trinkle, generalized-alpha or relaxation with the inclusion exact",
           "rolling or spinning friction");
  }
  const auto* event_driven = std::get_if<EventDrivenOptions>(&options);
  const bool takes_phases = std::holds_alternative<MoreauOptions>(options) || event_driven != nullptr;
  if (pair.law().impact != ImpactLaw::newton && !takes_phases) {
    refuse("moreau or event-driven", "restitution by Poisson's or the energetic law");
  }
  if (pair.law().impact != ImpactLaw::newton && event_driven != nullptr && event_driven->facets != 0) {
    refuse("moreau, or facets = 0", "restitution by Poisson's or the energetic law");
  }
}

/// Throws InputError for servos of a joint that the scheme does not take.
void refuse_servos(const SchemeOptions& options, const System& system, const Joint& joint) {
  if (!joint.has_servos()) return;
  const auto refuse = [&](const std::string& what) {
    throw InputError({}, "scheme.type", std::string(scheme_traits(options).name),
                     what + ": joint '" + joint.options.name + "' has a servo, an input or a limit of its effort");
  };
  if (!is_on_velocities(options)) refuse("moreau, ccp or stewart-trinkle");
  const auto has_phases = [](const ContactPair& pair) { return pair.law().impact != ImpactLaw::newton; };
  if (joint.options.servos.empty()) return;
  if (std::ranges::any_of(system.contacts(), has_phases) || std::ranges::any_of(system.detected_pairs(), has_phases)) {
    refuse("no restitution by Poisson's or the energetic law");
  }
}

}  // namespace

std::unique_ptr<TimeStepper> make_stepper(const SchemeOptions& options, const System& system, ConeSolver& solver,
                                          StopToken stop, bool eases) {
  for (const std::vector<ContactPair>* pairs : {&system.contacts(), &system.detected_pairs()}) {
    for (const ContactPair& pair : *pairs) refuse_laws(options, pair);
  }
  struct Make {
    const System& system;
    ConeSolver& solver;
    StopToken stop;
    bool eases;
    std::unique_ptr<TimeStepper> operator()(const MoreauOptions& o) const {
      return make_moreau(o, system, solver, stop, eases);
    }
    std::unique_ptr<TimeStepper> operator()(const CcpOptions& o) const {
      return make_ccp(o, system, solver, stop, eases);
    }
    std::unique_ptr<TimeStepper> operator()(const StewartTrinkleOptions& o) const {
      return make_stewart_trinkle(o, system, solver, stop, eases);
    }
    std::unique_ptr<TimeStepper> operator()(const GeneralizedAlphaOptions& o) const {
      return make_generalized_alpha(o, system, solver, stop);
    }
    std::unique_ptr<TimeStepper> operator()(const RelaxationOptions& o) const {
      return make_relaxation(o, system, solver, stop);
    }
    std::unique_ptr<TimeStepper> operator()(const EventDrivenOptions& o) const {
      return make_event_driven(o, system, solver, stop);
    }
  };
  for (const Joint& joint : system.joints()) {
    refuse_servos(options, system, joint);
    const bool finds_instants =
        std::holds_alternative<EventDrivenOptions>(options) || std::holds_alternative<RelaxationOptions>(options);
    if (!finds_instants || joint.options.friction_of_load == 0.0) continue;
    throw InputError({}, "scheme.type", std::string(scheme_traits(options).name),
                     "another scheme: joint '" + joint.options.name + "' has friction by its load in the step before");
  }
  return std::make_unique<CertifiedStepper>(std::visit(Make{system, solver, stop, eases}, options), system,
                                            solver.tolerance(), reach_of(options));
}

bool is_on_velocities(const SchemeOptions& options) {
  return std::holds_alternative<MoreauOptions>(options) || std::holds_alternative<CcpOptions>(options) ||
         std::holds_alternative<StewartTrinkleOptions>(options);
}

const SchemeTraits& scheme_traits(const SchemeOptions& options) {
  return std::visit([]<class Options>(const Options&) -> const SchemeTraits& { return Options::kTraits; }, options);
}

std::vector<SchemeOptions> all_schemes() {
  return []<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::vector{SchemeOptions(std::in_place_index<kIndex>)...};
  }
  (std::make_index_sequence<std::variant_size_v<SchemeOptions>>());
}

}  // namespace stickslip
