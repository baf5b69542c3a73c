/**
 * Finds the route of a request. Paths are compared as sent: nothing is decoded, so a path that needs decoding
 * is no path of ours, and a wrong method on a known path is an unknown route (404).
 */
import type { Exchange } from './transport/transport.ts';

export interface Route<Handler> {
  readonly method: string;
  /**
   * Exact, or with one `{id}` segment anywhere, e.g. `/orders/{id}/download`; behind it, or without it, there may be a
   * `{name}`, which matches any segment.
   */
  readonly path: string;
  readonly handle: Handler;
}

export interface Match<Handler> {
  readonly route: Route<Handler>;
  /** The positive integer at `{id}`; 0 for a route without. */
  readonly id: number;
  /** What stands at `{name}`; empty for a route without. */
  readonly name: string;
}

const ID = '{id}';
const NAME = '{name}';
const ID_FORM = /^[1-9][0-9]{0,15}$/;

export class Router<Handler> {
  /** Few enough that comparing them one by one is faster than hashing the path. */
  readonly #exact: { readonly path: string; readonly match: Match<Handler> }[] = [];
  readonly #withId = new Map<string, Route<Handler>>();
  readonly #withName: { readonly route: Route<Handler>; readonly segments: readonly string[] }[] = [];

  constructor(basePath: string, routes: readonly Route<Handler>[]) {
    for (const route of routes) {
      const path = basePath + route.path;
      if (path.includes(NAME)) this.#withName.push({ route, segments: path.split('/') });
      else if (path.includes(ID)) this.#withId.set(`${route.method} ${path}`, route);
      else this.#exact.push({ path, match: { route, id: 0, name: '' } });
    }
  }

  /** HEAD is answered by the route of GET. */
  match(exchange: Exchange): Match<Handler> | undefined {
    const { path } = exchange;
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    for (const exact of this.#exact) {
      if (exact.path === path && exact.match.route.method === method) return exact.match;
    }
    return this.#matchWithId(method, path);
  }

  #matchWithId(method: string, path: string): Match<Handler> | undefined {
    const segments = path.split('/');
    for (let index = segments.length - 1; index > 0; index -= 1) {
      const segment = segments[index] ?? '';
      if (!ID_FORM.test(segment)) continue;
      const route = this.#withId.get(`${method} ${segments.with(index, ID).join('/')}`);
      const id = Number(segment);
      if (route !== undefined && Number.isSafeInteger(id)) return { route, id, name: '' };
    }
    return this.#matchWithName(method, segments);
  }

  #matchWithName(method: string, segments: readonly string[]): Match<Handler> | undefined {
    for (const { route, segments: pattern } of this.#withName) {
      if (route.method !== method || pattern.length !== segments.length) continue;
      const id = segments[pattern.indexOf(ID)];
      const name = segments[pattern.indexOf(NAME)] ?? '';
      if (id !== undefined && !(ID_FORM.test(id) && Number.isSafeInteger(Number(id)))) continue;
      const isSame = pattern.every((part, at) => part === ID || part === NAME || part === segments[at]);
      if (isSame) return { route, id: Number(id ?? 0), name };
    }
    return undefined;
  }
}
