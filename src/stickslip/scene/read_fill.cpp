// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/scene/data_file.h"
#include "stickslip/scene/dense_packing.h"
#include "stickslip/scene/draws.h"
#include "stickslip/scene/fill_rules.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

/// Places tried for one body before there is said to be no room. [-]
constexpr int kMaxTries = 10'000;
/// Draws of one number before there is said to be none within its limits. [-]
constexpr int kMaxRedraws = 1000;
/// How far courses of bricks are shifted.
constexpr Range kBond = {.least = 0.0, .most = 1.0, .without_most = true, .text = "a number in [0, 1)"};

/// How far a body reaches around the place that a fill gives it. [m]
struct Reach {
  bool planar;
  double operator()(const Sphere& s) const { return s.inside ? HUGE_VAL : s.radius; }
  double operator()(const PointShape&) const { return 0.0; }
  double operator()(const HalfSpace&) const { return HUGE_VAL; }
  double operator()(const Box& b) const { return 0.5 * (planar ? b.size.head<2>().norm() : b.size.norm()); }
  double operator()(const Capsule& c) const { return c.radius + 0.5 * c.length; }
  double operator()(const Cylinder& c) const {
    return c.inside || !c.length ? HUGE_VAL : std::hypot(c.radius, 0.5 * *c.length);
  }
  double operator()(const Ellipsoid& e) const { return e.radii.maxCoeff(); }
  double operator()(const Convex& c) const { return farthest(c.points); }
  double operator()(const Mesh& m) const { return farthest(m.surface->vertices); }
  double operator()(const Polyline& line) const { return farthest(*line.points); }

  static double farthest(const std::vector<Vector3>& points) {
    double reach = 0.0;
    for (const Vector3& p : points) reach = std::max(reach, p.norm());
    return reach;
  }
};

double reach_of(const SceneBody& body, bool planar) {
  double reach = 0.0;
  for (const SceneShape& shape : body.shapes) {
    reach = std::max(reach, shape.position.norm() + std::visit(Reach{planar}, shape.geometry));
  }
  return reach;
}

/// Finds out whether a ball overlaps one of those so far, by cells as large as the largest ball.
class Room {
 public:
  explicit Room(double cell) : cell_(cell > 0.0 ? cell : 1.0) {}
  bool is_free(const Vector3& x, double radius) const {
    const Key key = key_of(x);
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        for (int k = -1; k <= 1; ++k) {
          const auto found = cells_.find({key[0] + i, key[1] + j, key[2] + k});
          if (found == cells_.end()) continue;
          for (const auto& [y, other] : found->second) {
            const double both = radius + other;
            if ((x - y).squaredNorm() < both * both) return false;
          }
        }
      }
    }
    return true;
  }
  void add(const Vector3& x, double radius) { cells_[key_of(x)].emplace_back(x, radius); }

 private:
  using Key = std::array<std::int64_t, 3>;
  Key key_of(const Vector3& x) const {
    Key key;
    for (int i = 0; i < 3; ++i) key[i] = static_cast<std::int64_t>(std::floor(x(i) / cell_));
    return key;
  }
  double cell_;  // [m]
  std::map<Key, std::vector<std::pair<Vector3, double>>> cells_;
};

/// Keys of a table that stands for a number, of which it has one.
constexpr std::array<std::string_view, 5> kDrawLaws = {"uniform", "list", "normal", "log_normal", "power"};
/// Keys of a body whose numbers are sizes or masses: a number drawn for one is drawn again where it is not positive.
constexpr std::array<std::string_view, 8> kSizes = {"radius",  "radii", "length", "size",
                                                    "density", "mass",  "scale",  "inertia"};

/// Keys of which a fill has one: where its bodies are.
constexpr std::array<std::string_view, 6> kFillRules = {"grid", "random", "pile", "bricks", "file", "rows"};

