/**
 * Deposits (COMMERCE.md §8): POST /accounts/{id}/deposits, GET /deposits, GET /deposits/addresses, and the calls of who
 * watches a chain, or looks after what came: POST /deposits/observed, POST /deposits/unclaimed/{reference}/assign.
 *
 * Reports are believed: who makes them has a token of a role that may credit wallets, or a bot's.
 */
import { type Deposit, depositState, type UnclaimedTransfer } from '../../../engine/deposits/deposit.ts';
import { MAX_REFERENCE_LENGTH } from '../../../engine/limits.ts';
import type { State } from '../../../engine/state.ts';
import { creditView, depositView, type Fields, transferView } from '../../../views/operator-views.ts';
import { type ApiError, apiError, badRequest } from '../../errors.ts';
import { ID } from '../../schemas/order.ts';
import { parseCredit } from '../accounts/amounts.ts';
import { LARGEST_MOMENT } from '../moment.ts';
import { operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import type { DepositServices } from '../operator-services.ts';
import { PAGE_QUERY, pageOf, parseInteger } from '../page.ts';
import { FINANCE, SUPPORT } from '../roles.ts';
import {
  ASSIGN_TRANSFER,
  LIST_DEPOSITS,
  OBSERVE_TRANSFER,
  OPEN_DEPOSIT,
  READ_ADDRESSES,
} from './deposit-operations.ts';

const STATES = ['waiting', 'credited', 'expired', 'unclaimed'] as const;
const NETWORK = { type: 'string', pattern: '^[a-z0-9]{1,16}$', description: 'Such as `trc20`.' } as const;
const AMOUNT = { type: 'number', description: 'USDT, up to 6 decimals, above 0.' } as const;
const NEW_DEPOSIT = { network: NETWORK, amountUsdt: AMOUNT } as const;
const OBSERVATION = {
  network: NETWORK,
  txId: { type: 'string', pattern: '^[A-Za-z0-9]{1,100}$', description: 'The transaction.' },
  logIndex: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Where the transfer stands in it; 0 without.',
  },
  address: { type: 'string', maxLength: 128, description: "Where it went: one of the node's." },
  amountUsdt: AMOUNT,
  confirmations: { type: 'integer', minimum: 0, description: 'How many the chain has.' },
  at: {
    type: 'integer',
    minimum: 0,
    maximum: LARGEST_MOMENT,
    description: 'The time by the chain, in Unix milliseconds.',
  },
} as const;
const ADDRESSES_QUERY = {
  watching: {
    type: 'boolean',
    description: 'With `false`, who asks is not taken for a watcher. Default: `true`.',
  },
} as const;
const LIST_QUERY = {
  state: { type: 'string', enum: STATES, description: 'Only those; without it all but the unclaimed.' },
  accountId: { ...ID, description: 'Only those of this account.' },
  ...PAGE_QUERY,
} as const;

const BAD_STATE = badRequest(`state must be one of ${STATES.join(', ')}.`);
const BAD_ACCOUNT = badRequest('accountId must be the id of an account.');
const NOT_A_BOTS = apiError('FORBIDDEN', 'Your role is bot: unclaimed transfers are for finance and owner.');
const NO_ADDRESS = badRequest(
  'The node has no deposit address: its operator starts it with --deposit-address NETWORK=ADDRESS.',
);

export function depositRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, clock, deposits } = services;
  return [
    bodyRoute(
      'POST /accounts/{id}/deposits',
      OPEN_DEPOSIT,
      [...SUPPORT, ...FINANCE],
      operatorBody(NEW_DEPOSIT, ['network', 'amountUsdt']),
      (context, { network, amountUsdt }) => {
        const amount = parseAmount(amountUsdt);
        if ('error' in amount) return context.fail(amount.error);
        const addresses = deposits.addresses.filter((known) => known.network === network);
        // One after the other, so that each has its share of the amounts.
        const place = addresses[engine.state.lastDepositId % addresses.length];
        if (place === undefined) return context.fail(unknownNetwork(deposits.addresses));
        const { windowMs } = deposits;
        context.submit(
          { kind: 'OpenDeposit', accountId: context.id, ...place, ...amount, windowMs },
          (deposit) => context.succeed(201, depositFields(deposit, clock())),
        );
      },
    ),
    operatorRoute('GET /deposits', LIST_DEPOSITS, (context) => list(context, services), {
      query: LIST_QUERY,
    }),
    operatorRoute(
      'GET /deposits/addresses',
      READ_ADDRESSES,
      (context) => {
        const isWatcher = context.flag('watching', true);
        if (isWatcher === undefined) return;
        if (isWatcher) deposits.heard();
        const { addresses, confirmations, heardAtMs } = deposits;
        const epoch = engine.state.epochs.current;
        const heard = heardAtMs === undefined ? {} : { heardAt: heardAtMs };
        context.succeedWhenDurable(200, { addresses, confirmations, epoch, ...heard });
      },
      { roles: FINANCE, query: ADDRESSES_QUERY },
    ),
    bodyRoute(
      'POST /deposits/observed',
      OBSERVE_TRANSFER,
      FINANCE,
      operatorBody(OBSERVATION, ['network', 'txId', 'address', 'amountUsdt', 'confirmations', 'at']),
      (context, { network, txId, logIndex = 0, address, amountUsdt, confirmations, at }) => {
        const amount = parseAmount(amountUsdt);
        if ('error' in amount) return context.fail(amount.error);
        if (!deposits.addresses.some((known) => known.network === network && known.address === address))
          return context.fail(badRequest(`address: the node has no such address at ${network}.`));
        deposits.heard();
        const reference = `${network}:${txId}:${logIndex}`;
        const transfer = { reference, network, address, ...amount, paidAtMs: at };
        const isConfirmed = confirmations >= deposits.confirmations;
        context.submit({ kind: 'ObserveTransfer', transfer, isConfirmed }, (result) => {
          const found = 'credit' in result ? { state: 'credited', ...result.credit } : result;
          const account =
            'accountId' in found ? engine.state.accounts.get(Number(found.accountId)) : undefined;
          const isSeen = account !== undefined && (context.guard?.owns(account) ?? true);
          context.succeed(200, {
            state: found.state,
            ...(isSeen ? { accountId: account.accountId } : {}),
          });
        });
      },
    ),
    bodyRoute(
      'POST /deposits/unclaimed/{name}/assign',
      ASSIGN_TRANSFER,
      FINANCE,
      operatorBody({ accountId: ID }, ['accountId']),
      (context, { accountId }) => {
        const reference = decoded(context.name);
        context.submit({ kind: 'AssignTransfer', reference, accountId }, ({ credit, replayed }) =>
          context.succeed(200, { ...creditView(credit), ...(replayed ? { repeated: true } : {}) }),
        );
      },
    ),
  ];
}

