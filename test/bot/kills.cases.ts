/** A bot that is ended at each of its steps, the step's answer lost: one order, a key that works, every copy. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok } from '../support/operator-client.ts';
import type { Shown } from '../support/telegram/chat.ts';
import type { BotChat, BotUnderTest } from './bot-under-test.ts';

const PIN = /PIN-\d+\./;
/** Of a press that buys, and of the copy. */
const STEPS_OF_PURCHASE = [
  'answerCallbackQuery',
  'POST /accounts',
  'POST /orders',
  'POST /orders/{id}/pay',
  'editMessageText',
  'GET /feed line',
  'GET /orders/{id}',
  'sendMessage',
  'sendDocument',
];
const STEPS_OF_KEY = ['POST /accounts/{id}/key', 'sendMessage', 'editMessageText'];

/** `bot` gives the bot, once it is there. */
export function kills(bot: () => BotUnderTest): void {
  /** Presses Yes, ends the bot at that step, goes on with another, and waits until all is done. */
  async function answered(chat: BotChat, step: string, isDone: () => boolean): Promise<void> {
    const end = bot().endAt(step);
    chat.press('yes');
    const until = (what: string, isSo: () => boolean) =>
      chat.chat.until(`${what}, step ${step}`, () => (isSo() ? true : undefined));
    await until('it is over', () => end.isOver);
    await bot().goOn();
    await until('it is done', isDone);
  }

  it('buys once when it is killed anywhere, and sends every copy, and again the one whose answer was lost', async () => {
    const told: { step: string; messages: () => Shown[]; files: () => Shown[] }[] = [];
    const items = STEPS_OF_PURCHASE.map((_, index) => `PIN-${index}.`);
    const productId = await bot().product({}, items);
    for (const step of STEPS_OF_PURCHASE) {
      const chat = await bot().chat(10);
      const question = await chat.ask(`/buy ${productId}`);
      const files = () => chat.chat.shown.filter(({ document }) => PIN.test(String(document?.bytes)));
      const messages = () => chat.chat.shown.filter(({ text }) => PIN.test(text));
      const isDone = () => files().length > 0 && messages().length > 0 && question.buttons.length === 0;
      await answered(chat, step, isDone);
      assert.match(question.text, /^Order \d+: .* paid/);
      assert.deepEqual(
        (await chat.orders()).map(({ status }) => status),
        ['completed'],
        `ended at ${step}`,
      );
      told.push({ step, messages, files });
    }
    // Behind the last file that was sent again, and all before it.
    const [last] = told.slice(-1);
    await (await bot().chat()).chat.until('the last file', () => last?.files()[1]);
    for (const { step, messages, files } of told)
      assert.deepEqual(
        { messages: messages().length, files: files().length },
        { messages: step === 'sendMessage' ? 2 : 1, files: step === 'sendDocument' ? 2 : 1 },
        `ended at ${step}`,
      );
  });

  it('shows a key that works when it is killed anywhere', async () => {
    for (const step of STEPS_OF_KEY) {
      const chat = await bot().chat();
      const question = await chat.ask('/newkey');
      await answered(chat, step, () => /was made/.test(question.text));
      const keys = chat.chat.shown.flatMap(({ text }) => text.match(/pk_live_\w+/) ?? []);
      assert.equal((await bot().node.buyers.balance(keys.at(-1) ?? '')).status, 200, `ended at ${step}`);
    }
  });

  it('asks the same again when it is killed between a question and its end, whatever the price is then', async () => {
    const productId = await bot().product({ name: 'Twice' });
    const chat = await bot().chat();
    const end = bot().endAt('sendMessage');
    chat.chat.type(`/buy ${productId}`);
    await chat.chat.until('it is over', () => (end.isOver ? true : undefined));
    await ok(bot().node.operator.updateProduct(productId, { priceUsdt: 9 }));
    await bot().goOn();
    const asked = () => chat.chat.shown.filter(({ text }) => text.includes('Twice'));
    await chat.chat.until('the question again', () => asked()[1]);
    assert.deepEqual(
      asked().map(({ text }) => text),
      Array.from({ length: 2 }, () => 'Buy 1 × Twice for 1.5 USDT?'),
    );
  });
}
