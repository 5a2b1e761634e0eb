// SPDX-License-Identifier: BSD-3-Clause
// Bodies as they look: one instanced mesh, one draw call, for each kind of shape.
import * as THREE from 'three';
import {Numbers, Result} from './result';

// Pale, so that contacts and forces stand out on them; neighbours differ in lightness, too.
const kColors = ['#8fb8de', '#e8c07d', '#9fcfb0', '#d9a5c3', '#c9c2e8', '#e0a58f', '#b8c9a0', '#a9d5dc'];
const kFixed = '#b4bac2';
const kThin = 1.5;      // [-] edges of a wall over its thickness: of a pile of 60 the shorter ones are twice as long
const kBeam = 0.0035;   // [-] half a beam's thickness as it is drawn, over the scene's size
const kNowhere = new THREE.Matrix4().makeScale(0, 0, 0);
const kWall = 'wall';  // the kind of boxes that one looks through

interface Part {
  body: number;
  local: THREE.Matrix4;
  color: THREE.Color;
  visual: boolean;  // drawn only
}

class Kind {
  readonly parts: Part[] = [];
  readonly borders: THREE.Matrix4[] = [];  // of planar shapes: a little larger, drawn dark behind
  mesh?: THREE.InstancedMesh;
  border?: THREE.InstancedMesh;
  constructor(readonly geometry: THREE.BufferGeometry) {}
}

/** Octants of two shades, by which one sees a ball turn. */
function shade(geometry: THREE.BufferGeometry, planar: boolean): THREE.BufferGeometry {
  const split = geometry.index ? geometry.toNonIndexed() : geometry;
  const at = split.getAttribute('position');
  const colors = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 3) {
    let x = 0, y = 0, z = 0;
    for (let k = 0; k < 3; ++k) {
      x += at.getX(i + k);
      y += at.getY(i + k);
      z += at.getZ(i + k);
    }
    const tone = (x * y > 0) !== (!planar && z > 0) ? 1 : 0.78;
    colors.fill(tone, 3 * i, 3 * i + 9);
  }
  split.setAttribute('color', new THREE.BufferAttribute(colors, 3));
  return split;
}

