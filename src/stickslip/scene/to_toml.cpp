// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "stickslip/geometry/polyline.h"
#include "stickslip/scene/scene.h"
#include "stickslip/scene/servo_text.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

constexpr auto& number = write_toml_number;

std::string time_function(const TimeFunction& value) {
  return text_of(value);
}

/// Writes a scene key by key. Vectors have as many components as the scene has dimensions.
class SceneWriter {
 public:
  SceneWriter(const Scene& scene, PointsOfLines points) : scene_(scene), points_of_lines_(points) {}

  std::string write() {
    line("stickslip = 1");
    line("name = {}", quote_toml(scene_.name));
    line("gravity = {}", vector(scene_.gravity));
    write_time(scene_.time);
    std::visit([this](const auto& options) { write_scheme(options); }, scene_.scheme);
    std::visit([this](const auto& options) { write_solver(options); }, scene_.solver);
    write_output(scene_.output);
    write_limits(scene_.limits);
    if (scene_.domain) write_domain(*scene_.domain);
    if (!scene_.parameters.empty()) {
      line("\n[parameters]");
      for (const auto& [name, value] : scene_.parameters) line("{} = {}", name, number(value));
    }
    for (const SceneMaterial& material : scene_.materials) {
      line("\n[materials.{}]", quote_toml_key(material.name));
      if (material.density) line("density = {}", number(*material.density));
    }
    for (const SceneBody& body : scene_.bodies) {
      if (body.fill < 0) write_body(body);
    }
    for (const SceneFill& fill : scene_.fills) {
      text_ += "\n[[fill]]\n" + fill.keys;
      if (!fill.rows.rows.empty()) line("rows = \"\"\"\n{}\"\"\"", write_body_rows(fill.rows, scene_.planar));
    }
    for (const SceneContact& contact : scene_.contacts) write_contact(contact);
    if (scene_.contact_default) write_contact_default(*scene_.contact_default);
    for (const SceneLaw& law : scene_.laws) write_law(law);
    for (const SceneInput& input : scene_.inputs) {
      line("\n[inputs.{}]", quote_toml_key(input.name));
      line("value = {}", time_function(input.value));
      if (input.range) line("range = [{}, {}]", number((*input.range)[0]), number((*input.range)[1]));
    }
    for (const SceneJoint& joint : scene_.joints) write_joint(joint);
    for (const SceneCoupling& coupling : scene_.couplings) write_coupling(coupling);
    for (const SceneForce& force : scene_.forces) {
      line("\n[forces.{}]", quote_toml_key(force.name));
      std::visit([this](const auto& law) { write_force(law); }, force.law);
    }
    for (const SceneSite& site : scene_.sites) {
      line("\n[sites.{}]", quote_toml_key(site.name));
      line("body = {}", quote_toml(site.body));
      line("position = {}", vector(site.position));
      write_orientation(site.orientation);
    }
    for (const SceneSensor& sensor : scene_.sensors) write_sensor(sensor);
    for (const SceneMeasure& measure : scene_.measures) write_measure(measure);
    for (const SceneReference& reference : scene_.reference) {
      line("\n[reference.{}]", quote_toml_key(reference.body));
      if (reference.position) line("position = {}", vector(*reference.position));
      if (reference.velocity) line("velocity = {}", vector(*reference.velocity));
    }
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  std::string vector(const Vector3& v) const {
    return scene_.planar ? fmt::format("[{}, {}]", number(v(0)), number(v(1))) : vector3(v);
  }

  static std::string vector3(const Vector3& v) {
    return fmt::format("[{}, {}, {}]", number(v(0)), number(v(1)), number(v(2)));
  }

  std::string vector(const std::array<TimeFunction, 3>& v) const {
    const std::string xy = time_function(v[0]) + ", " + time_function(v[1]);
    return scene_.planar ? "[" + xy + "]" : "[" + xy + ", " + time_function(v[2]) + "]";
  }

  void write_time(const SceneTime& time) {
    const StepControlOptions& control = time.control;
    std::string keys = fmt::format("start = {}, end = {}, step = {}", number(time.start), number(time.end),
                                   time.automatic ? "\"auto\"" : number(time.step));
    if (time.automatic || control != StepControlOptions{}) keys += ", tolerance = " + number(control.tolerance);
    if (control.min_step) keys += ", min_step = " + number(*control.min_step);
    if (control.max_step) keys += ", max_step = " + number(*control.max_step);
    line("time = {{{}}}", keys);
  }

  void write_output(const SceneOutput& output) {
    if (output == SceneOutput{}) return;
    std::string keys;
    if (output.every) keys = fmt::format("every = {}", number(*output.every));
    const auto add = [&keys](const std::string& key) { keys += (keys.empty() ? "" : ", ") + key; };
    if (output.single_precision) add("precision = \"single\"");
    if (!output.fields.empty()) add(fmt::format("fields = [\"{}\"]", fmt::join(output.fields, "\", \"")));
    line("output = {{{}}}", keys);
  }

  void write_limits(const LimitOptions& limits) {
    line("limits = {{penetration = {}, drift = {}, energy = {}, contact_energy = {}, on_passing = \"{}\"}}",
         number(limits.penetration), number(limits.drift), number(limits.energy), number(limits.contact_energy),
         limits.stop ? "stop" : "warn");
  }

  void write_domain(const SceneDomain& domain) {
    constexpr std::array<const char*, 3> kOutside = {"remove", "error", "keep"};
    line("domain = {{box = [{}, {}], outside = \"{}\"}}", vector(domain.box[0]), vector(domain.box[1]),
         kOutside[static_cast<std::size_t>(domain.outside)]);
  }

  static const char* name_of(ForceChoice forces) { return forces == ForceChoice::any ? "any" : "least-norm"; }

  static const char* name_of(Projection projection) {
    if (projection == Projection::automatic) return "\"auto\"";
    return projection == Projection::on ? "true" : "false";
  }

  void write_scheme(const MoreauOptions& options) {
    line("scheme = {{type = \"{}\", theta = {}, activation = {}, projection = {}, forces = \"{}\"}}",
         options.kTraits.name, number(options.theta), number(options.activation), name_of(options.projection),
         name_of(options.forces));
  }

  void write_scheme(const CcpOptions& options) {
    line(
        "scheme = {{type = \"{}\", law = \"{}\", projection = {}, stabilisation = {}, correction_speed = {}, "
        "envelope = {}, forces = \"{}\"}}",
        options.kTraits.name, options.law == FrictionLaw::coulomb ? "coulomb" : "associated",
        name_of(options.projection), options.stabilisation, number(options.correction_speed),
        options.envelope ? number(*options.envelope) : "\"auto\"", name_of(options.forces));
  }

  void write_scheme(const StewartTrinkleOptions& options) {
    line(
        "scheme = {{type = \"{}\", facets = {}, orientation = {}, projection = {}, correction_speed = {}, forces = "
        "\"{}\"}}",
        options.kTraits.name, options.facets, number(options.orientation), name_of(options.projection),
        number(options.correction_speed), name_of(options.forces));
  }

  void write_scheme(const EventDrivenOptions& options) {
    line(
        "scheme = {{type = \"{}\", facets = {}, orientation = {}, integrator = \"{}\", relative_tolerance = {}, "
        "absolute_tolerance = {}, max_step = {}, zeno = \"{}\", zeno_time = {}}}",
        options.kTraits.name, options.facets, number(options.orientation),
        kEventIntegratorNames[static_cast<std::size_t>(options.integrator)], number(options.relative_tolerance),
        number(options.absolute_tolerance), number(options.max_step),
        options.zeno == ZenoRule::cross ? "cross" : "stop", number(options.zeno_time));
  }

  void write_scheme(const GeneralizedAlphaOptions& options) {
    const std::string r = options.r ? number(*options.r) : "\"auto\"";
    const char* strategy = options.strategy == GeneralizedAlphaStrategy::newton ? "newton" : "fixed-point";
    const char* friction = options.friction == GeneralizedAlphaFriction::published ? "published" : "second-order";
    line(
        "scheme = {{type = \"{}\", rho_inf = {}, tolerance = {}, r = {}, strategy = \"{}\", friction = \"{}\", "
        "forces = \"{}\"}}",
        options.kTraits.name, number(options.rho_inf), number(options.tolerance), r, strategy, friction,
        name_of(options.contact_forces));
  }

  void write_scheme(const RelaxationOptions& options) {
    const std::string_view inclusion = kInclusionNames[static_cast<std::size_t>(options.inclusion)];
    std::string of_form = "form = \"implicit\"";
    if (options.form == RelaxationForm::ode) {
      of_form = fmt::format("delta = {}, zeta = {}, integrator = \"{}\", gate = {}", number(options.delta),
                            number(options.zeta),
                            kRelaxationIntegratorNames[static_cast<std::size_t>(options.integrator)], options.gate);
      if (options.controls_errors()) {
        of_form += fmt::format(", relative_tolerance = {}, absolute_tolerance = {}", number(options.relative_tolerance),
                               number(options.absolute_tolerance));
      }
    }
    if (options.model == RelaxationModel::penalty) {
      return line("scheme = {{type = \"{}\", {}, model = \"penalty\", stiffness = {}, damping = {}, forces = \"{}\"}}",
                  options.kTraits.name, of_form, number(options.stiffness), number(options.damping),
                  name_of(options.forces));
    }
    line("scheme = {{type = \"{}\", {}, inclusion = \"{}\", facets = {}, orientation = {}, forces = \"{}\"}}",
         options.kTraits.name, of_form, inclusion, options.facets, number(options.orientation),
         name_of(options.forces));
  }

  void write_solver(const StopOptions& options, const std::string& more = "") {
    line("solver = {{type = \"{}\", tolerance = {}, max_iterations = {}{}}}", solver_name(scene_.solver),
         scene_.eases_tolerance && may_ease_tolerance(scene_) ? "\"auto\"" : number(options.tolerance),
         options.max_iterations, more);
  }
  void write_solver(const FacetOptions& options) {
    write_solver(static_cast<const StopOptions&>(options), fmt::format(", facets = {}", options.facets));
  }
  void write_solver(const NsgsOptions& options) { write_relaxed_solver(options, options.relaxation); }
  void write_solver(const PgsOptions& options) { write_relaxed_solver(options, options.relaxation); }
  void write_relaxed_solver(const StopOptions& options, double relaxation) {
    write_solver(options, fmt::format(", relaxation = {}", number(relaxation)));
  }

  /// ", quaternion = ..." or the like, or nothing.
  struct OrientationText {
    std::string operator()(const std::monostate&) const { return ""; }
    std::string operator()(const PlanarAngle& o) const { return fmt::format("angle = {}", number(o.angle)); }
    std::string operator()(const AxisAngle& o) const {
      return fmt::format("rotation = {{axis = {}, angle = {}}}", vector3(o.axis), number(o.angle));
    }
    std::string operator()(const Quaternion& o) const {
      return fmt::format("quaternion = [{}, {}, {}, {}]", number(o.wxyz(0)), number(o.wxyz(1)), number(o.wxyz(2)),
                         number(o.wxyz(3)));
    }
  };

  void write_orientation(const Orientation& orientation) {
    const std::string text = std::visit(OrientationText{}, orientation);
    if (!text.empty()) line("{}", text);
  }

  void write_body(const SceneBody& body) {
    line("\n[bodies.{}]", quote_toml_key(body.name));
    line("type = \"{}\"", body_type_name(body.type));
    if (!body.group.empty()) line("group = {}", quote_toml(body.group));
    if (body.from) line("from = {}", number(*body.from));
    if (body.mass) line("mass = {}", number(*body.mass));
    std::visit([this](const auto& inertia) { write_inertia(inertia); }, body.inertia);
    if (body.centre_of_mass) line("centre_of_mass = {}", vector(*body.centre_of_mass));
    if (!body.parent.empty()) line("parent = {}", quote_toml(body.parent));
    if (body.density) line("density = {}", number(*body.density));
    if (body.motion) {
      write_motion(*body.motion);
    } else if (body.beam) {
      write_beam(*body.beam, body.position);
    } else {
      line("position = {}", vector(body.position));
    }
    write_orientation(body.orientation);
    const bool turns = body.type == BodyType::rigid || body.type == BodyType::planar;
    const bool has_velocity = body.parent.empty();
    if (has_velocity && (turns || body.beam || body.type == BodyType::point))
      line("velocity = {}", vector(body.velocity));
    if (has_velocity && turns) {
      line("angular_velocity = {}", scene_.planar ? number(body.angular_velocity(2)) : vector3(body.angular_velocity));
    }
    if (body.type == BodyType::rigid) line("gyroscopic = {}", body.gyroscopic);
    for (const SceneShape& shape : body.shapes) {
      if (body.beam) {
        line("shapes.{} = {{type = \"point\", at = {}{}}}", quote_toml_key(shape.name),
             number(std::get<PointShape>(shape.geometry).at), memberships(shape));
      } else {
        write_shape(shape);
      }
    }
  }

  void write_beam(const SceneBeam& beam, const Vector3& start) {
    const BeamOptions& o = beam.options;
    line("length = {}", number(o.length));
    line("axial_stiffness = {}", number(o.axial_stiffness));
    line("bending_stiffness = {}", number(o.bending_stiffness));
    line("line_density = {}", number(o.line_density));
    line("elements = {}\ndegree = {}\nquadrature = {}", o.elements, o.degree, o.quadrature);
    line("start = {}", vector(start));
    line("direction = {}", vector(beam.direction));
  }

  void write_inertia(const std::monostate&) {}
  void write_inertia(double inertia) { line("inertia = {}", number(inertia)); }
  void write_inertia(const Vector3& inertia) { line("inertia = {}", vector3(inertia)); }
  void write_inertia(const Matrix3& inertia) {
    line("inertia = [{}, {}, {}]", vector3(inertia.row(0)), vector3(inertia.row(1)), vector3(inertia.row(2)));
  }

  void write_motion(const SceneMotion& motion) {
    line("position = {}", vector(motion.position));
    if (scene_.planar) {
      line("angle = {}", time_function(motion.angle));
    } else {
      line("rotation = {{axis = {}, angle = {}}}", vector3(motion.axis), time_function(motion.angle));
    }
  }

  void write_shape(const SceneShape& shape) {
    std::string contacts;
    const ShapeContact& c = shape.contact;
    if (c.visual) contacts += ", visual = true";
    if (c.contype != 1) contacts += fmt::format(", contype = {}", c.contype);
    if (c.conaffinity != 1) contacts += fmt::format(", conaffinity = {}", c.conaffinity);
    if (c.friction) contacts += ", friction = " + number(*c.friction);
    if (c.spinning) contacts += ", spinning = " + number(*c.spinning);
    if (c.rolling) contacts += ", rolling = " + number(*c.rolling);
    if (c.priority != 0) contacts += fmt::format(", priority = {}", c.priority);
    if (c.condim) contacts += fmt::format(", condim = {}", *c.condim);
    contacts += memberships(shape);
    if (shape.surface_velocity) contacts += ", surface_velocity = " + surface_velocity(*shape.surface_velocity);
    line("shapes.{} = {{type = \"{}\"{}, position = {}{}{}}}", quote_toml_key(shape.name),
         shape_type_name(shape.geometry), std::visit([this](const auto& g) { return keys_of(g); }, shape.geometry),
         vector(shape.position), with_comma(std::visit(OrientationText{}, shape.orientation)), contacts);
  }

  std::string surface_velocity(const SceneSurfaceVelocity& surface) const {
    if (!surface.turns) return vector(surface.velocity);
    const std::string axis = scene_.planar ? "" : fmt::format("axis = {}, ", vector3(surface.axis));
    const std::string at = surface.at ? ", at = " + vector(*surface.at) : "";
    return fmt::format("{{{}rate = {}{}}}", axis, time_function(surface.rate), at);
  }

  static std::string memberships(const SceneShape& shape) {
    std::string text;
    if (!shape.material.empty()) text += ", material = " + quote_toml(shape.material);
    if (!shape.group.empty()) text += ", group = " + quote_toml(shape.group);
    return text;
  }

  static std::string with_comma(const std::string& text) { return text.empty() ? text : ", " + text; }

  std::string keys_of(const Sphere& s) const {
    return fmt::format(", radius = {}, inside = {}", number(s.radius), s.inside);
  }
  std::string keys_of(const PointShape&) const { return ""; }
  std::string keys_of(const HalfSpace& s) const {
    return fmt::format(", normal = {}, offset = {}", vector(s.normal), number(s.offset));
  }
  std::string keys_of(const Box& s) const { return fmt::format(", size = {}", vector(s.size)); }
  std::string keys_of(const Capsule& s) const {
    return fmt::format(", radius = {}, length = {}", number(s.radius), number(s.length));
  }
  std::string keys_of(const Cylinder& s) const {
    const std::string length = s.length ? fmt::format(", length = {}", number(*s.length)) : "";
    return fmt::format(", radius = {}, inside = {}{}", number(s.radius), s.inside, length);
  }
  std::string keys_of(const Ellipsoid& s) const { return fmt::format(", radii = {}", vector(s.radii)); }
  std::string keys_of(const Convex& s) const { return points(s.points); }
  std::string points(const std::vector<Vector3>& of) const {
    std::string text;
    for (const Vector3& point : of) text += (text.empty() ? "" : ", ") + vector(point);
    return fmt::format(", points = [{}]", text);
  }
  std::string keys_of(const Polyline& s) const {
    const std::string closed = fmt::format(", closed = {}", s.closed);
    if (s.file.empty() && points_of_lines_ == PointsOfLines::in_text) return points(*s.points) + closed;
    const std::string file = s.file.empty() ? "" : fmt::format(", file = {}", quote_toml(s.file));
    return fmt::format("{}{}, stored = \"{:016x}\"", closed, file, calc_checksum(*s.points));
  }

  /// Results have the triangles beside the scene.
  std::string keys_of(const Mesh& s) const {
    if (s.field) {
      return fmt::format(", size = [{}, {}], cells = [{}, {}], {} = {}, stored = \"{:016x}\"", number(s.field->size[0]),
                         number(s.field->size[1]), s.field->cells[0], s.field->cells[1],
                         s.file.starts_with('=') ? "height" : "file", quote_toml(s.file), calc_checksum(*s.surface));
    }
    const bool is_uniform = s.scale == Vector3::Constant(s.scale(0));
    return fmt::format(", file = {}, scale = {}, stored = \"{:016x}\"", quote_toml(s.file),
                       is_uniform ? number(s.scale(0)) : vector(s.scale), calc_checksum(*s.surface));
  }

  static std::string side(const SceneSide& side) {
    return quote_toml(side.shape.empty() ? side.body : side.body + "/" + side.shape);
  }

  void write_contact(const SceneContact& contact) {
    line("\n[[contacts]]");
    line("name = {}", quote_toml(contact.name));
    line("between = [{}, {}]", side(contact.between[0]), side(contact.between[1]));
    write_law(contact.law);
    write_corrections(contact);
  }

  std::string friction(const ContactLaw& law) const {
    if (law.kinetic) {
      return fmt::format("{{static = {}, kinetic = {}, stick_speed = {}}}", number(law.friction),
                         number(law.kinetic->friction), number(law.kinetic->stick_speed));
    }
    if (law.friction_of_speed) return quote_toml(law.friction_of_speed->text);
    if (!law.ellipse) return number(law.friction);
    return fmt::format("{{x = {}, y = {}, direction = {}}}", number(law.friction), number(law.ellipse->across),
                       vector3(law.ellipse->direction));
  }

  void write_law(const ContactLaw& law) {
    line("friction = {}", friction(law));
    const std::string normal =
        law.restitution_of_speed ? quote_toml("=" + law.restitution_of_speed->text) : number(law.restitution_normal);
    const char* impact = law.impact == ImpactLaw::newton    ? ""
                         : law.impact == ImpactLaw::poisson ? ", law = \"poisson\""
                                                            : ", law = \"energetic\"";
    line("restitution = {{normal = {}, tangential = {}{}}}", normal, number(law.restitution_tangential), impact);
    if (law.rolling > 0.0) line("rolling = {}", number(law.rolling));
    if (law.spinning > 0.0) line("spinning = {}", number(law.spinning));
    if (law.adhesion_range > 0.0) {
      line("adhesion = {}", number(law.adhesion));
      line("adhesion_range = {}", number(law.adhesion_range));
    }
    if (law.contensou_radius > 0.0) line("contensou = {{radius = {}}}", number(law.contensou_radius));
  }

  template <class Contacts>
  void write_corrections(const Contacts& contacts) {
    if (contacts.envelope) line("envelope = {}", number(*contacts.envelope));
    if (contacts.correction_speed) line("correction_speed = {}", number(*contacts.correction_speed));
  }

  void write_contact_default(const SceneContactDefault& contacts) {
    line("\n[contact_default]");
    write_law(contacts.law);
    write_corrections(contacts);
    std::string pairs;
    for (const auto& pair : contacts.except) {
      pairs += fmt::format("{}[{}, {}]", pairs.empty() ? "" : ", ", quote_toml(pair[0]), quote_toml(pair[1]));
    }
    if (!pairs.empty()) line("except = [{}]", pairs);
  }

  void write_law(const SceneLaw& law) {
    line("\n[[laws]]");
    write_between(law.between);
    line("collide = {}", law.collide);
    write_law(law.law);
    write_corrections(law);
  }

  void write_sensor(const SceneSensor& sensor) {
    line("\n[[sensors]]");
    line("name = {}", quote_toml(sensor.name));
    line("type = \"{}\"", sensor_type_name(sensor.type));
    if (!sensor.site.empty()) line("site = {}", quote_toml(sensor.site));
    if (sensor.in_site_frame) line("frame = \"site\"");
    if (!sensor.joint.empty()) line("joint = {}", quote_toml(sensor.joint));
    if (!sensor.body.empty()) line("body = {}", quote_toml(sensor.body));
    if (!sensor.with.empty()) line("with = {}", quote_toml(sensor.with));
    if (std::isfinite(sensor.most)) line("max = {}", number(sensor.most));
  }

  void write_measure(const SceneMeasure& measure) {
    line("\n[[measures]]");
    line("name = {}", quote_toml(measure.name));
    if (!measure.group.empty()) line("group = {}", quote_toml(measure.group));
    if (measure.box) line("box = [{}, {}]", vector((*measure.box)[0]), vector((*measure.box)[1]));
    if (measure.point) line("plane = {{point = {}, normal = {}}}", vector(*measure.point), vector(*measure.normal));
  }

  void write_between(const std::array<std::string, 2>& between) {
    line("between = [{}, {}]", quote_toml(between[0]), quote_toml(between[1]));
  }

  void write_parameters(const std::vector<double>& on_beams) {
    if (on_beams.size() == 1) line("at_parameter = {}", number(on_beams[0]));
    if (on_beams.size() == 2) line("at_parameter = [{}, {}]", number(on_beams[0]), number(on_beams[1]));
  }

  void write_frame(const char* key, const SceneFrame& frame) {
    line("{} = {{position = {}{}}}", key, vector(frame.position),
         with_comma(std::visit(OrientationText{}, frame.orientation)));
  }

  void write_coupling(const SceneCoupling& coupling) {
    std::string joints;
    std::string coefficients;
    for (std::size_t i = 0; i < coupling.joints.size(); ++i) {
      joints += fmt::format("{}{}", i > 0 ? ", " : "", quote_toml(coupling.joints[i]));
      coefficients += fmt::format("{}{}", i > 0 ? ", " : "", number(coupling.coefficients[i]));
    }
    line("\n[[couplings]]");
    line("name = {}", quote_toml(coupling.name));
    line("joints = [{}]", joints);
    line("coefficients = [{}]", coefficients);
  }

  void write_coordinates(const char* key, const std::vector<double>& values) {
    if (values.size() == 1) line("{} = {}", key, number(values[0]));
    if (values.size() < 2) return;
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ", ") + number(value);
    line("{} = [{}]", key, text);
  }

