/**
 * From an HTTP answer to the API's envelope (SPEC.md §1), or to what is wrong with it. Nothing here trusts that
 * it was Purser who answered: between it and a program there may be proxies with pages of their own.
 */
import type { Failure } from './purser-error.ts';

export type Attempted<T> = { readonly value: T } | { readonly failure: Failure };

/** Far more than the largest order or catalog; less than would exhaust a small machine. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** The body of a success. Rejects when the answer breaks off. */
export async function successOf<T>(response: Response): Promise<Attempted<T>> {
  const body = parseObject(await readText(response));
  if (body?.success === true) return { value: body as T };
  return { failure: foreignAnswer(response) };
}

/** The failure that an answer without success tells. Rejects when the answer breaks off. */
export async function failureOf(response: Response, nowMs: number): Promise<Failure> {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    response.body?.cancel().catch(() => undefined);
    return {
      code: 'REDIRECTED',
      message: 'the server redirects elsewhere; redirects are not followed, check the base address',
      status: response.status,
    };
  }
  const retryAfterSeconds = secondsOf(response.headers.get('retry-after'), nowMs);
  const body = parseObject(await readText(response));
  if (typeof body?.error !== 'string') return { ...foreignAnswer(response), retryAfterSeconds };
  return {
    code: body.error,
    message: typeof body.message === 'string' ? body.message : 'no message',
    status: response.status,
    requestId: requestIdOf(response, body),
    retryAfterSeconds,
    leader: leaderOf(body.leader),
    currentPriceUsdt: typeof body.currentPriceUsdt === 'number' ? body.currentPriceUsdt : undefined,
  };
}

/** Undefined when the answer doesn't speak of a leader. */
function leaderOf(leader: unknown): Failure['leader'] {
  if (typeof leader !== 'object' || leader === null) return leader === null ? null : undefined;
  return 'url' in leader && typeof leader.url === 'string' ? { url: leader.url } : null;
}

function foreignAnswer(response: Response): Failure {
  return {
    code: 'BAD_RESPONSE',
    message: `HTTP ${response.status} without the API's JSON`,
    status: response.status,
    requestId: requestIdOf(response),
  };
}

function requestIdOf(response: Response, body?: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof body?.requestId === 'string') return body.requestId;
  return response.headers.get('x-request-id') ?? undefined;
}

/** `Retry-After` as whole seconds from now, in either of its forms. */
function secondsOf(retryAfter: string | null, nowMs: number): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const dateMs = Date.parse(retryAfter);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1_000));
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      reader.cancel().catch(() => undefined);
      return '';
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
