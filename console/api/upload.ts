/** Uploads of any size, with progress: `fetch` does not tell how much has left, so this is XMLHttpRequest. */
import { ApiFailure, NodeAway } from './api-failure.ts';
import { noteUse } from './attention.ts';
import type { AnswerOf, Call } from './call-types.ts';
import { heldSession } from './held-session.ts';
import { addressOf, authorizationOf, endedBy, keyHeader, methodOf } from './operator-api.ts';

export interface Upload {
  readonly path: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly content: Blob;
  readonly contentType: string;
  /** The key of an upload that the node takes in once by it: sent again when its answer is lost. */
  readonly idempotencyKey?: string;
  readonly signal: AbortSignal;
  /** Called often, with the bytes that have left. */
  readonly onProgress: (sentBytes: number) => void;
}

/** Throws `ApiFailure`, `NodeAway`, or the signal's AbortError. The content is read from disk as it is sent. */
export function upload<C extends Call>(name: C, given: Upload): Promise<AnswerOf<C>> {
  const { content, contentType, signal, onProgress } = given;
  const session = heldSession.peek();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const settle = (settled: () => void) => {
      signal.removeEventListener('abort', abort);
      settled();
    };
    request.open(methodOf(name), addressOf(name, given));
    for (const [header, value] of Object.entries({
      ...authorizationOf(session),
      'content-type': contentType,
      ...keyHeader(given.idempotencyKey),
    }))
      request.setRequestHeader(header, value);
    request.upload.addEventListener('progress', ({ loaded }) => {
      noteUse();
      onProgress(loaded);
    });
    request.addEventListener('abort', () =>
      settle(() => reject(new DOMException('The upload was cancelled.', 'AbortError'))),
    );
    request.addEventListener('error', () => settle(() => reject(new NodeAway())));
    request.addEventListener('load', () =>
      settle(() => {
        const body = jsonOf(request.responseText);
        if (request.status >= 200 && request.status < 300) resolve(body as AnswerOf<C>);
        else reject(endedBy(new ApiFailure(request.status, body), session));
      }),
    );
    if (signal.aborted) {
      reject(new DOMException('The upload was cancelled.', 'AbortError'));
      return;
    }
    signal.addEventListener('abort', abort);
    request.send(content);
  });
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