  void write_joint(const SceneJoint& joint) {
    line("\n[joints.{}]", quote_toml_key(joint.name));
    line("type = \"{}\"", joint_type_name(joint.type));
    if (joint.gear) {
      line("joints = [{}, {}]", quote_toml(joint.gear->joints[0]), quote_toml(joint.gear->joints[1]));
      line("ratio = {}", number(joint.gear->ratio));
      if (joint.gear->offset) line("offset = {}", number(*joint.gear->offset));
      return;
    }
    write_between(joint.between);
    if (!joint.collide) line("collide = false");
    if (joint.at) line("at = {}", vector(*joint.at));
    if (joint.local) line("local = true");
    write_parameters(joint.at_parameter);
    if (joint.axis) line("{} = {}", joint.type == JointType::knife_edge ? "direction" : "axis", vector(*joint.axis));
    if (joint.axis2) line("axis2 = {}", vector(*joint.axis2));
    if (joint.normal) line("normal = {}", vector(*joint.normal));
    if (joint.pitch != 0.0) line("pitch = {}", number(joint.pitch));
    if (joint.radius != 0.0) line("radius = {}", number(joint.radius));
    if (joint.frames) {
      write_frame("frame_a", joint.frames->front());
      write_frame("frame_b", joint.frames->back());
    }
    if (joint.type == JointType::distance) {
      line("at_a = {}", vector(joint.at_a));
      line("at_b = {}", vector(joint.at_b));
    }
    if (joint.length) line("length = {}", number(*joint.length));
    if (joint.motion) line("motion = {}", time_function(*joint.motion));
    if (joint.absolute) line("absolute = true");
    if (joint.reference) line("reference = {}", number(*joint.reference));
    write_coordinates("start", joint.start);
    write_coordinates("start_rate", joint.start_rate);
    if (joint.spring) {
      const auto [k, d, rest] = *joint.spring;
      const std::string others = fmt::format("stiffness = {}, rest = {}, ", number(k), number(rest));
      line("spring = {{{}damping = {}}}", joint.type == JointType::spherical ? "" : others, number(d));
    }
    if (joint.armature > 0.0) line("armature = {}", number(joint.armature));
    const bool has_two_bounds = joint.type == JointType::cylindrical || joint.type == JointType::planar;
    if (has_two_bounds && (joint.friction > 0.0 || joint.friction_torque > 0.0)) {
      line("friction = {{force = {}, torque = {}}}", number(joint.friction), number(joint.friction_torque));
    } else if (joint.load_friction > 0.0 || joint.load_radius > 0.0) {
      line("friction = {{coefficient = {}{}}}", number(joint.load_friction),
           joint.type == JointType::revolute ? ", radius = " + number(joint.load_radius) : "");
    } else if (joint.friction > 0.0) {
      line("friction = {}", number(joint.friction));
    }
    if (joint.force) line("force = {}", time_function(*joint.force));
    write_list("force", joint.forces, [](const SceneSignal& signal) { return text_of(signal); });
    write_list("servo", joint.servos, [](const SceneServo& servo) { return text_of(servo); });
    if (joint.effort_limit) line("effort_limit = {}", text_of(*joint.effort_limit));
    if (joint.limits) {
      line("limits = [{}, {}]", number(joint.limits->low), number(joint.limits->high));
      line("restitution = {}", number(joint.limits->restitution));
    }
  }

