// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stickslip/constraints/step_report.h"
#include "stickslip/io/row_buffer.h"
#include "stickslip/io/table.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// "<pair>", or "<pair>/<k>" where the pair has several points.
std::string contact_name(const System& system, int point);

/// The joints, by index, that a program may set the effort of.
std::vector<int> find_joints_with_effort(const System& system);

/// Friction coefficient of a contact's law. [-]
double friction_of(const System& system, const ContactReport& contact);

/// Whether it is the stop of a joint.
bool is_stop(const System& system, const ContactReport& contact);

/// A force, impulse or percussion of a contact on its second body in the world frame; Contensou's third component is a
/// moment and no part of it. (3) in the unit of the components
Vector3 world_force(const ContactReport& contact, const ContactComponents& components);

/// Whether contacts that the scene names, or that are detected, have moments of rolling or spinning.
bool named_have_moments(const System& system);
bool sets_have_moments(const System& system);

/// The columns at output instants that a result should hold and the scheme can give.
struct OutputChoice {
  bool single_precision = false;    // all but the time
  bool accelerations = false;       // the scheme knows them
  bool impulses = false;            // the scheme distinguishes impulses from forces
  bool applied_impulses = false;    // the scheme reports the impulses of applied forces
  bool inputs = false;              // a program sets forces and efforts as the run goes; whatever `fields` says
  std::vector<std::string> fields;  // "q", "bodies", "contacts/gap", ...; none: all

  /// Whether the dataset "/group/name" or the group "/group" (some of it) is wanted.
  bool wants(std::string_view path) const;
};

/// The columns of a result at each output instant: time, q, u, a, and the quantities of bodies, named contact points
/// and joints, one dataset each.
class OutputColumns {
 public:
  /// The system must outlive this.
  OutputColumns(const System& system, const OutputChoice& choice);

  const std::vector<Column>& columns() const { return columns_; }
  /// The size of a row in a file. [bytes]
  std::int64_t row_bytes() const;
  /// Fills the table's next row, of these columns. The table's end_row() is the caller's.
  void fill(Table& table, const State& state, const StepReport& report) const;
  void fill(RowBuffer& row, const State& state, const StepReport& report) const;

 private:
  using Items = std::vector<std::int64_t>;
  int add(const std::string& path, Hdf5Type type, Items row, std::string unit, std::string meaning);
  void add_bodies(Hdf5Type real);
  void add_contacts(Hdf5Type real);
  void add_joints(Hdf5Type real);
  void add_inputs(Hdf5Type real);
  template <class Row>
  void fill_row(Row& row, const State& state, const StepReport& report) const;
  template <class Row>
  void fill_bodies(Row& row, const State& state) const;
  template <class Row>
  void fill_inputs(Row& row, const State& state, const StepReport& report) const;
  template <class Row>
  void blank_absent(Row& row) const;
  template <class Row>
  void fill_contacts(Row& row, const StepReport& report) const;
  template <class Row>
  void fill_joints(Row& row, const State& state, const StepReport& report) const;

  // Columns by what they hold; -1: not wanted, or not known.
  struct Bodies {
    int position = -1, orientation = -1, velocity = -1, angular_velocity = -1, applied_impulse = -1, input_impulse = -1;
    /// Whether there is one that follows from the state.
    bool any() const { return position >= 0 || orientation >= 0 || velocity >= 0 || angular_velocity >= 0; }
  };
  /// The three kinds of forces of contacts in the three ways they are written.
  struct Forces {
    int normal = -1, friction = -1, world = -1;
  };
  struct Contacts {
    int gap = -1, status = -1, point = -1, normal = -1, tangent = -1, moment = -1;
    Forces force, impulse, percussion;
  };
  struct Joints {
    int point = -1, coordinate = -1, rate = -1, drift = -1, drive = -1, friction = -1, force = -1, torque = -1;
    int multiplier = -1, effort = -1, power = -1;
  };

  const System& system_;
  OutputChoice choice_;
  std::vector<Column> columns_;
  int q_ = -1, u_ = -1, a_ = -1;
  int inputs_ = -1;
  std::vector<int> with_effort_;  // joints of the columns of /inputs/value
  Bodies bodies_;
  Contacts contacts_;
  Joints joints_;
};

}  // namespace stickslip
