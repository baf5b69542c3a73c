/**
 * Decisions about operators, for owners, and records of operators who look at texts or do what changes nothing here.
 */

import { MAX_FOUND_ITEMS, MAX_OPERATOR_TOKENS, MAX_OPERATORS } from '../limits.ts';
import { ROOT_NAME } from '../origin.ts';
import { type Deciders, noSuch } from './decision.ts';
import { orderOf } from './history.ts';
import { Rejection } from './rejection.ts';

export const operatorDeciders = {
  CreateOperator({ operators }, { profile, token }, atMs) {
    if (operators.size >= MAX_OPERATORS) {
      return new Rejection(
        'BAD_REQUEST',
        `A node has at most ${MAX_OPERATORS} operators, revoked ones included.`,
      );
    }
    const taken = [ROOT_NAME, ...Array.from(operators.values(), (operator) => operator.profile.name)];
    const same = taken.find((name) => name.toLowerCase() === profile.name.toLowerCase());
    if (same !== undefined) return nameTaken(same);
    return {
      kind: 'OperatorCreated',
      operatorId: operators.nextId,
      profile,
      token: { ...token, issuedAtMs: atMs },
      atMs,
    };
  },
  IssueOperatorToken({ operators }, { operatorId, token, overlapMs }, atMs) {
    const operator = operators.get(operatorId);
    if (operator === undefined) return noSuch('operator');
    if (operator.revokedAtMs !== null) return revoked(operator.profile.name);
    const [before, ...promised] = operator.tokens;
    // An overlap is no longer than either token.
    const ends = [atMs + overlapMs, before?.expiresAtMs, token.expiresAtMs];
    const endMs = Math.min(...ends.map((end) => end ?? Number.POSITIVE_INFINITY));
    const ending = before === undefined ? [] : [{ ...before, expiresAtMs: endMs }];
    const goOn = [...ending, ...promised].filter(({ expiresAtMs }) => (expiresAtMs ?? 0) > atMs);
    if (goOn.length >= MAX_OPERATOR_TOKENS) return tooManyTokens(operator.profile.name);
    return {
      kind: 'OperatorTokenIssued',
      operatorId,
      tokens: [{ ...token, issuedAtMs: atMs }, ...goOn],
      atMs,
    };
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

function tooManyTokens(name: string): Rejection {
  return new Rejection(
    'BAD_REQUEST',
    `The operator ${name} has ${MAX_OPERATOR_TOKENS} tokens that still open: wait until the overlap of one is over, or leave out overlap, which ends the newest at once.`,
  );
}

function revoked(name: string): Rejection {
  return new Rejection('BAD_REQUEST', `The operator ${name} is revoked: create another one.`);
}
