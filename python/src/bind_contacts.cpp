// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/stl.h>

#include <algorithm>

#include "convert.h"
#include "shared.h"
#include "stickslip/io/output_columns.h"

namespace stickslip::python {
namespace {

/// Contacts of one step, copied.
struct Contacts {
  SharedPtr shared;
  std::vector<ContactReport> points;
  std::vector<std::string> names;  // (points) "": detected
  bool is_whole = true;
};

struct ContactAt {
  std::shared_ptr<const Contacts> contacts;
  std::size_t k;
  const ContactReport& operator*() const { return contacts->points[k]; }
};

Vector3 friction_of(const ContactReport& contact, const ContactComponents& components) {
  Vector3 friction = Vector3::Zero();
  for (int i = 0; i < std::min(contact.friction_dim, 3); ++i) friction(i) = components[1 + static_cast<std::size_t>(i)];
  return friction;
}

/// What the columns of /contacts hold, each of one contact.
double gap(const ContactReport& c) {
  return c.gap;
}
double normal_force(const ContactReport& c) {
  return c.force[0];
}
double normal_percussion(const ContactReport& c) {
  return c.percussion[0];
}
Vector3 friction_force(const ContactReport& c) {
  return friction_of(c, c.force);
}
Vector3 friction_percussion(const ContactReport& c) {
  return friction_of(c, c.percussion);
}
Vector3 point(const ContactReport& c) {
  return c.position;
}
Vector3 normal(const ContactReport& c) {
  return c.normal;
}
Vector3 tangent(const ContactReport& c) {
  return c.tangent;
}
Vector3 force(const ContactReport& c) {
  return world_force(c, c.force);
}
Vector3 percussion(const ContactReport& c) {
  return world_force(c, c.percussion);
}
int body_a(const ContactReport& c) {
  return c.body_a;
}
int body_b(const ContactReport& c) {
  return c.body_b;
}
int status(const ContactReport& c) {
  return static_cast<int>(c.status);
}

using ContactsClass = py::class_<Contacts, std::shared_ptr<Contacts>>;
using PointClass = py::class_<ContactAt>;

template <auto f>
void add(ContactsClass& all, PointClass& one, const char* name, const std::string& meaning) {
  using Result = decltype(f(std::declval<const ContactReport&>()));
  if constexpr (std::is_same_v<Result, Vector3>) {
    all.def_property_readonly(
        name,
        [](const Contacts& self) {
          Array array({static_cast<py::ssize_t>(self.points.size()), py::ssize_t{3}});
          double* out = array.mutable_data();
          for (const ContactReport& c : self.points) out = std::copy_n(Vector3(f(c)).data(), 3, out);
          return array;
        },
        ("(K, 3) " + meaning).c_str());
    one.def_property_readonly(
        name, [](const ContactAt& self) { return to_array(Vector3(f(*self))); }, ("(3) " + meaning).c_str());
  } else {
    all.def_property_readonly(
        name,
        [](const Contacts& self) {
          using Number = std::conditional_t<std::is_same_v<Result, int>, std::int64_t, double>;
          py::array_t<Number> array(static_cast<py::ssize_t>(self.points.size()));
          Number* out = array.mutable_data();
          for (const ContactReport& c : self.points) *out++ = f(c);
          return array;
        },
        ("(K) " + meaning).c_str());
    one.def_property_readonly(
        name, [](const ContactAt& self) { return f(*self); }, meaning.c_str());
  }
}

/// The point of that name, or all points of the pair.
py::object find(const std::shared_ptr<Contacts>& self, const std::string& name) {
  Contacts some;
  some.shared = self->shared;
  some.is_whole = false;
  for (std::size_t k = 0; k < self->points.size(); ++k) {
    const std::string& own = self->names[k];
    const bool is_of_pair = own.starts_with(name) && own.size() > name.size() && own[name.size()] == '/';
    if (own != name && !is_of_pair) continue;
    some.points.push_back(self->points[k]);
    some.names.push_back(own);
    // Points that are always there have names of their own; others share that of their pair.
    const bool is_own = std::ranges::find(self->shared->contact_names, name) != self->shared->contact_names.end();
    if (own == name && is_own) return py::cast(ContactAt{self, k});
  }
  if (some.points.empty()) throw_unknown_name("contact", name, self->names);
  return py::cast(std::make_shared<Contacts>(std::move(some)));
}

}  // namespace

py::object make_contacts(const SharedPtr& shared, int body) {
  Simulation& simulation = shared->read();
  auto contacts = std::make_shared<Contacts>();
  contacts->shared = shared;
  contacts->is_whole = body < 0;
  const std::vector<ContactReport>& points = simulation.report().contacts;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (body >= 0 && points[k].body_a != body && points[k].body_b != body) continue;
    contacts->points.push_back(points[k]);
    const int pair = points[k].contact;
    contacts->names.push_back(k < shared->contact_names.size() ? shared->contact_names[k]
                              : pair >= 0                      ? simulation.system().contacts()[pair].options.name
                                                               : std::string());
  }
  return py::cast(contacts);
}

