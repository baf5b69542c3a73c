/** What the bot keeps of an update: who, and which command or button, and nothing that somebody has pasted. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Update } from 'grammy/types';
import { keptUpdate } from '../../src/bot/telegram/kept-update.ts';

const from = { id: 7, is_bot: false, first_name: 'Ann', last_name: 'Lee', language_code: 'en' };
const chat = { id: 7, type: 'private', first_name: 'Ann' };

function kept(text: string, more: object = {}): { text?: string; entities?: object[] } | undefined {
  const message = { message_id: 5, date: 9, chat, from, text, ...more };
  const update = keptUpdate({ update_id: 1, message } as unknown as Update);
  return update?.update.message;
}

it('keeps commands with numbers and usernames, and no other word', () => {
  const cases: readonly [said: string, kept: string][] = [
    ['/buy 12 3 @some_one', '/buy 12 3 @some_one'],
    ['  /topup   0,5 ', '/topup 0,5'],
    ['/start@shop_bot pk_live_0123456789abcdef', '/start ?'],
    ['/order pk_live_0123456789abcdef 31', '/order ? 31'],
    ['/buy 1 2 3 4 5 6', '/buy 1 2 3 4'],
    ['pk_live_0123456789abcdef', '?'],
    ['/PIN-1', '?'],
    ['', '?'],
  ];
  for (const [said, text] of cases) assert.equal(kept(said)?.text, text, said);
  assert.deepEqual(kept('/buy 12')?.entities, [{ type: 'bot_command', offset: 0, length: 4 }]);
  assert.equal(JSON.stringify(kept('my PIN')).includes('PIN'), false);
});

it('keeps presses, and leaves out groups and whatever is neither', () => {
  const message = { message_id: 5, date: 9, chat, text: 'Your key: pk_live_1' };
  const query = { id: '44', from, chat_instance: 'x', data: 'yes:m5', message };
  const update = keptUpdate({ update_id: 1, callback_query: query } as unknown as Update);
  assert.equal(update?.update.callback_query?.data, 'yes:m5');
  assert.equal(JSON.stringify(update).includes('pk_live'), false);
  assert.equal(kept('/start', { chat: { id: -7, type: 'group' } }), undefined);
  assert.equal(keptUpdate({ update_id: 1, my_chat_member: {} } as unknown as Update), undefined);
});
