// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "stickslip/robots/mjcf_settings.h"

namespace stickslip {

/// Height fields of a model, each of which becomes a file beside the scene.
class MjcfFields {
 public:
  /// `folder`: where files are looked up.
  MjcfFields(const XmlElement& root, std::filesystem::path folder, const MjcfCompiler& compiler,
             const RobotOptions& options);

  /// The one of that name, as a mesh whose file is one of files().
  const RobotMesh& find(const MjcfAttribute& name);
  const std::map<std::string, std::string>& files() const { return files_; }

 private:
  /// Elevations by rows, the first of the least y, as the format has them.
  struct Grid {
    std::size_t rows = 0, columns = 0;
    std::vector<double> z;
  };

  RobotMesh read(const XmlElement& element, const std::string& name);
  Grid read_grid(const XmlElement& element) const;
  Grid read_file(const XmlElement& element, const XmlAttribute& file) const;

  std::filesystem::path folder_;
  const MjcfCompiler& compiler_;
  const RobotOptions& options_;
  std::map<std::string, const XmlElement*> elements_;
  std::map<std::string, RobotMesh> meshes_;
  std::map<std::string, std::string> files_;
};

}  // namespace stickslip
