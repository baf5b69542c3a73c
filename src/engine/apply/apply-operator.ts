/** Effects of facts about operators on the state. */
import type { Effects } from './moves.ts';

export const operatorEffects = {
  OperatorCreated({ operators }, { operatorId, profile, token, atMs }) {
    operators.add(operatorId, { operatorId, profile, tokens: [token], createdAtMs: atMs, revokedAtMs: null });
  },
  OperatorTokenIssued({ operators }, { operatorId, tokens }) {
    operators.change(operatorId).tokens = tokens;
  },
  OperatorRevoked({ operators }, { operatorId, atMs }) {
    const operator = operators.change(operatorId);
    operator.tokens = [];
    operator.revokedAtMs = atMs;
  },
  // They are there for the audit.
  ItemTextsShown() {},
  ItemsSearched() {},
  OperatorActed() {},
} satisfies Partial<Effects>;
