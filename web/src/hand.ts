// SPDX-License-Identifier: BSD-3-Clause
// A hand that holds a body in the picture: a point of the body, and where the mouse wants it, on the plane through the point
// that faces the eye. A line shows the two.
import * as THREE from 'three';
import {Bodies} from './bodies';

/** What the program is told of it: the body, its point [m] in the body's frame, the place [m] in the world. */
export interface Push {
  body: number;
  at: [number, number, number];
  target: [number, number, number];
}

export class Hand {
  readonly line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: '#d6336c', depthTest: false}));
  private at = new THREE.Vector3();
  private target = new THREE.Vector3();
  private plane = new THREE.Plane();
  private body = -1;

  constructor() {
    this.line.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line.frustumCulled = false;
    this.line.renderOrder = 10;
    this.line.visible = false;
  }

  holds(): boolean {
    return this.body >= 0;
  }

  /** Takes a body where the ray hits it; false where that is none that moves. */
  take(ray: THREE.Raycaster, bodies: Bodies, types: string[], eye: THREE.Camera): boolean {
    const {body, point} = bodies.pick(ray);
    if (body < 0 || types[body] === 'fixed' || types[body] === 'moving') return false;
    this.body = body;
    this.at = bodies.to_body(body, point);
    this.target.copy(point);
    this.plane.setFromNormalAndCoplanarPoint(eye.getWorldDirection(new THREE.Vector3()), point);
    return true;
  }

  move(ray: THREE.Raycaster): void {
    ray.ray.intersectPlane(this.plane, this.target);
  }

  release(): void {
    this.body = -1;
    this.line.visible = false;
  }

  push(): Push {
    return {body: this.body, at: this.at.toArray(), target: this.target.toArray()};
  }

  /** From the body's point, wherever that is now, to the place. */
  draw(bodies: Bodies): void {
    this.line.visible = this.holds();
    if (!this.holds()) return;
    const ends = this.line.geometry.getAttribute('position'), point = bodies.to_world(this.body, this.at, new THREE.Vector3());
    ends.setXYZ(0, point.x, point.y, point.z);
    ends.setXYZ(1, this.target.x, this.target.y, this.target.z);
    ends.needsUpdate = true;
  }
}
