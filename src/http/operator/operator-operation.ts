/** The description of an operator's route, and the forms that many of them share. */
import type { Answer, Operation } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

/** The schema of a body, its roles and its fields of the query are the route's own. */
export type OperatorOperation = Omit<Operation, 'body' | 'isIdempotent'>;

/** The fields that a row, or an answer, always has and those that it may have. */
export interface Shape {
  readonly required: Readonly<Record<string, JsonSchema>>;
  readonly optional?: Readonly<Record<string, JsonSchema>>;
}

export const TIME = { type: 'integer', description: 'Unix milliseconds.' } as const;
export const USDT = { type: 'number', description: 'USDT.' } as const;

/** A schema with another description. */
export function said(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

export function rowSchema(title: string, description: string, { required, optional }: Shape): JsonSchema {
  return {
    title,
    description,
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

export function listOf(items: JsonSchema, description: string): JsonSchema {
  return { type: 'array', items, description };
}

/** A success. */
export function answer(status: number, schema: JsonSchema, description = schema.description ?? ''): Answer {
  return { status, description, schema };
}

/** The answer of a listing in pages. */
export const NEXT_CURSOR = {
  nextCursor: {
    type: 'string',
    description: 'Send it as `cursor` for the next page. Absent when there is none.',
  },
} as const;
