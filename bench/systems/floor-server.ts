/**
 * The floor: what a purchase costs when nothing is decided. A bare reply of uWebSockets.js, or of node:http where its
 * binary doesn't load, behind the same group commit: the body is read, a record of a purchase's size goes to disk, the
 * answer leaves after the flush.
 *
 * Purser's work on top (authentication, parsing, decisions, stock, money, idempotency) is the distance between its rows
 * and this one. At most one commit is in flight; a group is everything that arrived while the one before it was being
 * written, and small ones wait for more as Purser's do. The floor serves the same two counters as Purser, so one reader
 * does for both.
 *
 * `--data DIR`, `--reply-bytes N` (the body's size), `--request-id-bytes N`, and `--volatile`, which leaves the disk
 * out: then the load generator is measured.
 */

import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Database, open, type PutOptions } from 'lmdb';
import { GATHER_MS, Gathering } from '../../src/engine/loop/gathering.ts';
import { loadUwsBinding, type UwsBinding, type UwsResponse } from '../../src/http/transport/uws-binding.ts';

const METRICS_PATH = '/operator/v1/metrics';
const recordBytes = 120;
const mapBytes = 64 * 1024 ** 3;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    'reply-bytes': { type: 'string', default: '240' },
    'request-id-bytes': { type: 'string', default: '20' },
    volatile: { type: 'boolean', default: false },
  },
});

/** lmdb's `put` takes options, which its types leave out. Resolves false when the key is out of order. */
type Append = (key: number, value: Buffer, options: PutOptions) => Promise<boolean>;

/** One request that waits for its group to be flushed. */
interface Waiting {
  aborted: boolean;
  answer(): void;
}

class GroupCommit {
  readonly #append: Append | undefined;
  readonly #gathering = new Gathering();
  #arrived: Waiting[] = [];
  #isDue = false;
  #isWriting = false;
  #patience: NodeJS.Timeout | undefined;
  #sequence = 0;
  groups = 0;
  facts = 0;

  constructor(append: Append | undefined) {
    this.#append = append;
  }

  get metrics(): string {
    return `purser_journal_groups_total ${this.groups}\npurser_journal_facts_total ${this.facts}\n`;
  }

  add(waiting: Waiting): void {
    this.#arrived.push(waiting);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue || this.#isWriting) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const isWorthWaiting = this.#gathering.isWorthWaiting(this.#arrived.length);
      if (this.#append === undefined || !isWorthWaiting) void this.#flush();
      else this.#patience ??= setTimeout(() => void this.#flush(), GATHER_MS);
    });
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (this.#isWriting || this.#arrived.length === 0) return;
    this.#isWriting = true;
    const group = this.#arrived;
    this.#arrived = [];
    if (this.#append !== undefined) {
      // Never reused: lmdb writes from this very memory, on another thread.
      const records = Buffer.alloc(recordBytes * group.length, this.#sequence & 0xff);
      const written = await this.#append(this.#sequence, records, { append: true });
      if (written !== true) throw new Error(`group ${this.#sequence} was not appended`);
    }
    this.#gathering.landed(group.length + this.#arrived.length);
    this.#sequence += 1;
    this.groups += 1;
    this.facts += group.length;
    for (const waiting of group) {
      if (!waiting.aborted) waiting.answer();
    }
    this.#isWriting = false;
    if (this.#arrived.length > 0) this.#schedule();
  }
}

function openJournal(folder: string): Append {
  const environment = open({
    path: join(folder, 'floor.mdb'),
    noSubdir: true,
    overlappingSync: false,
    encoding: 'binary',
    maxDbs: 4,
    mapSize: mapBytes,
  });
  const groups: Database<Buffer, number> = environment.openDB({ name: 'groups', encoding: 'binary' });
  return groups.put.bind(groups) as unknown as Append;
}

interface Answer {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

function answerOf(bodyBytes: number, requestIdBytes: number): Answer {
  return {
    headers: [
      ['content-type', 'application/json; charset=utf-8'],
      ['cache-control', 'no-store'],
      ['x-request-id', 'f'.repeat(requestIdBytes)],
    ],
    body: Buffer.from(JSON.stringify({ success: true, padding: '' }).padEnd(bodyBytes)),
  };
}

function serveByUws(uws: UwsBinding, commit: GroupCommit, { headers, body }: Answer): void {
  const answer = (response: UwsResponse): void => {
    response.writeStatus('201 Created');
    for (const [name, value] of headers) response.writeHeader(name, value);
    response.end(body);
  };
  const app = uws.App();
  app.any(METRICS_PATH, (response) => response.end(commit.metrics));
  app.any('/*', (response) => {
    const waiting: Waiting = { aborted: false, answer: () => response.cork(() => answer(response)) };
    response.onAborted(() => {
      waiting.aborted = true;
    });
    response.onData((_chunk, last) => {
      if (last) commit.add(waiting);
    });
  });
  app.listen('127.0.0.1', 0, 0, (socket) => {
    if (socket === false) throw new Error('the floor server could not listen');
    tellPort(uws.us_socket_local_port(socket));
  });
}

function serveByNode(commit: GroupCommit, { headers, body }: Answer): void {
  const head = [...headers.flat(), 'content-length', String(body.byteLength)];
  const take = (response: ServerResponse): void => {
    const waiting: Waiting = { aborted: false, answer: () => response.writeHead(201, head).end(body) };
    response.once('close', () => {
      waiting.aborted = true;
    });
    commit.add(waiting);
  };
  const server = createServer((request, response) => {
    if (request.url === METRICS_PATH) response.end(commit.metrics);
    else request.resume().once('end', () => take(response));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') tellPort(address.port);
  });
}

function tellPort(port: number): void {
  process.stdout.write(`floor is ready: http://127.0.0.1:${port}\n`);
}

if (!values.volatile && values.data === undefined)
  throw new Error('the floor server needs --data or --volatile');
const commit = new GroupCommit(values.volatile ? undefined : openJournal(values.data ?? ''));
const answer = answerOf(Number(values['reply-bytes']), Number(values['request-id-bytes']));
const uws = await loadUwsBinding().catch(() => undefined);
if (uws === undefined) serveByNode(commit, answer);
else serveByUws(uws, commit, answer);
process.once('SIGTERM', () => process.exit(0));
