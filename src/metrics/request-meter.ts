/**
 * Counts of requests: their answers by listener, method, route and class of status, and how long they took.
 *
 * Invariant: a route has one meter, made when it is registered, and labels are the route's pattern and method, so there
 * are as many series as routes, whatever clients send. Requests that match no route have one meter a listener. HEAD
 * counts as the GET that answers it. A request whose client left before its answer is `gone`, and has no duration.
 */
import { Histogram } from './histogram.ts';

export type ListenerName = 'buyer' | 'operator';

export interface RequestLabels {
  readonly listener: ListenerName;
  readonly method: string;
  /** The pattern, such as `/api/v1/buyer/orders/{id}`. */
  readonly route: string;
}

/** The route label of requests that match no route. */
export const UNROUTED = 'none';

/** By the first digit of the status; what has none comes first. */
const GONE = 0;
const CLASSES: readonly (readonly [name: string, at: number])[] = [
  ['2xx', 2],
  ['3xx', 3],
  ['4xx', 4],
  ['5xx', 5],
  ['gone', GONE],
];

/** From a purchase on a fast disk to one that waits for a supplier. */
const DURATION_BOUNDS_MS = [0.5, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

export class RequestMeter {
  readonly labels: RequestLabels;
  /** In milliseconds, from the request's head to its answer. */
  readonly duration = new Histogram(DURATION_BOUNDS_MS);
  readonly #answers = new Float64Array(6);

  constructor(labels: RequestLabels) {
    this.labels = labels;
  }

  answered(status: number, durationMs: number): void {
    this.count(status);
    this.duration.add(durationMs);
  }

  /** An answer of which nobody knows when its request came. */
  count(status: number): void {
    this.#increase((status / 100) | 0);
  }

  /** The client left before its answer. */
  left(): void {
    this.#increase(GONE);
  }

  /** All classes, also those that have none: a series that begins with its first 500 would hide that one. */
  get answers(): readonly (readonly [status: string, count: number])[] {
    return CLASSES.map(([name, at]) => [name, this.#answers[at] ?? 0]);
  }

  #increase(at: number): void {
    this.#answers[at] = (this.#answers[at] ?? 0) + 1;
  }
}

/** The meters of one listener. */
export class ListenerMeters {
  /** The meter of requests that match no route, and of those that the listener refuses by itself. */
  readonly unrouted: RequestMeter;
  readonly #listener: ListenerName;
  readonly #byCall = new Map<string, RequestMeter>();

  constructor(listener: ListenerName) {
    this.#listener = listener;
    this.unrouted = this.of('any', UNROUTED);
  }

  /** The one of this route: the same when asked again. */
  of(method: string, route: string): RequestMeter {
    const call = `${method} ${route}`;
    const meter = this.#byCall.get(call) ?? new RequestMeter({ listener: this.#listener, method, route });
    this.#byCall.set(call, meter);
    return meter;
  }

  values(): IterableIterator<RequestMeter> {
    return this.#byCall.values();
  }
}
