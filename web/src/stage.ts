// The scene in three dimensions, for recordings and for what is simulated while one looks.
//
// All triangles of a frame are one geometry. Their order is that of materials, so that fragments and cracks differ in colour
// without a copy of any vertex; colliding triangles are drawn once more on top, in red, from the same vertices. Coordinates
// are scaled so that the first frame is about one unit long. Buffers of the card only ever grow. Nothing is drawn unless something
// has changed.

import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  DynamicDrawUsage,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { DEAD } from "./frames/group.ts";
import { Framing } from "./framing.ts";
import { Ground } from "./ground.ts";
import { Marks } from "./marks.ts";
import { COLLIDING, CRACK, FRAGMENTS, PLAIN } from "./palette.ts";
import type { Space } from "./space.ts";

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

/** The triangles of frames, by their number. */
export interface Surface {
  /** Triangles of all frames so far. */
  readonly count: number;
  /** Three vertices of each. */
  readonly corners: Uint32Array;
  readonly isCrack: Uint8Array;
  isIn(triangle: number, frame: number): boolean;
  /** A number that two frames share if they have the same triangles. */
  version(frame: number): number;
}

/** What a frame has to show. */
export interface Picture {
  nodes: ArrayLike<number>;
  /** The fragment of every triangle. */
  fragments: Uint32Array;
  /** Two triangles of each pair. */
  pairs: Uint32Array;
  /** Point, normal and depth of each contact, in the units of the scene. */
  contacts: Float32Array;
  /** Boxes of trees, from the roots down. */
  boxes: { levels: number[]; low: ArrayLike<number>; high: ArrayLike<number> };
}

