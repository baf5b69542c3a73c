import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_ERRORS, ERROR_MESSAGES, type ErrorCode } from '../../src/engine/api-errors.ts';
import { STORED_REFUSAL_CODES } from '../../src/engine/orders.ts';
import { Rejection } from '../../src/engine/rejection.ts';

test('an error’s message is its row in plain text: what happened, the money, what to do', () => {
  assert.equal(
    new Rejection('PRICE_CHANGED').message,
    'The total now differs from expectedPriceUsdt. Nothing was charged. Accept currentPriceUsdt and try again with it. A purchase needs a new key.',
  );
  for (const [code, message] of Object.entries(ERROR_MESSAGES)) {
    assert.match(message, /^[A-Z][^`[\]]*\. [A-Z][^`[\]]*\.$/, code);
    const { charge } = API_ERRORS[code as ErrorCode];
    assert.equal(message.includes('Nothing was charged.'), charge === 'none', code);
  }
});

test('a refusal that is stored with its key says that the next attempt needs a new one', () => {
  for (const code of STORED_REFUSAL_CODES) assert.equal(API_ERRORS[code].mayRetrySameKey, false, code);
});
