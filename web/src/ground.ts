// The ground: a disc with lines that fades towards its rim, and the shadows on it.

import { CanvasTexture, CircleGeometry, Group, Mesh, MeshBasicMaterial, RepeatWrapping, ShadowMaterial, SRGBColorSpace } from "three";

/** Pixels of the texture between two lines, and half the width of a line. */
const TILE = 512;
const LINE = 2;
/** How sharp lines stay towards the horizon. */
const ANISOTROPY = 8;

export class Ground extends Group {
  private readonly plane: MeshBasicMaterial;
  private readonly shadow = new ShadowMaterial();
  private readonly shade: Mesh;
  private readonly squares: number;
  private isPlain = false;

  /** A disc of a radius at the origin; lines are `spacing` apart. */
  constructor(radius: number, spacing: number) {
    super();
    this.squares = (2 * radius) / spacing;
    this.plane = new MeshBasicMaterial({ alphaMap: fading(), transparent: true, depthWrite: false });
    const disc = new CircleGeometry(radius, 96);
    const plane = new Mesh(disc, this.plane);
    plane.position.z = -0.002;
    plane.renderOrder = -2;
    const shadow = new Mesh(disc, this.shadow);
    shadow.position.z = -0.001;
    shadow.receiveShadow = true;
    shadow.renderOrder = -1;
    this.shade = shadow;
    this.add(plane, shadow);
  }

  /** Shadows fall on it, or do not. */
  setShadows(isOn: boolean): void {
    this.shade.visible = isOn;
  }

  /** Draws lines less carefully, where that takes too long. */
  setPlain(isPlain: boolean): void {
    this.isPlain = isPlain;
    if (this.plane.map) {
      this.plane.map.anisotropy = isPlain ? 1 : ANISOTROPY;
      this.plane.map.needsUpdate = true;
    }
  }

  /** Gives its textures back. */
  dispose(): void {
    this.plane.map?.dispose();
    this.plane.alphaMap?.dispose();
    this.plane.dispose();
    this.shadow.dispose();
    (this.children[0] as Mesh).geometry.dispose();
  }

  setTheme(isDark: boolean): void {
    this.plane.map?.dispose();
    this.plane.map = isDark ? squares("#222a33", "#3b4653") : squares("#d9e0e6", "#bcc7d1");
    this.plane.map.repeat.set(this.squares, this.squares);
    this.setPlain(this.isPlain);
    this.plane.needsUpdate = true;
    this.shadow.opacity = isDark ? 0.5 : 0.26;
  }
}

/** One square of the ground, repeated. */
function squares(face: string, line: string): CanvasTexture {
  const texture = painted(TILE, (context) => {
    context.fillStyle = line;
    context.fillRect(0, 0, TILE, TILE);
    context.fillStyle = face;
    context.fillRect(LINE, LINE, TILE - 2 * LINE, TILE - 2 * LINE);
  });
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.anisotropy = ANISOTROPY;
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** White in the middle, black at the rim. */
function fading(): CanvasTexture {
  return painted(512, (context) => {
    const gradient = context.createRadialGradient(256, 256, 0, 256, 256, 256);
    gradient.addColorStop(0, "#fff");
    gradient.addColorStop(0.4, "#ccc");
    gradient.addColorStop(1, "#000");
    context.fillStyle = gradient;
    context.fillRect(0, 0, 512, 512);
  });
}

/** A square texture that is painted once. */
export function painted(size: number, paint: (context: CanvasRenderingContext2D) => void): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  if (context) paint(context);
  return new CanvasTexture(canvas);
}
