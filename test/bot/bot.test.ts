/** `purser bot` in conversations, beside a real node: each command, each refusal, and each press twice. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import { BotApi } from '../support/telegram/bot-api.ts';
import { type BotChat, BotUnderTest } from './bot-under-test.ts';
import { copies } from './copies.cases.ts';
import { kills } from './kills.cases.ts';

describe('purser bot', { timeout: 120_000 }, () => {
  let bot: BotUnderTest;
  let pins: number;
  before(async () => {
    bot = await BotUnderTest.open('bot');
    const items = Array.from({ length: 300 }, (_, index) => `PIN <${index}> &`);
    pins = await bot.product({ name: 'Pin <b>', instructions: 'Type & go.' }, items);
  });
  after(() => bot.close());

  const patchProduct = (productId: number, changes: object) =>
    ok(bot.node.operator.updateProduct(productId, changes));

  it('makes an account for a chat, once, and greets', async () => {
    const chat = await bot.chat();
    const accountId = await chat.accountId();
    const { text, buttons } = await chat.ask('/start');
    assert.match(text, new RegExp(`account ${accountId} .*\\b0 USDT`));
    assert.deepEqual(
      buttons.flat().map(({ callback_data: data }) => data),
      ['products', 'orders', 'balance', 'topup', 'key', 'help'].map((name) => `menu:${name}`),
    );
    assert.equal(await chat.accountId(), accountId);
  });

  it('answers every command, and whatever else somebody writes', async () => {
    const chat = await bot.chat(25);
    const cases: readonly [said: string, answer: RegExp][] = [
      ['/balance', /^Balance: 25 USDT\n\n20\d\d-.* UTC · credit · \+25 USDT$/],
      ['/products', /Pin <b> · 1.5 USDT · in stock: \d+/],
      ['/orders', /^There are no orders yet/],
      ['/order', /^Send \/order and its number/],
      ['/order 99999', /^You have no order 99999/],
      ['/topup', /^How many USDT/],
      ['/topup 0', /^That is no amount/],
      ['/topup x', /^That is no amount/],
      ['/key', /^You have no API key/],
      ['/stopkey', /^You have no API key/],
      ['/webhook', /^You have no webhook/],
      ['/buy', /^Send \/buy and the product/],
      ['/buy 0', /^Send \/buy and the product/],
      ['/buy 1 1.5', /^Send \/buy and the product/],
      ['/buy 99999', /^There is no product 99999/],
      ['/help', /\/newkey/],
      ['hello', /\/newkey/],
    ];
    for (const [said, answer] of cases) assert.match((await chat.ask(said)).text, answer, said);
    for (const [data, answer] of [
      ['menu:balance', /^Balance: 25/],
      ['menu:help', /\/newkey/],
    ] as const) {
      const shown = chat.chat.shown.length;
      await chat.ask('/start');
      chat.press(data);
      assert.match((await chat.chat.next(shown + 1, data)).text, answer);
    }
  });

  it('tells what to pay, and the same again while it waits', async () => {
    const chat = await bot.chat();
    const first = await chat.ask('/topup 20');
    assert.match(first.text, /exactly 20\.00\d+ USDT \(trc20\) to\nTShop\nbefore 20\d\d-/);
    assert.equal((await chat.ask('/topup 20')).text, first.text);
    assert.notEqual((await chat.ask('/topup 21')).text, first.text);
    const codes = first.entities.filter(({ type }) => type === 'code');
    assert.ok(codes.map(({ offset, length }) => first.text.slice(offset, offset + length)).includes('TShop'));
  });

  it('buys what was pressed, once, and brings its items in a message and in a file', async () => {
    const chat = await bot.chat(10);
    const question = await chat.ask(`/buy ${pins} 2`);
    assert.equal(question.text, 'Buy 2 × Pin <b> for 3 USDT?');
    const presses = [chat.press('yes'), chat.press('yes'), chat.press('no')];
    await eventually('all are answered', () => chat.chat.answers.length === presses.length);
    const [order, ...others] = await chat.orders();
    assert.deepEqual([order?.status, others], ['completed', []]);
    const { orderId = 0 } = order ?? {};
    const [item = ''] = /PIN <\d+> &/.exec((await chat.shows('PIN <')).text) ?? [];
    const copy = await chat.shows(item);
    assert.match(
      copy.text,
      new RegExp(`^Order ${orderId}: 2 × Pin <b>, 3 USDT \\(completed\\)\n\nType & go\\.\n\nPIN`),
    );
    const [code] = copy.entities.filter(({ type }) => type === 'code');
    assert.equal(copy.text.slice(code?.offset, (code?.offset ?? 0) + (code?.length ?? 0)), item);
    const { document } = await chat.file(item);
    assert.equal(document?.name, `order-${orderId}.txt`);
    assert.equal(
      document?.bytes
        .toString()
        .split('\n')
        .filter((line) => line.startsWith('PIN')).length,
      2,
    );
    await eventually('the question says how it ended', () => /^Order \d+: .*paid/.test(question.text));
    assert.deepEqual(question.buttons, []);
    for (const { text } of chat.chat.answers.slice(1)) assert.match(text, new RegExp(`^Order ${orderId}: `));
    assert.match(
      (await chat.ask('/orders')).text,
      new RegExp(`${orderId} · .* · 2 × Pin <b> · 3 USDT · completed`),
    );
    assert.ok((await chat.ask(`/order ${orderId}`)).text.includes(item));
    const stranger = await bot.chat();
    assert.match((await stranger.ask(`/order ${orderId}`)).text, /^You have no order/);
  });

  it('buys nothing when the answer is no', async () => {
    const chat = await bot.chat(10);
    const question = await chat.ask(`/buy ${pins}`);
    chat.press('no');
    await eventually('it says so', () => question.text.startsWith('Not bought'));
    chat.chat.press({ message: question, button: { text: 'Yes', callback_data: 'yes:m1' } });
    await chat.shows('too old');
    assert.deepEqual(await chat.orders(), []);
  });

  /** What happens between question and answer, and what is said then. */
  const refusals: readonly [
    name: string,
    prepare: (productId: number, chat: BotChat) => Promise<unknown>,
    said: RegExp,
  ][] = [
    ['INSUFFICIENT_BALANCE', async () => {}, /more than the balance/],
    ['OUT_OF_STOCK', (productId) => withdraw(productId), /there is less of/],
    ['NOT_FOUND', (productId) => patchProduct(productId, { active: false }), /not for sale any more/],
    ['BAD_REQUEST', (productId) => patchProduct(productId, { minQuantity: 2 }), /in this quantity \(1\)/],
    ['RATE_LIMITED', (_, chat) => limit(chat), /more than your account may spend/],
  ];
  const withdraw = (productId: number) => bot.node.operator.withdrawStock(productId, 1);
  const limit = async (chat: BotChat) =>
    ok(
      bot.node.operator.json('PATCH', `/accounts/${await chat.accountId()}`, {
        spendLimits: [{ windowHours: 1, amountUsdt: 0.5 }],
      }),
    );
  for (const [name, prepare, said] of refusals)
    it(`says why nothing was bought: ${name}`, async () => {
      const productId = await bot.product({}, [randomUUID()]);
      const chat = await bot.chat(name === 'INSUFFICIENT_BALANCE' ? 0 : 10);
      const question = await chat.ask(`/buy ${productId}`);
      await prepare(productId, chat);
      chat.press('yes');
      await eventually('it says why', () => said.test(question.text));
      await eventually('no order is open', async () =>
        (await chat.orders()).every(({ status }) => status === 'failed'),
      );
    });

  it('asks again when the price has changed', async () => {
    const productId = await bot.product({}, ['CHANGED-1']);
    const chat = await bot.chat(10);
    await chat.ask(`/buy ${productId}`);
    await patchProduct(productId, { priceUsdt: 2 });
    chat.press('yes');
    await chat.shows('The price has changed. Buy 1 × Pin for 2 USDT now?');
    assert.deepEqual(
      (await chat.orders()).map(({ status }) => status),
      ['failed'],
    );
    chat.press('yes');
    await chat.file('CHANGED-1');
    assert.deepEqual(
      (await chat.orders()).map(({ status, totalPriceUsdt }) => [status, totalPriceUsdt]),
      [
        ['completed', 2],
        ['failed', 2],
      ],
    );
  });

  copies(() => bot);
  kills(() => bot);

  it('makes a key, shows it once, and stops it', async () => {
    const chat = await bot.chat(5);
    const question = await chat.ask('/newkey');
    const after = chat.chat.shown.length;
    chat.press('yes');
    chat.press('yes');
    const { text } = await chat.chat.next(after, 'the key');
    const [apiKey = ''] = /pk_live_\w+/.exec(text) ?? [];
    assert.equal((await bot.node.buyers.balance(apiKey)).status, 200);
    await eventually('the question says so', () => /was made/.test(question.text));
    await eventually('both are answered', () => chat.chat.answers.length === 2);
    assert.equal(chat.chat.shown.filter((shown) => shown.text.includes('pk_live_')).length, 1);
    assert.match((await chat.ask('/key')).text, new RegExp(`${apiKey.slice(0, 12)}\\w* and is active`));
    assert.match((await chat.ask('/stopkey')).text, /is stopped/);
    assert.equal((await bot.node.buyers.balance(apiKey)).status, 401);
    assert.match((await chat.ask('/key')).text, /is stopped\./);
  });

  it('tries again what Telegram fails at, and tells a chat that the shop is away', async () => {
    const chat = await bot.chat();
    bot.api.faults.next('sendMessage', 'bad-gateway', 'cut');
    assert.match((await chat.ask('/help')).text, /newkey/);
    assert.ok(bot.lines.some((line) => /^Telegram is asked again: /.test(line)));
    bot.proxy.gate = () => 'cut';
    assert.match((await chat.ask('/balance')).text, /^The shop can’t be reached/);
    const after = chat.chat.shown.length;
    bot.proxy.gate = () => undefined;
    assert.match((await chat.chat.next(after, 'the balance')).text, /^Balance: 0/);
  });

  it('lets many chats wait at once, without a warning', async (context) => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    context.after(() => process.off('warning', note));
    const chats = await Promise.all(Array.from({ length: 15 }, () => bot.chat()));
    bot.proxy.gate = () => 'cut';
    await Promise.all(chats.map((chat) => chat.ask('/balance')));
    bot.proxy.gate = () => undefined;
    await Promise.all(chats.map((chat) => chat.shows(/^Balance/)));
    assert.deepEqual(warnings, []);
  });

  it('has the folder alone, and no secret in it', async () => {
    await assert.rejects(bot.run(), /^Error: the state folder .* is in use by another bot \(pid \d+\)/);
    const chat = await bot.chat(5);
    await chat.ask('/newkey');
    chat.press('yes');
    const [apiKey = ''] = /pk_live_\w+/.exec((await chat.shows('pk_live_')).text) ?? [];
    await chat.ask(`my key is ${apiKey}`);
    await chat.ask(`/buy ${pins}`);
    chat.press('yes');
    await chat.file('PIN <');
    await bot.stop();
    const bytes = readdirSync(bot.stateFolder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(bot.stateFolder, name), 'latin1'))
      .join();
    assert.ok(bytes.includes(String(chat.chat.id)), 'the folder is looked through');
    for (const secret of [apiKey, apiKey.slice(12), 'PIN <']) {
      assert.equal(bytes.includes(secret), false, secret);
      assert.equal(bot.lines.join('\n').includes(secret), false, secret);
    }
    bot.start();
  });

  it('answers as another bot with the folder of one before', async (context) => {
    const before = bot.api;
    const chat = await bot.chat();
    await chat.ask(`/buy ${pins} 3`);
    await bot.stop();
    const another = await BotApi.start({ ...before.bot, id: before.bot.id + 1 }, 1_001);
    context.after(async () => {
      await bot.stop();
      await another.stop();
      bot.start();
    });
    bot.start({ telegramApi: another.url });
    // Their messages have the same numbers as those of the bot before.
    const same = another.chat();
    for (let said = 0; said < 3; said += 1) {
      const after = same.shown.length;
      same.type('/balance');
      assert.match((await same.next(after, 'the balance')).text, /^Balance/);
    }
  });

  it('ends with a sentence when nothing gets better by waiting', async () => {
    const stateFolder = join(bot.node.folder.path, 'other');
    const operator = { url: bot.node.operatorUrl, token: 'pot_wrong' };
    await assert.rejects(bot.run({ stateFolder, operator }), /the node refuses the operator token/);
    await assert.rejects(bot.run({ stateFolder, telegramToken: '1:x' }), /Telegram refuses the bot's token/);
  });
});
