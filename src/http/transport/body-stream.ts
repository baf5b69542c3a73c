/**
 * A request body as it arrives, for bodies of any size. On node:http only: uWebSockets.js goes on reading from a fast
 * sender after a pause (decision 9).
 *
 * While the reader is busy chunks wait, up to a mark; then the socket is paused. When the reply is sent before the body's
 * end, the rest is dropped: whoever leaves early answers.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { RequestBody } from './request-body.ts';
import { BodyAbortedError } from './transport.ts';

/** The most bytes that wait for the reader, which gets them as one chunk. Beyond it the socket is paused. */
const PAUSE_AT_BYTES = 256 * 1024;

/** Fails, and closes the connection, when nothing comes for `idleTimeoutMs` while the reader waits. */
export function bodyStream(
  request: IncomingMessage,
  body: RequestBody,
  idleTimeoutMs: number,
): AsyncIterable<Uint8Array> {
  let heardAtMs = performance.now();
  let isPaused = false;
  const chunks = new Readable({
    highWaterMark: PAUSE_AT_BYTES,
    read: () => {
      if (!isPaused) return;
      isPaused = false;
      heardAtMs = performance.now();
      request.resume();
    },
    destroy: (error, done) => {
      clearTimeout(timer);
      done(error);
    },
  });
  // The reader gets the error from its iteration; without this, one that has not begun would end the process.
  chunks.on('error', () => {});

  const checkIdle = () => {
    const idleMs = isPaused ? 0 : performance.now() - heardAtMs;
    // A timer may fire a fraction of a millisecond early.
    if (idleMs < idleTimeoutMs - 1) {
      timer = setTimeout(checkIdle, idleTimeoutMs - idleMs);
      return;
    }
    chunks.destroy(new BodyAbortedError('the client stopped sending its request body'));
    request.destroy();
  };
  let timer = setTimeout(checkIdle, idleTimeoutMs);

  const push = (chunk: Uint8Array, last: boolean) => {
    heardAtMs = performance.now();
    const hasRoom = chunks.push(chunk);
    if (last) {
      clearTimeout(timer);
      chunks.push(null);
    } else if (!hasRoom) {
      isPaused = true;
      request.pause();
    }
  };
  body.stream(push, () => chunks.destroy(new BodyAbortedError()));
  return chunks;
}