function parseAmount(amountUsdt: number): { readonly amountMicros: number } | { readonly error: ApiError } {
  const parsed = parseCredit(amountUsdt);
  if ('error' in parsed || parsed.amountMicros > 0) return parsed;
  return { error: badRequest('amountUsdt must be above 0.') };
}

function unknownNetwork(addresses: DepositServices['addresses']): ApiError {
  if (addresses.length === 0) return NO_ADDRESS;
  const networks = [...new Set(addresses.map(({ network }) => network))].join(', ');
  return badRequest(`network must be one of ${networks}.`);
}

/** Clients write the colons of a reference as they are, or as `%3A`. */
function decoded(name: string): string {
  const text = name.replaceAll(/%3a/gi, ':');
  return text.slice(0, MAX_REFERENCE_LENGTH);
}

function list(context: OperatorContext, { engine, clock }: OperatorServices): void {
  const { query, guard } = context;
  const state = query.get('state');
  const asked = query.get('accountId');
  const accountId = asked === null ? undefined : parseInteger(asked);
  if (state !== null && !(STATES as readonly string[]).includes(state)) return context.fail(BAD_STATE);
  if (accountId !== undefined && !(accountId > 0)) return context.fail(BAD_ACCOUNT);
  if (state === 'unclaimed' && guard !== undefined) return context.fail(NOT_A_BOTS);
  const { accounts, transfers } = engine.state;
  const nowMs = clock();
  const isMeant = (deposit: Readonly<Deposit>) => {
    const account = accounts.get(deposit.accountId);
    return (
      (accountId === undefined || deposit.accountId === accountId) &&
      (state === null || depositState(deposit, nowMs) === state) &&
      (guard === undefined || (account !== undefined && guard.owns(account)))
    );
  };
  context.withPage((page) => {
    if (state === 'unclaimed') {
      const all = accountId === undefined ? transfers.values() : [];
      const { rows, nextCursor } = pageOf(all, page, ({ position }) => position);
      return context.whenDurable(() =>
        context.succeedInSlices(200, { deposits: rows.map(unclaimedFields), ...nextCursor }),
      );
    }
    const meant = filtered(newestFirst(engine.state, page.after), isMeant);
    const { rows, nextCursor } = pageOf(meant, { ...page, after: 0 }, ({ depositId }) => depositId);
    const shown = rows.map((deposit) => depositFields(deposit, nowMs));
    context.whenDurable(() => context.succeedInSlices(200, { deposits: shown, ...nextCursor }));
  });
}

/** From the one before `before` on; 0 for all. */
function* newestFirst({ deposits, lastDepositId }: State, before: number): Iterable<Readonly<Deposit>> {
  const [oldest] = deposits.values();
  if (oldest === undefined) return;
  for (let id = before === 0 ? lastDepositId : before - 1; id >= oldest.depositId; id -= 1) {
    const deposit = deposits.get(id);
    if (deposit !== undefined) yield deposit;
  }
}

function* filtered<Row>(rows: Iterable<Row>, isMeant: (row: Row) => boolean): Iterable<Row> {
  for (const row of rows) if (isMeant(row)) yield row;
}

function depositFields(deposit: Readonly<Deposit>, nowMs: number): Fields {
  const { createdAtMs, reference } = deposit;
  return {
    ...depositView(deposit),
    createdAt: createdAtMs,
    state: depositState(deposit, nowMs),
    ...(reference === undefined ? {} : { reference }),
  };
}

function unclaimedFields(transfer: UnclaimedTransfer): Fields {
  return { ...transferView(transfer), seenAt: transfer.seenAtMs, state: 'unclaimed' };
}