void bind_contacts(py::module_& module) {
  ContactsClass all(module, "Contacts",
                    "Contacts of one step, copied: K points, named ones first, then detected ones by id. Forces act on "
                    "the second body (body_b), world frame; those of schemes that know percussions only are percussion "
                    "/ step. contacts['name'] is the point of that name, or all points of the pair.",
                    py::is_final());
  PointClass one(module, "ContactPoint", "One contact point of one step.", py::is_final());
  seal(all);
  seal(one);
  add<body_a>(all, one, "body_a", "index of the first body");
  add<body_b>(all, one, "body_b", "index of the second body");
  add<status>(all, one, "status", "0 open, 1 stick, 2 slip");
  add<gap>(all, one, "gap", "[m] at the end of the step; [rad] of a joint's limit that is an angle");
  add<normal_force>(all, one, "normal_force", "[N]");
  add<normal_percussion>(all, one, "normal_percussion", "[N s] the sum over the step");
  add<friction_force>(all, one, "friction_force", "[N] along t1, t2; Contensou's third is moment / (3 pi R / 16)");
  add<friction_percussion>(all, one, "friction_percussion", "[N s] likewise");
  add<point>(all, one, "point", "[m] the contact point on the second body, world frame");
  add<normal>(all, one, "normal", "[-] from the first to the second body, world frame");
  add<tangent>(all, one, "tangent", "[-] t1, world frame; t2 = normal x t1");
  add<force>(all, one, "force", "[N] normal and friction together, world frame");
  add<percussion>(all, one, "percussion", "[N s] normal and friction together, world frame");
  all.def("__len__", [](const Contacts& self) { return self.points.size(); });
  all.def_readonly("names", &Contacts::names, "(K) names; '' for detected contacts");
  all.def_property_readonly(
      "W",
      [](const Contacts& self) {
        if (!self.is_whole) throw py::attribute_error("W is of all contacts: simulation.contacts.W");
        return to_array(self.shared->read().calc_contact_delassus());
      },
      "(m, m) [1/kg] J M^-1 J^T of the closed points at the present q: of each normal, t1 and in space t2; of limits "
      "of "
      "joints one row");
  all.def("__getitem__", find, py::arg("name"));
  all.def("__getitem__", [](const std::shared_ptr<Contacts>& self, py::ssize_t k) {
    const auto n = static_cast<py::ssize_t>(self->points.size());
    if (k < -n || k >= n) throw py::index_error("contact index out of range");
    return ContactAt{self, static_cast<std::size_t>(k < 0 ? k + n : k)};
  });
  all.def("__contains__", [](const Contacts& self, const std::string& name) {
    return std::ranges::find(self.names, name) != self.names.end();
  });
  one.def_property_readonly("name", [](const ContactAt& self) { return self.contacts->names[self.k]; });
}

}  // namespace stickslip::python
