/** An action that asks for nothing but its reason. */

import { type Field, reason } from '../forms/field.tsx';
import { Action, type ActionProps } from './action-dialog.tsx';

type ReasonFields = { readonly reason: Field<string | undefined> };

type ReasonActionProps<Result> = Omit<ActionProps<ReasonFields, Result>, 'fields'>;

const FIELDS: ReasonFields = { reason: reason() };

export function ReasonAction<Result>(action: ReasonActionProps<Result>) {
  return <Action {...action} fields={FIELDS} />;
}
