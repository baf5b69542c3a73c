/**
 * Whether somebody is at the page. Calls that a tab makes by itself must not keep its session open, or one that was
 * left open would never be idle: so each call says when nobody has touched the page for a minute.
 *
 * Rejected: to tell calls apart by who makes them. The same list is asked for by a click and by the pulse, and who types
 * into a dialog for long makes no call at all.
 */
const THERE_FOR_MS = 60_000;

/** Whoever opened the page was there. */
let touchedAtMs = Date.now();

// Those of screen readers, dictation and voices are clicks and input alone.
for (const event of ['keydown', 'pointerdown', 'wheel', 'click', 'input'])
  addEventListener(event, noteUse, { capture: true, passive: true });

/** Also for what somebody asked for, as long as it lasts: an upload. */
export function noteUse(): void {
  touchedAtMs = Date.now();
}

/** The headers of a call. */
export function attention(): Readonly<Record<string, string>> {
  return Date.now() - touchedAtMs < THERE_FOR_MS ? {} : { 'x-unattended': 'true' };
}
