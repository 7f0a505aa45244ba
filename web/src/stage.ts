// The scene in three dimensions.
//
// All triangles of a frame are one geometry. Their order is that of materials, so that fragments and cracks differ in colour
// without a copy of any vertex; colliding triangles are drawn once more on top, in red, from the same vertices. Coordinates
// are scaled so that the first frame is about one unit long. Nothing is drawn unless something has changed.

import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  ConeGeometry,
  DirectionalLight,
  DoubleSide,
  DynamicDrawUsage,
  HemisphereLight,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Quaternion,
  Scene,
  Box3,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { DEAD, type Frame } from "./frames/group.ts";
import type { Recording } from "./frames/recording.ts";
import { Framing } from "./framing.ts";
import { Ground, painted } from "./ground.ts";
import { BOX, BOX_DARK, COLLIDING, CONTACT, CRACK, FRAGMENTS, PLAIN } from "./palette.ts";

/** What is shown beside the bodies. */
export interface Look {
  fragments: boolean;
  cracks: boolean;
  colliding: boolean;
  /** Lines between closest points. */
  closest: boolean;
  contacts: boolean;
  lines: boolean;
  seeThrough: boolean;
  /** The camera keeps the bodies in view while they move. */
  follow: boolean;
  /** Level of the trees whose boxes are shown; none below 0. */
  level: number;
}

/** More triangles than this throw no shadows: they are drawn twice for them. */
const MOST_WITH_SHADOWS = 120_000;
const MOST_ARROWS = 4_000;
/** Where there are more contacts than this, they are drawn smaller, so that the bodies stay to be seen. */
const FEW_ARROWS = 60;
const POINT_SIZE = 9;

