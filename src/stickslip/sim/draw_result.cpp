// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/draw_result.h"

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/vtk_writer.h"
#include "stickslip/scene/build.h"
#include "stickslip/sim/resume.h"

namespace stickslip {

void draw_result(const std::filesystem::path& result, const std::filesystem::path& folder, const StopToken& stop) {
  const Trajectory before(result);
  Checkpoint all;  // the last checkpoint counts fewer rows than there are: a run goes on before its last step
  all.rows = before.rows();
  all.steps = before.steps();
  if (all.rows == 0) throw InputError({result.string()}, "/time", "", "no rows");
  const BuiltScene built = build(scene_of(before), {}, stop);
  VtkWriter writer(folder, *built.system, built.initial, all.rows);
  writer.begin(before, all, stop);
  writer.publish();
  writer.finish({RunState::done, "", all, {}});
}

}  // namespace stickslip
