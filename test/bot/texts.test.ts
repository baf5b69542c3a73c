/** Texts of the bot: all languages say the same with the same places, and nothing that is filled in is markup. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { en, type TextName } from '../../src/bot/texts/en.ts';
import { fill, fillPlain, LANGUAGES, plainOf } from '../../src/bot/texts/text.ts';
import { readHtml } from '../support/telegram/marked-text.ts';

const names = Object.keys(en) as TextName[];

it('every language has all texts, with the same places and marks', () => {
  for (const [language, texts] of Object.entries(LANGUAGES)) {
    assert.deepEqual(Object.keys(texts).sort(), [...names].sort(), language);
    for (const name of names) {
      assert.notEqual(texts[name].trim(), '', `${language} ${name}`);
      for (const part of [/\{\w+\}/g, /<\/?\w+>/g, /\/[a-z]{3,}\b/g])
        assert.deepEqual(
          (texts[name].match(part) ?? []).sort(),
          (en[name].match(part) ?? []).sort(),
          `${language} ${name}`,
        );
      assert.equal(readHtml(fill(texts[name])).text, plainOf(fill(texts[name])), `${language} ${name}`);
    }
  }
});

it('a value is shown as it is, and is no markup', () => {
  const values = { product: '<b>A & "B"</b> {total}', quantity: 2, total: 0.000001 };
  const html = fill('<b>{quantity} × {product}</b>: {total}{none}', values);
  assert.equal(readHtml(html).text, '2 × <b>A & "B"</b> {total}: 0.000001');
  assert.equal(plainOf(html), readHtml(html).text);
  assert.equal(fillPlain('<b>{product}</b>', values), values.product);
});
