#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel of the Python package: for pip (PEP 517, pyproject.toml), and as `build_wheel.py FOLDER`, which says
whether the wheel is new. It needs what the program is built of, Python's headers and pybind11, and nothing of a network.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel
SUMMARY = "Simulates mechanical systems whose parts touch, stick, slip and collide"


def version():
    return re.search(r"project\(stickslip VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build_module():
    """Compiles the module; the libraries in it are those of the program."""
    script = """
        source scripts/common.sh
        configure_preset release
        if ! grep -qs "^Python_EXECUTABLE:[A-Z]*=$1$" build/release/CMakeCache.txt ||
           ! grep -qs stickslip_python build/release/build.ninja build/release/Makefile; then
          cmake -DPython_EXECUTABLE="$1" build/release >/dev/null
        fi
        build_preset release stickslip_python"""
    done = subprocess.run(["bash", "-c", script, "build", sys.executable], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + "\nstickslip: the Python module was not built; it needs pybind11-dev, python3-dev "
                 "(scripts/setup python installs them)")
    return next((BUILD / "python").glob("_stickslip*" + sysconfig.get_config_var("EXT_SUFFIX")))


def tag():
    python = "cp" + sysconfig.get_config_var("py_version_nodot")
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def metadata():
    return (f"Metadata-Version: 2.1\nName: stickslip\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: BSD-3-Clause\n"
            "Requires-Python: >=3.10\nRequires-Dist: numpy\nProvides-Extra: results\n"
            "Requires-Dist: h5py; extra == 'results'\nRequires-Dist: matplotlib; extra == 'results'\n"
            "Provides-Extra: dask\nRequires-Dist: distributed; extra == 'dask'\n")


def files():
    """(name in the wheel, bytes)."""
    package = ROOT / "python/stickslip"
    for path in sorted(package.glob("*")):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            yield f"stickslip/{path.name}", path.read_bytes()
    yield "stickslip/_plots.py", (ROOT / "src/stickslip/report/plots.py").read_bytes()
    module = build_module()
    yield f"stickslip/{module.name}", module.read_bytes()
    info = f"stickslip-{version()}.dist-info"
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()
    sundials = ROOT / "build/sundials/copyright"  # whose objects the module holds, where they were found
    if sundials.exists():
        yield f"{info}/LICENSE.SUNDIALS", sundials.read_bytes()
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: stickslip\nRoot-Is-Purelib: false\nTag: {tag()}\n").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    name = f"stickslip-{version()}-{tag()}.whl"
    info = f"stickslip-{version()}.dist-info"
    record = ""
    target = pathlib.Path(wheel_directory) / name
    temporary = target.with_name(f"{name}.{os.getpid()}.tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path, data):
            entry = zipfile.ZipInfo(path, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)

        for path, data in files():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            add(path, data)
        add(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    os.replace(temporary, target)
    return name


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    before = {path.name: path.read_bytes() for path in folder.glob("stickslip-*.whl")}
    made = build_wheel(folder)
    for name in before:
        if name != made:
            (folder / name).unlink()
    if before.get(made) == (folder / made).read_bytes():
        print("the same")
    else:
        print("new")
