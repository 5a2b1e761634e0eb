// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_actuators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "stickslip/robots/robot_attributes.h"

namespace stickslip {
namespace {

using LowHigh = std::array<double, 2>;

/// What the classes of an actuator and its own element say, one after another: all kinds set the same figures.
struct Actuator {
  double gain = 1.0;
  std::array<double, 3> bias = {0.0, 0.0, 0.0};  // of one, the length, its rate
  bool has_bias = false;
  double gear = 1.0;
  double inherited = 0.0;  // [-] > 0: the range of the control over that of the joint
  MjcfAttribute control_range, control_limited, force_range, force_limited;
  // Where they have no counterpart:
  MjcfAttribute filter;  // the control acts late
  MjcfAttribute ratio;   // damping by the mass
  std::array<MjcfAttribute, 3> laws;
  const XmlElement* kind = nullptr;
};

std::vector<double> numbers_of(const XmlElement& element, const char* key, std::size_t least, std::size_t most) {
  const XmlAttribute* a = element.find(key);
  return a == nullptr ? std::vector<double>() : parse_numbers(element, *a, least, most);
}

double not_negative(const XmlElement& element, const char* key, double otherwise) {
  const double value = number_or(element, key, otherwise);
  if (element.has(key) && value < 0.0) expect(element, key, "a number >= 0");
  return value;
}

void apply_common(const XmlElement& element, Actuator& to) {
  constexpr std::size_t kMostGears = 6;  // [-]
  const std::vector<double> gear = numbers_of(element, "gear", 1, kMostGears);
  if (!gear.empty()) to.gear = gear[0];
  const auto take = [&](const char* key, MjcfAttribute& value) {
    if (const XmlAttribute* a = element.find(key)) value = {&element, a};
  };
  take("ctrlrange", to.control_range);
  take("ctrllimited", to.control_limited);
  take("forcerange", to.force_range);
  take("forcelimited", to.force_limited);
}

using WordList = std::initializer_list<std::string_view>;

bool is_one_of(const std::string& word, WordList words) {
  return std::ranges::find(words, word) != words.end();
}

/// An attribute whose value is one of `words`, of which `fit` ones have a counterpart.
void choose(const XmlElement& element, const char* key, WordList words, WordList fit, MjcfAttribute& unfit) {
  const XmlAttribute* a = element.find(key);
  if (a == nullptr) return;
  if (!is_one_of(a->value, words)) {
    element.fail(key, fmt::format("\"{}\": one of {}", a->value, fmt::join(words, ", ")));
  }
  unfit = is_one_of(a->value, fit) ? MjcfAttribute{} : MjcfAttribute{&element, a};
}

void apply_general(const XmlElement& element, Actuator& to) {
  choose(element, "dyntype", {"none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user"},
         {"none", "filter", "filterexact"}, to.laws[0]);
  choose(element, "gaintype", {"fixed", "affine", "muscle", "dcmotor", "user"}, {"fixed"}, to.laws[1]);
  choose(element, "biastype", {"none", "affine", "muscle", "dcmotor", "user"}, {"none", "affine"}, to.laws[2]);
  if (const XmlAttribute* a = element.find("dyntype")) {
    to.filter = a->value.starts_with("filter") ? MjcfAttribute{&element, a} : MjcfAttribute{};
  }
  if (const XmlAttribute* a = element.find("biastype")) to.has_bias = a->value == "affine";
  constexpr std::size_t kMost = 10;  // [-] figures of a law
  const std::vector<double> gain = numbers_of(element, "gainprm", 1, kMost);
  if (!gain.empty()) to.gain = gain[0];
  const std::vector<double> bias = numbers_of(element, "biasprm", 1, kMost);
  std::copy_n(bias.begin(), std::min(bias.size(), to.bias.size()), to.bias.begin());
}

void apply_position(const XmlElement& element, Actuator& to) {
  to.gain = not_negative(element, "kp", to.gain);
  to.bias[1] = -to.gain;
  if (element.has("kv") && element.has("dampratio")) element.fail("dampratio", "kv or dampratio, not both");
  if (element.has("kv")) to.bias[2] = -not_negative(element, "kv", 0.0);
  if (element.has("dampratio")) {
    not_negative(element, "dampratio", 0.0);
    to.ratio = {&element, element.find("dampratio")};
  }
  to.filter = {};
  if (not_negative(element, "timeconst", 0.0) > 0.0) to.filter = {&element, element.find("timeconst")};
  to.inherited = not_negative(element, "inheritrange", to.inherited);
}

/// The others start from no law, and have the gain of the classes where they have none of their own.
void apply(const XmlElement& element, Actuator& to) {
  apply_common(element, to);
  to.kind = &element;
  if (element.name == "general") return apply_general(element, to);
  to.laws = {};
  to.has_bias = element.name != "motor";
  if (element.name == "position") return apply_position(element, to);
  to.filter = to.ratio = {};
  to.bias = {0.0, 0.0, 0.0};
  if (element.name == "motor") {
    to.gain = 1.0;
  } else if (element.name == "velocity") {
    to.gain = not_negative(element, "kv", to.gain);
    to.bias[2] = -to.gain;
  } else {
    to.laws[0] = {&element, nullptr};  // of a class: a kind that has no counterpart
  }
}

LowHigh sorted(double a, double b) {
  return {std::min(a, b), std::max(a, b)};
}

class MjcfActuatorReader {
 public:
  MjcfActuatorReader(const MjcfDefaults& defaults, const MjcfCompiler& compiler,
                     const std::map<std::string, int>& joints, RobotModel& model, RobotWarnings& warnings)
      : defaults_(defaults), compiler_(compiler), joints_(joints), model_(model), warnings_(warnings) {}

