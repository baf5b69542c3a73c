/** The settings as they are in force, and where each is from. The node leaves secrets out. */

import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { SearchField } from '../../parts/forms/search-field.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { queryField } from '../../shell/router.ts';

/** The panel of the settings, which change only with a start. */
export function SettingsPanel() {
  const { answer, failure } = useLiveAnswer('settings', (signal) => call('GET /settings', { signal }));
  const search = queryField('setting').toLowerCase();
  const found = (answer?.settings ?? []).filter(({ name, env }) =>
    `--${name} ${env}`.toLowerCase().includes(search),
  );
  return (
    <section class="panel" aria-labelledby="settings">
      <h2 id="settings">Settings in force</h2>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer !== undefined && (
        <>
          <div class="filters">
            <SearchField label="Search settings" name="setting" />
          </div>
          {found.length === 0 ? (
            <p class="hint">No setting has this in its name.</p>
          ) : (
            <SettingsTable settings={found} />
          )}
        </>
      )}
    </section>
  );
}

function SettingsTable({ settings }: { readonly settings: readonly Schema<'Setting'>[] }) {
  return (
    <Scrolled label="Table of settings">
      <table class="plain stacks" aria-labelledby="settings">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
            <th scope="col">Environment</th>
          </tr>
        </thead>
        <tbody>
          {settings.map(({ name, env, value, source }) => (
            <tr key={name}>
              <td>
                <code>{`--${name}`}</code>
              </td>
              <td data-name="Value" class="name">
                {value === null ? <span class="quiet">none</span> : String(value)}
              </td>
              <td data-name="From">
                <StatusBadge status={source} tone={source === 'default' ? 'quiet' : 'good'} />
              </td>
              <td data-name="Environment">
                <code>{env}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
