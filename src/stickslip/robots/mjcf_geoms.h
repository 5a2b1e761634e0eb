// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

#include "stickslip/robots/mjcf_fields.h"

namespace stickslip {

/// A geom: its mass, and its shape where it has one here.
struct MjcfGeom {
  RobotMass mass;
  std::optional<RobotShape> shape;
  int group = 0;
};

/// Meshes and height fields of a model, and the geoms that are read with them.
class MjcfGeoms {
 public:
  MjcfGeoms(const XmlElement& root, const std::filesystem::path& file, const MjcfDefaults& defaults,
            const MjcfCompiler& compiler, const RobotOptions& options, RobotWarnings& warnings);

  /// Named by the caller. `frame`: of the frames around it.
  MjcfGeom read(const XmlElement& element, const std::string& childclass, const Pose& frame);
  /// Of height fields: bytes by name.
  const std::map<std::string, std::string>& files() const { return fields_.files(); }

 private:
  struct Mesh {
    RobotMesh mesh;
    Pose pose;       // of what `mesh` says in the geom's frame
    RobotMass unit;  // of density 1, in the geom's frame
    bool is_read = false;
  };

  MjcfAttribute find(const char* key) const { return defaults_.find(*element_, key, childclass_); }
  /// How the mesh's mass is meant.
  std::string read_inertia(const XmlElement& mesh);
  void read_mesh(const XmlElement& element, Mesh& mesh);
  Mesh& find_mesh(const MjcfAttribute& name);
  ShapeGeometry fit(const std::string& type, const Mesh& mesh, Pose& pose) const;
  Vector3 read_sizes(const std::string& type, std::size_t n, Pose& pose) const;
  void read_contact(ShapeContact& contact);
  std::optional<ShapeGeometry> read_geometry(const std::string& type, MjcfGeom& geom, Pose& pose,
                                             std::optional<RobotMesh>& mesh);

  const MjcfDefaults& defaults_;
  const MjcfCompiler& compiler_;
  const RobotOptions& options_;
  RobotWarnings& warnings_;
  std::filesystem::path folder_;
  std::map<std::string, std::pair<const XmlElement*, Mesh>> meshes_;
  MjcfFields fields_;
  // Of the geom that is read:
  const XmlElement* element_ = nullptr;
  std::string childclass_;
};

/// What is wrong with the inertia, or nothing, after what the compiler does to masses of bodies that move.
std::string adjust_mjcf_mass(const MjcfCompiler& compiler, RobotMass& mass);

}  // namespace stickslip
