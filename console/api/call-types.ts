/**
 * The fields that each call takes and answers, by its name: `GET /accounts/{id}`. All types: nothing of it is left in
 * the bundle.
 */
import type { components, paths } from './api-types.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Path = keyof paths & string;

/** The name of a call: its method, and its path as the document has it. */
export type Call = {
  [P in Path]: {
    [M in Method]: Lowercase<M> extends keyof paths[P] ? `${M} ${P}` : never;
  }[Method];
}[Path];

type OperationOf<C> = C extends `${infer M extends Method} ${infer P}`
  ? P extends Path
    ? Lowercase<M> extends keyof paths[P]
      ? paths[P][Lowercase<M>]
      : never
    : never
  : never;

type PathPart<O> = O extends { readonly parameters: { readonly path: infer P } }
  ? { readonly path: P }
  : unknown;
type QueryPart<O> = O extends { readonly parameters: { readonly query: infer Q } }
  ? { readonly query: Given<Q> }
  : O extends { readonly parameters: { readonly query?: infer Q } }
    ? { readonly query?: Given<Q> }
    : unknown;
type BodyPart<O> = O extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer B } };
}
  ? { readonly body: Given<B> }
  : O extends { readonly requestBody?: { readonly content: { readonly 'application/json': infer B } } }
    ? { readonly body?: Given<B> }
    : unknown;

/** A field that is undefined is left out, so it may be named. */
type Given<T> = T extends object ? { readonly [K in keyof T]: T[K] | AbsentIfOptional<T, K> } : T;
type AbsentIfOptional<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? undefined : never;

/** The fields that a call must be given, and those that it may be given. */
export type GivenTo<C extends Call> = PathPart<OperationOf<C>> &
  QueryPart<OperationOf<C>> &
  BodyPart<OperationOf<C>>;

type Responses<O> = O extends { readonly responses: infer R } ? R[keyof R] : never;
type Json<R> = R extends { readonly content: { readonly 'application/json': infer B } } ? B : never;

/** The body of its success. */
export type AnswerOf<C extends Call> = Json<Responses<OperationOf<C>>>;

/** A schema of the document: `Schema<'Account'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