  /// The index of its input, -1: it is left out.
  int read(const XmlElement& element) {
    const std::size_t number = n_actuators_++;
    const XmlAttribute* name = element.find("name");
    RobotInput input;
    input.name = name != nullptr && !name->value.empty() ? name->value : fmt::format("actuator{}", number);
    input.place = element.place();
    if (!taken_.insert(input.name).second) {
      element.fail("name", fmt::format("\"{}\": another actuator has this name", input.name));
    }
    if (!is_mjcf_actuator(element.name)) return -1;  // warned of
    defaults_.check(element, "class");
    RobotJoint* joint = find_joint(element);
    Actuator actuator;
    for (const XmlElement* each : defaults_.find_actuators(element)) apply(*each, actuator);
    apply(element, actuator);
    // Read where it is left out, too: bad input is told.
    std::optional<LowHigh> control = read_mjcf_range(actuator.control_range, actuator.control_limited, compiler_);
    const std::optional<LowHigh> force = read_mjcf_range(actuator.force_range, actuator.force_limited, compiler_);
    if (joint == nullptr || !is_fit(element, actuator)) return -1;
    if (!control && actuator.inherited > 0.0 && joint->limits) {
      const double middle = 0.5 * ((*joint->limits)[0] + (*joint->limits)[1]);
      const double half = 0.5 * actuator.inherited * ((*joint->limits)[1] - (*joint->limits)[0]);
      control = {middle - half, middle + half};
      if (!((*control)[0] < (*control)[1])) expect(element, "inheritrange", "a share of the joint's range");
    }
    input.range = control;
    add(actuator, force, input, *joint);
    check_finite(element, input, *joint);
    model_.inputs.push_back(std::move(input));
    return static_cast<int>(model_.inputs.size()) - 1;
  }

 private:
  /// The joint that it acts on, or nothing where there is no counterpart, which is warned of.
  RobotJoint* find_joint(const XmlElement& element) {
    const char* given = nullptr;
    for (const char* key : {"joint", "jointinparent", "tendon", "slidersite", "site", "body"}) {
      if (!element.has(key)) continue;
      if (given != nullptr) element.fail(key, fmt::format("one transmission: it has {}", given));
      given = key;
    }
    if (given == nullptr) element.fail("a transmission: joint, jointinparent, tendon, slidersite, site or body");
    const std::string& name = require_text(element, given);
    if (std::string_view(given).starts_with("joint")) {
      const auto found = joints_.find(name);
      if (found == joints_.end()) element.fail(given, fmt::format("\"{}\": no such joint", name));
      for (RobotJoint& joint : model_.bodies[static_cast<std::size_t>(found->second)].joints) {
        if (joint.name == name && joint.type != RobotJointType::ball) return &joint;
      }
      warnings_.add(element, given, "actuators of ball and free joints have no counterpart: left out");
      return nullptr;
    }
    warnings_.add(element, given, "actuators of anything but joints have no counterpart: left out");
    return nullptr;
  }

  /// Whether its law has a counterpart; warns of what has none.
  bool is_fit(const XmlElement& element, const Actuator& actuator) {
    const auto warn = [&](const MjcfAttribute& at, const std::string& text) {
      if (at.attribute == nullptr) {
        warnings_.add(*at.element, text);
      } else {
        warnings_.add(*at.element, at.attribute->name, text);
      }
    };
    for (const MjcfAttribute& law : actuator.laws) {
      if (law.element == nullptr) continue;
      warn(law, "actuators of this kind have no counterpart: left out");
      return false;
    }
    if (actuator.has_bias && (actuator.bias[1] > 0.0 || actuator.bias[2] > 0.0)) {
      warnings_.add(element, "biasprm",
                    "a force that grows with the length or its rate has no counterpart: the actuator is left out");
      return false;
    }
    if (actuator.filter) warn(actuator.filter, "controls that act late have no counterpart: it acts at once");
    if (actuator.ratio) warn(actuator.ratio, "damping by the mass has no counterpart: left out; kv has it as a figure");
    return true;
  }