function plain(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const n = geometry.getAttribute('position').count;
  geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * n).fill(1), 3));
  return geometry;
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly poses: Float64Array;      // (7 n_bodies) x y z, w x y z
  readonly drawn: Uint8Array;        // (n_bodies) 1: has a shape
  show_solids = false;               // in the place of what is drawn only
  private looks = new Uint8Array();  // (n_bodies) 1: has shapes that collide, 2: that are drawn only, 3: both
  readonly grounds: {point: THREE.Vector3; normal: THREE.Vector3}[] = [];
  private kinds = new Map<string, Kind>();
  private walls = new Set<number>();  // shapes that one looks through
  private pickable: {mesh: THREE.InstancedMesh; kind: Kind}[] = [];
  private curves: {body: number; band: THREE.Mesh; n: number}[] = [];
  private visual = false;            // the shape that is being added is drawn only
  private half_width = 0;            // [m] of a beam
  private containers: {body: number; box: THREE.Box3}[] = [];
  private world: THREE.Matrix4[];
  private matrix = new THREE.Matrix4();

  constructor(private result: Result, private planar: boolean, extent: number, segments: number) {
    const header = result.header;
    this.poses = new Float64Array(7 * result.n_bodies);
    this.drawn = new Uint8Array(result.n_bodies);
    this.looks = new Uint8Array(result.n_bodies);
    this.world = Array.from({length: result.n_bodies}, () => new THREE.Matrix4());
    const body = result.get('shapes/body'), position = result.get('shapes/position'), size = result.get('shapes/size'),
          orientation = result.get('shapes/orientation'), inside = result.get('shapes/inside'), visual = result.get('shapes/visual');
    result.poses_at(result.frame_time[0], this.poses);
    this.set_worlds();
    if (body && position && orientation && size && inside) {
      this.walls = this.find_walls(header.shape_types ?? [], body, size, visual);
      (header.shape_types ?? []).forEach((type, s) => {
        const at = new THREE.Vector3(position[3 * s], position[3 * s + 1], position[3 * s + 2]);
        const turn = new THREE.Quaternion(orientation[4 * s + 1], orientation[4 * s + 2], orientation[4 * s + 3], orientation[4 * s]);
        const edges = [size[4 * s], size[4 * s + 1], size[4 * s + 2]];
        this.visual = visual !== undefined && visual[s] !== 0;
        this.add_shape(type, s, body[s], at, turn, edges, inside[s] !== 0, extent, segments);
      });
    }
    this.make_meshes();
    this.make_curves(kBeam * extent);
  }

  /** Fixed boxes that are walls by their form, where there are four or more, as around a pile: one looks through them. None of
   *  bodies that are drawn otherwise than they collide, as robots are. */
  private find_walls(types: string[], body: Numbers, size: Numbers, visual?: Numbers): Set<number> {
    const is_drawn = new Set(Array.from(body).filter((_, s) => visual !== undefined && visual[s] !== 0));
    const walls = types.map((_, s) => s).filter((s) => {
      const [thin, middle] = Array.from(size.slice(4 * s, 4 * s + 3)).sort((a, b) => a - b);
      return types[s] === 'box' && !is_drawn.has(body[s]) && this.result.header.types[body[s]] === 'fixed' && kThin * thin < middle;
    });
    return new Set(walls.length >= 4 && !this.planar ? walls : []);
  }

  private kind(name: string, make: () => THREE.BufferGeometry): Kind {
    let kind = this.kinds.get(name);
    if (!kind) this.kinds.set(name, kind = new Kind(make()));
    return kind;
  }

  private color(body: number): THREE.Color {
    // Darker on a dark ground, so that light marks stand out on bodies there, too.
    const tone = document.documentElement.classList.contains('dark') ? 0.4 : 1;
    return new THREE.Color(this.result.header.types[body] === 'fixed' ? kFixed : kColors[body % kColors.length]).multiplyScalar(tone);
  }

  private place(kind: Kind, body: number, at: THREE.Vector3, turn: THREE.Quaternion, scale: THREE.Vector3, border: number): void {
    this.drawn[body] = 1;
    this.looks[body] |= this.visual ? 2 : 1;
    kind.parts.push({body, local: new THREE.Matrix4().compose(at, turn, scale), color: this.color(body), visual: this.visual});
    if (this.planar) kind.borders.push(new THREE.Matrix4().compose(at, turn, scale.clone().addScalar(border)));
  }

  private add_shape(type: string, s: number, body: number, at: THREE.Vector3, turn: THREE.Quaternion, size: number[],
                    inside: boolean, extent: number, segments: number): void {
    const border = 0.003 * extent, planar = this.planar;
    const ball = () => this.kind('ball', () => shade(planar ? new THREE.CircleGeometry(1, 2 * segments)
                                                            : new THREE.SphereGeometry(1, 2 * segments, segments), planar));
    const [r, length] = size;
    if (inside) {
      this.add_container(type, body, at, turn, r, length);
    } else if (type === 'sphere') {
      this.place(ball(), body, at, turn, new THREE.Vector3(r, r, r), border);
    } else if (type === 'ellipsoid') {
      this.place(ball(), body, at, turn, new THREE.Vector3(size[0], size[1], size[2]), border);
    } else if (type === 'box') {
      const kind = this.kind(this.walls.has(s) ? kWall : 'box', () => plain(planar ? new THREE.PlaneGeometry(1, 1) : new THREE.BoxGeometry(1, 1, 1)));
      this.place(kind, body, at, turn, new THREE.Vector3(size[0], size[1], planar ? 1 : size[2]), 2 * border);
    } else if (type === 'capsule' || type === 'cylinder') {
      if (planar && type === 'capsule') {
        const kind = this.kind('box', () => plain(new THREE.PlaneGeometry(1, 1)));
        // A planar capsule's axis lies in the plane: its frame's z.
        const flat = turn.clone().multiply(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2));
        this.place(kind, body, at, flat, new THREE.Vector3(2 * r, length, 1), border);
      } else {
        const kind = this.kind('cylinder', () => shade(new THREE.CylinderGeometry(1, 1, 1, 2 * segments).rotateX(Math.PI / 2), true));
        this.place(kind, body, at, turn, new THREE.Vector3(r, r, Number.isFinite(length) ? length : 4 * extent), border);
      }
      for (const end of type === 'capsule' ? [-0.5, 0.5] : []) {
        const centre = new THREE.Vector3(0, 0, end * length).applyQuaternion(turn).add(at);
        this.place(ball(), body, centre, turn, new THREE.Vector3(r, r, r), border);
      }
    } else if (type === 'half-space') {
      const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(turn).transformDirection(this.world[body]);
      this.grounds.push({point: at.clone().applyMatrix4(this.world[body]), normal});
    } else if (type === 'convex' || type === 'mesh' || type === 'height-field') {
      const kind = this.hull(s, type === 'convex');
      if (kind) this.place(kind, body, at, turn, new THREE.Vector3(1, 1, 1), 0);
    } else if (type === 'polyline') {
      const kind = this.polyline(s, extent);
      if (kind) this.place(kind, body, at, turn, new THREE.Vector3(1, 1, 1), 0);
    }
  }

  /** What a closed clockwise line holds, else a band on its solid side, both with a dark edge. */
  private polyline(s: number, extent: number): Kind | undefined {
    const vertices = this.result.get('shapes/vertices'), from = this.result.get('shapes/vertex_offset');
    const first = this.result.get('shapes/face_offset');
    if (!vertices || !from || !first) return undefined;
    const corners = vertices.slice(3 * from[s], 3 * from[s + 1]), n = corners.length / 3;
    const closed = first[s + 1] - first[s] === n;
    return this.kind(`polyline ${closed} ${corners.join(' ')}`, () => {
      const points = Array.from({length: n}, (_, k) => new THREE.Vector2(corners[3 * k], corners[3 * k + 1]));
      const fill = closed && THREE.ShapeUtils.isClockWise(points)
          ? Array.from(new THREE.ShapeGeometry(new THREE.Shape(points)).toNonIndexed().getAttribute('position').array)
          : band_beside(points, closed, 0.06 * extent);
      const edge = band_beside(points, closed, 0.008 * extent);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([...fill, ...edge]), 3));
      const colors = new Float32Array(fill.length + edge.length).fill(1);
      geometry.setAttribute('color', new THREE.BufferAttribute(colors.fill(0.4, fill.length), 3));
      return geometry;
    });
  }

  /** Hulls and meshes of the same corners are one kind. Faces of hulls have any sense; those of meshes run round. */
  private hull(s: number, is_convex: boolean): Kind | undefined {
    const vertices = this.result.get('shapes/vertices'), from = this.result.get('shapes/vertex_offset');
    const faces = this.result.get('shapes/faces'), first = this.result.get('shapes/face_offset');
    if (!vertices || !from || !faces || !first) return undefined;
    const corners = vertices.slice(3 * from[s], 3 * from[s + 1]), sides = faces.slice(3 * first[s], 3 * first[s + 1]);
    return this.kind(`${is_convex ? 'hull' : 'mesh'} ${corners.join(' ')} ${is_convex ? '' : sides.join(' ')}`, () => {
      if (this.planar) return plain(planar_hull(corners));
      const geometry = new THREE.BufferGeometry();
      const flat = new Float32Array(3 * sides.length);
      const centre = [0, 1, 2].map((k) => {
        let sum = 0;
        for (let i = k; i < corners.length; i += 3) sum += corners[i];
        return sum / (corners.length / 3);
      });
      for (let f = 0; f < sides.length; f += 3) {
        const p = [0, 1, 2].map((k) => new THREE.Vector3().fromArray(Array.from(corners.slice(3 * sides[f + k], 3 * sides[f + k] + 3))));
        const out = p[1].clone().sub(p[0]).cross(p[2].clone().sub(p[0])).dot(p[0].clone().sub(new THREE.Vector3(...centre as [number, number, number])));
        if (is_convex && out < 0) [p[1], p[2]] = [p[2], p[1]];
        p.forEach((v, k) => v.toArray(flat, 3 * (f + k)));
      }
      geometry.setAttribute('position', new THREE.BufferAttribute(flat, 3));
      geometry.computeVertexNormals();
      return plain(geometry);
    });
  }

  private add_container(type: string, body: number, at: THREE.Vector3, turn: THREE.Quaternion, r: number, length: number): void {
    const material = new THREE.LineBasicMaterial({color: '#6b7480'});
    const ring = new THREE.BufferGeometry().setFromPoints(new THREE.EllipseCurve(0, 0, r, r).getPoints(96));
    const holder = new THREE.Group();
    holder.userData.body = body;
    const add = (z: number, tilt: THREE.Euler) => {
      const line = new THREE.Line(ring, material);
      line.position.copy(new THREE.Vector3(0, 0, z).applyQuaternion(turn).add(at));
      line.quaternion.copy(turn).multiply(new THREE.Quaternion().setFromEuler(tilt));
      holder.add(line);
    };
    const half = type === 'cylinder' && Number.isFinite(length) ? length / 2 : 0;
    for (const z of half > 0 ? [-half, half] : [0]) add(z, new THREE.Euler());
    if (type === 'sphere' && !this.planar) {
      add(0, new THREE.Euler(Math.PI / 2, 0, 0));
      add(0, new THREE.Euler(0, Math.PI / 2, 0));
    }
    holder.matrixAutoUpdate = false;
    this.group.add(holder);
    this.drawn[body] = 1;
    const size = new THREE.Vector3(r, r, this.planar ? 0 : half || r);
    this.containers.push({body, box: new THREE.Box3(at.clone().sub(size), at.clone().add(size))});
  }

  private make_meshes(): void {
    for (const [name, kind] of this.kinds) {
      const n = kind.parts.length, is_wall = name === kWall;
      const material = this.planar ? new THREE.MeshBasicMaterial({vertexColors: true, depthTest: false, side: THREE.DoubleSide})
                                   : new THREE.MeshLambertMaterial({vertexColors: true, transparent: is_wall, opacity: is_wall ? 0.15 : 1, depthWrite: !is_wall});
      kind.mesh = new THREE.InstancedMesh(kind.geometry, material, n);
      kind.mesh.frustumCulled = false;
      kind.mesh.castShadow = kind.mesh.receiveShadow = !this.planar && !is_wall;
      kind.mesh.renderOrder = is_wall ? 3 : 2;
      kind.parts.forEach((part, i) => kind.mesh!.setColorAt(i, part.color));
      this.group.add(kind.mesh);
      if (!is_wall) this.pickable.push({mesh: kind.mesh, kind});
      if (!this.planar) continue;
      const dark = new THREE.MeshBasicMaterial({color: '#3a424d', depthTest: false, side: THREE.DoubleSide});
      kind.border = new THREE.InstancedMesh(kind.geometry, dark, n);
      kind.border.frustumCulled = false;
      kind.border.renderOrder = 1;
      this.group.add(kind.border);
    }
  }

  /** Beams are bands of two points a node. */
  private make_curves(half_width: number): void {
    this.half_width = half_width;
    for (let b = 0; b < this.result.n_bodies; ++b) {
      const data = this.result.get(`curve/${b}`);
      if (!data) continue;
      const n = data.length / 2 / this.result.frame_time.length;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * n), 3));
      geometry.setIndex(Array.from({length: n - 1}, (_, k) => [2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 2, 2 * k + 1, 2 * k + 3]).flat());
      const band = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({color: b % 2 ? '#2f7fb8' : '#b5651d', depthTest: false, side: THREE.DoubleSide}));
      band.renderOrder = 3;
      band.frustumCulled = false;
      this.curves.push({body: b, band, n});
      this.group.add(band);
      this.drawn[b] = 1;
    }
  }

  private is_there(body: number): boolean {
    return Number.isFinite(this.poses[7 * body]);
  }

  /** Of a body with both kinds of shapes one is drawn. */
  private is_hidden(part: Part): boolean {
    return this.looks[part.body] === 3 && part.visual === this.show_solids;
  }

  private set_worlds(): void {
    const at = new THREE.Vector3(), turn = new THREE.Quaternion(), one = new THREE.Vector3(1, 1, 1), p = this.poses;
    for (let b = 0; b < this.world.length; ++b) {
      const i = 7 * b;
      if (!Number.isFinite(p[i])) {
        this.world[b].makeScale(0, 0, 0);  // it takes no part
        continue;
      }
      at.set(p[i], p[i + 1], p[i + 2]);
      turn.set(p[i + 4], p[i + 5], p[i + 6], p[i + 3]);
      this.world[b].compose(at, turn, one);
    }
  }

  /** Moves everything to where it is at t, or bodies to these poses. */
  set_time(t: number, posed?: Float64Array): void {
    if (posed) this.poses.set(posed);
    else this.result.poses_at(t, this.poses);
    this.set_worlds();
    for (const kind of this.kinds.values()) {
      kind.parts.forEach((part, i) => {
        const world = this.is_hidden(part) ? kNowhere : this.world[part.body];
        kind.mesh!.setMatrixAt(i, this.matrix.multiplyMatrices(world, part.local));
        kind.border?.setMatrixAt(i, this.matrix.multiplyMatrices(world, kind.borders[i]));
      });
      kind.mesh!.instanceMatrix.needsUpdate = true;
      if (kind.border) kind.border.instanceMatrix.needsUpdate = true;
    }
    for (const child of this.group.children) {
      if (child.userData.body !== undefined) child.matrix.copy(this.world[child.userData.body as number]);
    }
    this.set_curves(t);
  }

  private set_curves(t: number): void {
    const times = this.result.frame_time;
    let i = 0;
    while (i + 1 < times.length && times[i + 1] <= t && this.curves.length > 0) ++i;
    const j = Math.min(i + 1, times.length - 1), dt = times[j] - times[i];
    const share = dt > 0 ? Math.min(Math.max((t - times[i]) / dt, 0), 1) : 0;
    for (const {body, band, n} of this.curves) {
      const data = this.result.get(`curve/${body}`)!;
      const at = band.geometry.getAttribute('position');
      const middle = (k: number, axis: number) => {
        const a = 2 * (i * n + k) + axis, b = 2 * (j * n + k) + axis;
        return data[a] + share * (data[b] - data[a]);
      };
      for (let k = 0; k < n; ++k) {
        const x = middle(k, 0), y = middle(k, 1), before = Math.max(k - 1, 0), after = Math.min(k + 1, n - 1);
        const dx = middle(after, 0) - middle(before, 0), dy = middle(after, 1) - middle(before, 1), aside = this.half_width / (Math.hypot(dx, dy) || 1);
        at.setXY(2 * k, x - aside * dy, y + aside * dx);
        at.setXY(2 * k + 1, x + aside * dy, y - aside * dx);
      }
      at.needsUpdate = true;
    }
  }

  /** Makes a box hold everything as it is at t; moves what is drawn there. */
  expand(box: THREE.Box3, t: number): void {
    this.result.poses_at(t, this.poses);
    this.set_worlds();
    const own = new THREE.Box3();
    for (const kind of this.kinds.values()) {
      if (!kind.geometry.boundingBox) kind.geometry.computeBoundingBox();
      for (const part of kind.parts) {
        if (!this.is_there(part.body)) continue;
        box.union(own.copy(kind.geometry.boundingBox!).applyMatrix4(this.matrix.multiplyMatrices(this.world[part.body], part.local)));
      }
    }
    for (const part of this.containers) if (this.is_there(part.body)) box.union(own.copy(part.box).applyMatrix4(this.world[part.body]));
    const at = new THREE.Vector3();
    const pairs = this.result.get('link_bodies'), points = this.result.get('link_points');
    for (let i = 0; pairs && points && i < pairs.length; ++i) {
      box.expandByPoint(this.to_world(pairs[i], at.set(points[3 * i], points[3 * i + 1], points[3 * i + 2]), at));
    }
    this.result.header.types.forEach((type, b) => {
      if (type !== 'fixed' && type !== 'beam' && this.is_there(b)) box.expandByPoint(at.fromArray(this.poses, 7 * b));
    });
  }

  /** A point of a body, given in its frame, in the world's. */
  to_world(body: number, point: THREE.Vector3, out: THREE.Vector3): THREE.Vector3 {
    return out.copy(point).applyMatrix4(this.world[body]);
  }

  /** A point of the world in a body's frame. */
  to_body(body: number, point: THREE.Vector3): THREE.Vector3 {
    return point.clone().applyMatrix4(this.world[body].clone().invert());
  }

  /** The body that a ray hits first, -1: none, and where. */
  pick(ray: THREE.Raycaster): {body: number; point: THREE.Vector3} {
    let nearest = Infinity, body = -1;
    const point = new THREE.Vector3();
    for (const {mesh, kind} of this.pickable) {
      mesh.computeBoundingSphere();
      for (const hit of ray.intersectObject(mesh)) {
        if (hit.instanceId !== undefined && hit.distance < nearest) {
          nearest = hit.distance;
          body = kind.parts[hit.instanceId].body;
          point.copy(hit.point);
        }
      }
    }
    return {body, point};
  }

  set_theme(selected: number): void {
    for (const kind of this.kinds.values()) for (const part of kind.parts) part.color = this.color(part.body);
    this.select(selected);
  }

  select(body: number): void {
    for (const kind of this.kinds.values()) {
      kind.parts.forEach((part, i) => {
        kind.mesh!.setColorAt(i, part.body === body ? new THREE.Color('#ffd84d') : part.color);
      });
      if (kind.mesh!.instanceColor) kind.mesh!.instanceColor.needsUpdate = true;
    }
  }
}

