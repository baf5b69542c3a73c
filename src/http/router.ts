/**
 * Finds the route of a request. Paths are compared as sent: nothing is decoded, so a path that needs decoding
 * is no path of ours, and a wrong method on a known path is an unknown route (404).
 */
import type { ListenerMeters, RequestMeter } from '../metrics/request-meter.ts';
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

/** A route by its call, e.g. `GET /accounts/{id}`. */
export function route<Handler>(
  call: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`,
  handle: Handler,
): Route<Handler> {
  const [method = '', path = ''] = call.split(' ');
  return { method, path, handle };
}

export interface Match<Handler, Served extends Route<Handler> = Route<Handler>> {
  readonly route: Served;
  /** The positive integer at `{id}`; 0 for a route without. */
  readonly id: number;
  /** The segment at `{name}`; empty for a route without. */
  readonly name: string;
  /** Counts the route's answers. */
  readonly meter: RequestMeter;
}

const ID = '{id}';
const NAME = '{name}';
const ID_FORM = /^[1-9][0-9]{0,15}$/;

export class Router<Handler, Served extends Route<Handler> = Route<Handler>> {
  /** Routes without a parameter: few enough that comparing them one by one is faster than hashing the path. */
  readonly #exact: { readonly path: string; readonly match: Match<Handler, Served> }[] = [];
  /** Routes with a parameter. Routes with an `{id}` alone come first. */
  readonly #patterns: {
    readonly route: Served;
    readonly segments: readonly string[];
    readonly meter: RequestMeter;
  }[] = [];

  constructor(basePath: string, routes: readonly Served[], meters: ListenerMeters) {
    for (const route of routes) {
      const path = basePath + route.path;
      const meter = meters.of(route.method, path);
      const pattern = { route, segments: path.split('/'), meter };
      if (path.includes(NAME)) this.#patterns.push(pattern);
      else if (path.includes(ID)) this.#patterns.unshift(pattern);
      else this.#exact.push({ path, match: { route, id: 0, name: '', meter } });
    }
  }

  /** HEAD is answered by the route of GET. */
  match(exchange: Exchange): Match<Handler, Served> | undefined {
    const { path } = exchange;
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    for (const exact of this.#exact) {
      if (exact.path === path && exact.match.route.method === method) return exact.match;
    }
    const segments = path.split('/');
    for (const { route, segments: pattern, meter } of this.#patterns) {
      if (route.method !== method || !fits(pattern, segments)) continue;
      const id = Number(segments[pattern.indexOf(ID)] ?? 0);
      return { route, id, name: segments[pattern.indexOf(NAME)] ?? '', meter };
    }
    return undefined;
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => {
      const segment = segments[at] ?? '';
      return part === ID ? isId(segment) : part === NAME || part === segment;
    })
  );
}

function isId(segment: string): boolean {
  return ID_FORM.test(segment) && Number.isSafeInteger(Number(segment));
}
