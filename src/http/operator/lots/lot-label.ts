/**
 * The label of a lot that an upload gives it: `source`, `costUsdt` (of one item) and `reference`, fields of the query.
 */
import { MAX_LOT_TEXT_LENGTH } from '../../../engine/limits.ts';
import type { LotLabel } from '../../../engine/lots.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import { parseUnitPrice } from '../accounts/amounts.ts';
import { notOneLine } from '../one-line.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: MAX_LOT_TEXT_LENGTH } as const;

export const LOT_QUERY = {
  source: { ...TEXT, description: 'Where the lot is from.' },
  costUsdt: { type: 'number', description: 'What one item cost, in USDT, with up to 6 decimals.' },
  reference: { ...TEXT, description: 'What you know the lot by, such as an invoice.' },
} as const;

const PLAIN_NUMBER = /^\d{1,10}(\.\d{1,6})?$/;

export function parseLotLabel(
  query: URLSearchParams,
): { readonly label: LotLabel } | { readonly error: ApiError } {
  const source = query.get('source');
  const reference = query.get('reference');
  for (const [field, text] of [['source', source] as const, ['reference', reference] as const]) {
    if (text === null) continue;
    const unfit = notOneLine(field, text);
    if (unfit !== undefined) return { error: unfit };
    if (text.trim() !== '' && text.length <= MAX_LOT_TEXT_LENGTH) continue;
    return { error: badRequest(`${field} must have 1 to ${MAX_LOT_TEXT_LENGTH} characters.`) };
  }
  const texts = { ...(source === null ? {} : { source }), ...(reference === null ? {} : { reference }) };
  const costUsdt = query.get('costUsdt');
  if (costUsdt === null) return { label: texts };
  const cost = parseUnitPrice('costUsdt', PLAIN_NUMBER.test(costUsdt) ? Number(costUsdt) : Number.NaN);
  return 'error' in cost ? cost : { label: { ...texts, costMicros: cost.amountMicros } };
}