/** Triangles of a band on the right hand of a line. */
function band_beside(points: THREE.Vector2[], closed: boolean, width: number): number[] {
  const n = points.length, kLeast = 0.3;  // [-] cosine of half a corner's angle, so that tips stay short
  const right_of = (k: number) => {
    const d = points[(k + 1) % n].clone().sub(points[k % n]).normalize();
    return new THREE.Vector2(d.y, -d.x);
  };
  const inner = points.map((p, k) => {
    const before = closed || k > 0 ? right_of(k + n - 1) : right_of(k), behind = closed || k < n - 1 ? right_of(k) : before;
    const middle = before.clone().add(behind).normalize();
    return p.clone().addScaledVector(middle, width / Math.max(middle.dot(behind), kLeast));
  });
  const flat: number[] = [];
  for (let k = 0; k + (closed ? 0 : 1) < n; ++k) {
    const l = (k + 1) % n;
    for (const p of [points[k], inner[k], points[l], points[l], inner[k], inner[l]]) flat.push(p.x, p.y, 0);
  }
  return flat;
}

/** A planar polygon's triangles, of its corners in order around the centre. */
function planar_hull(corners: ArrayLike<number>): THREE.BufferGeometry {
  const points: THREE.Vector2[] = [], centre = new THREE.Vector2();
  for (let i = 0; i < corners.length; i += 3) points.push(new THREE.Vector2(corners[i], corners[i + 1]));
  points.forEach((p) => centre.addScaledVector(p, 1 / points.length));
  points.sort((p, q) => Math.atan2(p.y - centre.y, p.x - centre.x) - Math.atan2(q.y - centre.y, q.x - centre.x));
  return new THREE.ShapeGeometry(new THREE.Shape(points)).toNonIndexed();
}
