# SPDX-License-Identifier: BSD-3-Clause
"""Scenes as dictionaries of tables, as written, and makers of their tables."""
import os

from . import _stickslip

# Tables that a scene may lack, which an attribute makes; empty ones are not written.
_TABLES = ("time", "scheme", "solver", "output", "limits", "parameters", "bodies", "joints", "forces", "reference")
_LISTS = ("contacts", "fill")


class Table(dict):
    """A table of a scene: its keys are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no key '{name}'") from None

    def __setitem__(self, key, value):
        super().__setitem__(key, _wrap(value) if type(value) is dict else value)

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"no key '{name}'") from None


def _wrap(value):
    if isinstance(value, dict):
        return Table((key, _wrap(element)) for key, element in value.items())
    if isinstance(value, list):
        return [_wrap(element) for element in value]
    return value


class Scene(Table):
    """A scene: a dictionary of tables as a file has them, also as attributes.

    scene["time"]["step"]; scene.bodies["ball"] = stickslip.Rigid(mass=1, ...); scene.contacts.append(stickslip.Contact(...)).
    Numbers as in files: expressions ("=l/2") and parameters stay. Files that it names lie beside `file`.
    """

    def __init__(self, tables=None, file="scene.toml", **more):
        super().__init__(_wrap(dict(tables or {}, **more)))
        object.__setattr__(self, "_file", os.fspath(file))
        object.__setattr__(self, "_files", {})  # bytes of files that only a model has, by name
        object.__setattr__(self, "_warnings", [])

    @classmethod
    def _of(cls, tables, file, files, warnings):
        scene = cls(tables, file=file)
        object.__setattr__(scene, "_files", dict(files))
        object.__setattr__(scene, "_warnings", list(warnings))
        return scene

    @property
    def warnings(self):
        """What was left out or changed of the model that it was loaded from: "FILE:LINE: warning: WHAT: text" each."""
        return list(self._warnings)

    def __getattr__(self, name):
        if name not in self and (name in _TABLES or name in _LISTS):
            self[name] = Table() if name in _TABLES else []
        return super().__getattr__(name)

    def _tables(self):
        """What is written: without empty tables."""
        return {key: value for key, value in self.items() if not (value in ({}, []) and key in _TABLES + _LISTS)}

    def copy(self):
        """Another scene with the same tables."""
        return Scene._of(self, self._file, self._files, self._warnings)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return Scene._of, (dict(self), self._file, self._files, self._warnings)

    def to_toml(self):
        """The text that a result holds: parameters, expressions and defaults put in. Raises InputError."""
        return _stickslip.to_toml(self)

    def __eq__(self, other):
        if not isinstance(other, Scene):
            return NotImplemented
        return self.to_toml() == other.to_toml()

    __hash__ = None

    def check(self):
        """Likely mistakes, a text each. Raises InputError where the scene cannot be built."""
        return _stickslip.check(self)

    def save(self, path):
        """Writes the scene as it is written here: parameters act when it is read again. Height fields of a model go
        beside it.
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text())
        for name, data in self._files.items():
            with open(os.path.join(os.path.dirname(os.fspath(path)), name), "wb") as file:
                file.write(data)

    def _text(self):
        tables = {"stickslip": 1, **self._tables()}
        lines, sections = [], []
        for key, value in tables.items():
            name = _stickslip.quote_key(key)
            if isinstance(value, dict):
                inner = [f"{_stickslip.quote_key(k)} = {_stickslip.write_value(v, f'{key}.{k}')}\n" for k, v in value.items()
                         if not isinstance(v, dict)]
                sections.append(f"\n[{name}]\n" + "".join(inner))
                for k, v in value.items():
                    if isinstance(v, dict):
                        entries = "".join(f"{_stickslip.quote_key(i)} = {_stickslip.write_value(x, f'{key}.{k}.{i}')}\n"
                                          for i, x in v.items())
                        sections.append(f"\n[{name}.{_stickslip.quote_key(k)}]\n{entries}")
            elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
                for v in value:
                    entries = "".join(f"{_stickslip.quote_key(i)} = {_stickslip.write_value(x, f'{key}.{i}')}\n"
                                      for i, x in v.items())
                    sections.append(f"\n[[{name}]]\n{entries}")
            else:
                lines.append(f"{name} = {_stickslip.write_value(value, key)}\n")
        return "".join(lines) + "".join(sections)

    def __repr__(self):
        return f"<stickslip.Scene '{self.get('name', os.path.basename(self._file))}'>"


