// Which frame is shown, and when the next one is due.

import type { Recording } from "./frames/recording.ts";
import type { Frame } from "./frames/group.ts";

export interface Shown {
  number: number;
  data: Frame;
}

/** Plays a recording; tells others when the frame or the state changes. */
export class Player {
  /** The frame that is wanted; the shown one follows as soon as it is unpacked. */
  private wanted = 0;
  private due = 0;
  private isBusy = false;
  isPlaying = false;
  speed = 1;
  repeats = false;
  shown: Shown;

  constructor(
    private readonly recording: Recording,
    first: Frame,
    private readonly onFrame: (shown: Shown) => void,
    private readonly onState: () => void,
    private readonly onError: (error: unknown) => void,
  ) {
    this.shown = { number: 0, data: first };
  }

  get last(): number {
    return this.recording.header.frames - 1;
  }

  /** Seconds for which a frame is shown at speed 1. */
  private get pace(): number {
    const { step_seconds } = this.recording.header.about;
    return step_seconds > 0 ? step_seconds : 1 / 30;
  }

  play(): void {
    if (this.last === 0) return;
    if (this.wanted >= this.last) this.jump(0);
    this.isPlaying = true;
    this.due = performance.now();
    this.onState();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.isPlaying = false;
    this.onState();
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Goes so many frames on or back, and stops there. */
  step(by: number): void {
    if (this.isPlaying) this.pause();
    this.jump(this.wanted + by);
  }

  /** Shows a frame; resolves once it is there. */
  async jump(to: number): Promise<void> {
    this.wanted = Math.max(0, Math.min(this.last, Math.round(to)));
    const ready = this.recording.at(this.wanted);
    if (ready) this.put(this.wanted, ready);
    else await this.fetch();
  }

  private async fetch(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      // What is wanted may have changed while it was unpacked.
      for (let number = -1; number !== this.wanted; ) {
        number = this.wanted;
        const data = await this.recording.frame(number);
        if (number === this.wanted) this.put(number, data);
      }
    } catch (error) {
      this.isPlaying = false;
      this.wanted = this.shown.number;
      this.onState();
      this.onError(error);
    } finally {
      this.isBusy = false;
    }
  }

  private put(number: number, data: Frame): void {
    this.shown = { number, data };
    this.onFrame(this.shown);
    const { groups } = this.recording.header;
    const next = groups[this.recording.groupOf(number) + 1];
    if (next !== undefined) this.recording.prepare(next);
  }

  private tick(now: number): void {
    if (!this.isPlaying) return;
    requestAnimationFrame((then) => this.tick(then));
    const pace = (1000 * this.pace) / this.speed;
    if (this.isBusy) {
      this.due = now;
      return;
    }
    const by = Math.floor((now - this.due) / pace);
    if (by < 1) return;
    // After a long pause of the browser it goes on from where it was.
    this.due = by > 60 ? now : this.due + by * pace;
    if (this.wanted < this.last) {
      this.jump(Math.min(this.last, this.wanted + Math.min(by, 60)));
    } else if (this.repeats) {
      this.jump(0);
    } else {
      this.pause();
    }
  }
}
