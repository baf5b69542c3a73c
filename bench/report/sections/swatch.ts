/** How tables show systems: a short piece of each one's line, as the charts draw it, and floor and ceiling at the end. */
import { isReference } from '../../systems/system.ts';
import type { Look } from '../charts/palette.ts';
import { html, type Markup } from '../markup.ts';
import type { SystemResult } from '../results.ts';

export function sample({ colour, width, dash }: Look): Markup {
  return html`<svg class="sample" width="28" height="10" aria-hidden="true"><line x1="1" x2="27" y1="5" y2="5" stroke="${colour}" stroke-width="${width}" stroke-dasharray="${dash ?? 'none'}"/></svg>`;
}

export function referencesLast(systems: readonly SystemResult[]): SystemResult[] {
  const rank = ({ name }: SystemResult) => (name === 'purser' ? 0 : isReference(name) ? 2 : 1);
  return [...systems].sort((one, other) => rank(one) - rank(other));
}
