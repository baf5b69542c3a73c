/**
 * Names of accounts, products, price lists and operators, for lists that have their ids only: asked for when a row is on view, and kept.
 *
 * Invariant: few are asked at a time, those on view first, and so many are kept. A name that somebody changes is right
 * again a minute after.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { heldSession } from '../../api/held-session.ts';
import { call } from '../../api/operator-api.ts';
import { addressOf } from '../../shell/router.ts';

type Kind = 'account' | 'product' | 'price-list' | 'operator';
/** Those that have a screen of their own. */
type Shown = Exclude<Kind, 'operator'>;

interface Known {
  readonly name: string;
  readonly atMs: number;
}

const MOST_KNOWN = 5_000;
const MOST_WANTED = 100;
const AT_A_TIME = 4;
const KEPT_MS = 60_000;

const known = signal<ReadonlyMap<string, Known>>(new Map());
/** The last is asked for first. */
let wanted: string[] = [];
const asked = new Set<string>();

heldSession.subscribe((session) => {
  if (session === undefined) known.value = new Map();
});

/** Undefined until it is known. */
export function useName(kind: Kind, id: number): string | undefined {
  const key = `${kind} ${id}`;
  useEffect(() => want(key), [key]);
  return known.value.get(key)?.name;
}

/** The id is always there, for names need not be unique. */
export function NameOf({ kind, id }: { readonly kind: Kind; readonly id: number }) {
  const name = useName(kind, id);
  return (
    <span title={name}>
      <span class="quiet">{id}</span> {name}
    </span>
  );
}

/** To its screen. */
export function NameLink({ kind, id }: { readonly kind: Shown; readonly id: number }) {
  return (
    <a href={addressOf(`${kind}s`, id)}>
      <NameOf kind={kind} id={id} />
    </a>
  );
}

function want(key: string): void {
  const { atMs = 0 } = known.peek().get(key) ?? {};
  if (asked.has(key) || Date.now() - atMs < KEPT_MS) return;
  wanted = [...wanted.filter((other) => other !== key), key].slice(-MOST_WANTED);
  askNext();
}

function askNext(): void {
  while (asked.size < AT_A_TIME) {
    const key = wanted.pop();
    if (key === undefined) return;
    asked.add(key);
    void nameFor(key)
      .then((name) => keep(key, name))
      // The id alone will do.
      .catch(() => undefined)
      .finally(() => {
        asked.delete(key);
        askNext();
      });
  }
}

async function nameFor(key: string): Promise<string> {
  const [kind, id] = key.split(' ');
  const path = { id: Number(id) };
  if (kind === 'account') return (await call('GET /accounts/{id}', { path })).name;
  if (kind === 'product') return (await call('GET /products/{id}', { path })).name;
  if (kind === 'operator') return (await call('GET /operators/{id}', { path })).name;
  return (await call('GET /price-lists/{id}', { path, query: { limit: 1 } })).name;
}

function keep(key: string, name: string): void {
  const next = [...known.peek()].filter(([other]) => other !== key).slice(1 - MOST_KNOWN);
  known.value = new Map([...next, [key, { name, atMs: Date.now() }]]);
}