  /// Products of figures are numbers, too.
  static void check_finite(const XmlElement& element, const RobotInput& input, const RobotJoint& joint) {
    const auto is_pair = [](const std::optional<LowHigh>& pair) {
      return !pair || (std::isfinite((*pair)[0]) && std::isfinite((*pair)[1]));
    };
    const auto is_signal = [](const RobotSignal& signal) {
      return std::isfinite(signal.gain) && std::isfinite(signal.offset);
    };
    const auto is_servo = [&](const RobotServo& servo) {
      return std::isfinite(servo.stiffness) && std::isfinite(servo.damping) && is_signal(servo.target) &&
             is_pair(servo.limit);
    };
    if (!is_pair(input.range) || !std::ranges::all_of(joint.forces, is_signal) ||
        !std::ranges::all_of(joint.servos, is_servo)) {
      element.fail("figures whose products are finite: gear, those of the law, the ranges");
    }
  }

  /// Adds the servo or the force. Where a force has a limit its input has less of a range.
  void add(const Actuator& actuator, const std::optional<LowHigh>& limit, RobotInput& input, RobotJoint& joint) {
    const double g = actuator.gear;
    if (g == 0.0) return;
    const int index = static_cast<int>(model_.inputs.size());
    const std::array<double, 3> bias = actuator.has_bias ? actuator.bias : std::array<double, 3>{};
    RobotServo servo;
    servo.stiffness = -g * g * bias[1];
    servo.damping = -g * g * bias[2];
    servo.of_velocity = !(servo.stiffness > 0.0);
    const double per = g * (servo.of_velocity ? bias[2] : bias[1]);  // [1/gain] less than 0
    if (servo.stiffness > 0.0 || servo.damping > 0.0) {
      servo.target = {index, -actuator.gain / per, bias[0] == 0.0 ? 0.0 : -bias[0] / per};
      if (actuator.gain == 0.0) servo.target.input = -1;
      if (limit) servo.limit = sorted(g * (*limit)[0], g * (*limit)[1]);
      joint.servos.push_back(servo);
      return;
    }
    RobotSignal force = {index, g * actuator.gain, g * bias[0]};
    if (actuator.gain == 0.0) force.input = -1;
    if (limit) narrow(*limit, actuator.gain, bias[0], g, input, force);
    joint.forces.push_back(force);
  }

  /// gain ctrl + bias stays within `limit` where ctrl stays within a range.
  static void narrow(const LowHigh& limit, double gain, double bias, double gear, RobotInput& input,
                     RobotSignal& force) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const LowHigh control = input.range.value_or(LowHigh{-kAny, kAny});
    LowHigh within = control;
    if (gain != 0.0) within = sorted((limit[0] - bias) / gain, (limit[1] - bias) / gain);
    within = {std::max(within[0], control[0]), std::min(within[1], control[1])};
    if (gain != 0.0 && within[0] < within[1]) {
      input.range = within;
      return;
    }
    // Whatever the control is, the force is at one of its bounds.
    const double at = gain == 0.0 ? bias : gain * std::clamp(0.0, control[0], control[1]) + bias;
    force = {-1, 0.0, gear * std::clamp(at, limit[0], limit[1])};
  }

  const MjcfDefaults& defaults_;
  const MjcfCompiler& compiler_;
  const std::map<std::string, int>& joints_;
  RobotModel& model_;
  RobotWarnings& warnings_;
  std::size_t n_actuators_ = 0;
  std::set<std::string> taken_;
};

}  // namespace

bool is_mjcf_actuator(std::string_view name) {
  return is_one_of(std::string(name), {"general", "motor", "position", "velocity"});
}

std::vector<int> read_mjcf_actuators(const XmlElement& root, const MjcfDefaults& defaults, const MjcfCompiler& compiler,
                                     const std::map<std::string, int>& joints, RobotModel& model,
                                     RobotWarnings& warnings) {
  MjcfActuatorReader reader(defaults, compiler, joints, model, warnings);
  std::vector<int> inputs;
  for (const XmlElement& section : root.children) {
    if (section.name != "actuator") continue;
    for (const XmlElement& each : section.children) inputs.push_back(reader.read(each));
  }
  return inputs;
}

}  // namespace stickslip
