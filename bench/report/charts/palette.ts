/**
 * The look of each system: the same colour in every chart, on light and on dark paper.
 *
 * Invariant: Purser has the heavy line; a system that isn't durable is dashed and says so; floor and ceiling, which
 * sell nothing, are grey. Colours differ in lightness too, for readers who don't tell red from green, and every line is
 * labelled where it ends, so that no colour has to be looked up.
 */

import { isReference, type SystemName, systemNames } from '../../systems/system.ts';
import type { SystemResult } from '../results.ts';

export interface Look {
  readonly system: SystemName;
  /** A CSS variable of `themeRules`. */
  readonly colour: string;
  /** The width of lines, in pixels. */
  readonly width: number;
  readonly dash: string | undefined;
  readonly durable: boolean;
  /** Sells nothing: drawn behind and listed behind the others. */
  readonly isReference: boolean;
}

export type LookOf = (system: SystemName) => Look;

const [light, dark] = [0, 1];

const colours: { readonly [Name in SystemName]: readonly [light: string, dark: string] } = {
  purser: ['#b04510', '#f26a22'],
  floor: ['#868b92', '#7d8085'],
  ceiling: ['#868b92', '#7d8085'],
  'postgres-statements': ['#0a2f9c', '#3f8cff'],
  'postgres-function': ['#1887de', '#6cc8fb'],
  'redis-always': ['#b3439e', '#de52cf'],
  'redis-everysec': ['#5b2a5e', '#ffd5fd'],
  sqlite: ['#1f7566', '#86eba4'],
  mariadb: ['#93820f', '#f2b321'],
  tigerbeetle: ['#571e26', '#c39aa6'],
};

const papers = [
  { paper: '#ffffff', ink: '#1c1e22', faint: '#5d636d', line: '#d9dce1', shade: '#f4f5f7', alarm: '#b3001b' },
  { paper: '#15171b', ink: '#e4e6ea', faint: '#a2a8b2', line: '#383c44', shade: '#1e2126', alarm: '#ff8b94' },
] as const;

/** The colours as CSS variables: light, dark where the reader's system is, and light again in print. */
export const themeRules = `:root { ${variables(light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(dark)} } }
@media print { :root { ${variables(light)} } }`;

/** Systems that `systems` doesn't have count as durable. */
export function looksOf(systems: readonly SystemResult[]): LookOf {
  const durable = new Map(systems.map((system) => [system.name, system.durable]));
  return (system) => {
    const isDurable = durable.get(system) ?? true;
    return {
      system,
      colour: `var(--${system})`,
      width: system === 'purser' ? 3.5 : 1.5,
      dash: isDurable ? undefined : '5 3',
      durable: isDurable,
      isReference: isReference(system),
    };
  };
}

function variables(theme: number): string {
  const own = Object.entries(papers[theme] ?? {});
  const systems = systemNames.map((name) => [name, colours[name][theme]]);
  return [...own, ...systems].map(([name, colour]) => `--${name}: ${colour};`).join(' ');
}
