/** Parsers for commander: what is wrong is a usage error before anything is sent. */
import { InvalidArgumentError } from 'commander';
import { isMediaType } from '../http/media-type.ts';
import { isTooShort, parseMoment, SMALLEST_MOMENT } from '../http/operator/moment.ts';
import { parseDuration } from '../shared/duration.ts';

/** A whole number that may stand in a path or a field; the server has the last word on its range. */
export function wholeNumber(smallest: number, largest: number = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= smallest && value <= largest) return value;
    const bound = largest === Number.MAX_SAFE_INTEGER ? '' : ` to ${largest}`;
    throw new InvalidArgumentError(`expected a whole number from ${smallest}${bound}`);
  };
}

export const id = wholeNumber(1);

/** USDT with at most six decimals. `1e3` is refused: on a command line it is more likely a slip. */
export function amount(text: string): number {
  if (/^-?\d{1,10}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected an amount of USDT, such as 25 or -3.5');
}

export function price(text: string): number {
  if (/^\d{1,10}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a price in USDT, such as 3.5');
}

/** An amount above 0. */
export function positiveAmount(text: string): number {
  const value = amount(text);
  if (value > 0) return value;
  throw new InvalidArgumentError('expected an amount of USDT above 0');
}

/** `0,2`: places in an order, which begin at 0. */
export function places(text: string): readonly number[] {
  return words(text).map(wholeNumber(0));
}

/** A key as HTTP carries it. */
export function idempotencyKey(text: string): string {
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  throw new InvalidArgumentError('expected printable ASCII characters');
}

/** `none` stays a word here: commander takes a null for an option without a value. */
export function rateLimit(text: string): number | 'none' {
  return text === 'none' ? 'none' : wholeNumber(1)(text);
}

export function words(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.includes('')) return parts;
  throw new InvalidArgumentError('expected words separated by commas');
}

/** False is `none`: commander takes a null for an option without a value. */
export function networks(text: string): readonly string[] | false {
  return text === 'none' ? false : words(text);
}

export function mediaType(text: string): string {
  if (isMediaType(text)) return text;
  throw new InvalidArgumentError('expected a media type, such as application/pdf');
}

/** Unix milliseconds, of a time as the operator API takes it. */
export function moment(text: string): number {
  const timeMs = parseMoment(text);
  // Nothing is as old, and the number of such a date would be taken for a mistake.
  if (!Number.isNaN(timeMs)) return timeMs < SMALLEST_MOMENT ? 0 : timeMs;
  const tooFew = isTooShort(text) ? ' (which have at least 11 digits)' : '';
  throw new InvalidArgumentError(
    `expected a date such as 2026-10-31 (UTC), a time such as 2026-10-31T12:00:00Z, or Unix milliseconds${tooFew}`,
  );
}

/** A duration as it was written, for the server. */
export function duration(text: string): string {
  if (text === '0' || parseDuration(text) !== undefined) return text;
  throw new InvalidArgumentError('expected a duration, such as 10m or 2h');
}

export interface SpendLimit {
  readonly windowHours: number;
  readonly amountUsdt: number;
}

/** `24:500`: 500 USDT in any 24 hours. May be given several times. */
export function spendLimit(text: string, earlier?: readonly SpendLimit[] | false): readonly SpendLimit[] {
  const [hours, most, ...rest] = text.split(':');
  if (hours === undefined || most === undefined || rest.length > 0) {
    throw new InvalidArgumentError('expected HOURS:USDT, such as 24:500');
  }
  return [...(earlier || []), { windowHours: wholeNumber(1, 744)(hours), amountUsdt: price(most) }];
}

export interface PriceTier {
  readonly minQuantity: number;
  readonly priceUsdt: number;
}

/** `10:3.2`: from ten on, 3.2 USDT each. May be given several times. */
export function priceTier(text: string, earlier?: readonly PriceTier[] | false): readonly PriceTier[] {
  const [quantity, unitPrice, ...rest] = text.split(':');
  if (quantity === undefined || unitPrice === undefined || rest.length > 0) {
    throw new InvalidArgumentError('expected QUANTITY:PRICE, such as 10:3.2');
  }
  return [...(earlier || []), { minQuantity: wholeNumber(1)(quantity), priceUsdt: price(unitPrice) }];
}

export interface Source {
  readonly supplierId: number;
  readonly sku: string;
}

/** `3:card-10`: of supplier 3, by its name. May be given several times. */
export function source(text: string, earlier?: readonly Source[]): readonly Source[] {
  const end = text.indexOf(':');
  if (end < 1 || end === text.length - 1)
    throw new InvalidArgumentError('expected SUPPLIER:SKU, such as 3:card-10');
  return [...(earlier ?? []), { supplierId: id(text.slice(0, end)), sku: text.slice(end + 1) }];
}

/** `region=EU`. May be given several times. */
export function keyValue(
  text: string,
  earlier?: Readonly<Record<string, string>> | false,
): Readonly<Record<string, string>> {
  const end = text.indexOf('=');
  if (end < 1) throw new InvalidArgumentError('expected NAME=TEXT, such as region=EU');
  return Object.fromEntries([...Object.entries(earlier || {}), [text.slice(0, end), text.slice(end + 1)]]);
}
