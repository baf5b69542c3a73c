/** The settings as they are in force, and where each is from. The node leaves secrets out. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { SearchField } from '../../parts/forms/search-field.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { queryField } from '../../shell/router.ts';

const COLUMNS: readonly SmallColumn<Schema<'Setting'>>[] = [
  { name: 'Setting', cell: ({ name }) => <code>{`--${name}`}</code> },
  {
    name: 'Value',
    isLong: true,
    cell: ({ value }) => (value === null ? <span class="quiet">none</span> : String(value)),
  },
  {
    name: 'From',
    cell: ({ source }) => <StatusBadge status={source} tone={source === 'default' ? 'quiet' : 'good'} />,
  },
  { name: 'Environment', cell: ({ env }) => <code>{env}</code> },
];

/** The panel of the settings, which change only with a start. */
export function SettingsPanel() {
  const { answer, failure } = useLiveAnswer('settings', (signal) => call('GET /settings', { signal }));
  const search = queryField('setting').toLowerCase();
  const found = (answer?.settings ?? []).filter(({ name, env }) =>
    `--${name} ${env}`.toLowerCase().includes(search),
  );
  return (
    <Panel title="Settings in force">
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer !== undefined && (
        <>
          <div class="filters">
            <SearchField label="Search settings" name="setting" />
          </div>
          {found.length === 0 ? (
            <p class="hint">No setting has this in its name.</p>
          ) : (
            <Scrolled label="Table of settings">
              <SmallTable label="Settings" columns={COLUMNS} rows={found} keyOf={({ name }) => name} />
            </Scrolled>
          )}
        </>
      )}
    </Panel>
  );
}
