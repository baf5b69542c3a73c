/**
 * The calls of role `bot`, and the accounts that each is about: the one place that decides what a bot sees and does.
 *
 * Invariant: a call that isn't in the table is refused, and so is one about an account that isn't the bot's own
 * (`ownsAccount`). An account that isn't there is refused like another's, so that a bot learns nothing of others. Lists
 * without an account, GET /accounts, GET /deposits and GET /feed, give the bot its own rows alone.
 */
import type { Account } from '../../engine/accounts.ts';
import { type History, orderOf } from '../../engine/decide/history.ts';
import { type Bot, DEFAULT_BOT_PREFIX, ownsAccount } from '../../engine/operators.ts';
import type { State } from '../../engine/state.ts';
import type { OwnAccounts } from '../../feed/own-facts.ts';
import { Slices } from '../../shared/slices.ts';
import { type ApiError, apiError } from '../errors.ts';
import type { Caller } from './caller.ts';

interface BotCall {
  /** The place that names the account, or its order. Absent: it is about no account, or lists the bot's own alone. */
  readonly about?: 'path' | 'order' | 'query' | 'body';
  /** The fields of the body that a bot may send; default all. */
  readonly fields?: readonly string[];
}

const OWN: BotCall = { about: 'path' };
const OWN_ORDER: BotCall = { about: 'order' };

const BOT_CALLS: Readonly<Record<string, BotCall>> = {
  'GET /accounts': {},
  'POST /accounts': { fields: ['name', 'externalId'] },
  'GET /accounts/{id}': OWN,
  'PATCH /accounts/{id}': { ...OWN, fields: ['name'] },
  'POST /accounts/{id}/key': OWN,
  'PATCH /accounts/{id}/key': OWN,
  'DELETE /accounts/{id}/key': OWN,
  'GET /accounts/{id}/statement': OWN,
  'GET /accounts/{id}/price': OWN,
  // A webhook has its account's id.
  'GET /webhooks/{id}/deliveries': OWN,
  'POST /webhooks/{id}/test': OWN,
  'GET /orders': { about: 'query' },
  'POST /orders': { about: 'body' },
  'GET /orders/{id}': OWN_ORDER,
  'GET /orders/{id}/file': OWN_ORDER,
  'POST /orders/{id}/pay': OWN_ORDER,
  'POST /orders/{id}/fail': OWN_ORDER,
  'GET /products': {},
  'GET /products/{id}': {},
  'GET /feed': {},
  'POST /accounts/{id}/deposits': OWN,
  'GET /deposits': {},
  'GET /deposits/addresses': {},
  'POST /deposits/observed': {},
};

export function isBotCall(call: string): boolean {
  return Object.hasOwn(BOT_CALLS, call);
}

/** The state and the history, where accounts and orders are found. */
export interface BotSight {
  readonly engine: { readonly state: State };
  /** Undefined where no call is about an order. */
  readonly history?: History;
}

/** One request of a bot. */
export class BotGuard {
  readonly #sight: BotSight;
  readonly #caller: Caller;
  readonly #call: BotCall;

  /** `call`: such as `GET /orders/{id}`, one of the table. */
  constructor(sight: BotSight, caller: Caller, call: string) {
    this.#sight = sight;
    this.#caller = caller;
    this.#call = BOT_CALLS[call] ?? OWN;
  }

  /** Whether the account is the bot's own. */
  owns = ({ profile: { externalId }, botId }: Readonly<Pick<Account, 'profile' | 'botId'>>): boolean =>
    ownsAccount(this.#caller, { externalId, botId });

  /** All of the bot's own accounts. */
  ownAccounts(): Promise<OwnAccounts> {
    return ownAccountsOf(this.#sight.engine.state, this.#caller);
  }

  /** Why the request is refused, by its path and query; undefined when it isn't. */
  refusal(id: number, query: URLSearchParams): ApiError | undefined {
    const { about } = this.#call;
    if (about === 'path') return this.#refusalOf(id);
    if (about === 'query') return this.#refusalOf(Number(query.get('accountId') ?? 0));
    if (about !== 'order') return undefined;
    const { engine, history } = this.#sight;
    const order = history && orderOf(engine.state, history, id);
    return this.#refusalOf(order?.accountId ?? 0);
  }

  /** Why the body is refused; undefined when it isn't. */
  bodyRefusal(body: Readonly<Record<string, unknown>>): ApiError | undefined {
    const { about, fields } = this.#call;
    if (about === 'body') return this.#refusalOf(Number(body.accountId));
    if (fields === undefined) return undefined;
    const other = Object.keys(body).find((field) => !fields.includes(field));
    if (other !== undefined)
      return apiError(
        'FORBIDDEN',
        `Your role is bot, which sets ${fields.join(' and ')} of an account, and not ${other}.`,
      );
    const { externalId } = body;
    const isOwn = externalId === undefined || ownsAccount(this.#caller, { externalId: String(externalId) });
    return isOwn ? undefined : this.#notOwn;
  }

  #refusalOf(accountId: number): ApiError | undefined {
    const account = this.#sight.engine.state.accounts.get(accountId);
    return account !== undefined && this.owns(account) ? undefined : this.#notOwn;
  }

  get #notOwn(): ApiError {
    const { externalIdPrefix = DEFAULT_BOT_PREFIX } = this.#caller;
    return apiError(
      'FORBIDDEN',
      `Your role is bot: the calls that you may make are about accounts that you made, or whose externalId begins with ${externalIdPrefix}.`,
    );
  }
}

/** All of a bot's own accounts, looked for in slices. */
export async function ownAccountsOf(
  { accounts }: Pick<State, 'accounts'>,
  { operatorId, externalIdPrefix }: Bot,
): Promise<OwnAccounts> {
  const bot = { operatorId, externalIdPrefix };
  const made: number[] = [];
  const named: number[] = [];
  const slices = new Slices();
  for (let id = 1; id < accounts.nextId; id += 1) {
    if (slices.isFull) await slices.rest();
    const account = accounts.get(id);
    if (account === undefined) continue;
    if (account.botId === operatorId) made.push(id);
    if (ownsAccount(bot, { externalId: account.profile.externalId })) named.push(id);
  }
  return { ...bot, made, named };
}
