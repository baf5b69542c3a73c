/**
 * Answers of a server whose folder was damaged, held against those from before: each is the same, or an error that says
 * that it can't be told. No purchase is made once more, and no money is gone.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { type Attempt, type Ledger, send } from '../shop/ledger.ts';
import type { ServerUnderTest } from '../shop/server-under-test.ts';

/** A right error: of the buyer's API, of the operator's, and of answers that need what was folded. */
const ERRORS: ReadonlySet<number> = new Set([500, 503]);
const NEW_PURCHASES = 3;
/** The most of a page. */
const ROWS = 100;

export interface Answers {
  /** That were errors. */
  readonly failed: number;
  readonly different: readonly string[];
}

/** Each purchase once more, and its order. */
export async function repeatAll(server: ServerUnderTest, ledger: Ledger): Promise<Answers> {
  const tally = new Tally();
  for (const attempt of ledger.attempts.filter(({ answer }) => answer !== undefined)) {
    await tally.take(`key ${attempt.key}`, () => statusOf(server, attempt));
    const { orderId } = attempt.answer?.body ?? {};
    if (orderId === undefined) continue;
    await tally.take(`order ${orderId}`, async () => {
      const { status, body, text } = await server.buyers.order(attempt.buyer.apiKey, orderId);
      if (status === 200) assert.deepEqual(body.delivery, attempt.answer?.body.delivery, text);
      return status;
    });
  }
  return tally;
}

/** New purchases, each twice with one key; then each account's balance, and each product's stock. */
export async function buyOnce(server: ServerUnderTest, ledger: Ledger): Promise<Answers> {
  const tally = new Tally();
  const bought: Attempt[] = [];
  for (const [index, buyer] of ledger.buyers.entries()) {
    for (let count = 0; count < NEW_PURCHASES; count += 1) {
      const product = ledger.products[(index + count) % ledger.products.length] ?? assert.fail();
      const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
      const attempt: Attempt = { buyer, key: randomUUID(), body, answer: undefined };
      bought.push(attempt);
      for (let time = 0; time < 2; time += 1)
        await tally.take(`key ${attempt.key}`, () => statusOf(server, attempt));
    }
  }
  const sold = bought.filter(({ answer }) => answer?.status === 201);
  for (const buyer of ledger.buyers) {
    const spentCents = sold
      .filter((attempt) => attempt.buyer === buyer)
      .reduce((sum, { body }) => sum + Math.round(body.expectedPriceUsdt * 100), ledger.spentCents(buyer));
    const { body } = await server.buyers.balance(buyer.apiKey);
    assert.equal(body.balanceUsdt, (ledger.creditedCents(buyer) - spentCents) / 100, 'money is gone');
  }
  for (const product of ledger.products) {
    const { productId } = product;
    const gone = sold.filter(({ body }) => body.productId === productId).length;
    const { body } = await server.operator.getProduct(productId);
    const left = ledger.itemsPut(product).length - ledger.itemsSold(product).length - gone;
    assert.equal(body.availableStock, left, `stock of product ${productId}`);
  }
  return tally;
}

/** The operator's questions about all that was before `toMs`, and their answers. */
export class OperatorAnswers {
  readonly #known: ReadonlyMap<string, string>;

  private constructor(known: ReadonlyMap<string, string>) {
    this.#known = known;
  }

  static async of(server: ServerUnderTest, ledger: Ledger, toMs: number): Promise<OperatorAnswers> {
    const known = new Map<string, string>();
    for (const path of questions(ledger, new Date(toMs).toISOString())) {
      const { status, told } = await answerOf(server, path);
      assert.equal(status, 200, `${path}: ${told}`);
      known.set(path, told);
    }
    return new OperatorAnswers(known);
  }

  async askAgain(server: ServerUnderTest): Promise<Answers> {
    const tally = new Tally();
    for (const [path, before] of this.#known) {
      await tally.take(path, async () => {
        const { status, told } = await answerOf(server, path);
        if (status === 200) assert.equal(told, before);
        return status;
      });
    }
    return tally;
  }
}

export async function verified(dataDir: string): Promise<{ isSound: boolean; error: string }> {
  const lines: string[] = [];
  const isSound = await verifyDataFolder(dataDir, (line) => lines.push(line));
  return { isSound, error: lines.find((line) => line.startsWith('ERROR')) ?? '' };
}

/** Of a purchase that is sent, perhaps once more; throws when its answer is another one than before. */
async function statusOf({ buyers }: ServerUnderTest, attempt: Attempt): Promise<number> {
  const { status } = await send(buyers, attempt);
  return status === attempt.answer?.status ? 200 : status;
}

const CSV = 'csv ';

function questions({ buyers, products, attempts }: Ledger, to: string): string[] {
  const [first, last] = [attempts[0], attempts.at(-1)].map((attempt) => attempt?.answer?.body.orderId ?? 1);
  const statements = buyers.map(({ accountId }) => `/accounts/${accountId}/statement?to=${to}`);
  return [
    ...['day', 'product', 'account'].map((by) => `/reports/money?to=${to}&by=${by}`),
    ...statements.flatMap((path) => [`${path}&limit=${ROWS}`, `${CSV}${path}`]),
    `/audit?to=${to}&limit=${ROWS}`,
    ...products.map(({ productId }) => `/orders?productId=${productId}&limit=${ROWS}`),
    ...buyers.map(({ accountId }) => `/orders?accountId=${accountId}&limit=${ROWS}`),
    `/orders/${first}/timeline`,
    `/orders/${last}/timeline`,
  ];
}

async function answerOf({ operator }: ServerUnderTest, question: string) {
  const isCsv = question.startsWith(CSV);
  const path = isCsv ? question.slice(CSV.length) : question;
  const { status, text, body } = await operator.request('GET', path, isCsv ? { accept: 'text/csv' } : {});
  // Of a request's own number nothing is known before.
  return { status, told: isCsv ? text : JSON.stringify({ ...body, requestId: '' }) };
}

class Tally implements Answers {
  failed = 0;
  readonly different: string[] = [];

  /** `ask` gives the answer's status, and throws when it isn't the one from before. */
  async take(what: string, ask: () => Promise<number>): Promise<void> {
    try {
      const status = await ask();
      if (ERRORS.has(status)) this.failed += 1;
      else if (status !== 200 && status !== 201) this.different.push(`${what}: ${status}`);
    } catch (error) {
      this.different.push(`${what}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
