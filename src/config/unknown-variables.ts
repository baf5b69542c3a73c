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
const MOST_NAMED = 10;
const LONGEST_NAME = 80;

/** A sentence that names them; undefined when there are none. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const known = [
    ...Object.values(OPTIONS).map((option) => option.env),
    ...OWN_VARIABLES.map(({ name }) => name),
  ];
  const unknown = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.includes(name))
    .sort();
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MOST_NAMED).map((name) => name.slice(0, LONGEST_NAME));
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : '';
  return `the environment has variables that mean nothing to Purser: ${named.join(', ')}${more} (purser --help names all that do)`;
}
