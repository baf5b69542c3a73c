/** Descriptions that calls share which may be repeated by the header `Idempotency-Key`. */
import type { Answer, RequestHeader } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { IDEMPOTENCY_KEY } from '../schemas/order.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const REPEATED = {
  repeated: { type: 'boolean', const: true, description: 'The key did this before, and nothing again.' },
} as const;

export const KEY_HEADER: Pick<RequestHeader, 'name' | 'schema'> = {
  name: 'Idempotency-Key',
  schema: IDEMPOTENCY_KEY,
};

const WITH_KEY =
  'Makes the call safe to repeat. The same one with the same call and body again changes nothing, and answers 200 with `repeated`.';

/**
 * The operation, whose first answer is that of a new call. `shownOnce` are fields of it that a repeated call's answer lacks;
 * `other` is what else it answers with 200.
 */
export function repeatable(
  operation: OperatorOperation,
  { shownOnce = [], other }: { shownOnce?: readonly string[]; other?: Answer } = {},
): OperatorOperation {
  const [first, ...rest] = operation.answers;
  if (first?.schema === undefined) throw new Error(`${operation.operationId} has no answer to repeat`);
  const again = repeatedSchema(first.schema, shownOnce);
  const answers: Answer = {
    ...(first.headers === undefined ? {} : { headers: first.headers }),
    status: 200,
    description: `${other === undefined ? '' : `${other.description} Or: `}what the key led to before.`,
    schema: other?.schema === undefined ? again : eitherOf(operation, again, other.schema),
  };
  return {
    ...operation,
    requestHeaders: [...(operation.requestHeaders ?? []), { ...KEY_HEADER, description: WITH_KEY }],
    answers: first.status === 200 ? [withRepeated(first), ...rest] : [first, answers, ...rest],
    errors: [...operation.errors, 'IDEMPOTENCY_CONFLICT'],
  };
}

/** An answer that is 200 the first time, too, with the field `repeated`. */
function withRepeated(answer: Answer): Answer {
  const { schema } = answer;
  if (schema === undefined) return answer;
  return { ...answer, schema: { ...schema, properties: { ...schema.properties, ...REPEATED } } };
}

function repeatedSchema(schema: JsonSchema, shownOnce: readonly string[]): JsonSchema {
  return {
    ...schema,
    title: `Repeated${schema.title ?? ''}`,
    required: [...(schema.required ?? []).filter((field) => !shownOnce.includes(field)), 'repeated'],
    properties: { ...without(schema.properties ?? {}, shownOnce), ...REPEATED },
  };
}

function eitherOf({ operationId }: OperatorOperation, again: JsonSchema, other: JsonSchema): JsonSchema {
  const title = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Answer`;
  return { title, description: 'Either of them.', anyOf: [again, other] };
}

function without<Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
