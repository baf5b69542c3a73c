/**
 * Operators' calls that may be repeated: what each `Idempotency-Key` of an operator led to.
 *
 * Invariant: the key is in the fact that the call led to (`Origin.call`), so a crash can't separate the two; a call
 * that was refused led to no fact, and uses up no key. A repeated call gets the first result again, and nothing
 * happens: things that have a row are shown as they are now, figures of stock as they were said first. Keys never
 * expire, like references of credits. Rejected: to keep the first answer as it was sent, for it may have had a key or a
 * token.
 */
import { BrokenInvariantError } from '../apply/broken-invariant.ts';
import type { Fact } from '../fact.ts';
import { copyOf, productCopy } from '../loop/row-copy.ts';
import { type CallKey, type Origin, ROOT_OPERATOR } from '../origin.ts';
import type { State } from '../state.ts';
import type { CommandOf, Results } from './command.ts';
import { type History, orderOf } from './history.ts';
import { type KeyedCall, NO_LOT } from './idempotency.ts';
import { Rejection } from './rejection.ts';

/** The commands of the calls that take a key. `RecordAct` is an upload that had nothing new. */
export type KeyedCommand = CommandOf<
  | 'CreateAccount'
  | 'IssueKey'
  | 'CreateProduct'
  | 'AddStock'
  | 'WithdrawStock'
  | 'OpenOrder'
  | 'CreateSupplier'
  | 'CreatePriceList'
  | 'CreateOperator'
  | 'RecordAct'
>;

/** The answer to a call whose key is known, with the same call. */
export class RepeatedCall {
  readonly result: Results[KeyedCommand['kind']];
  readonly said: CallKey['said'];

  constructor(result: Results[KeyedCommand['kind']], said: CallKey['said']) {
    this.result = result;
    this.said = said;
  }
}

/** The outcome of the fact's key; undefined when the fact has none. `state` is the one right after the fact. */
export function keyedCallOf(state: State, fact: Fact): KeyedCall | undefined {
  const { call, operatorId = ROOT_OPERATOR } = fact.origin ?? {};
  if (call === undefined) return undefined;
  const { key, digest, said } = call;
  return { operatorId, key, digest, ...leadTo(state, fact), ...(said === undefined ? {} : { said }) };
}

/** The outcome of an operator's key, from the recent ones or from the checkpoint. */
export function callOf(
  { idempotency }: State,
  history: History,
  operatorId: number,
  key: string,
): KeyedCall | undefined {
  return idempotency.call(operatorId, key) ?? history.call(operatorId, key);
}

/** The answer to a call whose key is known; undefined when the key is new, or the call has none. */
export function repeated(
  state: State,
  history: History,
  command: KeyedCommand,
  { call, operatorId = ROOT_OPERATOR }: Origin,
): RepeatedCall | Rejection | undefined {
  const earlier = call === undefined ? undefined : callOf(state, history, operatorId, call.key);
  if (earlier === undefined) return undefined;
  if (earlier.digest === call?.digest) {
    return new RepeatedCall(resultOf(state, history, command.kind, earlier), earlier.said);
  }
  const message = 'This Idempotency-Key was used for another call, or with another body. Use a new key.';
  return new Rejection('IDEMPOTENCY_CONFLICT', message);
}

function leadTo({ stock }: State, fact: Fact): Pick<KeyedCall, 'id' | 'availableStock' | 'ranges'> {
  switch (fact.kind) {
    case 'AccountCreated':
    case 'KeyIssued':
      return { id: fact.accountId };
    case 'ProductCreated':
      return { id: fact.productId };
    case 'StockAdded':
      return { id: fact.lot.lotId, availableStock: stock.available(fact.productId) };
    case 'StockWithdrawn':
      return {
        id: fact.productId,
        ranges: fact.ranges,
        availableStock: stock.available(fact.productId),
      };
    case 'OrderOpened':
      return { id: fact.order.orderId };
    case 'SupplierCreated':
      return { id: fact.supplierId };
    case 'PriceListCreated':
      return { id: fact.priceListId };
    case 'OperatorCreated':
      return { id: fact.operatorId };
    case 'OperatorActed':
      return { id: NO_LOT, availableStock: stock.available(fact.productId ?? 0) };
    default:
      throw new BrokenInvariantError(`a fact of kind ${fact.kind} has the key of a call`);
  }
}

/** The list, which may be deleted since: then nobody can be shown it. */
function createdPriceList(state: State, id: number): RepeatedCall['result'] {
  const list = state.priceLists.get(id);
  return list === undefined ? { deletedPriceListId: id, prices: 0 } : copyOf(list);
}

/** The digest has the call in it, so the command is of the kind that the key was used for. */
function resultOf(
  state: State,
  history: History,
  kind: KeyedCommand['kind'],
  { id, availableStock = 0, ranges = [] }: KeyedCall,
): RepeatedCall['result'] {
  switch (kind) {
    case 'CreateAccount':
    case 'IssueKey':
      return copyOf(state.accounts.get(id));
    case 'CreateProduct':
      return productCopy(state.stock, state.products.get(id));
    case 'CreateSupplier':
      return copyOf(state.suppliers.get(id));
    case 'CreatePriceList':
      return createdPriceList(state, id);
    case 'CreateOperator':
      return copyOf(state.operators.get(id));
    case 'OpenOrder': {
      const order = orderOf(state, history, id);
      if (order === undefined)
        throw new BrokenInvariantError(`a key led to order ${id}, which does not exist`);
      return order;
    }
    case 'AddStock':
    case 'RecordAct':
      return { lotId: id, availableStock };
    case 'WithdrawStock':
      return { ranges, availableStock };
  }
}
