// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/state.h"

#include <limits>
#include <string>
#include <utility>

#include "stickslip/base/bytes.h"
#include "stickslip/base/input_error.h"

// Layout: "SSST", version, then the members in their order. Every number takes 8 bytes, little-endian. A list is its
// length, then its numbers; values by id are their count, the ids, how many numbers each has, and these.

namespace stickslip {
namespace {

constexpr std::uint64_t kMagic = 0x54535353;  // "SSST"
constexpr std::uint64_t kVersion = 8;         // earlier ones were never released
constexpr std::size_t kBodyInputNumbers = 12;
constexpr std::size_t kJointInputNumbers = 2;
constexpr std::size_t kNamedValueNumbers = 2;

class StateWriter : public ByteWriter {
 public:
  using ByteWriter::ByteWriter;
  using ByteWriter::put;
  void put(const Vector& v) {
    put(static_cast<std::uint64_t>(v.size()));
    put(std::span(v.data(), static_cast<std::size_t>(v.size())));
  }
  void put(const ValuesById& table) {
    put(static_cast<std::uint64_t>(table.size()));
    for (const ElementId id : table.ids()) {
      put(id.pair);
      put(id.feature);
    }
    for (std::size_t k = 0; k < table.size(); ++k) put(static_cast<std::uint64_t>(table[k].size()));
    put(std::span(table.values()));
  }
  void put(const Vector3& v) {
    for (const double x : v) put(x);
  }
  void put(const Inputs& inputs) {
    put(static_cast<std::uint64_t>(inputs.bodies().size()));
    for (const BodyInput& input : inputs.bodies()) {
      put(static_cast<std::uint64_t>(input.body));
      for (const Vector3* v : {&input.force, &input.torque, &input.at}) put(*v);
      put(input.parameter);
      put(static_cast<std::uint64_t>(input.body_frame));
    }
    put(static_cast<std::uint64_t>(inputs.joints().size()));
    for (const JointInput& input : inputs.joints()) {
      put(static_cast<std::uint64_t>(input.joint));
      put(input.effort);
    }
    put(static_cast<std::uint64_t>(inputs.named().size()));
    for (const NamedValue& value : inputs.named()) {
      put(static_cast<std::uint64_t>(value.input));
      put(value.value);
    }
  }
};

template <class T>
void put_each(const std::vector<T>& list, StateWriter& out) {
  out.put(static_cast<std::uint64_t>(list.size()));
  for (const T x : list) out.put(static_cast<std::uint64_t>(x));
}

class StateReader : public ByteReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : ByteReader(bytes, "a saved state") {}
  Vector get_vector() {
    Vector v(static_cast<Eigen::Index>(get_length(8)));
    for (double& x : v) x = get_real();
    return v;
  }
  ValuesById get_table() {
    const std::size_t n = get_length(24);
    ByteReader sizes = after(16 * n);
    ByteReader values = sizes.after(8 * n);
    ValuesById table;
    for (std::size_t k = 0; k < n; ++k) {
      ElementId id;
      id.pair = get();
      id.feature = get();
      if (k > 0 && id <= table.ids().back()) fail();
      const std::uint64_t size = sizes.get();
      if (size > values.bytes_left() / 8 || size > ValuesById::kMostValues - table.values().size()) fail();
      for (double& x : table.add(id, static_cast<std::size_t>(size))) x = values.get_real();
    }
    static_cast<ByteReader&>(*this) = values;
    return table;
  }
  Vector3 get_vector3() {
    Vector3 v;
    for (double& x : v) x = get_real();
    return v;
  }
  /// A number from 0 to `largest`.
  int get_small(int largest) {
    const std::uint64_t x = get();
    if (x > static_cast<std::uint64_t>(largest)) fail();
    return static_cast<int>(x);
  }
  /// A list of numbers from 0 to `largest`.
  template <class T>
  std::vector<T> get_each(std::uint64_t largest) {
    std::vector<T> list(get_length(8));
    for (T& x : list) {
      const std::uint64_t number = get();
      if (number > largest) fail();
      x = static_cast<T>(number);
    }
    return list;
  }
  Inputs get_inputs() {
    constexpr int kMostIndex = std::numeric_limits<int>::max();
    std::vector<BodyInput> bodies(get_length(8 * kBodyInputNumbers));
    for (BodyInput& input : bodies) {
      input.body = get_small(kMostIndex);
      for (Vector3* v : {&input.force, &input.torque, &input.at}) *v = get_vector3();
      input.parameter = get_real();
      input.body_frame = get_small(1) == 1;
    }
    std::vector<JointInput> joints(get_length(8 * kJointInputNumbers));
    for (JointInput& input : joints) {
      input.joint = get_small(kMostIndex);
      input.effort = get_real();
    }
    std::vector<NamedValue> named(get_length(8 * kNamedValueNumbers));
    for (NamedValue& value : named) {
      value.input = get_small(kMostIndex);
      value.value = get_real();
    }
    Inputs inputs;
    if (!inputs.assign(std::move(bodies), std::move(joints), std::move(named))) fail();
    return inputs;
  }
};

}  // namespace

