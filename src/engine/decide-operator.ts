/** What owners decide about operators, and what is noted of those who look at texts or do what changes nothing here. */
import { type Deciders, noSuch } from './decision.ts';
import { orderOf } from './history.ts';
import { MAX_FOUND_ITEMS, MAX_OPERATORS } from './limits.ts';
import { ROOT_NAME } from './origin.ts';
import { Rejection } from './rejection.ts';

export const operatorDeciders = {
  CreateOperator({ operators }, { profile, token }, atMs) {
    if (operators.size >= MAX_OPERATORS) {
      return new Rejection(
        'BAD_REQUEST',
        `A node has at most ${MAX_OPERATORS} operators, revoked ones included.`,
      );
    }
    const { name } = profile;
    for (const { profile: other } of operators.values()) if (other.name === name) return nameTaken(name);
    if (name === ROOT_NAME) return nameTaken(name);
    return { kind: 'OperatorCreated', operatorId: operators.nextId, profile, token, atMs };
  },
  IssueOperatorToken({ operators }, { operatorId, token, overlapMs }, atMs) {
    const operator = operators.get(operatorId);
    if (operator === undefined) return noSuch('operator');
    if (operator.revokedAtMs !== null) return revoked(operator.profile.name);
    const [before] = operator.tokens;
    const endMs = Math.min(atMs + overlapMs, before?.expiresAtMs ?? Number.POSITIVE_INFINITY);
    const goesOn = before !== undefined && endMs > atMs ? [{ ...before, expiresAtMs: endMs }] : [];
    return { kind: 'OperatorTokenIssued', operatorId, tokens: [token, ...goesOn], atMs };
  },
  RevokeOperator({ operators }, { operatorId }, atMs) {
    const operator = operators.get(operatorId);
    if (operator === undefined) return noSuch('operator');
    if (operator.revokedAtMs !== null) return revoked(operator.profile.name);
    return { kind: 'OperatorRevoked', operatorId, atMs };
  },
  ShowItemTexts(state, { orderId }, atMs, history) {
    const order = orderOf(state, history, orderId);
    if (order === undefined) return noSuch('order');
    const { accountId, productId } = order;
    return { kind: 'ItemTextsShown', orderId, accountId, productId, atMs };
  },
  SearchItems(_state, { productId, found }, atMs) {
    const searched = productId === undefined ? {} : { productId };
    return { kind: 'ItemsSearched', ...searched, found: found.slice(0, MAX_FOUND_ITEMS), atMs };
  },
  RecordAct: (_state, { act }, atMs) => ({ kind: 'OperatorActed', ...act, atMs }),
} satisfies Partial<Deciders>;

function nameTaken(name: string): Rejection {
  return new Rejection('BAD_REQUEST', `There is an operator ${name}, or was: choose another name.`);
}

function revoked(name: string): Rejection {
  return new Rejection('BAD_REQUEST', `The operator ${name} is revoked: create another one.`);
}