/// Whether a table stands for a number: all its keys are those of a law, whose numbers are in an array.
bool is_law(const TomlValue::Table& table) {
  bool has_law = false;
  for (const TomlEntry& entry : table) {
    const bool names_law = std::find(kDrawLaws.begin(), kDrawLaws.end(), entry.key) != kDrawLaws.end();
    if (!names_law && entry.key != "weights" && entry.key != "within") return false;
    has_law = has_law || (names_law && entry.value.array() != nullptr);
  }
  return has_law;
}

class Fill {
 public:
  Fill(const TableReader& reader, std::set<std::string>& names)
      : reader_(reader), names_(names), draws_(static_cast<std::uint64_t>(reader.integer_or("seed", 0, 1))) {}

  void read() {
    reader_.allow({"body", "grid", "random", "pile", "bricks", "file", "rows", "jitter", "seed", "prefix",
                   "orientation", "from", "rate"});
    const std::string_view rule = find_rule();
    if (reader_.has("prefix")) {
      prefix_ = reader_.string("prefix", "a name: bodies are called <prefix>0, <prefix>1, ...");
      check_name(prefix_, place(*reader_.find("prefix")), reader_.path_of("prefix"));
    }
    if (reader_.has("jitter") && rule != "grid") reader_.fail("jitter", "goes with grid: other places need none");
    from_ = reader_.optional_number("from", kAnyNumber, "s");
    rate_ = reader_.optional_number("rate", kPositive, "1/s");
    if (rate_ && rule != "random") reader_.fail("rate", "goes with random: places are drawn as bodies come");
    read_body_table(rule);
    read_orientation(rule);
    if (rule == "grid") fill_grid();
    if (rule == "random") fill_box();
    if (rule == "pile") fill_pile();
    if (rule == "bricks") fill_bricks();
    if (rule == "file" || rule == "rows") fill_rows(rule);
    reader_.context().scene.fills.push_back({text(), std::move(rows_)});
  }

 private:
  SourcePlace place(const TomlValue& value) const { return reader_.context().document.place(value.mark); }

  /// Bodies at most, less those that there are already: a scene has so many, however many fills it has. [-]
  std::int64_t most() const {
    const ReadContext& context = reader_.context();
    const auto n_bodies = static_cast<std::int64_t>(context.scene.bodies.size());
    return std::max<std::int64_t>(0, context.document.max_fill_bodies - n_bodies);
  }

  std::string_view find_rule() const {
    const auto is_given = [this](std::string_view key) { return reader_.has(key); };
    const auto first = std::find_if(kFillRules.begin(), kFillRules.end(), is_given);
    if (first == kFillRules.end()) reader_.fail("grid", fmt::format("one of {}", join_choices(kFillRules)));
    const auto second = std::find_if(first + 1, kFillRules.end(), is_given);
    if (second != kFillRules.end()) reader_.fail(*second, fmt::format("only one of {}", join_choices(kFillRules)));
    return *first;
  }

  /// The table that is repeated; a pile has one by itself.
  void read_body_table(std::string_view rule) {
    const std::string allowed = "a table: the body that is repeated";
    if (rule == "pile" && !reader_.has("body")) {
      const Mark mark = reader_.find("pile")->mark;
      body_ = {TomlValue::Table{{"density", mark, {kPileDensity, mark}}}, mark};
      return;
    }
    body_ = reader_.require("body", allowed);
    if (body_.table() == nullptr) reader_.fail("body", allowed);
    inline_hull_files(reader_.context(), body_, reader_.path_of("body"));
    refuse_in_body({"position", "start", "parent"}, "no place: the fill gives it");
    refuse_in_body({"from"}, "none: from of the fill says when its bodies come");
    if (rule == "bricks") {
      refuse_in_body({"quaternion", "rotation", "angle"}, "bricks lie straight");
      refuse_in_body({"shapes"}, "no shapes: a brick is a box of the size that it has in the wall");
      refuse_in_body({"mass", "inertia"}, "density: bricks and pieces of bricks weigh by their size");
    }
    if (rule == "file" || rule == "rows") {
      refuse_in_body({"quaternion", "rotation", "angle", "velocity", "angular_velocity"}, "the file gives it");
    }
    if (rule != "grid" && rule != "random" && reader_.dimension() == 2 &&
        find_value(*body_.table(), "type") == nullptr) {
      body_.table()->push_back({"type", body_.mark, {std::string("planar"), body_.mark}});
    }
  }

