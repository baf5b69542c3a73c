/**
 * The pages of the clients, as a newcomer follows them: the folder is copied, every block of code runs as it stands, but
 * for address, key and port, against a real node with the demo's catalog; and the receiver tells a genuine delivery from
 * a forged one.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PurserClient } from 'purser/client';
import { eventually } from '../../support/eventually.ts';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { assertInstalled, GO, type Language, PHP, PYTHON, ROOT } from './driver-process.ts';

const SECRET = 'whsec_live_of_a_page';
/** A purchase of a run before, which broke off. */
const UNFINISHED = {
  idempotencyKey: 'a run before',
  body: '{"productId":1,"quantity":1,"expectedPriceUsdt":9.50}',
};

interface Page {
  readonly language: Language;
  /** From what is copied, to the folder of the program. */
  readonly client: readonly [from: string, to: string];
  readonly isReceiver: RegExp;
  /** Writes the programs of the blocks; returns the commands that run them. */
  readonly programs: (blocks: readonly string[], folder: string) => readonly Command[];
  readonly receiver: (block: string, folder: string, port: number) => Command;
}
type Command = readonly [string, ...string[]];

const GO_MAIN = `
func main() {
	ctx := context.Background()
	options := purser.Options{BaseURLs: []string{"http://127.0.0.1:8080/api/v1/buyer"}, APIKey: "pk_live_0000"}
	client, err := purser.New(options)
	if err == nil {
		err = buyTwo(ctx, options)
	}
	if err == nil {
		wrong, _ := client.Purchase(purser.PurchaseRequest{ProductID: 1, ExpectedPriceUsdt: "1.00"})
		_, failure := wrong.Send(ctx)
		err = explain(failure)
	}
	if err == nil {
		err = buyFile(ctx, client)
	}
	if err == nil {
		err = readEvents(ctx, client)
	}
	if err != nil {
		panic(err)
	}
}
`;
const GO_IMPORTS = 'package main\n\nimport (\n\t"context"\n\t"errors"\n\t"fmt"\n\n\t"purser"\n)\n\n';

const PAGES: readonly Page[] = [
  {
    language: PYTHON,
    client: ['clients/python/purser', 'purser'],
    isReceiver: /verify_webhook/,
    programs: (blocks, folder) => {
      writeFileSync(join(folder, 'buy.py'), blocks.join('\n'));
      return [['python3', '-W', 'error', 'buy.py']];
    },
    receiver: (block, folder, port) => {
      writeFileSync(join(folder, 'receiver.py'), block.replace('8000', String(port)));
      return ['python3', 'receiver.py'];
    },
  },
  {
    language: PHP,
    client: ['clients/php', 'purser'],
    isReceiver: /WebhookSignature/,
    programs: (blocks, folder) => {
      writeFileSync(join(folder, 'buy.php'), `<?php\n${blocks.join('\n')}`);
      return [['php', 'buy.php']];
    },
    receiver: (block, folder, port) => {
      writeFileSync(join(folder, 'webhook.php'), `<?php\n${block}`);
      return ['php', '-S', `127.0.0.1:${port}`, 'webhook.php'];
    },
  },
  {
    language: GO,
    client: ['clients/go', 'purser'],
    isReceiver: /VerifyWebhook/,
    programs: ([whole = '', ...functions], folder) => {
      goModule(folder);
      goProgram(folder, 'buy', whole);
      goProgram(folder, 'others', GO_IMPORTS + functions.join('\n') + GO_MAIN);
      return [['./buy.out'], ['./others.out']];
    },
    receiver: (block, folder, port) => {
      goProgram(folder, 'receiver', block.replace('8000', String(port)));
      return ['./receiver.out'];
    },
  },
];

/** As docs/clients/go.md says. */
function goModule(folder: string): void {
  execFileSync('go', ['mod', 'init', 'shop'], { cwd: folder, stdio: 'ignore' });
  execFileSync('go', ['mod', 'edit', '-require', 'purser@v0.0.0', '-replace', 'purser=./purser'], {
    cwd: folder,
  });
}

/** A name that is no module of Go's own; the address and the key are in it already. */
function goProgram(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'main.go'), local(text));
  execFileSync('go', ['build', '-o', `${name}.out`, `./${name}`], { cwd: folder, stdio: 'pipe' });
}

