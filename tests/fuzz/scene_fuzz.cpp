// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a scene: they are a scene, or they are answered with an InputError. A scene is built, and its text
// reads back as an equal scene.
//
//   build/fuzz/fuzz/scene_fuzz -max_total_time=60 -max_len=4096 -dict=tests/fuzz/scene.dict NEW_CORPUS
//   tests/fuzz/scene_corpus
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stickslip::LoadOptions options;
  options.allow_include = false;             // no files but the one
  options.max_bytes = std::size_t{1} << 16;  // [bytes] more text finds nothing that less does not
  options.max_fill_bodies = 1000;            // [-] nor more bodies
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const stickslip::Scene scene = stickslip::parse_scene(text, "fuzz.toml", options);
    options.max_bytes *= 16;  // written out in full, a scene is longer
    if (!(stickslip::parse_scene(stickslip::to_toml(scene), "again.toml", options) == scene)) std::abort();
    stickslip::check_scene(scene);
  } catch (const stickslip::InputError&) {
  }
  return 0;
}
