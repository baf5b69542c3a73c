/**
 * Customers of a shop who pay by a chain, each in a way that such payments come: late, twice, in a block that changes, with
 * another token, from an exchange that pays inside. A naive ledger says what each wallet is to have, and which transfers
 * nobody claims.
 */
import { CONTRACT, type ScriptedChain, type Sent } from '../../cli/deposits/scripted-chain.ts';
import { type OperatorClient, ok } from '../../support/operator-client.ts';
import type { Random } from '../../support/random.ts';

export const ADDRESSES = ['T1', 'T2'] as const;
const HOUR_MS = 60 * 60_000;
const SLOW_MS = 40_000;
const QUICK_MS = 6_000;
/** Some customers come within seconds, and others within minutes: so many after each other. */
const PHASE = 150;
const DUST_MICROS = 10;

interface Deposit {
  readonly address: string;
  readonly payUsdt: number;
}

export class Customers {
  /** By account, in micro-USDT. */
  readonly expected = new Map<number, number>();
  /** References of transfers that nobody claims. */
  readonly strays = new Set<string>();
  /** Pairs of references, one of which nobody claims: whichever comes second. */
  readonly pairs: (readonly [string, string])[] = [];
  /** Of the token to the shop's addresses, all that came to stay. */
  transfers = 0;
  readonly #operator: OperatorClient;
  readonly #chain: ScriptedChain;
  readonly #random: Random;
  /** By the chain's clock, which goes on by itself. */
  #nowMs = Date.now() - 20 * HOUR_MS;
  #acts = 0;
  #transactions = 0;
  /** Acts that are still to come, by the number of the act that they come with. */
  readonly #later: { readonly at: number; readonly happens: () => void }[] = [];

  constructor(operator: OperatorClient, chain: ScriptedChain, random: Random) {
    this.#operator = operator;
    this.#chain = chain;
    this.#random = random;
  }

  async act(): Promise<void> {
    this.#acts += 1;
    const isRush = Math.floor(this.#acts / PHASE) % 2 === 1;
    this.#nowMs += this.#random.between(0, isRush ? QUICK_MS : SLOW_MS);
    for (const due of this.#later.filter(({ at }) => at <= this.#acts)) {
      this.#later.splice(this.#later.indexOf(due), 1);
      due.happens();
    }
    await this.#random.pick([
      () => this.#pay(),
      () => this.#pay(),
      () => this.#payLate(),
      () => this.#payTwice(),
      () => this.#payInChangingBlock(),
      () => this.#payInOneTransaction(),
      () => this.#payInsideExchange(),
      () => this.#payWithOtherTokens(),
      () => this.#sendDust(),
      () => this.#payOtherAmount(),
    ])();
  }

  /** Everything that is still to come. */
  settle(): void {
    for (const { happens } of this.#later.splice(0)) happens();
  }

  async #pay(): Promise<void> {
    const { micros, address } = await this.#owed();
    this.#send(address, micros);
  }

  /** The chain lists it after younger ones, within the hour. */
  async #payLate(): Promise<void> {
    const { micros, address } = await this.#owed();
    const at = this.#nowMs;
    this.#afterwards(() => this.#send(address, micros, { at }), 60);
  }

  /** Two equal amounts in one block. */
  async #payTwice(): Promise<void> {
    const { micros, address } = await this.#owed();
    this.pairs.push([this.#send(address, micros), this.#send(address, micros)]);
  }

  /** The block is replaced; then the payment stands in a later one, or is gone, and the customer pays again. */
  async #payInChangingBlock(): Promise<void> {
    const { micros, address } = await this.#owed();
    const seen: Sent = { ...this.#transfer(address, micros), isPending: true };
    this.#chain.sent.push(seen);
    const isKept = this.#random.chance(0.5);
    const again = isKept ? { txId: seen.txId } : {};
    this.#afterwards(() => {
      this.#chain.sent.splice(this.#chain.sent.indexOf(seen), 1);
      this.#send(address, micros, { ...again, at: seen.at + 3_000 });
    });
  }

  async #payInOneTransaction(): Promise<void> {
    const txId = this.#newTransaction();
    const first = this.#random.between(0, 5);
    for (let place = first; place < first + 3; place += 1) {
      const { micros, address } = await this.#owed();
      this.#send(address, micros, { txId, place });
    }
  }

  /** The exchange tells its customer that it is paid, and no chain has anything of it. */
  async #payInsideExchange(): Promise<void> {
    await this.#open(await this.#account());
  }

  /** Of the right amount, but of another contract, or an amount with seven digits: it never counts. */
  async #payWithOtherTokens(): Promise<void> {
    const { address, payUsdt } = await this.#open(await this.#account());
    const micros = microsOf(payUsdt);
    for (const other of [{ contract: 'TFakeUsdt' }, { decimals: 7 }, { type: 'Approval' }, { micros: 0 }])
      this.#chain.sent.push({ ...this.#transfer(address, micros), ...other });
    const digits = { ...this.#transfer(address, micros * 10 + 7), decimals: 7 };
    this.#chain.sent.push(digits);
  }

  #sendDust(): void {
    const at = this.#nowMs;
    for (let left = this.#random.between(1, 8); left > 0; left -= 1)
      this.strays.add(this.#send(this.#random.pick(ADDRESSES), DUST_MICROS, { at }));
  }

  async #payOtherAmount(): Promise<void> {
    const { address, amountUsdt } = await this.#open(await this.#account());
    this.strays.add(this.#send(address, microsOf(amountUsdt)));
  }

  async #account(): Promise<number> {
    return (await ok(this.#operator.createAccount({ name: 'Chat' }))).accountId ?? 0;
  }

  async #open(accountId: number): Promise<Deposit & { readonly amountUsdt: number }> {
    const asked = { network: 'trc20', amountUsdt: this.#random.pick([5, 10, 25]) };
    const { text } = await this.#operator.json('POST', `/accounts/${accountId}/deposits`, asked);
    return JSON.parse(text);
  }

  /** A deposit of a new account, which is paid sooner or later. */
  async #owed(): Promise<{ readonly micros: number; readonly address: string }> {
    const accountId = await this.#account();
    const { address, payUsdt } = await this.#open(accountId);
    const micros = microsOf(payUsdt);
    this.expected.set(accountId, micros);
    return { micros, address };
  }

  #afterwards(happens: () => void, acts = 6): void {
    this.#later.push({ at: this.#acts + this.#random.between(1, acts), happens });
  }

  #newTransaction(): string {
    this.#transactions += 1;
    return `tx${this.#transactions}`;
  }

  #transfer(to: string, micros: number): Sent {
    const random = this.#random;
    return {
      ...{ txId: this.#newTransaction(), to, micros, at: this.#nowMs, place: random.between(0, 9) },
      ...{ contract: CONTRACT, unlisted: random.chance(0.1) ? random.between(1, 5) : 0 },
    };
  }

  /** The reference of the transfer, which came to stay. */
  #send(to: string, micros: number, more: Partial<Sent> = {}): string {
    const transfer = { ...this.#transfer(to, micros), ...more };
    this.#chain.sent.push(transfer);
    this.transfers += 1;
    return `trc20:${transfer.txId}:${transfer.place}`;
  }
}

function microsOf(usdt: number): number {
  return Math.round(usdt * 1e6);
}