  void read_orientation(std::string_view rule) {
    if (!reader_.has("orientation")) return;
    constexpr std::array<std::string_view, 1> kOrientations = {"random"};
    reader_.choice("orientation", kOrientations, {});
    if (rule == "bricks") reader_.fail("orientation", "none: bricks lie straight");
    if (rule == "file" || rule == "rows") reader_.fail("orientation", "none: the file gives it");
    refuse_in_body({"quaternion", "rotation", "angle"}, "none beside orientation = \"random\"");
    turns_ = true;
  }

  void refuse_in_body(std::initializer_list<std::string_view> keys, const std::string& why) const {
    for (const TomlEntry& entry : *body_.table()) {
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
      throw InputError(reader_.context().document.place(entry.mark), reader_.path_of("body." + entry.key), "", why);
    }
  }

  void fill_grid() {
    const TableReader grid(reader_.context(), *reader_.find("grid"), reader_.path_of("grid"));
    grid.allow({"counts", "spacing", "origin"});
    const std::vector<std::int64_t> counts = read_counts(grid);
    const double spacing = grid.number("spacing", kPositive, "m");
    const Vector3 origin = grid.vector_or("origin", "m", Vector3::Zero());
    const double jitter = reader_.number_or("jitter", kNotNegative, "m", 0.0);
    for (std::int64_t z = 0; z < counts[2]; ++z) {
      for (std::int64_t y = 0; y < counts[1]; ++y) {
        for (std::int64_t x = 0; x < counts[0]; ++x) {
          SceneBody body = draw_body();
          const Vector3 cell(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
          body.position = origin + spacing * cell;
          for (std::size_t i = 0; i < grid.dimension(); ++i) {
            if (jitter > 0.0) body.position(static_cast<int>(i)) += draws_.uniform(-jitter, jitter);
          }
          add(std::move(body));
        }
      }
    }
  }

  int read_count(const TableReader& rule) const {
    const int count = rule.integer_or("count", 1, 0);
    if (count < 1 || count > most()) {
      rule.require("count", "a whole number >= 1");
      rule.fail("count", fmt::format("a whole number from 1 to {}", most()));
    }
    return count;
  }

  std::vector<std::int64_t> read_counts(const TableReader& grid) const {
    const std::string allowed =
        grid.dimension() == 2 ? "two whole numbers >= 1 [nx, ny]" : "three whole numbers >= 1 [nx, ny, nz]";
    const TomlValue::Array* array = grid.require("counts", allowed).array();
    if (array == nullptr || array->size() != grid.dimension()) grid.fail("counts", allowed);
    std::vector<std::int64_t> counts;
    std::int64_t product = 1;
    for (const TomlValue& value : *array) {
      const auto i = static_cast<std::size_t>(&value - array->data());
      const auto count = grid.integer_from(value, fmt::format("{}[{}]", grid.path_of("counts"), i));
      if (!count || *count < 1) grid.fail("counts", allowed);
      if (*count > most() / product) grid.fail("counts", fmt::format("at most {} bodies", most()));
      product *= *count;
      counts.push_back(*count);
    }
    counts.resize(3, 1);
    return counts;
  }

  /// Bodies lie in the box as a whole. All are drawn first, so that the cells suit the largest.
  void fill_box() {
    const TableReader random(reader_.context(), *reader_.find("random"), reader_.path_of("random"));
    random.allow({"count", "box", "packing"});
    const int count = read_count(random);
    const std::array<Vector3, 2> box = random.box("box");
    const int dim = static_cast<int>(random.dimension());
    std::vector<SceneBody> bodies;
    std::vector<double> reaches;
    for (int i = 0; i < count; ++i) {
      bodies.push_back(draw_body());
      reaches.push_back(reach_of(bodies.back(), dim == 2));
    }
    const double largest = *std::max_element(reaches.begin(), reaches.end());
    if (!std::isfinite(largest)) reader_.fail("body", "a body of bounded shapes, to be placed without overlap");
    if (rate_) {
      if (random.has("packing")) random.fail("packing", "none beside rate: places are drawn as bodies come");
      if (2.0 * largest > (box[1] - box[0]).head(dim).minCoeff()) {
        random.fail("box", "a box that holds the largest body");
      }
      for (SceneBody& body : bodies) body.position = 0.5 * (box[0] + box[1]);
      add_source(box, std::move(reaches));
    } else if (random.has("packing")) {
      constexpr std::array<std::string_view, 1> kPackings = {"dense"};
      random.choice("packing", kPackings, {});
      pack(random, reaches, box, dim, bodies);
    } else {
      place_one_by_one(random, reaches, box, dim, bodies);
    }
    for (SceneBody& body : bodies) add(std::move(body));
  }

  void add_source(const std::array<Vector3, 2>& box, std::vector<double>&& reaches) {
    Scene& scene = reader_.context().scene;
    scene.sources.push_back({.fill = static_cast<int>(scene.fills.size()),
                             .from = from_.value_or(scene.time.start),
                             .rate = *rate_,
                             .box = box,
                             .reaches = std::move(reaches),
                             .seed = static_cast<std::uint64_t>(reader_.integer_or("seed", 0, 1))});
  }

  void place_one_by_one(const TableReader& random, const std::vector<double>& reaches,
                        const std::array<Vector3, 2>& box, int dim, std::vector<SceneBody>& bodies) {
    Room room(2.0 * *std::max_element(reaches.begin(), reaches.end()));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies[i].position = find_place(box, reaches[i], room, dim);
      if (!bodies[i].position.allFinite()) {
        random.fail("count", fmt::format("fewer bodies or a larger box: no room was found for body {} of {}; "
                                         "packing = \"dense\" finds room for more",
                                         i, bodies.size()));
      }
      room.add(bodies[i].position, reaches[i]);
    }
  }

