/** What happens in the shop, as it happens. Of all screens only this one follows the feed, while the tab is seen. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { FilterChip } from '../parts/filter-chip.tsx';
import { counted } from '../parts/money.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { beginBusy } from '../shell/busy.ts';
import { queryField, setQuery } from '../shell/router.ts';
import { Screen } from '../shell/screen.tsx';
import type { Fact } from './fact.ts';
import { FactDialog } from './fact-dialog.tsx';
import { FeedRows } from './feed-rows.ts';
import { FeedTable } from './feed-table.tsx';
import { FEED_TYPES } from './feed-types.ts';

export function FeedScreen() {
  const types = queryField('types');
  const [isPaused, setPaused] = useState(false);
  return (
    <Screen
      title="Feed"
      isList
      actions={
        <button type="button" class="primary" onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      }
    >
      <TypeFilter chosen={types === '' ? [] : types.split(',')} />
      <Followed key={types} types={types} isPaused={isPaused} />
    </Screen>
  );
}

interface FollowedProps {
  readonly types: string;
  readonly isPaused: boolean;
}

function Followed({ types, isPaused }: FollowedProps) {
  const feed = useMemo(() => new FeedRows(types), []);
  const [opened, setOpened] = useState<Fact>();
  const isSeen = useIsSeen();
  useEffect(() => {
    if (isPaused || !isSeen) return undefined;
    const endBusy = beginBusy();
    void feed.start().finally(endBusy);
    return () => {
      endBusy();
      feed.stop();
    };
  }, [isPaused, isSeen]);
  const failure = feed.failure.value;
  const rows = feed.rows.value;
  return (
    <>
      <FeedState feed={feed} isPaused={isPaused} />
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {rows.length === 0 ? (
        <p class="empty">Nothing of this kind has happened lately. What comes is shown here.</p>
      ) : (
        <FeedTable rows={rows} onOpen={setOpened} />
      )}
      {opened !== undefined && (
        <FactDialog key={opened.seq} fact={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

function FeedState({ feed, isPaused }: { readonly feed: FeedRows; readonly isPaused: boolean }) {
  const passedOver = feed.passedOver.value;
  const state = isPaused ? 'paused' : feed.isLive.value ? 'live' : 'waiting';
  const tone = state === 'live' ? 'good' : 'waiting';
  return (
    <p class="feed-state">
      <span role="status">
        <StatusBadge status={state} tone={tone} />
      </span>
      {passedOver > 0 && (
        <span class="hint">
          {`${counted(passedOver)} ${passedOver === 1 ? 'line was' : 'lines were'} passed over: more came than can be shown.`}
        </span>
      )}
    </p>
  );
}

function TypeFilter({ chosen }: { readonly chosen: readonly string[] }) {
  const put = (types: readonly string[]) => setQuery({ types: types.join(',') });
  return (
    <div class="filters">
      <div>
        <label for="feed-type">Type</label>
        <select
          id="feed-type"
          value=""
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = '';
            if (value !== '') put([...chosen, value]);
          }}
        >
          <option value="">{chosen.length === 0 ? 'All' : 'Add a type'}</option>
          {FEED_TYPES.map(([group, types]) => (
            <optgroup key={group} label={group}>
              {types
                .filter((type) => !chosen.includes(type))
                .map((type) => (
                  <option key={type} value={type}>
                    {type}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </div>
      {chosen.map((type) => (
        <FilterChip key={type} text={type} onRemove={() => put(chosen.filter((other) => other !== type))} />
      ))}
    </div>
  );
}

function useIsSeen(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isSeen;
}
