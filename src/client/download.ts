/**
 * A file's bytes as one stream. When the connection breaks, the rest is requested by `Range`, if the file still has the
 * same `ETag`. Bytes are read only on demand, so a slow reader costs no memory, and time-outs run only while waiting for
 * the next bytes.
 */
import type { Attempted } from './answer.ts';
import type { ApiCaller, OpenAnswer } from './api-caller.ts';
import { policyOf } from './error-policy.ts';
import { type Failure, PurserError } from './purser-error.ts';
import { retryDelayMs } from './timing.ts';

export interface Download {
  readonly contentType: string;
  /** Undefined when the server doesn't say. */
  readonly contentLengthBytes: number | undefined;
  /** Fails with a `PurserError`. Read it to its end or cancel it: it holds a connection. */
  readonly body: ReadableStream<Uint8Array>;
}

const NOT_CHARGED = { attempts: 1, isCharged: false } as const;

export async function download(
  caller: ApiCaller,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Download> {
  const answer = await openAt(caller, path, signal, {});
  const { headers } = answer.response;
  const source = new ResumingSource(caller, path, signal, answer);
  return {
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    contentLengthBytes: source.totalBytes,
    body: new ReadableStream<Uint8Array>(
      { pull: (controller) => source.pull(controller), cancel: () => source.cancel() },
      { highWaterMark: 0 },
    ),
  };
}

/** `identity`, for positions in a compressed answer are not positions in the file. */
function openAt(
  caller: ApiCaller,
  path: string,
  signal: AbortSignal | undefined,
  headers: Record<string, string>,
): Promise<OpenAnswer> {
  const request = { method: 'GET', path, headers: { ...headers, 'accept-encoding': 'identity' } } as const;
  return caller.open(request, signal === undefined ? {} : { signal });
}

class ResumingSource {
  /** The size of the whole file. */
  readonly totalBytes: number | undefined;
  readonly #caller: ApiCaller;
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  /** Absent when the server gave none that proves equality: then a broken download can't be resumed. */
  readonly #etag: string | undefined;
  #answer: OpenAnswer;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #receivedBytes = 0;
  #breaksWithoutProgress = 0;

  constructor(caller: ApiCaller, path: string, signal: AbortSignal | undefined, answer: OpenAnswer) {
    this.#caller = caller;
    this.#path = path;
    this.#signal = signal;
    this.#answer = answer;
    this.#reader = answer.response.body?.getReader();
    const { headers } = answer.response;
    const isIdentity = (headers.get('content-encoding') ?? 'identity') === 'identity';
    const length = headers.get('content-length');
    const etag = headers.get('etag');
    this.totalBytes = isIdentity && length !== null ? Number(length) : undefined;
    this.#etag = isIdentity && etag?.startsWith('"') === true ? etag : undefined;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const read = await this.#read();
      if ('failure' in read) {
        await this.#resume(read.failure);
        continue;
      }
      const piece = read.value;
      if (piece === 'end') {
        controller.close();
        return;
      }
      this.#breaksWithoutProgress = 0;
      this.#receivedBytes += piece.byteLength;
      controller.enqueue(piece);
      return;
    }
  }

  cancel(): void {
    this.#answer.deadline.end();
  }

  async #read(): Promise<Attempted<Uint8Array | 'end'>> {
    const { deadline } = this.#answer;
    deadline.arm();
    try {
      const piece = await this.#reader?.read();
      if (piece?.value !== undefined) return { value: piece.value };
      const missing = this.totalBytes !== undefined && this.#receivedBytes < this.totalBytes;
      if (!missing) return { value: 'end' };
      return { failure: { code: 'NETWORK_ERROR', message: 'the file broke off' } };
    } catch (error) {
      return { failure: deadline.failureOf(error) };
    } finally {
      deadline.disarm();
    }
  }

  async #resume(failure: Failure): Promise<void> {
    this.#answer.deadline.end();
    this.#breaksWithoutProgress += 1;
    const isHopeless = this.#breaksWithoutProgress >= this.#caller.maxAttempts;
    if (this.#etag === undefined || isHopeless || !policyOf(failure).isRetried) {
      throw new PurserError(failure, { attempts: this.#breaksWithoutProgress, isCharged: false });
    }
    const delayMs = retryDelayMs(this.#breaksWithoutProgress, undefined, this.#caller.timing.random());
    await this.#caller.sleep(delayMs, this.#signal, NOT_CHARGED);
    const headers = { range: `bytes=${this.#receivedBytes}-`, 'if-range': this.#etag };
    this.#answer = await openAt(this.#caller, this.#path, this.#signal, headers);
    const { response, deadline } = this.#answer;
    const goesOn = response.headers.get('content-range')?.startsWith(`bytes ${this.#receivedBytes}-`);
    if (response.status !== 206 || goesOn !== true) {
      deadline.end();
      const message = 'the download broke off, and the server no longer has the rest of the same file';
      throw new PurserError({ code: 'BAD_RESPONSE', message, status: response.status }, NOT_CHARGED);
    }
    this.#reader = response.body?.getReader();
  }
}
