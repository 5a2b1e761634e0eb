// SPDX-License-Identifier: BSD-3-Clause
// The picture in motion: camera, light, ground, bodies and what is drawn over them.
import * as THREE from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {Bodies} from './bodies';
import {Overlay} from './glyphs';
import {Hand, Push} from './hand';
import {Result} from './result';

const kMostTrails = 40;       // [-] bodies with a trail
const kMostTrailPoints = 3000;
const kFew = 3;               // [-] bodies that move: the ball in the corner and the bouncing ball are seen to their end
const kAlone = 1e-3;  // [-] size of what is seen first over its way, below which it has none
const kBoxFrames = 12;        // [-] by which the camera frames the motion
const kGrown = 1.25;          // [-] of the framed size, beyond which a motion that goes on is framed anew
const kSpare = 2;             // [-] room for the contacts of a motion that goes on
const kSlow = 100;            // [ms] a frame, above which detail falls

export class Replay {
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera!: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private controls!: OrbitControls;
  private sun = new THREE.DirectionalLight('#ffffff', 2.1);
  private bodies!: Bodies;
  overlay!: Overlay;
  private ground = new THREE.Group();
  private trails = new THREE.Group();
  private result!: Result;
  private goes_on = false;    // rows are added while it is shown
  private moved = false;      // the camera, by somebody
  private planar = false;
  private up = new THREE.Vector3(0, 0, 1);
  private centre = new THREE.Vector3();
  private box = new THREE.Box3();
  private extent = 1;
  private detail = 2;
  private dirty = true;
  private picked = -1;
  private posed?: Float64Array;  // (7 n_bodies) poses that are shown in the place of the result's
  private names: HTMLElement[] = [];
  show_names = false;
  private time = 0;           // [s] that is shown
  private hand = new Hand();
  /** Told of a body that somebody drags, and, without a push, of its release; none: bodies are not dragged. */
  on_push?: (push?: Push) => void;
  drag_pushes = false;        // also without the Shift key
  frames = 0;                 // [-] drawn so far

