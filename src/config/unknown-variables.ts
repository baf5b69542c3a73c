/**
 * Variables of the environment that begin with PURSER_ and that nothing reads: misspelt ones, which would otherwise be
 * lost without a word. They are a warning and not a refusal, because an environment may be made for several versions,
 * and container platforms add names of their own (PURSER_SERVICE_HOST for a service `purser`).
 */
import { OPTIONS } from './options.ts';
import { OWN_VARIABLES } from './variables.ts';

const PREFIX = 'PURSER_';
/** The prefix of variables of this project's own tests. */
const TEST_PREFIX = 'PURSER_TEST_';
/** So many letters may be wrong, missing or too many. */
const MOST_SLIPS = 3;
const MOST_NAMED = 10;

/** A sentence that names them, and the nearest known one of each; undefined when there are none. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const known = [
    ...Object.values(OPTIONS).map((option) => option.env),
    ...OWN_VARIABLES.map(({ name }) => name),
  ];
  const unknown = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.includes(name))
    .sort();
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MOST_NAMED).map((name) => withNearest(name, known));
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : '';
  return `the environment has variables that mean nothing to Purser: ${named.join(', ')}${more}`;
}

function withNearest(name: string, known: readonly string[]): string {
  let nearest: string | undefined;
  let slips = MOST_SLIPS + 1;
  for (const candidate of known) {
    const distance = slipsBetween(name, candidate);
    if (distance < slips) {
      nearest = candidate;
      slips = distance;
    }
  }
  const shown = name.slice(0, 80);
  return nearest === undefined ? shown : `${shown} (did you mean ${nearest}?)`;
}

/** How many letters to change, add or leave out (Levenshtein's distance). */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_SLIPS) return MOST_SLIPS + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(a).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(b).entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
