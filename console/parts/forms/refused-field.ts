/**
 * The field that a refusal of the node is about: the API's messages begin with its name, and of a list with the place in
 * it, `allowedNetworks.1 must be …`. It is said at the field, by the name that people see: `Line 2 must be …`.
 */
import { ApiFailure } from '../../api/api-failure.ts';
import type { Field } from './field.tsx';

export interface RefusedField {
  readonly key: string;
  readonly message: string;
}

/** Undefined when it is about none of these. */
export function refusedField(
  failure: unknown,
  fields: Readonly<Record<string, Pick<Field<unknown>, 'label'>>>,
): RefusedField | undefined {
  if (!(failure instanceof ApiFailure)) return undefined;
  const [, key = '', place, part = '', colon, rest = ''] =
    /^(\w+)(?:\.(\d+))?(?:\.(\w+))?(:?) (.*)$/s.exec(failure.message) ?? [];
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (field === undefined) return undefined;
  if (colon === ':') return { key, message: capital(rest) };
  const subject = place === undefined ? field.label : [`Line ${Number(place) + 1}`, part].join(' ').trim();
  return { key, message: `${subject} ${rest}` };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
