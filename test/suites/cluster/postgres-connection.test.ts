/**
 * A connection to a server of PostgreSQL: it keeps nothing of what it has answered; and when the server stands still,
 * whoever asks hears so in time, and is served when it goes on.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PostgresConnection } from '../../../src/cluster/postgres/postgres-connection.ts';
import { parseLogUrl } from '../../../src/cluster/postgres/postgres-url.ts';
import { LogUnreachableError, UnknownOutcomeError } from '../../../src/cluster/shared-table.ts';
import { eventually } from '../../support/eventually.ts';
import { StillServer } from './still-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const LOOK = { name: 'look', text: 'SELECT 1' };
const STATEMENT_MS = 500;
/** A follower that finds its server still asks the others long before anybody else gives up. */
const SOON_MS = 4_500;

test('a connection keeps no answer', async () => {
  const server = await StillServer.start();
  const connection = new PostgresConnection(settingsOf(server));
  try {
    const answers: WeakRef<object>[] = [];
    for (let count = 0; count < 10; count += 1) {
      const { rows } = await connection.run(LOOK, [], STATEMENT_MS);
      answers.push(new WeakRef(rows));
    }
    // The last one may be kept until the next comes.
    const kept = () => answers.slice(0, -1).filter((answer) => answer.deref() !== undefined).length;
    await eventually('they are collected', () => {
      collectGarbage();
      return kept() === 0;
    });
  } finally {
    await connection.close();
    await server.close();
  }
});

describe('a server that stands still', { concurrency: true }, () => {
  const moments = [
    { when: 'before it greets', answers: -1, error: LogUnreachableError },
    { when: 'between connect and first statement', answers: 0, error: LogUnreachableError },
    { when: 'before the session has its settings', answers: 1, error: LogUnreachableError },
    { when: 'amid a statement', answers: 2, error: UnknownOutcomeError },
  ];
  for (const { when, answers, error } of moments) {
    test(when, async () => {
      const server = await StillServer.start();
      const connection = new PostgresConnection(settingsOf(server));
      try {
        server.answersLeft = answers;
        const fromMs = performance.now();
        await assert.rejects(connection.run(LOOK, [], STATEMENT_MS), error);
        assert.ok(performance.now() - fromMs < SOON_MS);
        server.answersLeft = Number.POSITIVE_INFINITY;
        assert.deepEqual((await connection.run(LOOK, [], STATEMENT_MS)).rows, [[StillServer.VALUE]]);
      } finally {
        await connection.close();
        await server.close();
      }
    });
  }
});

function settingsOf({ port }: StillServer) {
  const url = parseLogUrl(`postgres://purser@127.0.0.1:${port}/purser?sslmode=disable`);
  return { url, password: undefined, node: 'a' };
}