/** More triangles than this throw no shadows: they are drawn twice for them. */
const MOST_WITH_SHADOWS = 120_000;

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly geometry = new BufferGeometry();
  private readonly redGeometry = new BufferGeometry();
  private readonly materials: MeshStandardMaterial[];
  /** The same colours, quicker to draw. */
  private readonly plainMaterials: MeshLambertMaterial[];
  private isPlain = false;
  private readonly body: Mesh;
  private readonly red: Mesh;
  private readonly lines: Mesh;
  private readonly marks: Marks;
  private framing: Framing;
  private ground?: Ground;
  private readonly sun = new DirectionalLight("#fff6ea", 2.6);
  private readonly sky = new HemisphereLight("#ffffff", "#b9b2a6", 1.15);
  private frame?: { surface: Surface; number: number; data: Picture };
  private drawn?: { surface: Surface; version: number; fragments: Uint32Array; byFragment: boolean; cracks: boolean };
  private redTriangles: number[] = [];
  private isStale = true;
  private isDark = false;
  /** Width, height and pixels of the canvas as they were last. */
  private size = "";
  /** Pixels of the canvas for each of the page, at most; less where drawing is slow. */
  private sharpness = 2;
  /** Frames drawn so far. */
  draws = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private space: Space,
    public look: Look,
    triangles: number,
    antialias = true,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias, powerPreference: "high-performance" });
    this.renderer.shadowMap.type = PCFShadowMap;
    this.geometry.setIndex(new BufferAttribute(new Uint32Array(0), 1));
    for (const geometry of [this.geometry, this.redGeometry]) geometry.boundingSphere = new Sphere(new Vector3(), 1e6);
    const matt = (color: Color) => new MeshStandardMaterial({ color, flatShading: true, side: DoubleSide, roughness: 0.78, metalness: 0 });
    // Fragments, all alike, and the crack faces of each: pale, with a little of the fragment's colour.
    const skins = [...FRAGMENTS, PLAIN].map((colour) => new Color(colour));
    const cracks = skins.map((skin, k) => new Color(CRACK).lerp(skin, k < FRAGMENTS.length ? 0.3 : 0));
    this.materials = [...skins, ...cracks].map(matt);
    this.plainMaterials = this.materials.map(({ color }) => new MeshLambertMaterial({ color, flatShading: true, side: DoubleSide }));
    this.body = new Mesh(this.geometry, this.materials);
    const redMaterial = new MeshLambertMaterial({ color: COLLIDING, emissive: COLLIDING, emissiveIntensity: 0.45, flatShading: true, side: DoubleSide });
    Object.assign(redMaterial, { polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 });
    this.red = new Mesh(this.redGeometry, redMaterial);
    this.red.renderOrder = 1;
    this.lines = new Mesh(this.geometry, new MeshBasicMaterial({ color: "#1b2430", wireframe: true, transparent: true, opacity: 0.22, depthWrite: false }));
    for (const part of [this.body, this.red, this.lines]) {
      part.frustumCulled = false;
      this.scene.add(part);
    }
    this.marks = new Marks(space);
    this.scene.add(this.marks);

    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0015;
    this.sun.shadow.radius = 5;
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
    this.framing = new Framing(this.camera, this.controls);
    this.enter(space, triangles);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    let last = performance.now();
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      this.onTick(now);
      if (this.look.follow && this.framing.glide(Math.max(0, now - last) / 1000)) this.touch();
      last = now;
      this.controls.update();
      if (this.isStale && this.frame) this.draw();
    };
    tick(last);
  }

  /** What else happens before a picture is drawn. */
  onTick: (now: number) => void = () => {};

  /**
   * Puts ground, light and camera where another scene needs them; its first frame is looked at as a whole. The camera follows bodies
   * within so many times the radius of the first view, or all of them.
   */
  enter(space: Space, triangles: number, within?: number): void {
    const { centre, radius } = space;
    this.space = space;
    this.frame = undefined;
    this.drawn = undefined;
    this.marks.setSpace(space);
    if (this.ground) {
      this.scene.remove(this.ground);
      this.ground.dispose();
      this.ground = undefined;
    }
    if (space.ground !== undefined) {
      this.ground = new Ground(6 * radius, 0.3 * radius);
      this.ground.position.set(centre.x, centre.y, space.ground);
      this.ground.setTheme(this.isDark);
      this.ground.setPlain(this.isPlain);
      this.scene.add(this.ground);
    }
    const reach = 1.5 * radius;
    this.sun.position.copy(centre).add(new Vector3(-1.1, -1.6, 2.6).multiplyScalar(2 * reach));
    this.sun.target.position.copy(centre);
    Object.assign(this.sun.shadow.camera, { left: -1.6 * reach, right: 1.6 * reach, top: 1.6 * reach, bottom: -1.6 * reach, near: 0.01, far: 20 * reach });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.framing = new Framing(this.camera, this.controls, space);
    if (within !== undefined) this.framing.within = new Sphere(centre, within * radius);
    this.setShadows(triangles <= MOST_WITH_SHADOWS);
  }

  /** Shadows cost a second drawing of everything. */
  setShadows(isOn: boolean): void {
    if (this.renderer.shadowMap.enabled !== isOn) for (const material of [...this.materials, ...this.plainMaterials]) material.needsUpdate = true;
    this.ground?.setShadows(isOn);
    this.renderer.shadowMap.enabled = this.sun.castShadow = this.body.castShadow = this.body.receiveShadow = isOn;
    this.touch();
  }

  /** Draws with less work for each pixel, where there is no graphics card. */
  setPlain(isPlain: boolean): void {
    this.isPlain = isPlain;
    this.body.material = isPlain ? this.plainMaterials : this.materials;
    this.ground?.setPlain(isPlain);
    this.touch();
  }

  /** At most so many pixels of the canvas for each of the page. */
  setSharpness(most: number): void {
    this.sharpness = most;
    this.resize();
  }

  /** Something has changed: the next tick draws. */
  touch(): void {
    this.isStale = true;
  }

  /** Looks at all bodies, as at the beginning. */
  reset(): void {
    this.frameBodies();
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

  /** The ray from the eye through a point of the page, in the coordinates of the scene. */
  ray(x: number, y: number): { from: [number, number, number]; along: [number, number, number] } {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    this.camera.updateMatrixWorld();
    const far = new Vector3((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height, 0.5).unproject(this.camera);
    return { from: this.space.point(this.camera.position), along: far.sub(this.camera.position).normalize().toArray() };
  }

  /** Where a point of the scene is seen, in pixels of the canvas. */
  seen(point: [number, number, number]): [number, number] {
    this.camera.updateMatrixWorld();
    const at = new Vector3(...point.map((x, axis) => this.space.place(x, axis))).project(this.camera);
    return [0.5 * (1 + at.x) * this.canvas.clientWidth, 0.5 * (1 - at.y) * this.canvas.clientHeight];
  }

  /** Looks at some triangles from near. */
  focus(triangles: number[]): void {
    if (!this.frame) return;
    const { corners } = this.frame.surface;
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
    this.isDark = isDark;
    this.scene.background = new Color(isDark ? "#14181d" : "#eef1f4");
    this.ground?.setTheme(isDark);
    this.sky.intensity = isDark ? 0.95 : 1.15;
    (this.lines.material as MeshBasicMaterial).color.set(isDark ? "#0b0f14" : "#1b2430");
    this.marks.setTheme(isDark);
    this.touch();
  }

  /** Shows a frame. The camera glides after the bodies if the frame is the next of a run that plays; else it follows at once. */
  show(surface: Surface, number: number, data: Picture, isPlaying = false): void {
    const before = this.frame?.number;
    this.frame = { surface, number, data };
    this.place(data.nodes);
    this.refresh();
    this.frameBodies();
    if (before === undefined) this.reset();
    else if (this.look.follow) this.framing.follow(isPlaying && number > before);
  }

  /** Shows a frame, with the boxes of a level, and leaves the camera alone. */
  update(surface: Surface, number: number, data: Picture, level: number): void {
    this.frame = { surface, number, data };
    this.place(data.nodes);
    this.refresh(level);
  }

  /** Glides to where the bodies are now, if the camera is to follow. */
  follow(): void {
    if (!this.look.follow) return;
    this.frameBodies();
    this.framing.follow(true);
  }

  private frameBodies(): void {
    if (!this.frame) return;
    const { surface, number, data } = this.frame;
    this.framing.take(this.geometry.getAttribute("position").array, surface, number, data.fragments);
  }

  /** Puts the vertices of the frame elsewhere, and nothing else. */
  place(nodes: ArrayLike<number>): void {
    const [x, y, z] = this.space.offset;
    const { scale } = this.space;
    const positions = this.positionsFor(nodes.length / 3);
    const array = positions.array as Float32Array;
    for (let k = 0; k < nodes.length; k += 3) {
      array[k] = nodes[k] * scale + x;
      array[k + 1] = nodes[k + 1] * scale + y;
      array[k + 2] = nodes[k + 2] * scale + z;
    }
    positions.clearUpdateRanges();
    positions.addUpdateRange(0, nodes.length);
    positions.needsUpdate = true;
    this.touch();
  }

  /** Applies what is to be shown to the present frame. */
  refresh(level = this.look.level): void {
    if (!this.frame) return;
    const { surface, data } = this.frame;
    this.sortTriangles();
    this.markColliding(surface, data);
    this.marks.showBoxes(data, level);
    this.marks.showContacts(data, this.look.contacts);
    this.marks.showLines(this.look.closest);
    for (const material of [...this.materials, ...this.plainMaterials]) {
      material.transparent = this.look.seeThrough;
      material.opacity = this.look.seeThrough ? 0.22 : 1;
      material.depthWrite = !this.look.seeThrough;
    }
    this.lines.visible = this.look.lines;
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
    return this.marks.drawn;
  }

  /** Draws lines between points of the scene, in every frame. */
  placeLines(lines: [number, number, number][][]): void {
    this.marks.placeLines(lines);
  }

  /** Room for the positions of so many vertices. */
  private positionsFor(vertices: number): BufferAttribute {
    const now = this.geometry.getAttribute("position") as BufferAttribute | undefined;
    if (now && now.count >= vertices) return now;
    const room = now ? Math.ceil(1.4 * vertices) : vertices;
    const positions = new BufferAttribute(new Float32Array(3 * room), 3).setUsage(DynamicDrawUsage);
    // Faces are shaded flat from their own slope; shaders still want a normal to be there.
    const normals = new BufferAttribute(new Int8Array(4 * room).fill(1), 4, true);
    for (const geometry of [this.geometry, this.redGeometry]) {
      geometry.dispose();
      geometry.setAttribute("position", positions);
      geometry.setAttribute("normal", normals);
    }
    return positions;
  }

  /** Puts the triangles of the frame in the order of their materials, unless they are. */
  private sortTriangles(): void {
    if (!this.frame) return;
    const { surface: triangles, number, data } = this.frame;
    const { fragments: byFragment, cracks } = this.look;
    const version = triangles.version(number);
    const drawn = this.drawn;
    if (drawn && drawn.surface === triangles && drawn.version === version && drawn.byFragment === byFragment && drawn.cracks === cracks && isEqual(drawn.fragments, data.fragments)) return;
    this.drawn = { surface: triangles, version, fragments: data.fragments, byFragment, cracks };
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
    const count = 3 * counts[counts.length - 1];
    const index = indexFor(this.geometry, count);
    const array = index.array as Uint32Array;
    this.geometry.setDrawRange(0, count);
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

  private markColliding(surface: Surface, data: Picture): void {
    this.redTriangles = [...new Set(data.pairs)].sort((a, b) => a - b);
    const count = 3 * this.redTriangles.length;
    const index = indexFor(this.redGeometry, count);
    const array = index.array as Uint32Array;
    this.redTriangles.forEach((t, k) => array.set(surface.corners.subarray(3 * t, 3 * t + 3), 3 * k));
    index.needsUpdate = true;
    this.redGeometry.setDrawRange(0, count);
    this.red.visible = this.look.colliding && count > 0;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(this.sharpness, window.devicePixelRatio);
    const size = `${clientWidth} ${clientHeight} ${ratio}`;
    if (clientWidth === 0 || clientHeight === 0 || size === this.size) return;
    this.size = size;
    this.renderer.setPixelRatio(ratio);
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

/** Room for the corners of triangles; it only ever grows. */
function indexFor(geometry: BufferGeometry, count: number): BufferAttribute {
  const now = geometry.getIndex();
  if (now && now.count >= count) return now;
  geometry.dispose();
  const index = new BufferAttribute(new Uint32Array(Math.ceil(1.4 * count)), 1).setUsage(DynamicDrawUsage);
  geometry.setIndex(index);
  return index;
}

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
