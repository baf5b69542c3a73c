/** Copies of orders in chats: later ones, files, long ones, several together, and chats that have to wait or are gone. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import type { BotChat, BotUnderTest } from './bot-under-test.ts';

/** `bot` gives the bot, once it is there. */
export function copies(bot: () => BotUnderTest): void {
  const bought = async (chat: BotChat, productId: number, quantity = 1): Promise<number> => {
    const { operator } = bot().node;
    const accountId = await chat.accountId();
    const { orderId = 0 } = await ok(operator.json('POST', '/orders', { accountId, productId, quantity }));
    await ok(operator.json('POST', `/orders/${orderId}/pay`, {}));
    return orderId;
  };

  it('brings what is delivered later when it comes, files, and nothing that was refunded', async () => {
    const chat = await bot().chat(50);
    const manual = await bot().product({ type: 'manual' });
    const later = await chat.ask(`/buy ${manual}`);
    chat.press('yes');
    await eventually('it is to come', () => /as soon as it is ready/.test(later.text));
    const [{ orderId = 0 } = {}] = await chat.orders();
    await ok(bot().node.operator.moveOrder(orderId, 'complete', { items: ['BY-HAND'] }));
    await chat.file('BY-HAND');
    const book = await bot().product({ name: 'Book', type: 'file' });
    await ok(bot().node.operator.setFile(book, Buffer.from('BYTES'), 'application/pdf'));
    await chat.ask(`/buy ${book}`);
    chat.press('yes');
    const { text, document } = await chat.file('BYTES');
    const [{ orderId: bookId = 0 } = {}] = await chat.orders();
    assert.match(text, new RegExp(`^Order ${bookId}: 1 × Book`));
    assert.equal(document?.bytes.toString(), 'BYTES');
    const shown = chat.chat.shown.length;
    chat.chat.type(`/order ${bookId}`);
    assert.equal((await chat.chat.next(shown, 'the file again')).document?.bytes.toString(), 'BYTES');
    await bot().stop();
    const refunded = await bought(chat, await bot().product({}, ['REFUNDED-1']));
    await ok(bot().node.operator.adjustOrder(refunded, 'refund', {}, randomUUID()));
    bot().start();
    const copy = await chat.shows(`Order ${refunded}: `);
    assert.match(copy.text, /\(refunded\)$/m);
    assert.equal(copy.text.includes('REFUNDED-1'), false);
  });

  it('puts a copy off while the node can’t read its file, and brings the others', async () => {
    const [chat, other] = [await bot().chat(50), await bot().chat(50)];
    const book = await bot().product({ name: 'Lost book', type: 'file' });
    await ok(bot().node.operator.setFile(book, Buffer.from('FOUND'), 'application/pdf'));
    const files = join(bot().node.folder.path, 'files');
    await rename(files, `${files}.away`);
    const orderId = await bought(chat, book);
    await eventually('it was tried', () =>
      bot().lines.some((line) => line.startsWith(`The copy of order ${orderId} is sent again: The file`)),
    );
    const productId = await bot().product({}, ['NEXT-1', 'NEXT-2']);
    for (const each of [chat, other]) await bought(each, productId);
    await chat.file('NEXT-1');
    await other.file('NEXT-2');
    await rename(`${files}.away`, files);
    assert.match((await chat.file('FOUND')).text, new RegExp(`^Order ${orderId}: `));
  });

  it('puts a long copy into its file, and orders that wait together into one', async () => {
    const chat = await bot().chat(500);
    const long = Array.from({ length: 100 }, (_, index) => `LONG-${index}-${'x'.repeat(60)}`);
    const productId = await bot().product({ name: 'Long' }, [...long, 'AFTER-1', 'AFTER-2']);
    const first = await bought(chat, productId, 100);
    const { text } = await chat.shows(`Order ${first}:`);
    assert.match(text, /The codes are in the file\.$/);
    assert.ok((await chat.file('LONG-99-')).document?.bytes.includes('LONG-0-'));
    await bot().stop();
    const together = [await bought(chat, productId), await bought(chat, productId)];
    const before = chat.chat.shown.length;
    bot().start();
    const both = await chat.file('AFTER-2');
    assert.ok(both.document?.bytes.includes('AFTER-1\n'));
    for (const orderId of together) assert.ok(both.text.includes(`Order ${orderId}:`));
    assert.equal(chat.chat.shown.length, before + 1);
  });

  it('passes over who has blocked it, until they write again, and keeps nobody else waiting', async () => {
    const [gone, waits, other] = [await bot().chat(10), await bot().chat(10), await bot().chat(10)];
    const productId = await bot().product({}, ['GONE-1', 'GONE-2', 'WAITS-1', 'OTHER-1', 'BACK-1']);
    gone.chat.block();
    bot().api.faults.next('sendMessage', 'blocked', 'flood');
    await bought(gone, productId);
    await eventually('it was tried', () => bot().api.faults.count('blocked', 'sendMessage') > 0);
    await eventually('the shop is told', async () => (await bot().figures()).blockedChats === 1);
    // Another copy is passed over without a try: what follows takes the flood.
    await bought(gone, productId);
    await bought(waits, productId);
    await eventually('it has to wait', () => bot().api.faults.count('flood', 'sendMessage') > 0);
    await bought(other, productId);
    const { atMs } = await other.file('OTHER-1');
    assert.ok(atMs < (await waits.file('WAITS-1')).atMs);
    gone.chat.unblock();
    await gone.ask('/start');
    await bought(gone, productId);
    await gone.file('BACK-1');
    await eventually('the shop is told', async () => {
      const { blockedChats, unsentMessages, behind } = await bot().figures();
      return blockedChats === 0 && unsentMessages === 0 && behind === 0;
    });
    assert.equal(
      gone.chat.shown.some(({ text }) => text.includes('GONE-')),
      false,
    );
  });
}