  constructor(private canvas: HTMLCanvasElement, private holder: HTMLElement, private on_pick: (body: number) => void) {
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true});
    this.renderer.capabilities.getMaxAnisotropy();  // asked later, it would wait for all shaders
    this.renderer.shadowMap.enabled = true;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    let x = 0, y = 0;
    canvas.addEventListener('pointerdown', (e) => {
      [x, y] = [e.clientX, e.clientY];
      this.take(e);
    });
    canvas.addEventListener('pointermove', (e) => this.drag(e));
    canvas.addEventListener('pointerup', (e) => {
      this.release();
      if (Math.hypot(e.clientX - x, e.clientY - y) < 4) this.pick(e);
    });
    canvas.addEventListener('pointercancel', () => this.release());
  }

  /** Before the camera's controls, which then do nothing. */
  private take(e: PointerEvent): void {
    if (!this.on_push || e.button !== 0 || !(e.shiftKey || this.drag_pushes) || this.posed) return;
    if (!this.hand.take(this.ray_to(e), this.bodies, this.result.header.types, this.camera)) return;
    this.controls.enabled = false;
    this.moved = true;  // the camera stays while the hand moves
    this.canvas.setPointerCapture(e.pointerId);
    this.drag(e);
  }

  private drag(e: PointerEvent): void {
    if (!this.hand.holds()) return;
    this.hand.move(this.ray_to(e));
    this.hand.draw(this.bodies);
    this.on_push?.(this.hand.push());
    this.dirty = true;
  }

  release(): void {
    if (!this.hand.holds()) return;
    this.hand.release();
    this.controls.enabled = true;
    this.on_push?.();
    this.dirty = true;
  }

  /** goes_on: more rows come, see extend(). keep: the camera stays where somebody put it. */
  load(result: Result, goes_on = false, keep = false): void {
    const eye = keep && this.moved && this.planar === result.header.planar ? this.camera : undefined, target = eye && this.controls.target.clone();
    if (result.n_bodies !== this.result?.n_bodies) {
      this.posed = undefined;
      this.hand.release();
    }
    this.result = result;
    this.goes_on = goes_on;
    this.planar = result.header.planar;
    this.clear_scene();
    this.controls?.dispose();
    this.picked = -1;
    const g = new THREE.Vector3(...result.header.gravity);
    this.up = this.planar ? new THREE.Vector3(0, 1, 0) : g.length() > 0 ? g.normalize().negate() : new THREE.Vector3(0, 0, 1);
    const solids = (this.bodies as Bodies | undefined)?.show_solids ?? false;
    (this.bodies as Bodies | undefined) = undefined;
    this.find_box();
    this.bodies = new Bodies(result, this.planar, this.extent, result.n_bodies > 2000 ? 6 : result.n_bodies > 200 ? 10 : 20);
    this.bodies.show_solids = solids;
    this.find_box();
    this.make_overlay();
    this.scene.add(this.bodies.group, this.ground, this.trails, this.hand.line);
    this.add_ground();
    this.add_light();
    this.make_camera();
    if (eye && target) this.put_camera(eye, target);
    this.make_trails();
    this.make_names();
    this.set_theme();
    this.set_time(result.frame_time[0]);
    this.renderer.compile(this.scene, this.camera);  // goes on beside what the page does before it draws
  }

  private clear_scene(): void {
    this.scene.traverse((object) => {
      const drawn = object as Partial<THREE.InstancedMesh>;
      drawn.geometry?.dispose();
      if (drawn.material instanceof THREE.Material) drawn.material.dispose();
      if (object instanceof THREE.InstancedMesh) object.dispose();
    });
    this.scene.clear();
  }

  private make_overlay(): void {
    const before = this.overlay as Overlay | undefined;
    this.overlay = new Overlay(this.result, this.bodies, this.extent, this.planar, this.goes_on ? kSpare : 1);
    if (before) {
      [this.overlay.show_contacts, this.overlay.show_forces, this.overlay.show_cones] = [before.show_contacts, before.show_forces, before.show_cones];
      this.scene.remove(before.group);
    }
    this.scene.add(this.overlay.group);
  }

  private put_camera(eye: THREE.Camera, target: THREE.Vector3): void {
    this.camera.position.copy(eye.position);
    if (this.camera instanceof THREE.OrthographicCamera && eye instanceof THREE.OrthographicCamera) {
      [this.camera.left, this.camera.right, this.camera.top, this.camera.bottom] = [eye.left, eye.right, eye.top, eye.bottom];
      this.camera.zoom = eye.zoom;
    }
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.update();
    this.moved = true;
  }

  /** The result has more rows: what is drawn is measured by them all. */
  extend(): void {
    const times = this.result.frame_time, box = new THREE.Box3();
    this.bodies.expand(box, times[times.length - 1]);
    const size = this.box.clone().union(box).getSize(new THREE.Vector3()).length();
    if (size > kGrown * this.extent && size < 100 * this.extent) return this.load(this.result, true, true);
    this.overlay.find_largest();
  }

  /** What the bodies fill in the first frame, and what of their ways lies near it. */
  private find_box(): void {
    const start = new THREE.Box3(), whole = new THREE.Box3();
    const times = this.result.frame_time, at = new THREE.Vector3();
    if (this.bodies) {
      const n = Math.min(kBoxFrames, times.length);
      for (let i = 0; i < n; ++i) this.bodies.expand(whole, times[Math.floor(i * (times.length - 1) / Math.max(n - 1, 1))]);
      this.bodies.expand(start, times[0]);
    } else {
      this.expand_by_first_frame(start);
    }
    for (const name of ['joint_point', 'contact_point']) {
      const points = this.result.get(name), n = name === 'joint_point' ? this.result.header.joints.length : this.result.get('contact_offset')?.[1] ?? 0;
      for (let i = 0; points && i < n; ++i) {
        at.fromArray(Array.from(points.slice(3 * i, 3 * i + 3)));
        if (Number.isFinite(at.x)) start.expandByPoint(at);
      }
    }
    for (let b = 0; b < this.result.n_bodies; ++b) {
      const curve = this.result.get(`curve/${b}`);
      const stride = curve ? 2 * Math.max(1, Math.floor(curve.length / 4000)) : 2;
      for (let i = 0; curve && i + 1 < curve.length; i += stride) whole.expandByPoint(at.set(curve[i], curve[i + 1], 0));
    }
    if (start.isEmpty()) start.set(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
    whole.union(start);
    const size = start.getSize(at).length(), way = whole.getSize(at).length();
    // Of many bodies one that flies off does not make the others small; the way of a few is seen whole, and that of a mass alone,
    // whose size is round-off, is all there is.
    const times_size = this.result.header.types.filter((type) => type !== 'fixed').length > kFew ? 1.2 : 6;
    const reach = size > kAlone * way ? times_size * size : way;
    const limit = new THREE.Box3(start.min.clone().subScalar(reach), start.max.clone().addScalar(reach));
    this.box = whole.intersect(limit);
    this.box.getCenter(this.centre);
    this.extent = this.box.getSize(new THREE.Vector3()).length() || 1;
  }

  /** Centres and sizes of shapes alone, before there is anything to draw. */
  private expand_by_first_frame(box: THREE.Box3): void {
    const poses = new Float64Array(7 * this.result.n_bodies), at = new THREE.Vector3();
    this.result.poses_at(this.result.frame_time[0], poses);
    const body = this.result.get('shapes/body'), size = this.result.get('shapes/size');
    const bare = (b: number) => this.result.header.types[b] !== 'fixed' && this.result.header.types[b] !== 'beam';
    const is_there = (b: number) => Number.isFinite(poses[7 * b]);
    for (let b = 0; b < this.result.n_bodies; ++b) if (bare(b) && is_there(b)) box.expandByPoint(at.fromArray(poses, 7 * b));
    for (let s = 0; body && size && s < body.length; ++s) {
      const type = this.result.header.shape_types?.[s];
      const reach = type === 'point' || type === 'half-space' ? 0 : Math.max(...[0, 1, 2].map((k) => size[4 * s + k]).filter(Number.isFinite), 0);
      if (reach === 0 || !is_there(body[s])) continue;
      at.fromArray(poses, 7 * body[s]);
      box.expandByPoint(at.clone().addScalar(reach / 2));
      box.expandByPoint(at.addScalar(-reach / 2));
    }
  }

  private add_ground(): void {
    this.ground.clear();
    const dark = document.documentElement.classList.contains('dark');
    const e = this.extent;
    const grounds = [...this.bodies.grounds];
    // Nothing below: a floor out of reach, to read depth by.
    if (!this.planar && !grounds.some(({normal}) => normal.dot(this.up) > 0.5)) {
      const low = this.up.clone().multiply(this.box.getSize(new THREE.Vector3())).length() / 2 + 0.04 * e;
      grounds.push({point: this.centre.clone().addScaledVector(this.up, -low), normal: this.up.clone()});
    }
    for (const {point, normal} of grounds) {
      const at = this.centre.clone().addScaledVector(normal, -this.centre.clone().sub(point).dot(normal));
      if (this.planar) {
        at.setZ(0);
        const angle = Math.atan2(normal.y, normal.x) - Math.PI / 2;
        const fill = new THREE.Mesh(new THREE.PlaneGeometry(12 * e, 6 * e).translate(0, -3 * e, 0),
                                    new THREE.MeshBasicMaterial({color: dark ? '#2f363f' : '#d8dde3', depthTest: false}));
        const edge = new THREE.Mesh(new THREE.PlaneGeometry(12 * e, 0.006 * e).translate(0, -0.003 * e, 0),
                                    new THREE.MeshBasicMaterial({color: dark ? '#98a2ae' : '#5b6570', depthTest: false}));
        for (const mesh of [fill, edge]) {
          mesh.position.copy(at);
          mesh.rotation.z = angle;
          mesh.renderOrder = mesh === edge ? -1 : -2;
          this.ground.add(mesh);
        }
        continue;
      }
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      const level = normal.dot(this.up) > 0.5;
      const plane = new THREE.Mesh(new THREE.PlaneGeometry(level ? 40 * e : 2 * e, level ? 40 * e : 2 * e),
                                   new THREE.MeshLambertMaterial({color: dark ? '#343c46' : '#e3e7ec',
                                     transparent: !level, opacity: level ? 1 : 0.25, depthWrite: level}));
      plane.receiveShadow = true;
      plane.position.copy(at).addScaledVector(normal, -1e-4 * e);
      plane.quaternion.copy(turn);
      this.ground.add(plane);
      if (level) this.add_grid(at, turn, dark);
    }
  }

  /** Squares of a round length, by which size and depth are read. */
  private add_grid(at: THREE.Vector3, turn: THREE.Quaternion, dark: boolean): void {
    const side = 10 ** Math.floor(Math.log10(this.extent / 4)), n = Math.ceil(4 * this.extent / side / 2) * 2;
    const grid = new THREE.GridHelper(n * side, n, dark ? '#566170' : '#a9b2bd', dark ? '#454f5b' : '#bcc4cd');
    grid.rotateX(Math.PI / 2);
    const holder = new THREE.Group();
    holder.add(grid);
    holder.quaternion.copy(turn);
    holder.position.copy(at);
    this.ground.add(holder);
  }

  private add_light(): void {
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#c3c9d1', 2.1));
    const side = new THREE.Vector3(0.5, -0.65, 0).projectOnPlane(this.up);
    this.sun.position.copy(this.centre).addScaledVector(this.up, 1.6 * this.extent).addScaledVector(side, this.extent);
    this.sun.target.position.copy(this.centre);
    this.sun.castShadow = true;
    const shadow = this.sun.shadow.camera, r = 0.75 * this.extent;
    [shadow.left, shadow.right, shadow.bottom, shadow.top] = [-r, r, -r, r];
    [shadow.near, shadow.far] = [0.1 * this.extent, 4 * this.extent];
    shadow.updateProjectionMatrix();
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 2e-3 * this.extent;
    this.scene.add(this.sun, this.sun.target);
  }

  private make_camera(): void {
    if (this.planar) this.camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01 * this.extent, 100 * this.extent);
    else this.camera = new THREE.PerspectiveCamera(30, 1, 0.005 * this.extent, 100 * this.extent);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enabled = !this.hand.holds();
    this.controls.enableRotate = !this.planar;
    if (this.planar) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.controls.addEventListener('start', () => { this.moved = true; });
    this.resize();
    this.frame();
  }

  /** Puts all that moves into the picture. azimuth and elevation [deg] of the eye; zoom > 1: nearer. */
  frame(azimuth = -62, elevation = 17, zoom = 1): void {
    this.moved = false;
    this.controls.target.copy(this.centre);
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const margin = 1.12 / zoom;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const size = this.box.getSize(new THREE.Vector3());
      const height = margin * Math.max(size.y, size.x / aspect, 0.05 * this.extent);
      this.camera.zoom = 1;
      [this.camera.top, this.camera.bottom] = [height / 2, -height / 2];
      [this.camera.left, this.camera.right] = [-height * aspect / 2, height * aspect / 2];
      this.camera.position.copy(this.centre).setZ(this.centre.z + 10 * this.extent);
    } else {
      const east = new THREE.Vector3(1, 0, 0).projectOnPlane(this.up);
      if (east.length() < 0.1) east.set(0, 1, 0).projectOnPlane(this.up);
      east.normalize();
      const north = this.up.clone().cross(east), a = azimuth * Math.PI / 180, h = elevation * Math.PI / 180;
      const eye = east.multiplyScalar(Math.cos(a) * Math.cos(h)).addScaledVector(north, Math.sin(a) * Math.cos(h)).addScaledVector(this.up, Math.sin(h));
      // The distance at which each corner of the box is inside both angles of view.
      const right = this.up.clone().cross(eye).normalize(), top = eye.clone().cross(right);
      const tan = Math.tan(this.camera.fov * Math.PI / 360);
      let distance = 0;
      for (let k = 0; k < 8; ++k) {
        const corner = new THREE.Vector3(k & 1 ? this.box.max.x : this.box.min.x, k & 2 ? this.box.max.y : this.box.min.y,
                                         k & 4 ? this.box.max.z : this.box.min.z).sub(this.centre);
        distance = Math.max(distance, corner.dot(eye) + margin * Math.max(Math.abs(corner.dot(top)) / tan, Math.abs(corner.dot(right)) / tan / aspect));
      }
      this.camera.position.copy(this.centre).addScaledVector(eye, distance);
    }
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  private make_trails(): void {
    this.trails.clear();
    this.trails.visible = false;
  }

  /** Trails of the bodies that move, or of the picked one alone. */
  set_trails(on: boolean): void {
    for (const line of this.trails.children) (line as THREE.Line).geometry.dispose();
    this.trails.clear();
    this.trails.visible = on;
    this.dirty = true;
    if (!on) return;
    const moving = this.result.header.types.map((type, b) => type === 'fixed' || type === 'beam' ? -1 : b).filter((b) => b >= 0);
    const shown = this.picked >= 0 ? [this.picked] : moving.slice(0, kMostTrails);
    const times = this.result.frame_time, stride = Math.max(1, Math.floor(times.length / kMostTrailPoints));
    const tracks = shown.map(() => [] as number[]), stamps: number[] = [], poses = new Float64Array(7 * this.result.n_bodies);
    for (let i = 0; i < times.length; i += stride) {
      this.result.poses_at(times[i], poses);
      stamps.push(times[i]);
      shown.forEach((b, k) => tracks[k].push(...poses.slice(7 * b, 7 * b + 3)));
    }
    tracks.forEach((track) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.Float32BufferAttribute(track, 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({color: '#b3471b', transparent: true, opacity: 0.85, depthTest: false}));
      line.userData.stamps = stamps;
      line.frustumCulled = false;
      line.renderOrder = 6;
      this.trails.add(line);
    });
  }

  private make_names(): void {
    this.names.forEach((name) => name.remove());
    this.names = [];
    if (this.result.n_bodies > 60) return;
    this.result.header.bodies.forEach((name, b) => {
      const label = document.createElement('span');
      label.className = 'name';
      label.textContent = name;
      label.hidden = true;
      if (this.result.header.types[b] === 'fixed') label.dataset.fixed = '1';
      this.names.push(label);
      this.holder.append(label);
    });
  }

  private place_names(): void {
    const at = new THREE.Vector3();
    const taken: DOMRect[] = [];
    this.names.forEach((label, b) => {
      label.hidden = !this.show_names || label.dataset.fixed === '1';
      if (label.hidden) return;
      at.fromArray(this.bodies.poses, 7 * b).project(this.camera);
      const x = (at.x + 1) / 2 * this.canvas.clientWidth, y = (1 - at.y) / 2 * this.canvas.clientHeight;
      label.style.transform = `translate(${x}px,${y}px) translate(-50%,-50%)`;
      const own = label.getBoundingClientRect();
      if (taken.some((r) => own.left < r.right && own.right > r.left && own.top < r.bottom && own.bottom > r.top)) label.hidden = true;
      else taken.push(own);
    });
  }

  private ray_to(e: PointerEvent): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(2 * (e.clientX - box.left) / box.width - 1, 1 - 2 * (e.clientY - box.top) / box.height), this.camera);
    return ray;
  }

  private pick(e: PointerEvent): void {
    this.select(this.bodies.pick(this.ray_to(e)).body);
    this.on_pick(this.picked);
  }

  /** Marks a body; -1: none. */
  select(body: number): void {
    this.picked = body;
    this.bodies.select(body);
    if (this.trails.visible) this.set_trails(true);
    this.dirty = true;
  }

  /** Of bodies that are drawn otherwise than they collide the shapes that collide, or those that are drawn. */
  show_solids(on: boolean): void {
    this.bodies.show_solids = on;
  }

  /** Position of a body as it is drawn: (7) x y z, w x y z. */
  pose(body: number): Float64Array {
    return this.bodies.poses.slice(7 * body, 7 * body + 7);
  }

  /** Bodies at these poses, (7) each, whatever the time; none: as the result says. */
  show_pose(poses?: Float64Array): void {
    this.posed = poses?.length === 7 * this.result.n_bodies ? poses : undefined;
    this.set_time(this.time);
  }

  set_time(t: number): void {
    this.time = t;
    this.bodies.set_time(t, this.posed);
    this.hand.draw(this.bodies);
    this.overlay.set_time(t, this.posed === undefined);
    if (this.overlay.too_small) {
      this.make_overlay();
      this.overlay.set_time(t, this.posed === undefined);
    }
    for (const line of this.trails.children) {
      const stamps = line.userData.stamps as number[];
      let n = 0;
      while (n < stamps.length && stamps[n] <= t) ++n;
      (line as THREE.Line).geometry.setDrawRange(0, n);
    }
    this.dirty = true;
  }

  set_theme(): void {
    const dark = document.documentElement.classList.contains('dark');
    this.scene.background = new THREE.Color(dark ? '#20252c' : '#eef2f6');
    if (!this.planar) this.scene.fog = new THREE.Fog(dark ? '#20252c' : '#eef2f6', 6 * this.extent, 18 * this.extent);
    else this.scene.fog = null;
    this.add_ground();
    this.overlay.set_theme();
    this.bodies.set_theme(this.picked);
    this.dirty = true;
  }

  resize(): void {
    const {clientWidth, clientHeight} = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    const aspect = clientWidth / clientHeight;
    if (this.camera instanceof THREE.PerspectiveCamera) {
      this.camera.aspect = aspect;
    } else {
      const half = (this.camera.top - this.camera.bottom) / 2;
      [this.camera.left, this.camera.right] = [-half * aspect, half * aspect];
    }
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /** Draws where something has changed. interval [ms] since the last frame while it plays, 0 else. */
  draw(interval: number): void {
    if (interval > kSlow && this.detail > 0 && this.frames > 10) this.lower_detail();
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    if (this.names.length > 0) this.place_names();
    ++this.frames;
  }

  private slow_frames = 0;
  private lower_detail(): void {
    if (++this.slow_frames < 8) return;
    this.slow_frames = 0;
    --this.detail;
    this.renderer.setPixelRatio(this.detail === 1 ? 1 : 0.6);
    this.sun.castShadow = this.detail === 1 && this.result.n_bodies < 500;
    this.resize();
  }

  /** How many draw calls the last frame took. */
  calls(): number {
    return this.renderer.info.render.calls;
  }

  to_blob(): Promise<Blob | null> {
    this.renderer.render(this.scene, this.camera);
    return new Promise((done) => this.canvas.toBlob(done, 'image/png'));
  }

  dispose(): void {
    this.renderer.dispose();
  }
}
