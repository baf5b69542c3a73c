/** The Bot API of the tests' own does what Telegram documents of its own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Random } from '../support/random.ts';
import { BOT_TOKEN, BotApi } from '../support/telegram/bot-api.ts';
import { FloodLimits } from '../support/telegram/flood-limits.ts';
import { readHtml } from '../support/telegram/marked-text.ts';

interface Reply {
  readonly ok: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: any answer.
  readonly result?: any;
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
}

describe('the Bot API of the tests', { timeout: 60_000, concurrency: 1 }, () => {
  let api: BotApi;
  before(async () => {
    api = await BotApi.start();
    api.limits.isOn = false;
  });
  after(() => api.stop());

  async function call(method: string, body: object = {}, token = BOT_TOKEN): Promise<Reply> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${api.url}/bot${token}/${method}`, init)).json() as Promise<Reply>;
  }
  const refusal = async (method: string, body: object, token?: string) => {
    const { error_code, description } = await call(method, body, token);
    return `${error_code} ${description}`;
  };
  const speaking = () => {
    const chat = api.chat();
    chat.type('/start');
    return chat;
  };

  it('gives an update again until it is confirmed', async () => {
    const chat = speaking();
    chat.type('two');
    const first = await call('getUpdates', { limit: 1 });
    assert.deepEqual(
      first.result.map(({ message }: { message: { text: string } }) => message.text),
      ['/start'],
    );
    assert.deepEqual(await call('getUpdates', { limit: 1 }), first);
    const { update_id } = first.result[0];
    const [second] = (await call('getUpdates', { offset: update_id + 1 })).result;
    assert.deepEqual([second.update_id, second.message.text], [update_id + 1, 'two']);
    const waiting = call('getUpdates', { offset: update_id + 2, timeout: 30 });
    while ((api.asked.get('getUpdates') ?? 0) < 4) await new Promise(setImmediate);
    chat.type('three');
    assert.equal((await waiting).result[0].message.text, 'three');
    assert.deepEqual((await call('getUpdates', { offset: update_id + 3 })).result, []);
    assert.match(await refusal('getUpdates', { limit: 101 }), /^400 /);
  });

  it('lets one call at a time wait, and gives the types that were asked for', async () => {
    const asked = api.asked.get('getUpdates') ?? 0;
    const waiting = call('getUpdates', { timeout: 30 });
    while (api.asked.get('getUpdates') === asked) await new Promise(setImmediate);
    await call('getUpdates', { allowed_updates: ['callback_query'] });
    assert.deepEqual(
      [(await waiting).error_code, (await waiting).description?.slice(0, 8)],
      [409, 'Conflict'],
    );
    speaking();
    assert.deepEqual((await call('getUpdates', {})).result, []);
    await call('getUpdates', { allowed_updates: [] });
  });

  it('reads HTML, and refuses what Telegram refuses', async () => {
    assert.deepEqual(readHtml('<b>A &lt; <code>B&#38;C</code></b> & &quot;D&quot;'), {
      text: 'A < B&C & "D"',
      entities: [
        { type: 'code', offset: 4, length: 3 },
        { type: 'bold', offset: 0, length: 7 },
      ].sort((a, b) => a.offset - b.offset),
    });
    const chat = speaking();
    const html = { chat_id: chat.id, parse_mode: 'HTML' };
    for (const text of ['<b>open', 'shut</b>', '<b><i>crossed</b></i>', '<table>', 'a < b', 'a <3> b'])
      assert.match(
        await refusal('sendMessage', { ...html, text }),
        /^400 Bad Request: can't parse entities: /,
        text,
      );
    for (const [body, words] of [
      [{ text: '' }, 'message text is empty'],
      [{ text: '<b> </b>', parse_mode: 'HTML' }, 'message text is empty'],
      [{ text: 'x'.repeat(4_097) }, 'message is too long'],
      [{ text: 'half \ud83d' }, 'strings must be encoded in UTF-8'],
      [{ text: 'x', chat_id: 1 }, 'chat not found'],
    ] as const)
      assert.equal(await refusal('sendMessage', { chat_id: chat.id, ...body }), `400 Bad Request: ${words}`);
    const long = `<code>${'&lt;'.repeat(4_096)}</code>`;
    assert.equal((await call('sendMessage', { ...html, text: long })).ok, true);
    assert.equal(chat.shown.at(-1)?.text, '<'.repeat(4_096));
    assert.deepEqual(chat.shown.at(-1)?.entities, [{ type: 'code', offset: 0, length: 4_096 }]);
  });

  it('keeps a document’s name and bytes, whatever the quotes of its form', async () => {
    const chat = speaking();
    const send = async (lines: readonly string[]) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=----b1' };
      const body = Buffer.from(lines.join('\r\n'), 'latin1');
      const init = { method: 'POST', headers, body };
      return (await fetch(`${api.url}/bot${BOT_TOKEN}/sendDocument`, init)).json() as Promise<Reply>;
    };
    const part = (name: string, value: string) => [
      '------b1',
      `content-disposition:form-data;name=${name}`,
      '',
      value,
    ];
    const of = part('"chat_id"', String(chat.id));
    const file = [
      '------b1',
      'content-disposition:form-data;name="f7";filename=order-1.txt',
      '',
      'a\r\n\xff--',
    ];
    const end = ['------b1--', ''];
    const attached = part('document', 'attach://f7');
    const reply = await send([...of, ...attached, ...part('caption', 'Order 1'), ...file, ...end]);
    assert.equal(reply.result.document.file_name, 'order-1.txt');
    const { document, text } = chat.shown.at(-1) ?? assert.fail();
    assert.deepEqual(
      [document?.name, document?.bytes.toString('latin1'), text],
      ['order-1.txt', 'a\r\n\xff--', 'Order 1'],
    );
    const caption = part('caption', 'x'.repeat(1_025));
    assert.equal(
      (await send([...of, ...attached, ...caption, ...file, ...end])).description,
      'Bad Request: message caption is too long',
    );
  });

  it('tells of presses, and answers each once', async () => {
    const chat = speaking();
    const offer = (data: string) => ({ inline_keyboard: [[{ text: 'Buy', callback_data: data }]] });
    const message = { chat_id: chat.id, text: 'Buy it?' };
    assert.equal(
      await refusal('sendMessage', { ...message, reply_markup: offer('y'.repeat(65)) }),
      '400 Bad Request: BUTTON_DATA_INVALID',
    );
    const { result } = await call('sendMessage', { ...message, reply_markup: offer('yes:1') });
    const button = chat.offered('yes');
    const queries = [chat.press(button), chat.press(button)];
    const { result: updates } = await call('getUpdates', { offset: -2 });
    assert.deepEqual(
      updates.map(({ callback_query: { id, data, message } }: never) => [
        id,
        data,
        (message as Reply & { text: string }).text,
      ]),
      queries.map((id) => [id, 'yes:1', 'Buy it?']),
    );
    assert.equal(
      (await call('answerCallbackQuery', { callback_query_id: queries[0], text: 'Bought' })).ok,
      true,
    );
    assert.deepEqual(chat.answers, [{ queryId: queries[0], text: 'Bought' }]);
    assert.match(
      await refusal('answerCallbackQuery', { callback_query_id: queries[0] }),
      /^400 .*query is too old/,
    );
    const edit = { chat_id: chat.id, message_id: result.message_id, text: 'Bought.' };
    await call('editMessageText', edit);
    assert.deepEqual([chat.shown.at(-1)?.text, chat.buttons], ['Bought.', []]);
    assert.match(await refusal('editMessageText', edit), /^400 .*not modified/);
  });

  it('refuses who has no right to write, and methods that there are not', async () => {
    const chat = api.chat();
    const message = { chat_id: chat.id, text: 'Hello' };
    assert.match(await refusal('sendMessage', message), /^403 Forbidden: bot can't initiate/);
    chat.type('/start');
    chat.block();
    assert.equal(await refusal('sendMessage', message), '403 Forbidden: bot was blocked by the user');
    chat.unblock();
    assert.equal((await call('sendMessage', message)).ok, true);
    assert.equal(await refusal('getMe', {}, '1:wrong'), '401 Unauthorized');
    assert.match(await refusal('sendMoney', message), /^404 /);
    assert.match(
      await refusal('setMyCommands', { commands: [{ command: 'Start', description: 'x' }] }),
      /BOT_COMMAND_INVALID/,
    );
  });

  it('keeps the limits of what is sent: of a chat beyond a burst, and of all chats', () => {
    let nowMs = 0;
    const limits = new FloodLimits(() => nowMs);
    const admitted = (chats: readonly number[]) =>
      chats.filter((chat) => {
        try {
          limits.admit(chat);
          return true;
        } catch (error) {
          assert.equal((error as { retryAfter?: number }).retryAfter, 1);
          return false;
        }
      }).length;
    assert.equal(admitted([1, 1, 1, 1, 1]), 3);
    nowMs += 1_000;
    assert.equal(admitted([1, 1]), 1);
    nowMs += 10_000;
    assert.equal(admitted(Array.from({ length: 40 }, (_, chat) => chat)), 30);
    nowMs += 999;
    assert.equal(admitted([50]), 0);
    nowMs += 1;
    assert.equal(admitted([50]), 1);
  });

  it('fails when it is told to, before or after the call is carried out', async () => {
    const chat = speaking();
    const message = { chat_id: chat.id, text: 'Hello' };
    api.faults.next('sendMessage', 'flood', 'bad-gateway', 'cut', 'lost-answer');
    const flood = await call('sendMessage', message);
    assert.deepEqual([flood.error_code, flood.parameters], [429, { retry_after: 1 }]);
    assert.equal((await call('sendMessage', message)).error_code, 502);
    await assert.rejects(call('sendMessage', message));
    assert.equal(chat.shown.length, 0);
    await assert.rejects(call('sendMessage', message));
    assert.equal(chat.shown.length, 1);
    assert.equal(api.faults.count('lost-answer', 'sendMessage'), 1);
    api.faults.atRandom(new Random(1), 1, ['bad-gateway']);
    assert.equal((await call('getMe')).error_code, 502);
    api.faults.end();
    const moments: string[] = [];
    api.gate = (step, moment) => void moments.push(`${step} ${moment}`);
    await call('getMe');
    while (moments.length < 3) await new Promise(setImmediate);
    assert.deepEqual(moments, ['getMe asked', 'getMe carried out', 'getMe answered']);
    api.gate = (_, moment) => (moment === 'asked' ? 'cut' : undefined);
    await assert.rejects(call('sendMessage', message));
    assert.equal(chat.shown.length, 1);
  });
});
