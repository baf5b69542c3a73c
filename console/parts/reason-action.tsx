/** An action that asks for nothing but its reason. */
import { Action, type ActionProps } from './action-dialog.tsx';
import { type CommandWords, flag } from './command-line.tsx';
import { type Field, reason } from './field.tsx';

type ReasonFields = { readonly reason: Field<string | undefined> };

export interface ReasonActionProps<Result>
  extends Omit<ActionProps<ReasonFields, Result>, 'fields' | 'command'> {
  /** The command line without its reason. */
  readonly command: CommandWords;
}

const FIELDS: ReasonFields = { reason: reason() };

export function ReasonAction<Result>({ command, ...action }: ReasonActionProps<Result>) {
  return (
    <Action
      {...action}
      fields={FIELDS}
      command={(values) => [...command, ...flag('--reason', values.reason)]}
    />
  );
}
