/** Things that a field lets one choose among: asked for once, as they seldom change. Without them the form still works. */
import { useEffect, useState } from 'preact/hooks';

export function useChoices<One>(load: (signal: AbortSignal) => Promise<readonly One[]>): readonly One[] {
  const [choices, setChoices] = useState<readonly One[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal)
      .then(setChoices)
      .catch(() => undefined);
    return () => controller.abort();
  }, []);
  return choices;
}

export interface NamedChoice {
  readonly id: number;
  readonly name: string;
}

/** A longer name would be cut by a phone, without a sign of it. */
const MOST_CHARACTERS = 32;

/** For a `select`; those that are chosen may not be among the first. */
export function optionsOf(
  choices: readonly NamedChoice[],
  chosen: number | undefined | readonly number[],
  none: string,
): readonly (readonly [value: string, text: string])[] {
  const others = new Set([chosen ?? []].flat().filter((one) => choices.every(({ id }) => id !== one)));
  const all = [...choices, ...Array.from(others, (id) => ({ id, name: '' }))];
  return [['', none], ...all.map(({ id, name }) => [String(id), `${id} · ${short(name)}`] as const)];
}

function short(name: string): string {
  const characters = [...name];
  if (characters.length <= MOST_CHARACTERS) return name;
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
