/**
 * One request of a test's client, and its whole answer.
 *
 * Built on `node:http` because `fetch` adds a Content-Type, refuses a body on GET, hides what it sent, and costs
 * several times as much, and tests prepare thousands of accounts.
 */
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';

export const replyTimeoutMs = 30_000;
/** Shorter than any server keeps an idle connection, so that none is reused as it closes. */
export const idleSocketMs = 2_000;

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/** Nothing is added to the headers. Rejects when the connection fails or nothing comes back for 30 s, or `timeout`. */
export function httpRequest(options: RequestOptions, body?: string | Uint8Array): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ timeout: replyTimeoutMs, ...options });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`no answer to ${options.method} ${options.path} in time`)),
    );
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers, rawHeaders } = response;
        resolve({ status, headers, rawHeaders, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.end(body);
  });
}

/** An empty object when the text isn't a JSON object. */
export function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