export class Stage {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly geometry = new BufferGeometry();
  private readonly redGeometry = new BufferGeometry();
  private readonly materials: MeshStandardMaterial[];
  private readonly body: Mesh;
  private readonly red: Mesh;
  private readonly lines: Mesh;
  private readonly boxes: LineSegments;
  private readonly closestPoints: Points;
  private readonly closestLines: LineSegments;
  private readonly contactPoints: Points;
  private readonly shafts: LineSegments;
  private readonly heads: InstancedMesh;
  private readonly framing: Framing;
  private readonly ground?: Ground;
  private readonly sun = new DirectionalLight("#fff6ea", 2.6);
  private readonly sky = new HemisphereLight("#ffffff", "#b9b2a6", 1.15);
  private readonly scale: number;
  private readonly offset: [number, number, number];
  private readonly radius: number;
  private frame?: { number: number; data: Frame };
  private drawn?: { version: number; fragments: Uint32Array; byFragment: boolean; cracks: boolean };
  private redTriangles: number[] = [];
  private isStale = true;
  /** Width, height and pixels of the canvas as they were last. */
  private size = "";
  /** Frames drawn so far. */
  draws = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly recording: Recording,
    first: Frame,
    public look: Look,
  ) {
    const { header } = recording;
    const space = spaceOf(recording, first);
    this.scale = space.scale;
    this.offset = space.offset;
    const centre = space.home.getCenter(new Vector3());
    this.radius = Math.max(0.05, 0.5 * space.home.getSize(new Vector3()).length());

    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    const withShadows = header.triangles <= MOST_WITH_SHADOWS;
    this.renderer.shadowMap.enabled = withShadows;
    this.renderer.shadowMap.type = PCFShadowMap;

    const positions = new BufferAttribute(new Float32Array(3 * header.vertices), 3).setUsage(DynamicDrawUsage);
    // Faces are shaded flat from their own slope; shaders still want a normal to be there.
    const normals = new BufferAttribute(new Int8Array(4 * header.vertices).fill(1), 4, true);
    for (const geometry of [this.geometry, this.redGeometry]) {
      geometry.setAttribute("position", positions);
      geometry.setAttribute("normal", normals);
      geometry.boundingSphere = new Sphere(new Vector3(), 1e6);
    }
    this.geometry.setIndex(new BufferAttribute(new Uint32Array(3 * header.triangles), 1).setUsage(DynamicDrawUsage));
    const matt = (color: Color) => new MeshStandardMaterial({ color, flatShading: true, side: DoubleSide, roughness: 0.78, metalness: 0 });
    // Fragments, all alike, and the crack faces of each: pale, with a little of the fragment's colour.
    const skins = [...FRAGMENTS, PLAIN].map((colour) => new Color(colour));
    const cracks = skins.map((skin, k) => new Color(CRACK).lerp(skin, k < FRAGMENTS.length ? 0.3 : 0));
    this.materials = [...skins, ...cracks].map(matt);
    this.body = new Mesh(this.geometry, this.materials);
    this.body.castShadow = this.body.receiveShadow = withShadows;
    const redMaterial = new MeshLambertMaterial({ color: COLLIDING, emissive: COLLIDING, emissiveIntensity: 0.45, flatShading: true, side: DoubleSide });
    Object.assign(redMaterial, { polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 });
    this.red = new Mesh(this.redGeometry, redMaterial);
    this.red.renderOrder = 1;
    this.lines = new Mesh(this.geometry, new MeshBasicMaterial({ color: "#1b2430", wireframe: true, transparent: true, opacity: 0.22, depthWrite: false }));
    this.boxes = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: BOX, transparent: true, opacity: 0.85 }));

    const spots = () => new Points(new BufferGeometry(), new PointsMaterial({ color: CONTACT, size: POINT_SIZE, sizeAttenuation: false, map: dot(), alphaTest: 0.5, depthTest: false, transparent: true }));
    const strokes = () => new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: CONTACT, depthTest: false, transparent: true }));
    this.contactPoints = spots();
    this.shafts = strokes();
    this.closestPoints = spots();
    this.closestLines = strokes();
    this.placeLines();
    this.heads = new InstancedMesh(new ConeGeometry(0.007, 0.022, 10).translate(0, -0.011, 0), new MeshBasicMaterial({ color: CONTACT, depthTest: false, transparent: true }), MOST_ARROWS);
    for (const part of [this.closestPoints, this.closestLines, this.contactPoints, this.shafts, this.heads]) part.renderOrder = 3;
    for (const part of [this.body, this.red, this.lines, this.boxes, this.closestPoints, this.closestLines, this.contactPoints, this.shafts, this.heads]) {
      part.frustumCulled = false;
      this.scene.add(part);
    }

    if (space.ground !== undefined) {
      this.ground = new Ground(6 * this.radius, 0.3 * this.radius);
      this.ground.position.set(centre.x, centre.y, space.ground);
      this.scene.add(this.ground);
    }

    const reach = 1.5 * this.radius;
    this.sun.position.copy(centre).add(new Vector3(-1.1, -1.6, 2.6).multiplyScalar(2 * reach));
    this.sun.target.position.copy(centre);
    this.sun.castShadow = withShadows;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0015;
    this.sun.shadow.radius = 5;
    Object.assign(this.sun.shadow.camera, { left: -1.6 * reach, right: 1.6 * reach, top: 1.6 * reach, bottom: -1.6 * reach, near: 0.01, far: 20 * reach });
    this.sky.position.set(0, 0, 1);
    const fill = new DirectionalLight("#cfe0ff", 0.55);
    fill.position.set(2, 1.4, 0.6);
    this.scene.add(this.sun, this.sun.target, this.sky, fill, new AmbientLight("#ffffff", 0.15));

    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.02;
    this.controls.maxDistance = 30;
    this.controls.addEventListener("change", () => this.touch());
    this.framing = new Framing(this.camera, this.controls, space.ground);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    let last = performance.now();
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      if (this.look.follow && this.framing.glide(Math.max(0, now - last) / 1000)) this.touch();
      last = now;
      this.controls.update();
      if (this.isStale && this.frame) this.draw();
    };
    tick(last);
  }

  /** Something has changed: the next tick draws. */
  touch(): void {
    this.isStale = true;
  }

  /** Looks at all bodies, as at the beginning. */
  reset(): void {
    this.lookFrom(-38, 20);
  }

  /** Looks at the bodies from an angle around the vertical and one above the horizon, in degrees; nearer for small distances. */
  lookFrom(around: number, above: number, distance = 1): void {
    const [a, b] = [around, above].map((degrees) => (degrees * Math.PI) / 180);
    const towards = new Vector3(Math.sin(a) * Math.cos(b), -Math.cos(a) * Math.cos(b), Math.sin(b));
    // A turn that is still slowing down must not go on from the new place.
    this.controls.enableDamping = false;
    this.controls.update();
    this.framing.look(towards, distance);
    this.controls.update();
    this.controls.enableDamping = true;
    this.touch();
  }

  /** How much of the view's width and height the bodies take. */
  get share(): [number, number] {
    return this.framing.share;
  }

  /** Turns and zooms by steps, for the keyboard. */
  nudge(around: number, above: number, nearer: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    arm.applyAxisAngle(new Vector3(0, 0, 1), around);
    const side = new Vector3().crossVectors(arm, this.camera.up).normalize();
    const turned = arm.clone().applyAxisAngle(side, above);
    if (Math.abs(turned.z) < 0.995 * turned.length()) arm.copy(turned);
    this.camera.position.copy(this.controls.target).addScaledVector(arm, 1 / nearer);
    this.controls.update();
    this.touch();
  }

  /** Looks at some triangles from near. */
  focus(triangles: number[]): void {
    const { corners } = this.recording.triangles;
    const positions = this.geometry.getAttribute("position");
    const points = triangles.flatMap((t) => [0, 1, 2].map((c) => new Vector3().fromBufferAttribute(positions, corners[3 * t + c])));
    const sphere = new Sphere().setFromPoints(points);
    const arm = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(arm, Math.max(0.05, 14 * sphere.radius));
    this.controls.update();
    this.touch();
  }

  setTheme(isDark: boolean): void {
    this.scene.background = new Color(isDark ? "#14181d" : "#eef1f4");
    this.ground?.setTheme(isDark);
    this.sky.intensity = isDark ? 0.95 : 1.15;
    (this.lines.material as MeshBasicMaterial).color.set(isDark ? "#0b0f14" : "#1b2430");
    (this.boxes.material as LineBasicMaterial).color.set(isDark ? BOX_DARK : BOX);
    this.touch();
  }

  /** Shows a frame. The camera glides after the bodies if the frame is the next of a run that plays; else it follows at once. */
  show(number: number, data: Frame, isPlaying = false): void {
    const before = this.frame?.number;
    this.frame = { number, data };
    const { scale, offset } = this;
    const positions = this.geometry.getAttribute("position") as BufferAttribute;
    const array = positions.array as Float32Array;
    const { nodes } = data;
    for (let k = 0; k < nodes.length; k += 3) {
      array[k] = nodes[k] * scale + offset[0];
      array[k + 1] = nodes[k + 1] * scale + offset[1];
      array[k + 2] = nodes[k + 2] * scale + offset[2];
    }
    positions.needsUpdate = true;
    this.refresh();
    this.framing.take(array, this.recording.triangles, number, data.fragments);
    if (before === undefined) this.reset();
    else if (this.look.follow) this.framing.follow(isPlaying && number > before);
  }

  /** Applies what is to be shown to the present frame. */
  refresh(): void {
    if (!this.frame) return;
    const { data } = this.frame;
    this.sortTriangles();
    this.markColliding(data);
    this.drawBoxes(data);
    this.drawContacts(data);
    for (const material of this.materials) {
      material.transparent = this.look.seeThrough;
      material.opacity = this.look.seeThrough ? 0.22 : 1;
      material.depthWrite = !this.look.seeThrough;
    }
    this.lines.visible = this.look.lines;
    this.closestPoints.visible = this.closestLines.visible = this.look.closest;
    this.touch();
  }

  /** The triangles in red, ascending. */
  get colliding(): number[] {
    return this.red.visible ? this.redTriangles : [];
  }

  /** Which triangles are drawn, as numbers of triangles by material. */
  get drawnGroups(): { material: number; triangles: number }[] {
    return this.geometry.groups.map((group) => ({ material: group.materialIndex ?? 0, triangles: group.count / 3 }));
  }

  /** How many boxes, contacts and lines between closest points are drawn. */
  get drawnParts(): { boxes: number; contacts: number; closest: number } {
    const count = (part: Points | LineSegments) => (part.visible ? (part.geometry.getAttribute("position")?.count ?? 0) : 0);
    return { boxes: count(this.boxes) / 24, contacts: count(this.contactPoints), closest: count(this.closestLines) / 2 };
  }

  /** Puts the triangles of the frame in the order of their materials, unless they are. */
  private sortTriangles(): void {
    if (!this.frame) return;
    const { number, data } = this.frame;
    const { triangles } = this.recording;
    const { fragments: byFragment, cracks } = this.look;
    const version = triangles.version(number);
    const drawn = this.drawn;
    if (drawn && drawn.version === version && drawn.byFragment === byFragment && drawn.cracks === cracks && isEqual(drawn.fragments, data.fragments)) return;
    this.drawn = { version, fragments: data.fragments, byFragment, cracks };
    const plain = FRAGMENTS.length;
    const materialOf = (t: number) => {
      const fragment = data.fragments[t] ?? DEAD;
      const skin = byFragment && fragment !== DEAD ? fragment % plain : plain;
      return cracks && triangles.isCrack[t] ? plain + 1 + skin : skin;
    };
    const counts = new Uint32Array(this.materials.length + 1);
    for (let t = 0; t < triangles.count; t++) if (triangles.isIn(t, number)) counts[materialOf(t) + 1]++;
    for (let m = 1; m < counts.length; m++) counts[m] += counts[m - 1];
    this.geometry.clearGroups();
    for (let m = 0; m + 1 < counts.length; m++) {
      if (counts[m + 1] > counts[m]) this.geometry.addGroup(3 * counts[m], 3 * (counts[m + 1] - counts[m]), m);
    }
    const index = this.geometry.getIndex() as BufferAttribute;
    const array = index.array as Uint32Array;
    this.geometry.setDrawRange(0, 3 * counts[counts.length - 1]);
    const next = counts.slice();
    for (let t = 0; t < triangles.count; t++) {
      if (!triangles.isIn(t, number)) continue;
      const place = 3 * next[materialOf(t)]++;
      array[place] = triangles.corners[3 * t];
      array[place + 1] = triangles.corners[3 * t + 1];
      array[place + 2] = triangles.corners[3 * t + 2];
    }
    index.needsUpdate = true;
  }

  private markColliding(data: Frame): void {
    const { triangles } = this.recording;
    this.redTriangles = [...new Set(data.pairs)].sort((a, b) => a - b);
    const count = 3 * this.redTriangles.length;
    let index = this.redGeometry.getIndex();
    // Buffers of the card are kept and only ever grow.
    if (!index || index.count < count) {
      index = new BufferAttribute(new Uint32Array(2 * count), 1).setUsage(DynamicDrawUsage);
      this.redGeometry.setIndex(index);
    }
    const array = index.array as Uint32Array;
    this.redTriangles.forEach((t, k) => array.set(triangles.corners.subarray(3 * t, 3 * t + 3), 3 * k));
    index.needsUpdate = true;
    this.redGeometry.setDrawRange(0, count);
    this.red.visible = this.look.colliding && count > 0;
  }

  private drawBoxes({ boxes }: Frame): void {
    const { level } = this.look;
    this.boxes.visible = level >= 0 && level < boxes.levels.length;
    if (!this.boxes.visible) return;
    const begin = boxes.levels.slice(0, level).reduce((sum, count) => sum + count, 0);
    const count = boxes.levels[level];
    const places = new Float32Array(3 * 24 * count);
    let at = 0;
    for (let b = begin; b < begin + count; b++) {
      for (const corners of EDGES) {
        for (let axis = 0; axis < 3; axis++) {
          const side = (corners >> axis) & 1 ? boxes.high : boxes.low;
          places[at++] = side[3 * b + axis] * this.scale + this.offset[axis];
        }
      }
    }
    replace(this.boxes.geometry, places);
  }

  /** Puts the lines between closest points where they belong; they are the same in every frame. */
  private placeLines(): void {
    const { origin, step, about } = this.recording.header;
    const ends = (about.lines ?? []).flat();
    const places = new Float32Array(ends.flatMap((end) => end.map((x, axis) => ((x - origin[axis]) / step) * this.scale + this.offset[axis])));
    replace(this.closestLines.geometry, places);
    replace(this.closestPoints.geometry, places);
    // Where there are many, they are drawn smaller.
    (this.closestPoints.material as PointsMaterial).size = Math.max(2.5, POINT_SIZE * Math.min(1, Math.sqrt(FEW_ARROWS / Math.max(1, ends.length))));
  }

  private drawContacts({ contacts }: Frame): void {
    const count = Math.min(contacts.length / 7, MOST_ARROWS);
    const visible = this.look.contacts && count > 0;
    for (const part of [this.contactPoints, this.shafts, this.heads]) part.visible = visible;
    if (!visible) return;
    const { origin, step } = this.recording.header;
    const [points, shafts] = [new Float32Array(3 * count), new Float32Array(6 * count)];
    const shrink = Math.min(1, Math.sqrt(FEW_ARROWS / count));
    const length = 0.05 * Math.max(0.2, this.radius) * shrink;
    (this.contactPoints.material as PointsMaterial).size = Math.max(2.5, POINT_SIZE * shrink);
    const [tip, normal, up, turn, matrix] = [new Vector3(), new Vector3(), new Vector3(0, 1, 0), new Quaternion(), new Matrix4()];
    const size = new Vector3(shrink, shrink, shrink);
    for (let c = 0; c < count; c++) {
      normal.set(contacts[7 * c + 3], contacts[7 * c + 4], contacts[7 * c + 5]).normalize();
      for (let axis = 0; axis < 3; axis++) {
        const place = ((contacts[7 * c + axis] - origin[axis]) / step) * this.scale + this.offset[axis];
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

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const size = `${clientWidth} ${clientHeight} ${window.devicePixelRatio}`;
    if (clientWidth === 0 || clientHeight === 0 || size === this.size) return;
    this.size = size;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(clientWidth, clientHeight, false);
    const was = this.camera.aspect;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    if (this.frame && Math.abs(was - this.camera.aspect) > 0.05) this.reset();
    // A canvas of another size is empty; before the first frame there is nothing to see.
    if (this.frame) this.draw();
  }

  private draw(): void {
    this.isStale = false;
    this.draws++;
    this.renderer.render(this.scene, this.camera);
  }
}

/** Corners of the ends of a box's edges: bit k is set where the coordinate k is the upper one. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/** How whole numbers become places: the first frame is about one unit long and stands around the origin. */
function spaceOf(recording: Recording, first: Frame): { scale: number; offset: [number, number, number]; home: Box3; ground?: number } {
  const { about, origin, step } = recording.header;
  const [low, high] = [[0, 1, 2].map(() => Infinity), [0, 1, 2].map(() => -Infinity)];
  for (let k = 0; k < first.nodes.length; k++) {
    low[k % 3] = Math.min(low[k % 3], first.nodes[k]);
    high[k % 3] = Math.max(high[k % 3], first.nodes[k]);
  }
  const groundNode = about.ground === null ? undefined : (about.ground - origin[2]) / step;
  if (groundNode !== undefined) low[2] = Math.min(low[2], groundNode);
  const sides = [0, 1, 2].map((axis) => (Number.isFinite(low[axis]) ? high[axis] - low[axis] : 0));
  const scale = 1 / Math.max(1, ...sides);
  const middle = [0, 1, 2].map((axis) => (Number.isFinite(low[axis]) ? 0.5 * (low[axis] + high[axis]) : 0));
  const offset = middle.map((x) => -x * scale) as [number, number, number];
  // The view holds all of the run, unless it spreads far beyond its beginning.
  const ends = [0, 1, 2].map((axis) => {
    const node = (x: number) => (x - origin[axis]) / step;
    const slack = 0.6 * Math.max(...sides);
    const bottom = Math.max(low[axis] - slack, Math.min(low[axis], node(recording.header.low[axis])));
    const top = Math.min(high[axis] + slack, Math.max(high[axis], node(recording.header.high[axis])));
    return [bottom * scale + offset[axis], top * scale + offset[axis]];
  });
  const known = ends.every(([a, b]) => Number.isFinite(b - a));
  const home = known ? new Box3(new Vector3(...ends.map((end) => end[0])), new Vector3(...ends.map((end) => end[1]))) : new Box3(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
  return { scale, offset, home, ground: groundNode === undefined ? undefined : groundNode * scale + offset[2] };
}

function replace(geometry: BufferGeometry, places: Float32Array): void {
  geometry.dispose();
  geometry.setAttribute("position", new BufferAttribute(places, 3));
}

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
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
