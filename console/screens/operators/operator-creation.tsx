/** A new operator, with a token that is shown once. */
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ShownOnce } from '../../parts/dialogs/shown-once.tsx';
import { type Field, reason, select, text } from '../../parts/forms/field.tsx';
import { utcOf, zoneName } from '../../parts/time.tsx';
import { ROLE_OPTIONS } from './roles-panel.tsx';

export function NewOperator() {
  return (
    <Action
      name="New operator"
      needs="POST /operators"
      look="primary"
      fields={{
        name: text({
          label: 'Name',
          maxLength: 64,
          hint: 'Never given twice. Letters, digits, and . _ @ - after the first.',
        }),
        role: select({ label: 'Role', options: ROLE_OPTIONS, initial: 'viewer' }),
        expiresAt: tokenEnd('Empty: it does not end.'),
        reason: reason(),
      }}
      command={({ name, role, expiresAt, reason: why }) =>
        purser('operator create', [], { name, role, expires: expiresAt, reason: why })
      }
      run={(body, { idempotencyKey }) => call('POST /operators', { body, idempotencyKey })}
      isShownOnce
      result={(answer) => <ShownOnce label="Token" secret={'token' in answer ? answer.token : undefined} />}
      onDone={({ name, role }) => announce(`Operator ${name} is there, as ${role}.`)}
    />
  );
}

/** The beginning of a day of the reader's zone. */
export function tokenEnd(hint: string): Field<string | undefined> {
  return {
    ...text({ label: 'Token ends', hint: `${hint} The day begins in ${zoneName()}.`, isOptional: true }),
    control: { kind: 'input', attributes: { type: 'date', max: '9999-12-31' } },
    read: (typed) => utcOf(typed) || undefined,
  };
}
