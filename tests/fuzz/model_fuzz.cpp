// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a model in URDF or MJCF: a scene that reads back, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/load_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stickslip;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  RobotOptions options;
  options.reads_files = false;
  ConvertedModel model;
  try {
    model = convert_model_text(text, "fuzz.xml", options);
  } catch (const InputError&) {
    return 0;
  }
  // What is written is a scene, whatever the model was.
  parse_scene(model.scene, "fuzz.xml",
              {.convert = {}, .overrides = {}, .allow_include = false, .max_bytes = std::size_t{1} << 30});
  return 0;
}
