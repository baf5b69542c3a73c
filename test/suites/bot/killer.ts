/**
 * The moments at which the bot is killed: after so many calls, which is at random, or at the step that was hit least, so that
 * none is left out. Most kills come in the very moment, some milliseconds later, where a bot writes what it has done.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import type { Gate } from '../../support/telegram/moment.ts';

/** A bot that is always killed early comes to nothing, as it is given the same updates again. */
const MOST_MOMENTS = 200;
const LATEST_MS = 20;

export class Killer {
  /** By place: how often the bot was seen there, and killed. */
  readonly places = new Map<string, { seen: number; killed: number }>();
  readonly #random: Random;
  readonly #kill: () => boolean;
  #left = 0;
  #momentsLeft = 0;
  /** The next kill is at a place that was hit least. */
  #isAtPlace = false;

  /** `kill` says whether there was a bot to kill. */
  constructor(random: Random, kill: () => boolean) {
    this.#random = random;
    this.#kill = kill;
  }

  /** From here on so many kills. */
  begin(kills: number): void {
    this.#left = kills;
    this.#choose();
  }

  get isDone(): boolean {
    return this.#left <= 0;
  }

  gate(server: string): Gate {
    return (step, moment) => this.#pass(`${server} ${step}, ${moment}`);
  }

  get report(): readonly string[] {
    return [...this.places]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([place, { seen, killed }]) => `${killed} of ${seen}: ${place}`);
  }

  #pass(name: string): 'cut' | undefined {
    if (this.isDone) return undefined;
    const place = this.places.get(name) ?? { seen: 0, killed: 0 };
    this.places.set(name, place);
    place.seen += 1;
    this.#momentsLeft -= 1;
    if (this.#momentsLeft > 0 && !(this.#isAtPlace && place.killed === this.#least())) return undefined;
    const isLate = !this.#isAtPlace && this.#random.chance(0.3);
    this.#choose();
    if (isLate) return void delay(this.#random.next() * LATEST_MS).then(() => this.#killAt(place));
    this.#killAt(place);
    return 'cut';
  }

  #killAt(place: { killed: number }): void {
    if (this.isDone || !this.#kill()) return;
    this.#left -= 1;
    place.killed += 1;
  }

  #choose(): void {
    this.#isAtPlace = this.#random.chance(0.5);
    this.#momentsLeft = this.#isAtPlace ? MOST_MOMENTS : this.#random.between(1, MOST_MOMENTS);
  }

  #least(): number {
    return Math.min(...[...this.places.values()].map(({ killed }) => killed));
  }
}
