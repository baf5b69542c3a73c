/**
 * The facts about the accounts of one bot, for its reader of the feed. The accounts are known when the reader begins; the
 * facts that it reads say which others become its own, and which no longer are.
 */
import type { Fact } from '../engine/fact.ts';
import { MAX_ACCOUNTS } from '../engine/limits.ts';
import { type Bot, ownsAccount } from '../engine/operators.ts';

export interface OwnAccounts extends Bot {
  /** The ids of accounts that it made, and of those whose external id has its prefix. */
  readonly made: readonly number[];
  readonly named: readonly number[];
}

/** Bits of an account. */
const MADE = 1;
const NAMED = 2;

export class OwnFacts {
  readonly #bot: Bot;
  /** By account. */
  readonly #own = new Uint8Array(MAX_ACCOUNTS + 1);

  constructor({ made, named, ...bot }: OwnAccounts) {
    this.#bot = bot;
    for (const accountId of made) this.#set(accountId, MADE, true);
    for (const accountId of named) this.#set(accountId, NAMED, true);
  }

  /** Whether the fact, which is the next, is about one of them. */
  has(fact: Fact): boolean {
    if (fact.kind === 'AccountCreated' || fact.kind === 'AccountUpdated') {
      const { externalId } = fact.profile;
      this.#set(fact.accountId, NAMED, ownsAccount(this.#bot, { externalId }));
    }
    if (fact.kind === 'AccountCreated' && fact.origin?.operatorId === this.#bot.operatorId)
      this.#set(fact.accountId, MADE, true);
    return (this.#own[accountOf(fact)] ?? 0) > 0;
  }

  #set(accountId: number, bit: number, isSet: boolean): void {
    const others = (this.#own[accountId] ?? 0) & ~bit;
    this.#own[accountId] = isSet ? others | bit : others;
  }
}

/** 0 when the fact is about no account. */
function accountOf(fact: Fact): number {
  if ('order' in fact) return fact.order.accountId;
  if ('accountId' in fact) return fact.accountId ?? 0;
  if ('credit' in fact) return fact.credit.accountId;
  if ('deposit' in fact) return fact.deposit.accountId;
  if ('refusal' in fact) return fact.refusal?.accountId ?? 0;
  return 'supplierPurchase' in fact ? fact.supplierPurchase.accountId : 0;
}
