/** Descriptions that calls share which may be repeated by the header `Idempotency-Key`. */
import type { Answer, RequestHeader } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { IDEMPOTENCY_KEY } from '../schemas/order.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const REPEATED = {
  repeated: { type: 'boolean', const: true, description: 'The key did this before, and nothing again.' },
} as const;

export const KEY_HEADER: Pick<RequestHeader, 'name' | 'example' | 'schema'> = {
  name: 'Idempotency-Key',
  example: '1b671a64-40d5-491e-99b0-da01ff1f3341',
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
  if (first?.content === undefined) throw new Error(`${operation.operationId} has no answer to repeat`);
  const { schema, examples } = first.content;
  const [example] = Object.values(examples) as Readonly<Record<string, unknown>>[];
  const again = repeatedSchema(schema, shownOnce);
  const schemas = other?.content === undefined ? again : eitherOf(operation, again, other.content.schema);
  const answers: Answer = {
    ...(first.headers === undefined ? {} : { headers: first.headers }),
    status: 200,
    description: `${other === undefined ? '' : `${other.description} Or: `}what the key led to before.`,
    content: {
      schema: schemas,
      examples: {
        repeated: { ...without(example ?? {}, shownOnce), repeated: true },
        ...other?.content?.examples,
      },
    },
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
  const { content } = answer;
  if (content === undefined) return answer;
  const { schema } = content;
  return {
    ...answer,
    content: { ...content, schema: { ...schema, properties: { ...schema.properties, ...REPEATED } } },
  };
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
