/**
 * The search of the orders: one field for whatever a buyer names. Order ids, request ids and @recipients are known by
 * their looks, and are found as one types. Anything else may be an item's text, and to search for one goes on record:
 * so it is searched for on Enter, or when it was pasted, once. So are keys, which may be anything, too.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { beginBusy } from '../../shell/busy.ts';
import { may } from '../../shell/roles.ts';
import { LOOKS, type OrderQuery, otherKindOf, plainKindOf, type SearchBy, seek } from './order-finding.ts';

const REST_MS = 250;

const WAYS: readonly (readonly [way: SearchBy | '', words: string])[] = [
  ['', 'Whatever it is'],
  ['id', 'Order id'],
  ['request', 'Request id'],
  ['recipient', 'Recipient'],
  ['key', 'Idempotency key'],
  ['item', 'Item text'],
];

export function OrderSearch({ query }: { readonly query: OrderQuery }) {
  const inList = query.search;
  const { typed, way, failure, type, choose, enter } = useSearch(query, inList);
  const id = useId();
  const hintId = `${id}-hint`;
  const hint = typed === '' || typed === inList ? '' : hintOf(typed.trim(), way);
  return (
    <>
      <form class="search" onSubmit={enter}>
        <label for={id}>Search orders</label>
        <input
          id={id}
          type="search"
          autocomplete="off"
          spellcheck={false}
          aria-describedby={hintId}
          value={typed}
          onInput={({ currentTarget: { value } }) => type(value)}
        />
        <p class="hint" id={hintId}>
          {hint}
        </p>
      </form>
      <div>
        <label for={`${id}-way`}>Search by</label>
        <select id={`${id}-way`} value={way} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {WAYS.filter(([value]) => value !== 'item' || may('POST /items/search')).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {failure !== undefined && <ErrorNotice failure={failure} />}
    </>
  );
}

function hintOf(text: string, way: SearchBy | ''): string {
  if (way !== '' && way !== 'item' && !LOOKS[way].form.test(text)) return LOOKS[way].words;
  if (way === 'key') return 'Enter searches for this key.';
  if (way !== 'item' && (way !== '' || plainKindOf(text) !== undefined)) return '';
  if (!may('POST /items/search'))
    return 'Your role may not search for items: choose under Search by what this is.';
  return `Enter searches ${way === 'item' ? 'for' : 'the items for'} this text, which goes on record.`;
}

function useSearch(query: OrderQuery, inList: string) {
  const [typed, setTyped] = useState(inList);
  const [way, setWay] = useState<SearchBy | ''>('');
  const [failure, setFailure] = useState<unknown>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(0);
  /** The text that is searched for among items already: Enter behind a paste would go on record twice. */
  const lookedFor = useRef('');
  useEffect(() => setTyped(inList), [inList, query.by]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const find = async (text: string, chosen: SearchBy | '') => {
    clearTimeout(timer.current);
    latest.current += 1;
    const mine = latest.current;
    lookedFor.current = text;
    setFailure(undefined);
    const endBusy = beginBusy();
    try {
      await show(text, chosen, query.accountId, () => mine === latest.current);
    } catch (error) {
      if (mine === latest.current) {
        lookedFor.current = '';
        setFailure(error);
      }
    } finally {
      endBusy();
    }
  };
  const settle = (text: string, chosen: SearchBy | '', isWhole: boolean) => {
    if (text !== '' && text === lookedFor.current) return;
    lookedFor.current = '';
    clearTimeout(timer.current);
    latest.current += 1;
    setFailure(undefined);
    const kind = chosen === '' ? plainKindOf(text) : chosen;
    if (text === '') seek(undefined, 'typed');
    else if (kind !== undefined && kind !== 'item') {
      if (!LOOKS[kind].form.test(text) || (kind === 'key' && !isWhole)) return;
      timer.current = setTimeout(() => seek({ by: kind, text }, 'typed'), isWhole ? 0 : REST_MS);
    } else if (isWhole && may('POST /items/search')) void find(text, chosen);
  };
  return {
    typed,
    way,
    failure,
    type: (value: string) => {
      // More than a letter at once: it was pasted.
      const isWhole = value.length > typed.length + 1;
      setTyped(value);
      settle(value.trim(), way, isWhole);
    },
    choose: (value: string) => {
      setWay(value as SearchBy | '');
      lookedFor.current = '';
      settle(typed.trim(), value as SearchBy | '', false);
    },
    enter: (event: Event) => {
      event.preventDefault();
      settle(typed.trim(), way, true);
    },
  };
}

/** Asks what it is, items first, and lists that: what an item may have goes into no address before. */
async function show(
  text: string,
  chosen: SearchBy | '',
  accountId: string,
  isWanted: () => boolean,
): Promise<void> {
  const other = chosen === '' ? otherKindOf(text, accountId) : undefined;
  const found = await call('POST /items/search', { body: { text } });
  if (!isWanted()) return;
  if (found.items.length === 0 && other !== undefined) return seek({ by: other, text });
  seek({ by: 'item', text, found });
}
