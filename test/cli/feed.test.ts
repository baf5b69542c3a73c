/** `purser feed`: where it ends, and where it goes on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { purser, TOKEN } from './fake-operator.ts';

/** A node that has this many lines, one a second from `START_MS` on, and goes on as the test says. */
let newest = 0;
const START_MS = Date.parse('2026-10-31T00:00:00Z');
const open = new Set<ServerResponse>();
const asked: string[] = [];

const server = createServer((request, response) => {
  const url = request.url ?? '';
  asked.push(url);
  if (url.endsWith('/status')) {
    response.end(JSON.stringify({ success: true, journalPosition: newest, requestId: 'req_1' }));
    return;
  }
  const query = new URL(url, 'http://x').searchParams;
  const from = query.get('from');
  const after = Number(
    from === null ? query.get('after') : Math.min(newest, Math.ceil((Number(from) - START_MS) / 1_000) - 1),
  );
  if (after > newest) {
    response.writeHead(400, { 'content-type': 'application/json' });
    const message = 'your position belongs to another data folder';
    response.end(JSON.stringify({ success: false, error: 'BAD_REQUEST', message, requestId: 'req_1' }));
    return;
  }
  response.setHeader('x-feed-after', after);
  response.write('\n');
  response.write(lines(after + 1, newest));
  open.add(response);
  response.on('close', () => open.delete(response));
});

function lines(first: number, last: number): string {
  let all = '';
  for (let seq = first; seq <= last; seq += 1) {
    all += `{"seq":${seq},"at":${START_MS + seq * 1_000},"epoch":3,"type":"KeyRevoked","accountId":7}\n`;
  }
  return all;
}

function seqsIn(stdout: string): number[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).seq);
}

describe('feed', () => {
  let target: string[];
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    target = ['--operator', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, '--token', TOKEN];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(async () => {
    await eventually('no command follows any more', () => open.size === 0);
    newest = 5;
    asked.length = 0;
  });

  const ends = {
    '--until now': [1, 2, 3, 4, 5],
    '--until now --after 5': [],
    '--until 2026-10-31T00:00:03Z': [1, 2],
    '--until now --from 2026-10-31T00:00:03Z': [3, 4, 5],
    '--until 2026-10-31T00:00:05.001Z --after 2': [3, 4, 5],
  };
  for (const [args, seqs] of Object.entries(ends))
    it(`ends by itself: ${args}`, async () => {
      const outcome = await purser(['feed', ...args.split(' '), ...target]);
      assert.deepEqual([outcome.exitCode, outcome.stderr], [0, '']);
      assert.deepEqual(seqsIn(outcome.stdout), seqs);
      await eventually('the connection is closed', () => open.size === 0);
    });

  it('a position beyond the newest line is a mistake', async () => {
    for (const until of [[], ['--until', 'now']]) {
      const { exitCode, stderr } = await purser(['feed', '--after', '6', ...until, ...target]);
      assert.equal(exitCode, 1);
      assert.match(stderr, /belongs to another data folder/);
    }
  });

  it('now: leaves out what comes after its start', async () => {
    const running = purser(['feed', '--until', 'now', ...target]);
    await eventually('it has asked for the newest', () => asked.length > 0);
    newest = 9;
    const { stdout } = await running;
    assert.deepEqual(seqsIn(stdout), [1, 2, 3, 4, 5]);
  });

  it('a time to come: follows until then', async () => {
    const running = purser(['feed', '--until', String(Date.now() + 300), ...target]);
    await eventually('it follows', () => open.size === 1);
    const [response] = open;
    const heartbeat = setInterval(() => response?.write('\n'), 50);
    const { exitCode, stdout, stderr } = await running;
    clearInterval(heartbeat);
    assert.deepEqual([exitCode, stderr, seqsIn(stdout)], [0, '', [1, 2, 3, 4, 5]]);
  });

  it('says where to continue when the node closes it', async () => {
    const running = purser(['feed', ...target]);
    await eventually('it follows', () => open.size === 1);
    for (const response of open) response.end();
    const { exitCode, stderr } = await running;
    assert.deepEqual(
      [exitCode, stderr],
      [0, 'The node closed the feed. Continue with --after 5 --epoch 3\n'],
    );
  });
});