let local = (text: string): string => text;

describe('the pages of the clients', { timeout: 300_000 }, () => {
  let folder: TemporaryFolder;
  let server: PurserProcess;

  before(async () => {
    folder = await createTemporaryFolder('pages');
    server = await startPurser({ dataDir: join(folder.path, 'data'), flags: ['--demo'] });
    const [key = assert.fail(server.output())] = /pk_live_\w+/.exec(server.output()) ?? [];
    local = (text) =>
      text
        .replaceAll('http://127.0.0.1:8080/api/v1/buyer', server.buyerUrl)
        .replaceAll(/pk_live_0000\b/g, key);
    // An event that is there when a page reads what there is.
    const client = new PurserClient({ baseUrl: server.buyerUrl, apiKey: key });
    await client.purchase({ productId: 1, expectedPriceUsdt: 9.5 }).send();
    for await (const { type } of client.events()) if (type === 'order.completed') break;
  });
  after(async () => {
    await server?.stop();
    await folder.remove();
  });

  for (const { language, client, isReceiver, programs, receiver } of PAGES) {
    test(`docs/clients/${language.name}.md: what it shows buys, survives, reads events and files, and receives`, async () => {
      assertInstalled(language);
      const own = join(folder.path, language.name);
      cpSync(join(ROOT, client[0]), join(own, client[1]), { recursive: true });
      writeFileSync(join(own, 'purchases.jsonl'), `${JSON.stringify(UNFINISHED)}\n`);
      const blocks = blocksOf(`docs/clients/${language.name}.md`, language.name);
      const [webhook = assert.fail('no receiver'), ...others] = blocks.filter((block) =>
        isReceiver.test(block),
      );
      assert.equal(others.length, 0);
      const lines = programs(blocks.filter((block) => block !== webhook).map(local), own);
      const options = { cwd: own, encoding: 'utf8', timeout: 60_000 } as const;
      const said = lines.map(([command, ...args]) => execFileSync(command, args, options)).join('');

      assert.match(said, /store this before you send: [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\n/);
      assert.match(said, /GAME10-/);
      assert.equal((said.match(/bought(?: after all)?: \d+/g) ?? []).length, 2, said);
      assert.match(said, /nothing was charged; the price is now 9\.5\n/);
      assert.match(said, /delivered: \d+ evt_\w+/);
      assert.ok(statSync(join(own, 'handbook.pdf')).size > 0);
      assert.match(readFileSync(join(own, 'events.place'), 'utf8'), /^evt_/);
      assert.deepEqual(unfinishedIn(join(own, 'purchases.jsonl')), []);

      const port = await freePort();
      await assertReceives(receiver(webhook, own, port), own, port);
    });
  }
});

function unfinishedIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const rows = lines.map(
    (line) => JSON.parse(line) as { readonly idempotencyKey: string; readonly done?: true },
  );
  const done = new Set(rows.filter((row) => row.done).map(({ idempotencyKey }) => idempotencyKey));
  return rows.map(({ idempotencyKey }) => idempotencyKey).filter((key) => !done.has(key));
}

function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = Array.from(text.matchAll(/^```(\w*)\n(.*?)^```/gms));
  for (const [whole, name] of blocks) assert.equal(name, language, whole);
  return blocks.map(([, , code = '']) => code);
}

async function assertReceives([command, ...args]: Command, cwd: string, port: number): Promise<void> {
  const env = { ...process.env, WEBHOOK_SECRET: SECRET };
  const running = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (text) => (said += text));
  try {
    const url = `http://127.0.0.1:${port}/`;
    const isUp = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await eventually('the receiver listens', isUp);
    const body = '{"orderId":41,"eventId":"evt_17","type":"order.completed"}';
    const t = Date.now();
    const hex = createHmac('sha256', SECRET).update(`${t}.evt_17.${body}`).digest('hex');
    const post = async (v1: string) => {
      const headers = { 'x-service-delivery': 'evt_17', 'x-service-signature': `t=${t},v1=${v1}` };
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    assert.deepEqual(
      [await post(hex), await post(hex.replace(/^./, (c) => (c === '0' ? '1' : '0')))],
      [204, 400],
    );
    await eventually('it tells of the event', () => said.includes('order.completed evt_17'));
  } finally {
    running.kill();
    await once(running, 'exit');
  }
}