  void pack(const TableReader& random, const std::vector<double>& reaches, const std::array<Vector3, 2>& box, int dim,
            std::vector<SceneBody>& bodies) {
    const auto [least, most] = std::minmax_element(reaches.begin(), reaches.end());
    if (!(*least > 0.0)) reader_.fail("body", "a body that is no point, to be packed");
    if (2.0 * *most > (box[1] - box[0]).head(dim).minCoeff()) random.fail("box", "a box that holds the largest body");
    const auto places = pack_balls(reaches, box[0], box[1], dim, draws_);
    if (!places) random.fail("count", "fewer bodies or a larger box: no packing without overlaps was found");
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].position = (*places)[i];
  }

  Vector3 find_place(const std::array<Vector3, 2>& box, double reach, const Room& room, int dim) {
    for (int attempt = 0; attempt < kMaxTries; ++attempt) {
      Vector3 x = Vector3::Zero();
      for (int i = 0; i < dim; ++i) {
        if (box[1](i) - box[0](i) < 2.0 * reach) return Vector3::Constant(NAN);
        x(i) = draws_.uniform(box[0](i) + reach, box[1](i) - reach);
      }
      if (room.is_free(x, reach)) return x;
    }
    return Vector3::Constant(NAN);
  }

  void fill_pile() {
    const TableReader keys(reader_.context(), *reader_.find("pile"), reader_.path_of("pile"));
    keys.allow({"count"});
    if (keys.dimension() == 2) reader_.fail("pile", "a spatial scene: the pile is of spheres in a box");
    const Pile pile(read_count(keys));
    for (const PileWall& wall : pile_walls(pile)) {
      SceneBody body;
      body.name = fmt::format("{}-{}", prefix_, wall.name);
      body.type = BodyType::fixed;
      body.position = wall.center;
      body.shapes.push_back({"wall", Box{wall.size}, Vector3::Zero(), {}});
      add(std::move(body));
    }
    for (std::int64_t i = 0; i < pile.count; ++i) {
      SceneBody body = draw_body(pile.radius(i));
      body.position = pile.position(i);
      add(std::move(body));
    }
  }

  void fill_bricks() {
    const TableReader keys(reader_.context(), *reader_.find("bricks"), reader_.path_of("bricks"));
    keys.allow({"counts", "size", "origin", "bond"});
    BrickWall wall;
    wall.planar = keys.dimension() == 2;
    std::ranges::copy(read_counts(keys), wall.counts.begin());
    wall.size = keys.vector("size", "m");
    if (!(wall.size.head(wall.planar ? 2 : 3).minCoeff() > 0.0)) keys.fail("size", "full edge lengths, each > 0 [m]");
    wall.origin = keys.vector_or("origin", "m", Vector3::Zero());
    wall.bond = keys.number_or("bond", kBond, "", wall.bond);
    if (count_bricks(wall) > most()) keys.fail("counts", fmt::format("at most {} bodies", most()));
    for (const Brick& brick : lay_bricks(wall)) {
      SceneBody body = draw_body();
      if (!body.density) reader_.fail("body", "a density, by which bricks and pieces of bricks weigh");
      body.position = brick.center;
      body.shapes.push_back({"brick", Box{brick.size}, Vector3::Zero(), {}});
      add(std::move(body));
    }
  }

  /// Bodies as a file states them. `rows` is such a file's text: what a result has, which is read without other files.
  void fill_rows(std::string_view key) {
    const bool planar = reader_.dimension() == 2;
    const auto parse = [&](const std::string& bytes, const std::string& name) {
      return parse_body_rows(bytes, name, planar, static_cast<std::size_t>(most()));
    };
    BodyRows rows;
    if (key == "file") {
      rows = parse_data_file(reader_, "file", parse);
      if (rows.rows.empty()) reader_.fail("file", "a file of one body a line; it has none");
    } else {
      const std::string& inner = reader_.string("rows", "a text of one body a line");
      try {
        rows = parse(inner, "");
      } catch (const InputError& error) {
        throw InputError(place(*reader_.find("rows")), reader_.path_of("rows"), error.value(),
                         fmt::format("line {} of the text: {}", error.place().line, error.allowed()));
      }
      if (rows.rows.empty()) reader_.fail("rows", "a text of one body a line");
    }
    for (const BodyRow& row : rows.rows) {
      SceneBody body = rows.have_radius ? draw_body(row.radius) : draw_body();
      if (body.type == BodyType::point) reader_.fail("body", "a rigid or planar body: rows have orientations");
      body.position = row.position;
      body.velocity = row.velocity;
      body.angular_velocity = row.angular_velocity;
      if (planar) {
        body.orientation = PlanarAngle{row.angle};
      } else {
        body.orientation = Quaternion{row.quaternion};
      }
      add(std::move(body));
    }
    rows_ = std::move(rows);
  }

  /// Gives the body's spheres a radius, and a body without shapes a sphere.
  void set_radius(TomlValue& body, double radius) const {
    const Mark mark = body.mark;
    const TomlValue value{radius, mark};
    TomlValue* shapes = find_value(*body.table(), "shapes");
    if (shapes == nullptr) {
      const TomlValue ball{TomlValue::Table{{"type", mark, {std::string("sphere"), mark}}, {"radius", mark, value}},
                           mark};
      body.table()->push_back({"shapes", mark, {TomlValue::Table{{"ball", mark, ball}}, mark}});
      return;
    }
    bool has_sphere = false;
    if (shapes->table() != nullptr) {
      for (TomlEntry& shape : *shapes->table()) {
        if (shape.value.table() == nullptr) continue;  // read_body() says what is wrong
        TomlValue::Table& keys = *shape.value.table();
        const TomlValue* type = find_value(keys, "type");
        if (type == nullptr || type->string() == nullptr || *type->string() != "sphere") continue;
        if (const TomlValue* given = find_value(keys, "radius")) {
          reader_.fail_at(*given, reader_.path_of(fmt::format("body.shapes.{}.radius", shape.key)),
                          "no radius: the fill gives it");
        }
        keys.push_back({"radius", mark, value});
        has_sphere = true;
      }
    }
    if (!has_sphere) {
      reader_.fail("body", "a body with a sphere, whose radius the fill gives, or without shapes: a sphere is added");
    }
  }

  /// The body of the table, each law in it, such as {uniform = [a, b]}, replaced by a number.
  SceneBody draw_body(std::optional<double> radius = std::nullopt) {
    TomlValue drawn = body_;
    draw(drawn, reader_.path_of("body"));
    if (radius) set_radius(drawn, *radius);
    const std::string name = fmt::format("{}{}", prefix_, n_++);
    SceneBody body = read_repeated(drawn, name);
    const bool can_fill = body.type == BodyType::planar || body.type == BodyType::rigid || body.type == BodyType::point;
    if (!can_fill) reader_.fail("body", "a rigid, planar or point body");
    if (turns_) turn(body);
    return body;
  }

  void turn(SceneBody& body) {
    if (body.type == BodyType::point) reader_.fail("orientation", "none: points have no orientation");
    if (reader_.dimension() == 2) {
      body.orientation = PlanarAngle{draws_.uniform(0.0, 2.0 * std::numbers::pi)};
    } else {
      body.orientation = Quaternion{draws_.rotation()};
    }
  }

  /// Bodies of a fill are written at one place: it is noted for the first of them.
  SceneBody read_repeated(const TomlValue& table, const std::string& name) {
    ReadContext context = reader_.context();
    const std::string path = "bodies." + name;
    if (n_ > 1) {
      context.notes_places = false;
      context.scene.places.set_like(path, fmt::format("bodies.{}0", prefix_));
    }
    return read_body(TableReader(context, table, path), name);
  }

  /// Replaces each law in a value by a number; `is_size`: it must be > 0.
  void draw(TomlValue& value, const std::string& path, bool is_size = false) {
    if (TomlValue::Array* array = value.array()) {
      for (std::size_t i = 0; i < array->size(); ++i) draw((*array)[i], fmt::format("{}[{}]", path, i), is_size);
    }
    TomlValue::Table* table = value.table();
    if (table == nullptr) return;
    if (is_law(*table)) {
      value.content = draw_number(TableReader(reader_.context(), value, path), is_size);
      return;
    }
    if (is_size) reader_.fail_at(value, path, fmt::format("a number, or a law: {} = [..]", join_choices(kDrawLaws)));
    for (TomlEntry& entry : *table) {
      const bool of_size = std::find(kSizes.begin(), kSizes.end(), entry.key) != kSizes.end();
      draw(entry.value, path + "." + entry.key, of_size);
    }
  }

  DrawLaw read_law(const TableReader& reader) const {
    reader.allow({"uniform", "list", "weights", "normal", "log_normal", "power", "within"});
    std::string_view key;
    for (const std::string_view each : kDrawLaws) {
      if (!reader.has(each)) continue;
      if (!key.empty()) reader.fail(each, fmt::format("only one of {}", join_choices(kDrawLaws)));
      key = each;
    }
    if (reader.has("weights") && key != "list") reader.fail("weights", "goes with list");
    DrawLaw law;
    law.parameters = reader.numbers(key, kAnyNumber, "");
    const std::vector<double>& p = law.parameters;
    if (key == "uniform") {
      law.kind = DrawLaw::Kind::uniform;
      if (p.size() != 2 || !(p[0] <= p[1])) reader.fail(key, "[least, most]");
    } else if (key == "normal") {
      law.kind = DrawLaw::Kind::normal;
      if (p.size() != 2 || p[1] < 0.0) reader.fail(key, "[mean, standard deviation >= 0]");
    } else if (key == "log_normal") {
      law.kind = DrawLaw::Kind::log_normal;
      if (p.size() != 2 || !(p[0] > 0.0) || p[1] < 0.0) {
        reader.fail(key, "[median > 0, standard deviation of the logarithm >= 0]");
      }
    } else if (key == "power") {
      law.kind = DrawLaw::Kind::power;
      if (p.size() != 3 || !(p[0] > 0.0) || !(p[0] <= p[1])) reader.fail(key, "[a, b, k] with 0 < a <= b");
    } else {
      law.kind = DrawLaw::Kind::list;
      if (p.empty()) reader.fail(key, "an array of at least one number");
      law.weights.assign(p.size(), 1.0);
      if (reader.has("weights")) law.weights = reader.numbers("weights", kNotNegative, "");
      const bool all_zero = std::all_of(law.weights.begin(), law.weights.end(), [](double x) { return x == 0.0; });
      if (law.weights.size() != p.size() || all_zero) {
        reader.fail("weights", fmt::format("{} numbers >= 0, one for each of list, not all 0", p.size()));
      }
    }
    return law;
  }

  double draw_number(const TableReader& reader, bool is_size) {
    const DrawLaw law = read_law(reader);
    std::array<double, 2> within = {-HUGE_VAL, HUGE_VAL};
    if (reader.has("within")) {
      within = reader.pair_of_numbers("within", kAnyNumber, "");
      if (!(within[0] <= within[1])) reader.fail("within", "[least, most]");
    }
    for (int attempt = 0; attempt < kMaxRedraws; ++attempt) {
      const double number = law.draw(draws_);
      if (number >= within[0] && number <= within[1] && (number > 0.0 || !is_size)) return number;
    }
    const std::string_view key = reader.has("within") ? "within" : std::string_view(reader.entries().front().key);
    reader.fail(key, fmt::format("numbers that come up: {} draws gave none that is allowed", kMaxRedraws));
  }

  void add(SceneBody&& body) {
    Scene& scene = reader_.context().scene;
    if (!names_.insert(body.name).second) {
      throw InputError(place(body_), reader_.path_of("prefix"), "\"" + prefix_ + "\"",
                       fmt::format("a prefix of its own: there is a body '{}' already", body.name));
    }
    body.fill = static_cast<int>(scene.fills.size());
    if (!rate_) body.from = from_;
    scene.bodies.push_back(std::move(body));
  }

  /// The keys as TOML, one a line, without rows.
  std::string text() const {
    std::string text;
    for (const TomlEntry& entry : reader_.entries()) {
      if (entry.key == "file" || entry.key == "rows") continue;
      const TomlValue& value = entry.key == "body" ? body_ : entry.value;
      text += fmt::format("{} = {}\n", quote_toml_key(entry.key), write_toml_value(value));
    }
    return text;
  }

  const TableReader& reader_;
  std::set<std::string>& names_;
  Draws draws_;
  TomlValue body_;
  BodyRows rows_;  // where bodies are from rows
  std::string prefix_ = "fill";
  bool turns_ = false;          // orientation = "random"
  std::optional<double> from_;  // [s]
  std::optional<double> rate_;  // [1/s]
  std::int64_t n_ = 0;
};

}  // namespace

void read_fills(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("fill");
  if (value == nullptr) return;
  if (value->array() == nullptr) scene.fail("fill", "an array of tables: [[fill]]");
  std::set<std::string> names;
  for (const SceneBody& body : context.scene.bodies) names.insert(body.name);
  for (std::size_t i = 0; i < value->array()->size(); ++i) {
    const TableReader reader(context, (*value->array())[i], fmt::format("fill[{}]", i));
    Fill(reader, names).read();
  }
}

}  // namespace stickslip
