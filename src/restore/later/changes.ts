/** Settings that facts changed: of each thing how it was before the first of them, and how the last left it. */
export class Changes<Setting> {
  readonly #byThing = new Map<
    number,
    { readonly from: Setting; readonly to: Setting; readonly atMs: number }
  >();

  /** `before`: how the thing was before this change, asked for when it is the first one. */
  note(thing: number, before: () => Setting, to: Setting, atMs: number): void {
    const known = this.#byThing.get(thing);
    this.#byThing.set(thing, { from: known === undefined ? before() : known.from, to, atMs });
  }

  /** Things that are not again as they were. */
  *entries() {
    for (const [thing, change] of this.#byThing)
      if (JSON.stringify(change.from) !== JSON.stringify(change.to)) yield [thing, change] as const;
  }
}
