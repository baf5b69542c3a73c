/**
 * The place of the tab: `#/orders/7?status=completed` is the screen `orders`, the id `7` and a query. A list's filters
 * are in the query, so back, forward and a copied address bring them again.
 *
 * The place is in the fragment, because the node then serves one page whatever the address, and no log of a proxy has
 * it.
 */
import { computed, signal } from '@preact/signals';
import { announce } from '../parts/announcer.tsx';

export interface Route {
  readonly screen: string;
  /** The id of a detail; empty for a list. */
  readonly id: string;
  readonly query: URLSearchParams;
}

export const HOME = '#/overview';

export const route = signal<Route>(routeOf(location.hash));
/** Changes when another screen or detail is shown, and not with the query. */
export const place = computed(() => `${route.value.screen}/${route.value.id}`);

interface Keeper {
  readonly why: string;
  /** The index of the place in the tab's history. */
  readonly at: number;
}

/** All that keeps the tab where it is. */
const keepers: Keeper[] = [];

/** Whenever it has changed. */
export function readAddress(): void {
  const keeper = keepers.at(-1);
  if (keeper === undefined || placeInHistory() > keeper.at) {
    route.value = routeOf(location.hash);
    return;
  }
  const { screen, id, query } = route.peek();
  const here = written(screen, id, query);
  // Going back twice can't be stopped by its event, so it is undone.
  if (location.hash !== here) history.pushState(null, '', here);
  announce(keeper.why);
}

/**
 * The tab stays where it is: going back does nothing but say `why`, and to reload or close it is asked about by the
 * browser. Whoever opens another address wants to leave. Returns what ends that.
 */
export function keepPlace(why: string): () => void {
  const keeper = { why, at: placeInHistory() };
  keepers.push(keeper);
  const ask = (event: Event) => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => {
    keepers.splice(keepers.indexOf(keeper), 1);
    removeEventListener('beforeunload', ask);
  };
}

/** The navigation that newer browsers have. */
interface WithNavigation {
  readonly navigation?: { readonly currentEntry?: { readonly index: number } | null };
}

/** Always the same where a browser doesn't say it: then no other address is opened, either. */
function placeInHistory(): number {
  const { navigation } = globalThis as WithNavigation;
  return navigation?.currentEntry?.index ?? 0;
}

/** For `href`: a screen, a detail, and the state of its list. */
export function addressOf(
  screen: string,
  id?: string | number,
  query: Readonly<Record<string, unknown>> = {},
) {
  return written(screen, id === undefined ? '' : String(id), new URLSearchParams(presentIn(query)));
}

export function goTo(address: string): void {
  location.hash = address;
}

/** A field of the query; empty when it isn't there. Whoever reads it while it renders renders again when it changes. */
export function queryField(name: string): string {
  return route.value.query.get(name) ?? '';
}

/** A field of the query that is an id; undefined when it isn't there, or is none. */
export function queryId(name: string): number | undefined {
  return idOf(queryField(name));
}

/** Undefined for what can be no id. */
export function idOf(text: string): number | undefined {
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Empty values leave the query. `typed` makes no entry in the history: each letter would be one. */
export function setQuery(
  fields: Readonly<Record<string, unknown>>,
  kind: 'chosen' | 'typed' = 'chosen',
): void {
  const { screen, id, query } = route.peek();
  const next = new URLSearchParams(query);
  for (const name of Object.keys(fields)) next.delete(name);
  for (const [name, value] of presentIn(fields)) next.set(name, value);
  const address = written(screen, id, next);
  if (address === written(screen, id, query)) return;
  if (kind === 'typed') history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  route.value = { screen, id, query: next };
}

function presentIn(fields: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, String(value)]);
}

function written(screen: string, id: string, query: URLSearchParams): string {
  const search = query.toString();
  return `#/${screen}${id === '' ? '' : `/${encodeURIComponent(id)}`}${search === '' ? '' : `?${search}`}`;
}

function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [screen = '', id = ''] = path.split('/', 2);
  return { screen: screen === '' ? 'overview' : screen, id: decoded(id), query: new URLSearchParams(search) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
