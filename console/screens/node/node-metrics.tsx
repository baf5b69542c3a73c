/** All metrics of the node, to read: each with what it means, found by a part of its name, its labels or its help. */
import { useMemo } from 'preact/hooks';
import { answered } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { SearchField } from '../../parts/forms/search-field.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { counted } from '../../parts/money.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { queryField } from '../../shell/router.ts';
import { type Family, familiesIn } from './metrics-text.ts';

/**
 * The most series of a family among others: the node has hundreds of routes, and a page of all of them is slow and
 * tells nothing.
 */
const SHOWN_SERIES = 6;
/** The most series of the one family that was found. */
const SHOWN_ALONE = 500;

export function MetricsPanel() {
  const { answer, failure } = useLiveAnswer('metrics', loadText, 'beat');
  const search = queryField('metric').toLowerCase();
  const families = useMemo(() => familiesIn(answer ?? ''), [answer]);
  const found = families.flatMap((family) => matchOf(family, search));
  return (
    <section class="panel" aria-labelledby="metrics">
      <h2 id="metrics">Metrics</h2>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer !== undefined && (
        <>
          <div class="filters">
            <SearchField label="Search metrics" name="metric" />
          </div>
          {found.length === 0 ? (
            <p class="hint">No metric has this in its name, its labels or its meaning.</p>
          ) : (
            <MetricsTable families={found} />
          )}
        </>
      )}
    </section>
  );
}

function MetricsTable({ families }: { readonly families: readonly Family[] }) {
  const most = families.length === 1 ? SHOWN_ALONE : SHOWN_SERIES;
  return (
    <Scrolled label="Table of metrics" isHigh>
      <table class="plain metrics" aria-labelledby="metrics">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {families.map(({ name, help, series }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
                <p class="hint">{help}</p>
              </th>
              <td>
                {series.slice(0, most).map(({ labels, value }) => (
                  <p key={labels} class="series">
                    {labels !== '' && <code>{labels}</code>} <span class="number">{value}</span>
                  </p>
                ))}
                {series.length > most && (
                  <p class="hint">{`and ${counted(series.length - most)} more: search for this name alone`}</p>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** All of a family that has it in its name or help; of others, the series that have it in their labels. */
function matchOf(family: Family, search: string): readonly Family[] {
  if (family.series.length === 0) return [];
  if (`${family.name} ${family.help}`.toLowerCase().includes(search)) return [family];
  const series = family.series.filter(({ labels }) => labels.toLowerCase().includes(search));
  return series.length === 0 ? [] : [{ ...family, series }];
}

async function loadText(signal: AbortSignal): Promise<string> {
  return (await answered('GET /metrics', { signal })).text();
}
