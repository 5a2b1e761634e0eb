// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/write_error.h"
#include "stickslip/verify/verify.h"
#include "terminal.h"

namespace stickslip {
namespace {

class VerifyCommand final : public Command {
 public:
  explicit VerifyCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand(
        "verify", "Recompute from a result alone what it claims: penetration, cones, momentum, energies");
    command->add_option("results", paths_, "result files")->type_name("RESULT.h5")->required();
    command->add_option("--json", json_, "write what was found as a JSON list, too")->type_name("FILE");
    command->add_flag("--force", force_, "write over an existing file of --json");
  }
  int execute() override;

 private:
  std::vector<std::string> paths_;
  std::string json_;
  bool force_ = false;
};

/// Of several files "no result" wins over "a false claim", which wins over "all is right".
int VerifyCommand::execute() {
  for (const std::string& path : paths_) {
    std::error_code not_there;
    if (!json_.empty() && std::filesystem::equivalent(json_, path, not_there)) {
      throw InputError({}, "--json", json_, "another file: this is a result");
    }
  }
  if (!json_.empty() && !force_) check_replaceable(json_, MayReplace::nothing);
  bool all_right = true;
  bool all_results = true;
  std::string json;
  for (const std::string& path : paths_) {
    try {
      const Verification found = verify_result(path);
      print_output("{}\n", describe(found));
      json += (json.empty() ? "\n  " : ",\n  ") + to_json(found);
      all_right &= found.ok();
    } catch (const InputError& error) {
      print_error("{}\n", error.what());
      all_results = false;
    }
  }
  if (!json_.empty()) {
    std::ofstream out(json_, std::ios::binary);
    out << "[" << json << "\n]\n";
    if (!out.flush()) throw WriteError(json_ + ": cannot be written");
  }
  if (!all_results) return kBadInput;
  return all_right ? kDone : kInexact;
}

}  // namespace

std::unique_ptr<Command> add_verify_command(CLI::App& program) {
  return std::make_unique<VerifyCommand>(program);
}

}  // namespace stickslip
