/** How the leader's hand on the log lets go; what it writes meanwhile is cluster-model.test.ts's and postgres-faults.test.ts's. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from '../../src/cluster/cluster-clock.ts';
import { FencedError, LogWriter } from '../../src/cluster/log-writer.ts';
import type { Entry } from '../../src/cluster/shared-table.ts';
import { Lease } from '../../src/threads/lease.ts';
import { SimulatedDatabase } from './simulated-table.ts';

/** Of the writer's next try: it asks every 100 ms. */
const SEVERAL_TRIES_MS = 500;

describe('a writer that is closed', () => {
  test('gives up what can be neither confirmed nor refused, and asks no more', async () => {
    const database = new SimulatedDatabase();
    const table = database.open();
    const begin: Entry = { number: 1, term: 1, kind: 'term', confirmed: 0, bytes: Buffer.alloc(0) };
    await table.insert([begin], 0);
    const fenced: Error[] = [];
    const onFenced = (error: Error) => fenced.push(error);
    const lease = new Lease();
    const writer = new LogWriter({ table, term: 1, begin: 1, lease, clock: realClock, onFenced });
    let asked = 0;
    const reach = database.reach.bind(database);
    database.reach = (node) => {
      asked += 1;
      reach(node);
    };
    database.cut(table.node, true);
    const ends = ['under way', 'waiting'].map((text) => writer.append('facts', Buffer.from(text)));
    const endsSeen = Promise.allSettled(ends);
    await delay(SEVERAL_TRIES_MS);
    assert.ok(asked > 1, 'it tries again and again');
    writer.close();
    for (const end of await endsSeen)
      assert.ok(end.status === 'rejected' && end.reason instanceof FencedError);
    const before = asked;
    await delay(SEVERAL_TRIES_MS);
    assert.equal(asked, before);
    assert.deepEqual(fenced, [], 'whoever has closed it knows');
    await assert.rejects(writer.append('facts', Buffer.from('late')), FencedError);
  });
});
