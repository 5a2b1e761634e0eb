// SPDX-License-Identifier: BSD-3-Clause
// What is drawn over the bodies: contact points by status, their forces, friction cones, joints and the rods between.
import * as THREE from 'three';
import {Bodies} from './bodies';
import {find_nearest, Result} from './result';
import {mark_colors} from './plots';

const kCoils = 24;  // [-] pieces of a spring as it is drawn
const kLight = 0.01;  // [-] of the mass of the body that hangs on it
const kUp = new THREE.Vector3(0, 1, 0);

/** Instances of one geometry, as many as a frame needs; in the scene once there is one, so that no shader is compiled for none. */
class Glyphs {
  readonly mesh: THREE.InstancedMesh;
  private count = 0;
  constructor(private group: THREE.Group, geometry: THREE.BufferGeometry, material: THREE.Material, most: number, order: number) {
    this.mesh = new THREE.InstancedMesh(geometry, material, Math.max(most, 1));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.mesh.count = 0;
  }
  begin(): void {
    this.count = 0;
  }
  add(matrix: THREE.Matrix4): void {
    if (this.count < this.mesh.instanceMatrix.count) this.mesh.setMatrixAt(this.count++, matrix);
  }
  end(): void {
    this.mesh.count = this.count;
    if (this.count > 0 && !this.mesh.parent) this.group.add(this.mesh);
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Overlay {
  readonly group = new THREE.Group();
  show_contacts = true;
  show_forces = true;
  show_cones = false;
  private points: Glyphs[] = [];
  private shafts: Glyphs;
  private heads: Glyphs;
  private cones: Glyphs;
  private rods: Glyphs;
  private pins: Glyphs;
  private marks: Glyphs;
  too_small = false;                    // a row has more contacts than there is room for
  private room: number;                 // [-] contacts of a row
  private length = 0.22;                // [-] of the longest arrow over the scene's size
  private size = 0.0085;                // [-] of a contact point likewise
  private largest = 0;                  // [N] the force that the longest arrow stands for
  private joints: {a: number; b: number; local: THREE.Vector3}[] = [];
  private bare: number[] = [];          // bodies without a shape, drawn as a small box
  private matrix = new THREE.Matrix4();
  private turn = new THREE.Quaternion();

  /** spare [-]: of the contacts that a row has at most, so many times as many find room. */
  constructor(private result: Result, private bodies: Bodies, private extent: number, private planar: boolean, spare: number) {
    const offset = result.get('contact_offset');
    let most = 0;
    if (offset) for (let i = 0; i + 1 < offset.length; ++i) most = Math.max(most, offset[i + 1] - offset[i]);
    most = Math.ceil(spare * most);
    this.room = most;
    const crowd = Math.min(Math.max(Math.sqrt(most / 24), 1), 4);  // many contacts: small marks
    this.length /= crowd;
    this.size /= Math.sqrt(crowd);
    const flat = (color: string, opacity = 1) => new THREE.MeshBasicMaterial(
        {color, depthTest: false, transparent: true, opacity, side: opacity < 1 ? THREE.DoubleSide : THREE.FrontSide, depthWrite: false});
    // Told apart by form as well as by colour.
    const forms = [new THREE.SphereGeometry(0.55, 10, 8), new THREE.BoxGeometry(1.3, 1.3, 1.3), new THREE.OctahedronGeometry(1.1)];
    this.points = forms.map((form) => new Glyphs(this.group, form, flat('#000'), most, 9));
    this.shafts = new Glyphs(this.group, new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), flat('#000'), most, 8);
    this.heads = new Glyphs(this.group, new THREE.ConeGeometry(1, 1, 10).translate(0, -0.5, 0), flat('#000'), most, 8);
    this.cones = new Glyphs(this.group, planar ? wedge() : new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0),
                            flat('#2b8a6e', 0.28), most, 7);
    const solid = (color: string) => planar ? new THREE.MeshBasicMaterial({color, depthTest: false}) : new THREE.MeshLambertMaterial({color});
    const joint_bodies = result.get('joint_bodies'), n_joints = joint_bodies ? joint_bodies.length / 2 : 0;
    this.rods = new Glyphs(this.group, new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), solid('#8a9cb3'), 2 * n_joints + kCoils * (result.get('link_spring')?.length ?? 0), 4);
    this.pins = new Glyphs(this.group, new THREE.SphereGeometry(1, 16, 12), solid('#39424e'), n_joints, 5);
    this.marks = new Glyphs(this.group, new THREE.BoxGeometry(1, 1, 1), solid('#d99a5b'), result.n_bodies, 4);
    for (const glyphs of [this.rods, this.pins, this.marks]) glyphs.mesh.castShadow = !planar;
    this.find_largest();
    this.find_joints();
    this.set_theme();
  }

  set_theme(): void {
    const colors = mark_colors();
    const paint = (glyphs: Glyphs, color: string) => (glyphs.mesh.material as THREE.MeshBasicMaterial).color.set(color);
    (['open', 'stick', 'slip'] as const).forEach((status, k) => paint(this.points[k], colors[status]));
    for (const glyphs of [this.shafts, this.heads]) paint(glyphs, colors.force);
  }

  /** The 98th of a hundred forces: one peak does not make the others invisible. */
  find_largest(): void {
    const force = this.result.get('contact_force');
    if (!force) return;
    const sizes: number[] = [], stride = 3 * Math.max(1, Math.floor(force.length / 3 / 20000));
    for (let i = 0; i + 2 < force.length; i += stride) {
      const size = Math.hypot(force[i], force[i + 1], force[i + 2]);
      if (size > 0) sizes.push(size);
    }
    sizes.sort((x, y) => x - y);
    this.largest = sizes.length > 0 ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
  }

  private find_joints(): void {
    const pairs = this.result.get('joint_bodies'), point = this.result.get('joint_point'), types = this.result.header.types;
    if (pairs && point) {
      for (let j = 0; j < pairs.length / 2; ++j) {
        const at = new THREE.Vector3(point[3 * j], point[3 * j + 1], point[3 * j + 2]);
        if (Number.isFinite(at.x)) this.joints.push({a: pairs[2 * j], b: pairs[2 * j + 1], local: this.bodies.to_body(pairs[2 * j + 1], at)});
      }
    }
    // None of bodies that are there for the joints of another alone, as of one with several.
    const mass = this.result.get('mass'), parents = this.result.get('parents'), is_light = new Set<number>();
    if (mass && parents) parents.forEach((parent, b) => { if (parent >= 0 && !(mass[parent] > kLight * mass[b])) is_light.add(parent); });
    types.forEach((type, b) => {
      if (type !== 'fixed' && type !== 'beam' && this.bodies.drawn[b] === 0 && !is_light.has(b)) this.bare.push(b);
    });
  }

  /** A stick from one point to another. */
  private add_stick(glyphs: Glyphs, from: THREE.Vector3, to: THREE.Vector3, radius: number): void {
    const along = to.clone().sub(from), length = along.length();
    if (length < 1e-6 * this.extent) return;
    this.turn.setFromUnitVectors(kUp, along.divideScalar(length));
    glyphs.add(this.matrix.compose(from, this.turn, new THREE.Vector3(radius, length, radius)));
  }

  /** [m] by which a force is drawn, of 1 N. */
  scale(): number {
    return this.largest > 0 ? this.length * this.extent / this.largest : 0;
  }

  /** with_contacts: those of the time are where the bodies are. */
  set_time(t: number, with_contacts = true): void {
    const all = [...this.points, this.shafts, this.heads, this.cones, this.rods, this.pins, this.marks];
    all.forEach((glyphs) => glyphs.begin());
    this.add_joints(t);
    if (with_contacts) this.add_contacts(t);
    all.forEach((glyphs) => glyphs.end());
  }

  private add_joints(t: number): void {
    const at = new THREE.Vector3(), centre = new THREE.Vector3(), zero = new THREE.Vector3();
    const types = this.result.header.types, points = this.result.get('joint_point');
    const times = this.result.get('contact_time');
    const row = times ? find_nearest(times, t) : 0;
    this.joints.forEach(({a, b, local}, j) => {
      if (types[b] === 'beam' && points) {
        const k = 3 * (row * this.joints.length + j);
        at.set(points[k], points[k + 1], points[k + 2]);
      } else {
        this.bodies.to_world(b, local, at);
      }
      this.pins.add(this.matrix.compose(at, this.turn.identity(), new THREE.Vector3(1, 1, 1).multiplyScalar((this.joints.length > 12 ? 0.005 : 0.011) * this.extent)));
      for (const body of [a, b]) {
        if (body < 0 || types[body] === 'fixed' || types[body] === 'beam' || this.bodies.drawn[body] === 1) continue;
        this.add_stick(this.rods, this.bodies.to_world(body, zero, centre), at, 0.008 * this.extent);
      }
    });
    this.add_links();
    const p = this.bodies.poses;
    for (const b of this.bare) {
      centre.set(p[7 * b], p[7 * b + 1], p[7 * b + 2]);
      this.turn.set(p[7 * b + 4], p[7 * b + 5], p[7 * b + 6], p[7 * b + 3]);
      this.marks.add(this.matrix.compose(centre, this.turn, new THREE.Vector3(1, 1, 1).multiplyScalar(0.035 * this.extent)));
    }
  }

  /** Threads and rods of a fixed length as thin sticks, springs as zigzags. */
  private add_links(): void {
    const pairs = this.result.get('link_bodies'), points = this.result.get('link_points'), springs = this.result.get('link_spring');
    if (!pairs || !points || !springs) return;
    const a = new THREE.Vector3(), b = new THREE.Vector3();
    for (let i = 0; i < springs.length; ++i) {
      this.bodies.to_world(pairs[2 * i], a.set(points[6 * i], points[6 * i + 1], points[6 * i + 2]), a);
      this.bodies.to_world(pairs[2 * i + 1], b.set(points[6 * i + 3], points[6 * i + 4], points[6 * i + 5]), b);
      if (springs[i] === 0) {
        this.add_stick(this.rods, a, b, 0.0025 * this.extent);
        continue;
      }
      const along = b.clone().sub(a);
      const aside = new THREE.Vector3(0, 0, 1).cross(along);
      if (aside.lengthSq() < 1e-12 * along.lengthSq()) aside.set(1, 0, 0);
      aside.setLength(0.012 * this.extent);
      let last = a.clone();
      for (let k = 1; k <= kCoils; ++k) {
        const next = a.clone().addScaledVector(along, k / kCoils);
        if (k > 2 && k < kCoils - 2) next.addScaledVector(aside, k % 2 ? 1 : -1);
        this.add_stick(this.rods, last, next, 0.0025 * this.extent);
        last = next;
      }
    }
  }

  private add_contacts(t: number): void {
    const offset = this.result.get('contact_offset'), times = this.result.get('contact_time');
    const point = this.result.get('contact_point'), normal = this.result.get('contact_normal');
    const force = this.result.get('contact_force'), status = this.result.get('contact_status'), mu = this.result.get('contact_mu');
    if (!offset || !times || !point || !normal || !force || !status || !mu) return;
    const row = find_nearest(times, t), scale = this.scale(), e = this.extent;
    this.too_small = offset[row + 1] - offset[row] > this.room;
    const at = new THREE.Vector3(), n = new THREE.Vector3(), f = new THREE.Vector3();
    for (let i = offset[row]; i < offset[row + 1]; ++i) {
      at.set(point[3 * i], point[3 * i + 1], point[3 * i + 2]);
      n.set(normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]);
      f.set(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
      if (this.show_contacts) {
        this.points[Math.min(status[i], 2)].add(this.matrix.compose(at, this.turn.identity(), new THREE.Vector3(1, 1, 1).multiplyScalar(this.size * e)));
      }
      const size = Math.min(f.length() * scale, 1.8 * this.length * e), thin = this.size / 0.0085 * e;
      if (!(size > 0.004 * e)) continue;
      if (this.show_forces) {
        const head = Math.min(0.035 * thin, 0.5 * size);
        const tip = at.clone().addScaledVector(f.normalize(), size);
        this.add_stick(this.shafts, at, tip.clone().addScaledVector(f, -0.8 * head), 0.0032 * thin);
        this.turn.setFromUnitVectors(kUp, f);
        this.heads.add(this.matrix.compose(tip, this.turn, new THREE.Vector3(0.3 * head, head, this.planar ? 0.011 * thin : 0.3 * head)));
      }
      if (this.show_cones && mu[i] > 0) {
        const height = Math.min(Math.max(size, 0.06 * e), 0.2 * e);
        this.turn.setFromUnitVectors(kUp, n);
        this.cones.add(this.matrix.compose(at, this.turn, new THREE.Vector3(mu[i] * height, height, this.planar ? 1 : mu[i] * height)));
      }
    }
  }
}

function wedge(): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([0, 0, 0, 1, 1, 0, -1, 1, 0]), 3));
  return geometry;
}
