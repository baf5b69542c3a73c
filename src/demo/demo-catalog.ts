/** The demo's catalog: a product of every kind. */

export interface DemoProduct {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly priceUsdt: number;
  readonly type?: 'file' | 'manual';
  readonly priceTiers?: readonly { readonly minQuantity: number; readonly priceUsdt: number }[];
  readonly requiresRecipient?: boolean;
  /** The name of the product at the demo's supplier, which then delivers it. */
  readonly supplierSku?: string;
  /** The text of each item of its own stock. */
  readonly codes?: (index: number) => string;
  /** The text of the file that it delivers, of type `file`. */
  readonly fileText?: string;
  /** The way of delivery, for the list that is printed. */
  readonly kind: string;
}

/** The demo's products. The printed commands buy the first one. */
export const DEMO_CATALOG: readonly DemoProduct[] = [
  {
    name: 'Game card 10',
    description: 'A code worth 10 in the shop of an imaginary game.',
    instructions: 'Redeem the code under Account, Redeem.',
    priceUsdt: 9.5,
    codes: (index) => `GAME10-${code(index)}`,
    kind: 'items from stock',
  },
  {
    name: 'Streaming month',
    description: 'One month of an imaginary streaming service; cheaper from 10 on.',
    instructions: 'Enter the PIN on the television.',
    priceUsdt: 4.25,
    priceTiers: [
      { minQuantity: 10, priceUsdt: 3.99 },
      { minQuantity: 100, priceUsdt: 3.5 },
    ],
    codes: (index) => `STREAM-${code(index)}`,
    kind: 'items from stock, with volume prices',
  },
  {
    name: 'Reseller handbook',
    description: 'A short text file, downloaded after the purchase.',
    instructions: 'GET the downloadUrl of your order.',
    type: 'file',
    priceUsdt: 2,
    fileText: `Reseller handbook

One Idempotency-Key per purchase you intend. Store it before you send, and send the same again when in doubt.
`,
    kind: 'a file',
  },
  {
    name: 'Portrait by hand',
    description: 'Somebody draws it, which takes a while.',
    instructions: 'You are told when it is ready.',
    type: 'manual',
    priceUsdt: 25,
    kind: 'delivered by hand: npx purser order complete ORDER file.txt',
  },
  {
    name: 'Gift code',
    description: 'A code that a supplier delivers at once.',
    instructions: 'Redeem the code in the shop.',
    priceUsdt: 5,
    supplierSku: 'codes',
    kind: 'from a supplier, at once',
  },
  {
    name: 'Licence key',
    description: 'A key that a supplier delivers some seconds later.',
    instructions: 'You are told when it is ready.',
    priceUsdt: 12,
    supplierSku: 'later',
    kind: 'from a supplier, ten seconds later',
  },
  {
    name: 'Top-up',
    description: 'Credit that a supplier loads to the account of a user.',
    instructions: 'Nothing is to be done: the credit is there.',
    priceUsdt: 3,
    requiresRecipient: true,
    supplierSku: 'top-up',
    kind: 'from a supplier, for a recipient.username',
  },
];

/** Looks like a code, and is another one for each index. */
function code(index: number): string {
  const digits = ((index + 1) * 2_654_435_761) % 4_294_967_296;
  return digits.toString(36).toUpperCase().padStart(7, '0');
}