def load(path, set=None, *, strict=False, package=(), base=None, key=None, balance_inertia=False):
    """Reads a scene file with its includes, or a model in URDF or MJCF; set: {"key.path": value}, as --set.

    The others are those of `stickslip convert`: what would be left out is an error; folders of packages; "fixed" or
    "free"; the name of a keyframe; the mean of moments that no body has. `warnings` of the scene are those of the model.
    Raises InputError.
    """
    tables, warnings, files = _stickslip.load_tables(path, set, strict, package, base, key, balance_inertia)
    return Scene._of(tables, path, files, warnings)


def parse(text, file="scene.toml", set=None):
    """Reads a scene from text; `file` stands in messages, and files that it names lie beside. Raises InputError."""
    return Scene(_stickslip.parse_tables(text, os.fspath(file), set), file=file)


def _maker(name, kind, meaning, first=()):
    """A function that makes a table of this type; `first`: keys by position, (key, default) where there is one, None: left out."""
    keys = [key if isinstance(key, tuple) else (key,) for key in first]

    def make(*values, **more):
        if len(values) > len(keys):
            raise TypeError(f"{name}() takes {len(keys)} values by position, {len(values)} were given")
        table = Table() if kind is None else Table(type=kind)
        for number, (key, *default) in enumerate(keys):
            if number < len(values):
                if key in more:
                    raise TypeError(f"{name}(): {key} is given twice")
                table[key] = values[number]
            elif key in more:
                table[key] = more.pop(key)
            elif default:
                if default[0] is not None:
                    table[key] = default[0]
            else:
                raise TypeError(f"{name}() lacks {key}")
        table.update(more)
        return table

    make.__name__ = make.__qualname__ = name
    make.__module__ = "stickslip"
    make.__doc__ = meaning + " Keys: docs/scene-format.md."
    return make


_MAKERS = [
    ("Rigid", "rigid", "A rigid body in space: mass [kg] and inertia [kg m^2], or density [kg/m^3]."),
    ("Planar", "planar", "A rigid body in the plane: mass [kg] and inertia [kg m^2], or density [kg/m^2]."),
    ("PointMass", "point", "A point mass [kg]."),
    ("Beam", "beam", "A flexible beam in the plane."),
    ("Fixed", "fixed", "A body that does not move."),
    ("Moving", "moving", "A body that moves as prescribed."),
    ("Sphere", "sphere", "A sphere, in the plane a disc.", ["radius"]),
    ("Point", "point", "A point as a shape."),
    ("HalfSpace", "half-space", "All x with normal . x <= offset [m].", ["normal", ("offset", 0)]),
    ("Box", "box", "A box with edges size [m].", ["size"]),
    ("Capsule", "capsule", "A cylinder with half spheres at its ends, along z.", ["radius", "length"]),
    ("Cylinder", "cylinder", "A cylinder along z, a container with inside=True.", ["radius", ("length", None)]),
    ("Ellipsoid", "ellipsoid", "An ellipsoid with radii [m] along x, y, z.", ["radii"]),
    ("Convex", "convex", "The hull of points [m], or of those of a file.", [("points", None)]),
    ("Mesh", "mesh", "The triangles of a file .stl or .obj, solid behind them.", ["file"]),
    ("HeightField", "height-field", "Heights over a grid of size [m], solid below.", ["size"]),
    ("Polyline", "polyline", "Segments through points [m] in a plane, solid on the right hand.", [("points", None)]),
    ("Revolute", "revolute", "A hinge."),
    ("Prismatic", "prismatic", "A slider."),
    ("Spherical", "spherical", "A ball joint."),
    ("Cylindrical", "cylindrical", "A slider that turns."),
    ("Universal", "universal", "Two crossed axes."),
    ("PlanarJoint", "planar", "Two displacements and the rotation in a plane."),
    ("Weld", "weld", "No relative motion."),
    ("Distance", "distance", "A rod, or a rope with limits."),
    ("KnifeEdge", "knife-edge", "No velocity across a blade."),
    ("Screw", "screw", "A hinge that moves along its axis by pitch [m] a turn."),
    ("Rolling", "rolling", "A disc of radius [m] that rolls on a plane."),
    ("Gear", "gear", "A ratio between the coordinates of two joints."),
    ("Spring", "spring", "A spring and damper between points of two bodies."),
    ("DryFriction", "dry-friction", "Dry friction of constant bound [N] between points of two bodies."),
    ("Load", "load", "A force [N] and torque [N m] on a body."),
    ("Contact", None, "A contact pair `between` two bodies or shapes of them.", ["between"]),
]
MAKERS = {name: _maker(name, *rest) for name, *rest in _MAKERS}
