/** The parts that every section of the page is made of. */
import { html, type Insert, type Markup } from '../markup.ts';

export interface Section {
  /** The id of its heading, for links within the page. */
  readonly id: string;
  readonly title: string;
  readonly body: Insert;
}

/** Charts with their titles, side by side as far as there is room; `otherwise` says why there are none. */
export function figures(charts: readonly Figure[], otherwise: string): Markup {
  const drawn = charts.filter(({ chart }) => chart !== undefined);
  if (drawn.length === 0) return html`<p class="none">${otherwise}</p>`;
  return html`<div class="figures">${drawn.map(
    ({ title, note, chart }) =>
      html`<figure><figcaption><strong>${title}</strong>${note === undefined ? '' : html` ${note}`}</figcaption>${chart}</figure>\n`,
  )}</div>`;
}

export interface Figure {
  readonly title: string;
  readonly note?: string | undefined;
  /** Undefined when there was nothing to draw. */
  readonly chart: Markup | undefined;
}