std::vector<std::byte> to_bytes(const State& state) {
  const auto numbers_of = [](const Inputs& inputs) {
    return 3 + inputs.bodies().size() * kBodyInputNumbers + inputs.joints().size() * kJointInputNumbers +
           inputs.named().size() * kNamedValueNumbers;
  };
  const auto numbers_in = [](const ValuesById& table) { return 3 * table.size() + table.values().size(); };
  const std::size_t numbers =
      23 + state.presence.size() + state.draws.size() + state.told.size() + numbers_of(state.inputs) +
      numbers_of(state.remembered_inputs) +
      static_cast<std::size_t>(state.q.size() + state.u.size() + state.memory.size() + state.joint_loads.size()) +
      numbers_in(state.warm) + numbers_in(state.contacts);
  StateWriter out(8 * numbers);
  out.put(kMagic);
  out.put(kVersion);
  out.put(state.t);
  out.put(static_cast<std::uint64_t>(state.step));
  out.put(state.q);
  out.put(state.u);
  out.put(state.memory);
  out.put(state.warm);
  out.put(state.contacts);
  out.put(state.joint_loads);
  out.put(state.energy.initial);
  out.put(state.energy.work);
  out.put(state.energy.dissipated);
  out.put(state.energy.projection);
  out.put(state.step_size.next);
  out.put(state.step_size.speed);
  out.put(state.step_size.acceleration);
  out.put(state.step_size.event_by);
  out.put(state.step_size.event_step);
  out.put(state.inputs);
  out.put(state.remembered_inputs);
  put_each(state.presence, out);
  put_each(state.draws, out);
  put_each(state.told, out);
  return out.take();
}

State state_from_bytes(std::span<const std::byte> bytes) {
  StateReader in(bytes);
  if (in.get() != kMagic) in.fail();
  const std::uint64_t version = in.get();
  if (version != kVersion) {
    throw InputError("a saved state has version " + std::to_string(version) + ", this program reads version " +
                     std::to_string(kVersion) + " only");
  }
  State state;
  state.t = in.get_real();
  state.step = static_cast<std::int64_t>(in.get());
  state.q = in.get_vector();
  state.u = in.get_vector();
  state.memory = in.get_vector();
  state.warm = in.get_table();
  state.contacts = in.get_table();
  state.joint_loads = in.get_vector();
  state.energy.initial = in.get_real();
  state.energy.work = in.get_real();
  state.energy.dissipated = in.get_real();
  state.energy.projection = in.get_real();
  state.step_size.next = in.get_real();
  state.step_size.speed = in.get_real();
  state.step_size.acceleration = in.get_real();
  state.step_size.event_by = in.get_real();
  state.step_size.event_step = in.get_real();
  state.inputs = in.get_inputs();
  state.remembered_inputs = in.get_inputs();
  state.presence = in.get_each<Presence>(static_cast<std::uint64_t>(Presence::gone));
  state.draws = in.get_each<std::uint64_t>(std::numeric_limits<std::uint64_t>::max());
  state.told = in.get_each<std::uint8_t>(1);
  if (!in.at_end() || state.step < 0) in.fail();
  return state;
}

}  // namespace stickslip
