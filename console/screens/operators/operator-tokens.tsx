/** An operator's tokens: a new one, and the end of all. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ShownOnce } from '../../parts/dialogs/shown-once.tsx';
import { reason, select } from '../../parts/forms/field.tsx';
import { tokenEnd } from './operator-creation.tsx';

interface OfOperator {
  readonly operator: Schema<'Operator'>;
}

const OVERLAPS = [
  ['0', 'Ends at once'],
  ['10m', 'Goes on for 10 minutes'],
  ['1h', 'Goes on for an hour'],
  ['1d', 'Goes on for a day'],
  ['7d', 'Goes on for 7 days'],
] as const;

export function NewToken({ operator: { operatorId, name } }: OfOperator) {
  return (
    <Action
      name="New token"
      openerLabel={`New token of ${name}`}
      needs="POST /operators/{id}/token"
      look="small"
      about={`For ${name}.`}
      fields={{
        overlap: select({ label: 'The token before', options: OVERLAPS }),
        expiresAt: tokenEnd('Empty: when the one before would have.'),
        reason: reason(),
      }}
      command={({ overlap, expiresAt, reason: why }) =>
        purser('operator rotate', [operatorId], {
          overlap: overlap === '0' ? undefined : overlap,
          expires: expiresAt,
          reason: why,
        })
      }
      run={({ overlap, ...body }) =>
        call('POST /operators/{id}/token', { path: { id: operatorId }, query: { overlap }, body })
      }
      isShownOnce
      result={({ token }) => <ShownOnce label="Token" secret={token} />}
      onDone={() => announce(`${name} has a new token.`)}
    />
  );
}

export function Revoke({ operator: { operatorId, name } }: OfOperator) {
  return (
    <ReasonAction
      name="Revoke"
      openerLabel={`Revoke ${name}`}
      needs="DELETE /operators/{id}"
      look="small"
      isGrave
      about={`All tokens and sessions of ${name} end at once, for ever. The name is not given again.`}
      command={(given) => purser('operator revoke', [operatorId], given)}
      run={(query) => call('DELETE /operators/{id}', { path: { id: operatorId }, query })}
      onDone={() => announce(`${name} is revoked.`)}
    />
  );
}
