// What is drawn over the bodies: boxes of trees, contacts with their normals, lines between closest points.

import { BufferAttribute, BufferGeometry, type CanvasTexture, ConeGeometry, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, Points, PointsMaterial, Quaternion, Vector3 } from "three";
import { painted } from "./ground.ts";
import { BOX, BOX_DARK, CONTACT } from "./palette.ts";
import type { Space } from "./space.ts";
import type { Picture } from "./stage.ts";

const MOST_ARROWS = 4_000;
/** Where there are more contacts than this, they are drawn smaller, so that the bodies stay to be seen. */
const FEW_ARROWS = 60;
const POINT_SIZE = 9;
/** Corners of the ends of a box's edges: bit k is set where the coordinate k is the upper one. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

export class Marks extends Group {
  private readonly boxes = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: BOX, transparent: true, opacity: 0.85 }));
  private readonly closestPoints = spots();
  private readonly closestLines = strokes();
  private readonly contactPoints = spots();
  private readonly shafts = strokes();
  private readonly heads = new InstancedMesh(new ConeGeometry(0.007, 0.022, 10).translate(0, -0.011, 0), new MeshBasicMaterial({ color: CONTACT, depthTest: false, transparent: true }), MOST_ARROWS);

  constructor(private space: Space) {
    super();
    const onTop = [this.closestPoints, this.closestLines, this.contactPoints, this.shafts, this.heads];
    for (const part of onTop) part.renderOrder = 3;
    for (const part of [this.boxes, ...onTop]) {
      part.frustumCulled = false;
      part.visible = false;
      this.add(part);
    }
  }

  /** Takes another space for what comes. */
  setSpace(space: Space): void {
    this.space = space;
  }

  setTheme(isDark: boolean): void {
    this.boxes.material.color.set(isDark ? BOX_DARK : BOX);
  }

  /** How many boxes, contacts and lines between closest points are drawn. */
  get drawn(): { boxes: number; contacts: number; closest: number } {
    const count = (part: Points | LineSegments) => (part.visible ? (part.geometry.getAttribute("position")?.count ?? 0) : 0);
    return { boxes: count(this.boxes) / 24, contacts: count(this.contactPoints), closest: count(this.closestLines) / 2 };
  }

  /** Draws the boxes of a level; none below 0. */
  showBoxes({ boxes }: Picture, level: number): void {
    this.boxes.visible = level >= 0 && level < boxes.levels.length;
    if (!this.boxes.visible) return;
    const { scale, offset } = this.space;
    const begin = boxes.levels.slice(0, level).reduce((sum, count) => sum + count, 0);
    const count = boxes.levels[level];
    const places = new Float32Array(3 * 24 * count);
    let at = 0;
    for (let b = begin; b < begin + count; b++) {
      for (const corners of EDGES) {
        for (let axis = 0; axis < 3; axis++) {
          const side = (corners >> axis) & 1 ? boxes.high : boxes.low;
          places[at++] = side[3 * b + axis] * scale + offset[axis];
        }
      }
    }
    replace(this.boxes.geometry, places);
  }

  /** Puts lines between closest points where they belong; they are the same in every frame. */
  placeLines(lines: [number, number, number][][]): void {
    const ends = lines.flat();
    const places = new Float32Array(ends.flatMap((end) => end.map((x, axis) => this.space.place(x, axis))));
    replace(this.closestLines.geometry, places);
    replace(this.closestPoints.geometry, places);
    // Where there are many, they are drawn smaller.
    this.closestPoints.material.size = Math.max(2.5, POINT_SIZE * Math.min(1, Math.sqrt(FEW_ARROWS / Math.max(1, ends.length))));
  }

  showLines(isVisible: boolean): void {
    this.closestPoints.visible = this.closestLines.visible = isVisible;
  }

  /** Draws contacts as points with arrows. */
  showContacts({ contacts }: Picture, isWanted: boolean): void {
    const count = Math.min(contacts.length / 7, MOST_ARROWS);
    const visible = isWanted && count > 0;
    for (const part of [this.contactPoints, this.shafts, this.heads]) part.visible = visible;
    if (!visible) return;
    const [points, shafts] = [new Float32Array(3 * count), new Float32Array(6 * count)];
    const shrink = Math.min(1, Math.sqrt(FEW_ARROWS / count));
    const length = 0.05 * Math.max(0.2, this.space.radius) * shrink;
    this.contactPoints.material.size = Math.max(2.5, POINT_SIZE * shrink);
    const [tip, normal, up, turn, matrix] = [new Vector3(), new Vector3(), new Vector3(0, 1, 0), new Quaternion(), new Matrix4()];
    const size = new Vector3(shrink, shrink, shrink);
    for (let c = 0; c < count; c++) {
      normal.set(contacts[7 * c + 3], contacts[7 * c + 4], contacts[7 * c + 5]).normalize();
      for (let axis = 0; axis < 3; axis++) {
        const place = this.space.place(contacts[7 * c + axis], axis);
        points[3 * c + axis] = place;
        shafts[6 * c + axis] = place;
        shafts[6 * c + 3 + axis] = place + length * normal.getComponent(axis);
      }
      tip.fromArray(shafts, 6 * c + 3);
      this.heads.setMatrixAt(c, matrix.compose(tip, turn.setFromUnitVectors(up, normal), size));
    }
    this.heads.count = count;
    this.heads.instanceMatrix.needsUpdate = true;
    replace(this.contactPoints.geometry, points);
    replace(this.shafts.geometry, shafts);
  }
}

function spots(): Points<BufferGeometry, PointsMaterial> {
  return new Points(new BufferGeometry(), new PointsMaterial({ color: CONTACT, size: POINT_SIZE, sizeAttenuation: false, map: dot(), alphaTest: 0.5, depthTest: false, transparent: true }));
}

function strokes(): LineSegments<BufferGeometry, LineBasicMaterial> {
  return new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: CONTACT, depthTest: false, transparent: true }));
}

/** Gives a geometry other places. */
export function replace(geometry: BufferGeometry, places: Float32Array): void {
  geometry.dispose();
  geometry.setAttribute("position", new BufferAttribute(places, 3));
}

/** A round spot for contacts. */
function dot(): CanvasTexture {
  return painted(64, (context) => {
    context.fillStyle = "#fff";
    context.beginPath();
    context.arc(32, 32, 28, 0, 2 * Math.PI);
    context.fill();
  });
}
