// Where the camera stands so that the bodies fill the view.
//
// For a direction of view, each of the four side planes of the view frustum is moved inward until it touches the bodies. The two
// planes left and right meet in a line, and so do the two above and below; the camera stands on the farther of both lines, centred
// on the other axis. That is the nearest place from which everything can be seen.
//
// Fragments that fly far away and are small, one per cent of the surface together, may leave the view, so that the rest stays large. The ground below
// the bodies is always part of the view. While a run plays, the camera glides: quickly when bodies would leave the view, slowly
// when they have come closer together. What the user has turned, zoomed or moved stays.

import { type PerspectiveCamera, type Sphere, Vector3 } from "three";
import type { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Space } from "./space.ts";
import type { Surface } from "./stage.ts";

/** Triangles that are looked at for a fit; more do not change it to speak of. */
const MOST_TRIANGLES = 8_000;
/** Share of the surface that may lie outside each side of the view, as whole fragments. */
const OUTLIERS = 0.01;
/** Fragments are left out only if that shortens the view by more than this share. */
const FAR = 0.25;
/** Share of the view that the bodies take at most, in each direction. */
const FILLED = 0.88;
/** Seconds after which two thirds of the way are done, outward and inward. */
const PACE_OUT = 0.12;
const PACE_IN = 0.5;
/** No nearer than this, in units of the scene. */
const NEAREST = 0.05;

/** The bodies to be seen: corners of triangles, the place of each triangle's fragment in a list, and the area of each fragment. */
interface Bodies {
  points: Float32Array;
  places: Uint32Array;
  areas: number[];
}

/** A place to look at, and how far from it the camera stands. */
interface Fit {
  target: Vector3;
  distance: number;
}

