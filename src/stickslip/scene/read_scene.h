// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"
#include "stickslip/scene/table_reader.h"

namespace stickslip {

/// What a document means. Throws InputError.
Scene read_scene(const Document& document, const std::string& default_name);

// The parts, each in a file of its own.
void read_parameters(ReadContext& context, const TableReader& scene);
void read_settings(ReadContext& context, const TableReader& scene);  // time, scheme, solver, output
void read_bodies(ReadContext& context, const TableReader& scene);
void read_fills(ReadContext& context, const TableReader& scene);
void read_contacts(ReadContext& context, const TableReader& scene);
void read_contact_default(ReadContext& context, const TableReader& scene);
void read_materials(ReadContext& context, const TableReader& scene);
void read_measures(ReadContext& context, const TableReader& scene);
/// After bodies and joints.
void read_sites(ReadContext& context, const TableReader& scene);
void read_sensors(ReadContext& context, const TableReader& scene);
void read_laws(ReadContext& context, const TableReader& scene);
/// Whether the tolerance is looser with many contacts, where the file has none; after bodies and contacts.
void set_default_tolerance(ReadContext& context, const TableReader& scene);
void read_joints(ReadContext& context, const TableReader& scene);
void read_couplings(ReadContext& context, const TableReader& scene);
void read_forces(ReadContext& context, const TableReader& scene);
/// The exact motions of bodies; after the bodies.
void read_reference(ReadContext& context, const TableReader& scene);

/// The table of one body, named `name`.
SceneBody read_body(const TableReader& reader, const std::string& name);

}  // namespace stickslip
