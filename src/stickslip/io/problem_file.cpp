// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/problem_file.h"

#include <array>
#include <fstream>
#include <string_view>

#include "stickslip/io/fclib_file.h"
#include "stickslip/io/lcp_text.h"

namespace stickslip {
namespace {

/// Every HDF5 file that begins at its first byte begins so.
constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";

bool is_hdf5(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // reading from a pipe may wait for ever
  std::ifstream in(path, std::ios::binary);
  std::array<char, kHdf5Signature.size()> start = {};
  in.read(start.data(), start.size());
  return in.gcount() == static_cast<std::streamsize>(start.size()) &&
         std::string_view(start.data(), start.size()) == kHdf5Signature;
}

}  // namespace

OneStepProblem read_problem(const std::filesystem::path& path) {
  const auto extension = path.extension();
  if (is_hdf5(path) || extension == ".hdf5" || extension == ".h5") return read_fclib(path);
  return make_one_step_problem(read_lcp(path));
}

std::filesystem::path solved_problem_path(const std::filesystem::path& folder, const std::string& stem,
                                          const OneStepProblem& problem) {
  return folder / (stem + (problem.is_lcp() ? ".txt" : ".hdf5"));
}

void write_solved_problem(const std::filesystem::path& folder, const std::string& stem, const OneStepProblem& problem,
                          const ConeSolution& solution) {
  const std::filesystem::path path = solved_problem_path(folder, stem, problem);
  if (problem.is_lcp()) return write_lcp_solution(path, solution.p);
  write_fclib(path, problem, &solution);
}

}  // namespace stickslip
