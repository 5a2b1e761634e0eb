// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>

#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

/// Bodies of all fills of a scene at most. [-]
constexpr std::int64_t kMaxFillBodies = 1'000'000;
/// Places tried for one body before there is said to be no room. [-]
constexpr int kMaxTries = 10'000;

/// Random numbers that are the same with every library: the engine is fixed by the C++ standard, the distributions of
/// the library are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  double uniform(double a, double b) {
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53: the 53 upper bits make a double in [0, 1)
    return a + (b - a) * (static_cast<double>(engine_() >> 11) * kUnit);
  }

 private:
  std::mt19937_64 engine_;
};

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
  double operator()(const Convex& c) const {
    double reach = 0.0;
    for (const Vector3& p : c.points) reach = std::max(reach, p.norm());
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

class Fill {
 public:
  Fill(const TableReader& reader, std::set<std::string>& names)
      : reader_(reader), names_(names), draws_(static_cast<std::uint64_t>(reader.integer_or("seed", 0, 1))) {}

  void read() {
    reader_.allow({"body", "grid", "random", "jitter", "seed", "prefix"}, {"pile", "file"});
    if (reader_.has("grid") == reader_.has("random")) {
      reader_.fail(reader_.has("grid") ? "random" : "grid", "one of grid = {...} and random = {...}");
    }
    if (reader_.has("prefix")) {
      prefix_ = reader_.string("prefix", "a name: bodies are called <prefix>0, <prefix>1, ...");
      check_name(prefix_, place(*reader_.find("prefix")), reader_.path_of("prefix"));
    }
    body_ = &reader_.require("body", "a table: the body that is repeated");
    if (body_->table() == nullptr) reader_.fail("body", "a table: the body that is repeated");
    for (const TomlEntry& entry : *body_->table()) {
      if (entry.key == "position" || entry.key == "start") {
        throw InputError(reader_.context().document.place(entry.mark), reader_.path_of("body." + entry.key), "",
                         "no place: the fill gives it");
      }
    }
    reader_.has("grid") ? fill_grid() : fill_box();
    reader_.context().scene.fills.push_back(text());
  }

 private:
  SourcePlace place(const TomlValue& value) const { return reader_.context().document.place(value.mark); }

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

  std::vector<std::int64_t> read_counts(const TableReader& grid) const {
    const std::string allowed =
        grid.dimension() == 2 ? "two whole numbers >= 1 [nx, ny]" : "three whole numbers >= 1 [nx, ny, nz]";
    const TomlValue::Array* array = grid.require("counts", allowed).array();
    if (array == nullptr || array->size() != grid.dimension()) grid.fail("counts", allowed);
    std::vector<std::int64_t> counts;
    std::int64_t product = 1;
    for (const TomlValue& value : *array) {
      const auto* count = std::get_if<std::int64_t>(&value.content);
      if (count == nullptr || *count < 1) grid.fail("counts", allowed);
      if (*count > kMaxFillBodies / product) grid.fail("counts", fmt::format("at most {} bodies", kMaxFillBodies));
      product *= *count;
      counts.push_back(*count);
    }
    counts.resize(3, 1);
    return counts;
  }

  /// Bodies lie in the box as a whole. All are drawn first, so that the cells suit the largest.
  void fill_box() {
    const TableReader random(reader_.context(), *reader_.find("random"), reader_.path_of("random"));
    random.allow({"count", "box"});
    if (reader_.has("jitter")) reader_.fail("jitter", "goes with grid: random places need none");
    const int count = random.integer_or("count", 1, 0);
    if (count < 1 || count > kMaxFillBodies) {
      random.require("count", "a whole number >= 1");
      random.fail("count", fmt::format("a whole number from 1 to {}", kMaxFillBodies));
    }
    const std::string allowed = "two corners [[..], [..]] [m], the lower one first";
    const std::vector<Vector3> box = random.rows("box", allowed, random.dimension(), "m");
    const int dim = static_cast<int>(random.dimension());
    if (box.size() != 2 || !((box[1] - box[0]).head(dim).minCoeff() > 0.0)) random.fail("box", allowed);
    std::vector<SceneBody> bodies;
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
      bodies.push_back(draw_body());
      largest = std::max(largest, reach_of(bodies.back(), dim == 2));
    }
    if (!std::isfinite(largest)) reader_.fail("body", "a body of bounded shapes, to be placed without overlap");
    Room room(2.0 * largest);
    for (int i = 0; i < count; ++i) {
      const double reach = reach_of(bodies[i], dim == 2);
      bodies[i].position = find_place(box, reach, room, dim);
      if (!bodies[i].position.allFinite()) {
        random.fail("count",
                    fmt::format("fewer bodies or a larger box: no room was found for body {} of {}", i, count));
      }
      room.add(bodies[i].position, reach);
    }
    for (SceneBody& body : bodies) add(std::move(body));
  }

  Vector3 find_place(const std::vector<Vector3>& box, double reach, const Room& room, int dim) {
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

  /// The body of the table, each {uniform = [a, b]} in it replaced by a number.
  SceneBody draw_body() {
    TomlValue drawn = *body_;
    draw(drawn, reader_.path_of("body"));
    const std::string name = fmt::format("{}{}", prefix_, n_++);
    SceneBody body = read_repeated(drawn, name);
    const bool can_fill = body.type == BodyType::planar || body.type == BodyType::rigid || body.type == BodyType::point;
    if (!can_fill) reader_.fail("body", "a rigid, planar or point body");
    return body;
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

  void draw(TomlValue& value, const std::string& path) {
    if (TomlValue::Array* array = value.array()) {
      for (std::size_t i = 0; i < array->size(); ++i) draw((*array)[i], fmt::format("{}[{}]", path, i));
    }
    TomlValue::Table* table = value.table();
    if (table == nullptr) return;
    if (table->size() == 1 && table->front().key == "uniform") {
      const TableReader reader(reader_.context(), value, path);
      const std::array<double, 2> ends = reader.pair_of_numbers("uniform", kAnyNumber, "");
      if (!(ends[0] <= ends[1])) reader.fail("uniform", "[least, most]");
      value.content = draws_.uniform(ends[0], ends[1]);
      return;
    }
    for (TomlEntry& entry : *table) draw(entry.value, path + "." + entry.key);
  }

  void add(SceneBody&& body) {
    Scene& scene = reader_.context().scene;
    if (!names_.insert(body.name).second) {
      throw InputError(place(*body_), reader_.path_of("prefix"), "\"" + prefix_ + "\"",
                       fmt::format("a prefix of its own: there is a body '{}' already", body.name));
    }
    body.fill = static_cast<int>(scene.fills.size());
    scene.bodies.push_back(std::move(body));
  }

  /// The keys as TOML, one a line.
  std::string text() const {
    std::string text;
    for (const TomlEntry& entry : reader_.entries()) {
      text += fmt::format("{} = {}\n", quote_toml_key(entry.key), write_toml_value(entry.value));
    }
    return text;
  }

  const TableReader& reader_;
  std::set<std::string>& names_;
  Draws draws_;
  const TomlValue* body_ = nullptr;
  std::string prefix_ = "fill";
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
