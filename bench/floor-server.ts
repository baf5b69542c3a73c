/**
 * The floor: what a purchase costs when nothing is decided. A bare uWebSockets.js reply behind the same group
 * commit: the body is read, a record of a purchase's size goes to disk, the answer leaves after the flush.
 *
 * What Purser does on top (authentication, parsing, decisions, stock, money, idempotency) is the distance
 * between its rows and this one. At most one commit is in flight; a group is everything that arrived while
 * the one before it was being written, and small ones wait for more as Purser's do. It serves the same two
 * counters as Purser, so one reader does for both.
 *
 * `--data DIR`, `--reply-bytes N` (the body's size), `--request-id-bytes N`, and `--volatile`, which leaves
 * the disk out: what is measured then is the load generator.
 */

import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Database, open, type PutOptions } from 'lmdb';
import { GATHER_MS, Gathering } from '../src/engine/gathering.ts';

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
  readonly response: HttpResponse;
  aborted: boolean;
}

class GroupCommit {
  readonly #append: Append | undefined;
  readonly #answer: (response: HttpResponse) => void;
  readonly #gathering = new Gathering();
  #arrived: Waiting[] = [];
  #isDue = false;
  #isWriting = false;
  #patience: NodeJS.Timeout | undefined;
  #sequence = 0;
  groups = 0;
  facts = 0;

  constructor(append: Append | undefined, answer: (response: HttpResponse) => void) {
    this.#append = append;
    this.#answer = answer;
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
      if (!waiting.aborted) waiting.response.cork(() => this.#answer(waiting.response));
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

function answerOf(bodyBytes: number, requestIdBytes: number): (response: HttpResponse) => void {
  const body = Buffer.from(JSON.stringify({ success: true, padding: '' }).padEnd(bodyBytes));
  const requestId = 'f'.repeat(requestIdBytes);
  return (response) => {
    response.writeStatus('201 Created');
    response.writeHeader('content-type', 'application/json; charset=utf-8');
    response.writeHeader('cache-control', 'no-store');
    response.writeHeader('x-request-id', requestId);
    response.end(body);
  };
}

function serve(commit: GroupCommit): void {
  App()
    .get('/operator/v1/metrics', (response) => {
      response.end(
        `purser_journal_groups_total ${commit.groups}\npurser_journal_facts_total ${commit.facts}\n`,
      );
    })
    .post('/*', (response) => {
      const waiting: Waiting = { response, aborted: false };
      response.onAborted(() => {
        waiting.aborted = true;
      });
      response.onData((_chunk, last) => {
        if (last) commit.add(waiting);
      });
    })
    .listen('127.0.0.1', 0, (socket) => {
      if (socket === false) throw new Error('the floor server could not listen');
      const port = us_socket_local_port(socket);
      process.stdout.write(`floor is ready: http://127.0.0.1:${port}\n`);
    });
}

if (!values.volatile && values.data === undefined)
  throw new Error('the floor server needs --data or --volatile');
const append = values.volatile ? undefined : openJournal(values.data ?? '');
serve(new GroupCommit(append, answerOf(Number(values['reply-bytes']), Number(values['request-id-bytes']))));
process.once('SIGTERM', () => process.exit(0));
