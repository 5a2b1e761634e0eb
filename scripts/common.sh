# SPDX-License-Identifier: BSD-3-Clause
# Read by the other scripts: where the project is, how many jobs, how a preset is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The system's Python: it is the one that sees Debian's python3-h5py and python3-matplotlib.
readonly kPython=/usr/bin/python3

# As many jobs as cores, but no more than memory holds: ten files that lean on Eigen take up to 1.4 GB to
# compile, 1.8 GB under the sanitizers.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1800000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  [ "$memory" -lt "$cores" ] && echo "$memory" || echo "$cores"
}

# llvm_tool clang++ : the name of LLVM 14's tool, on which formatting and warnings agree everywhere, or else the
# unversioned one; nothing where there is none.
llvm_tool() {
  command -v "$1-14" || command -v "$1" || true
}

# Lets clones in different folders share ccache's objects.
export CCACHE_BASEDIR=$PWD

# configure_preset PRESET : once; Ninja and CMake notice changes by themselves.
configure_preset() {
  local preset=$1 options=() clang
  clang=$(llvm_tool clang++)
  # The sanitizers by clang, where there is one: in half of GCC's time, and libFuzzer's targets use the same objects.
  if [ "$preset" = tsan ] && [ -n "$clang" ]; then options+=("-DCMAKE_CXX_COMPILER=$clang"); fi
  if [ "$preset" = asan ] && [ -n "$clang" ]; then
    options+=("-DCMAKE_CXX_COMPILER=$clang" -DSTICKSLIP_FUZZERS=ON)
    # A folder that was configured by hand may have another compiler's objects.
    grep -qs '^STICKSLIP_FUZZERS:BOOL=ON' build/asan/CMakeCache.txt || rm -rf build/asan/CMakeCache.txt build/asan/CMakeFiles
  fi
  [ ! -e "build/$preset/CMakeCache.txt" ] || return 0
  # Ninja where there is one; an exported CMAKE_GENERATOR wins.
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
  cmake --preset "$preset" "${options[@]}" >"/tmp/stickslip-configure.$$" 2>&1 || {
    cat "/tmp/stickslip-configure.$$" >&2
    rm -f "/tmp/stickslip-configure.$$"
    return 1
  }
  rm -f "/tmp/stickslip-configure.$$"
}

# build_preset PRESET [TARGET...]
build_preset() {
  local preset=$1
  shift
  configure_preset "$preset" || return 1
  cmake --build "build/$preset" -j "$(jobs)" ${1:+--target "$@"}
}