  template <class List, class Text>
  void write_list(const char* key, const List& list, const Text& text) {
    std::string all;
    for (const auto& each : list) all += (all.empty() ? "" : ", ") + text(each);
    if (!all.empty()) line("{} = [{}]", key, all);
  }

  void write_force(const SceneSpring& spring) {
    line("type = \"spring\"");
    write_between(spring.between);
    line("at_a = {}", vector(spring.at_a));
    line("at_b = {}", vector(spring.at_b));
    write_parameters(spring.at_parameter);
    line("stiffness = {}", number(spring.stiffness));
    line("damping = {}", number(spring.damping));
    line("rest = {}", number(spring.rest));
  }

  void write_force(const SceneDryFriction& friction) {
    line("type = \"dry-friction\"");
    write_between(friction.between);
    if (friction.at) line("at = {}", vector(*friction.at));
    write_parameters(friction.at_parameter);
    line("bound = {}", number(friction.bound));
    if (friction.axis) line("axis = {}", vector(*friction.axis));
  }

  void write_force(const SceneLoad& load) {
    line("type = \"load\"\nbody = {}\nat = {}", quote_toml(load.body), vector(load.at));
    if (load.at_parameter) line("at_parameter = {}", number(*load.at_parameter));
    line("force = {}\ntorque = {}", vector(load.force),
         scene_.planar ? time_function(load.torque[2]) : vector(load.torque));
    line("frame = \"{}\"", load.body_frame ? "body" : "world");
  }

  const Scene& scene_;
  PointsOfLines points_of_lines_;
  std::string text_;
};

}  // namespace

std::string to_toml(const Scene& scene, PointsOfLines points) {
  return SceneWriter(scene, points).write();
}

}  // namespace stickslip
