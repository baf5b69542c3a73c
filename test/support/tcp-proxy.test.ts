/** The proxy of the tests does what it says: delay, cut, swallow, and go dark. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { TcpProxy } from './tcp-proxy.ts';

const heard: string[] = [];
const server = createServer((socket) => {
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard.push(text);
    socket.write(`${text}!`);
  });
  socket.on('error', () => {});
});
let proxy: TcpProxy;

before(async () => {
  await Promise.all([once(server, 'listening'), server.listen(0, '127.0.0.1')]);
  proxy = await TcpProxy.start((server.address() as AddressInfo).port);
});
beforeEach(() => heard.splice(0));
after(async () => {
  await proxy.close();
  server.close();
});

/** A client, and all that it was answered. */
async function client(): Promise<{ socket: Socket; answers: () => string }> {
  const socket = connect(proxy.port, '127.0.0.1');
  let answers = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answers += text;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, answers: () => answers };
}

test('what passes arrives, each way, as late as it is told', async () => {
  const { socket, answers } = await client();
  socket.write('a');
  await eventually('an answer', () => answers() === 'a!');
  proxy.delayMs = 40;
  const fromMs = performance.now();
  socket.write('b');
  await eventually('an answer', () => answers() === 'a!b!');
  proxy.delayMs = 0;
  assert.ok(performance.now() - fromMs >= 79);
  socket.destroy();
});

test('a cut ends all connections, and new ones are accepted', async () => {
  const [one, other] = [await client(), await client()];
  await eventually('both are there', () => proxy.connections === 2);
  proxy.cut();
  await eventually('both are closed', () => one.socket.destroyed && other.socket.destroyed);
  const third = await client();
  third.socket.write('a');
  await eventually('an answer', () => third.answers() === 'a!');
  third.socket.destroy();
});

test('a swallowed reply never comes, though the server has the request; other connections go on', async () => {
  const [one, other] = [await client(), await client()];
  proxy.swallow('insert');
  one.socket.write('insert 1');
  await eventually('the server has it', () => heard.includes('insert 1'));
  other.socket.write('insert 2');
  await eventually('the other one is answered', () => other.answers() === 'insert 2!');
  assert.deepEqual([one.answers(), proxy.mute], ['', 1]);
  one.socket.destroy();
  other.socket.destroy();
});

test('in the dark nothing is refused and nothing answers; what was sent comes with the light', async () => {
  const old = await client();
  await eventually('it is there', () => proxy.connections === 1);
  proxy.isDark = true;
  const young = await client();
  old.socket.write('a');
  young.socket.write('b');
  await delay(50);
  assert.deepEqual([heard, old.answers(), young.answers()], [[], '', '']);
  proxy.isDark = false;
  await eventually('both are answered', () => old.answers() === 'a!' && young.answers() === 'b!');
  old.socket.destroy();
  young.socket.destroy();
});
