/**
 * A bucket of an S3-compatible store as the target of a backup.
 *
 * Invariants:
 *
 * - One call to `create`, `read` or `remove` is one request: nothing is asked again here. A caller that asks again has
 *   to look first, because a write whose answer was lost finds its own object.
 * - An object is written with `If-None-Match: *`, and with its SHA-256 in the signature and its MD5 beside, so that a
 *   store that gets other bytes refuses them. (Buckets with Object Lock demand the MD5.)
 * - The size of every answer is bounded, and redirects are not followed: the signature is for one host.
 *
 * Which library, and why no larger one: decision 31.
 */
import { createHash, hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import {
  type BackupTarget,
  type CallOptions,
  MAX_OBJECT_BYTES,
  TargetError,
  type TargetObject,
} from './backup-target.ts';
import { type CallEnd, contentMs, endingCall, PATIENCE, type Patience } from './call-end.ts';
import { checkName, isObjectName } from './object-name.ts';
import { noSense, readRefusal, refusalError, type S3Action, type S3Refusal, wayError } from './s3-errors.ts';
import { readListPage } from './s3-list.ts';
import type { S3Settings } from './s3-settings.ts';

/** 1,000 names, and what a store says of each. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** A refusal says what it has to say at its beginning. */
const MAX_REFUSAL_BYTES = 64 * 1024;
const NO_BYTES = new Uint8Array(0);

interface S3Request {
  readonly action: S3Action;
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** The object's key below the bucket; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxAnswerBytes: number;
}

type S3Answer =
  | { readonly isOk: true; readonly body: Buffer }
  | { readonly isOk: false; readonly refusal: S3Refusal };

export class S3Target implements BackupTarget {
  readonly url: string;
  readonly holdsThread = false;
  readonly #settings: S3Settings;
  readonly #patience: Patience;

  constructor(settings: S3Settings, patience: Patience = PATIENCE) {
    this.url = settings.url;
    this.#settings = settings;
    this.#patience = patience;
  }

  async create(name: string, bytes: Uint8Array, options: CallOptions = {}): Promise<boolean> {
    const key = this.#keyOf(name);
    if (bytes.byteLength > MAX_OBJECT_BYTES) throw this.#tooLarge(key);
    const headers = { 'if-none-match': '*', 'content-md5': createHash('md5').update(bytes).digest('base64') };
    const answer = await this.#ask(
      { action: 'write', method: 'PUT', key, headers, body: bytes, maxAnswerBytes: MAX_REFUSAL_BYTES },
      options.signal,
    );
    if (answer.isOk) return true;
    if (answer.refusal.status === 412) return false;
    throw refusalError(answer.refusal, this.#settings, 'write');
  }

  async read(name: string, options: CallOptions = {}): Promise<Buffer | undefined> {
    const key = this.#keyOf(name);
    const answer = await this.#ask(
      { action: 'read', method: 'GET', key, maxAnswerBytes: MAX_OBJECT_BYTES },
      options.signal,
    );
    if (answer.isOk) return answer.body;
    // Without its code, a 404 may be that of any server: it proves nothing about an object.
    if (answer.refusal.code === 'NoSuchKey') return undefined;
    throw refusalError(answer.refusal, this.#settings, 'read');
  }

  async *list(
    prefix: string,
    { after = '', signal }: CallOptions & { readonly after?: string } = {},
  ): AsyncIterable<TargetObject> {
    const root = this.#settings.prefix;
    let last = `${root}${after}`;
    let token: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: `${root}${prefix}`,
        ...(token !== undefined
          ? { 'continuation-token': token }
          : after !== ''
            ? { 'start-after': last }
            : {}),
      };
      const answer = await this.#ask(
        { action: 'list', method: 'GET', key: '', query, maxAnswerBytes: MAX_LIST_BYTES },
        signal,
      );
      if (!answer.isOk) throw refusalError(answer.refusal, this.#settings, 'list');
      const page = readListPage(answer.body.toString());
      if (page === undefined) throw noSense(this.#settings, 'answers no list of objects');
      for (const { key, sizeBytes } of page.objects) {
        if (key === last && after !== '') continue;
        if (key <= last || !key.startsWith(`${root}${prefix}`))
          throw noSense(
            this.#settings,
            'does not list objects in the order of their names, as a backup needs',
          );
        last = key;
        const name = key.slice(root.length);
        if (isObjectName(name)) yield { name, sizeBytes };
      }
      if (page.next !== undefined && page.next === token)
        throw noSense(this.#settings, 'lists the same page again and again');
      token = page.next;
    } while (token !== undefined);
  }

  async remove(name: string, options: CallOptions = {}): Promise<void> {
    const key = this.#keyOf(name);
    const answer = await this.#ask(
      { action: 'remove', method: 'DELETE', key, maxAnswerBytes: MAX_REFUSAL_BYTES },
      options.signal,
    );
    if (answer.isOk || answer.refusal.code === 'NoSuchKey') return;
    throw refusalError(answer.refusal, this.#settings, 'remove');
  }

  async close(): Promise<void> {}

  #keyOf(name: string): string {
    checkName(name);
    return `${this.#settings.prefix}${name}`;
  }

  #ask(request: S3Request, signal: AbortSignal | undefined): Promise<S3Answer> {
    const limitMs = this.#patience.answerMs + contentMs(this.#patience, request.body?.byteLength ?? 0);
    return endingCall(this.url, limitMs, signal, async (end) => {
      try {
        return await this.#exchange(request, end);
      } catch (error) {
        throw wayError(error, this.#settings);
      }
    });
  }

  async #exchange(
    { method, key, query, headers, body, maxAnswerBytes }: S3Request,
    end: CallEnd,
  ): Promise<S3Answer> {
    const { bucketUrl, region, accessKeyId, secretAccessKey } = this.#settings;
    const url = new URL(key === '' ? bucketUrl : `${bucketUrl}/${key}`);
    for (const [field, value] of Object.entries(query ?? {})) url.searchParams.set(field, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body ?? NO_BYTES) },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
    }).sign();
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      redirect: 'manual',
      signal: end.signal,
    });
    if (response.ok) {
      const answered = await this.#bodyOf(response, maxAnswerBytes, end);
      if (answered === undefined) throw this.#tooLarge(key);
      return { isOk: true, body: answered };
    }
    const refused = await this.#bodyOf(response, MAX_REFUSAL_BYTES, end);
    return { isOk: false, refusal: readRefusal(response.status, response.headers, String(refused ?? '')) };
  }

  /** Undefined when there is more. A store that sends steadily has the time that this takes. */
  async #bodyOf(response: Response, maxBytes: number, end: CallEnd): Promise<Buffer | undefined> {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of response.body ?? []) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) return undefined;
      chunks.push(chunk);
      end.extend(contentMs(this.#patience, chunk.byteLength));
    }
    return Buffer.concat(chunks, sizeBytes);
  }

  #tooLarge(key: string): TargetError {
    const what = key === '' ? 'its list of objects' : key;
    return new TargetError(
      'invalid',
      `${this.url}: ${what} is larger than anything that a backup has; check the bucket and its prefix`,
    );
  }
}