export class Framing {
  private bodies: Bodies = { points: new Float32Array(0), places: new Uint32Array(0), areas: [] };
  /** The point on the ground below the bodies. */
  private foot?: Vector3;
  /** Bodies outside of this are not looked for; everything counts where it is missing. */
  within?: Sphere;
  private fitted: Fit = { target: new Vector3(), distance: 1 };
  private goal?: Fit;

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly controls: OrbitControls,
    private readonly space?: Space,
  ) {}

  /** Takes a frame's triangles as the bodies to be seen. */
  take(positions: ArrayLike<number>, triangles: Surface, frame: number, fragments: ArrayLike<number>): void {
    const stride = Math.max(1, Math.ceil(triangles.count / MOST_TRIANGLES));
    const points: number[] = [];
    const places: number[] = [];
    const areas: number[] = [];
    const placeOf = new Map<number, number>();
    const corners = [new Vector3(), new Vector3(), new Vector3()];
    for (let t = 0; t < triangles.count; t += stride) {
      if (!triangles.isIn(t, frame)) continue;
      corners.forEach((corner, k) => {
        corner.fromArray(positions as number[], 3 * triangles.corners[3 * t + k]);
        points.push(corner.x, corner.y, corner.z);
      });
      const [a, b, c] = corners;
      if (this.within && !this.within.containsPoint(a)) {
        points.length -= 9;
        continue;
      }
      const fragment = fragments[t] ?? 0;
      const place = placeOf.get(fragment) ?? areas.length;
      placeOf.set(fragment, place);
      places.push(place);
      areas[place] = (areas[place] ?? 0) + b.sub(a).cross(c.sub(a)).length();
    }
    if (areas.length === 0 && this.within) return;
    this.bodies = { points: new Float32Array(points), places: new Uint32Array(places), areas };
    if (this.space?.ground === undefined || areas.length === 0) return;
    const middle = (along: Vector3) => 0.5 * (reachOf(this.bodies, along) - reachOf(this.bodies, along.clone().negate()));
    this.foot = new Vector3(middle(new Vector3(1, 0, 0)), middle(new Vector3(0, 1, 0)), this.space.ground);
  }

  /** Looks along a direction, from the fitting place at once. `towards` points from the bodies to the camera. */
  look(towards: Vector3, distance = 1): void {
    this.fitted = this.fit(towards);
    this.goal = undefined;
    this.controls.target.copy(this.fitted.target);
    this.camera.position.copy(this.fitted.target).addScaledVector(towards, distance * this.fitted.distance);
  }

  /** Follows the bodies, keeping what the user has changed: at once, or by gliding. */
  follow(isGliding: boolean): void {
    const goal = this.fit(this.direction());
    if (isGliding) this.goal = goal;
    else this.move(goal);
  }

  /** Goes on with a glide; says whether the camera has moved. */
  glide(seconds: number): boolean {
    const { goal, fitted } = this;
    if (!goal) return false;
    const share = 1 - Math.exp(-seconds / (goal.distance > fitted.distance ? PACE_OUT : PACE_IN));
    const off = fitted.target.distanceTo(goal.target) + Math.abs(fitted.distance - goal.distance);
    if (off < 1e-4 * goal.distance) this.goal = undefined;
    const next = { target: fitted.target.clone().lerp(goal.target, share), distance: fitted.distance + share * (goal.distance - fitted.distance) };
    this.move(this.goal ? next : goal, this.goal);
    return true;
  }

  /** How much of the view's width and height the bodies take, outliers left out. */
  get share(): [number, number] {
    this.camera.updateMatrixWorld();
    const points = this.bodies.points.slice();
    const point = new Vector3();
    for (let k = 0; k < points.length; k += 3) point.fromArray(points, k).project(this.camera).toArray(points, k);
    const seen = { ...this.bodies, points };
    const span = (along: Vector3) => 0.5 * (reachOf(seen, along) + reachOf(seen, along.clone().negate()));
    return [span(new Vector3(1, 0, 0)), span(new Vector3(0, 1, 0))];
  }

  private direction(): Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  private move(next: Fit, goal?: Fit): void {
    const { fitted, camera, controls } = this;
    const scale = next.distance / fitted.distance;
    const arm = camera.position.clone().sub(controls.target).multiplyScalar(scale);
    controls.target.sub(fitted.target).multiplyScalar(scale).add(next.target);
    camera.position.copy(controls.target).add(arm);
    this.fitted = next;
    this.goal = goal;
  }

  private fit(towards: Vector3): Fit {
    if (this.bodies.areas.length === 0) return { target: new Vector3(), distance: 2 };
    const right = new Vector3().crossVectors(this.camera.up, towards);
    if (right.lengthSq() < 1e-12) right.set(1, 0, 0);
    right.normalize();
    const up = new Vector3().crossVectors(towards, right);
    const upright = FILLED * Math.tan((this.camera.fov * Math.PI) / 360);
    const level = upright * this.camera.aspect;
    const [low, high] = [-this.reach(towards.clone().negate()), this.reach(towards)];
    // In the plane of `side` and `towards`: side ≤ tan · (near − towards) must hold for all points on either side.
    const across = (side: Vector3, tan: number) => {
      const plus = this.reach(side.clone().addScaledVector(towards, tan));
      const minus = this.reach(side.clone().negate().addScaledVector(towards, tan));
      return { near: (plus + minus) / (2 * tan), middle: (plus - minus) / 2 };
    };
    const [wide, tall] = [across(right, level), across(up, upright)];
    const near = Math.max(wide.near, tall.near, high + NEAREST);
    const depth = 0.5 * (low + high);
    const target = new Vector3().addScaledVector(right, wide.middle).addScaledVector(up, tall.middle).addScaledVector(towards, depth);
    return { target, distance: Math.max(NEAREST, near - depth) };
  }

  /** How far the bodies reach along a direction, outliers left out and the ground below them included. */
  private reach(along: Vector3): number {
    const most = reachOf(this.bodies, along);
    return this.foot ? Math.max(most, this.foot.dot(along)) : most;
  }
}

/** How far bodies reach along a direction when small fragments that are far away are left out. */
function reachOf({ points, places, areas }: Bodies, along: Vector3): number {
  const reach = areas.map(() => -Infinity);
  let low = Infinity;
  for (let k = 0; k < points.length; k += 3) {
    const value = points[k] * along.x + points[k + 1] * along.y + points[k + 2] * along.z;
    const place = places[Math.floor(k / 9)];
    if (value > reach[place]) reach[place] = value;
    if (value < low) low = value;
  }
  const farthestFirst = reach.map((_, place) => place).sort((a, b) => reach[b] - reach[a]);
  const most = reach[farthestFirst[0]];
  let outside = OUTLIERS * areas.reduce((sum, area) => sum + area, 0);
  const kept = farthestFirst.find((place) => (outside -= areas[place]) < 0) ?? farthestFirst[0];
  return most - reach[kept] > FAR * (most - low) ? reach[kept] : most;
}
