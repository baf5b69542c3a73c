/**
 * The part of JSON Schema that Purser's schemas are written in.
 *
 * One schema validates a request, or an answer in the tests, and is what the OpenAPI document shows, so it keeps
 * to what ajv and OpenAPI 3.1 (JSON Schema 2020-12) read alike. Schemas contain one
 * another as values; the document turns those with a `title` into its components. References were rejected:
 * each of the readers resolves them in another way.
 */
export type JsonSchema = {
  /** Names the schema in the document; unique among all of them. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  /** Whether null is valid too; buyers see it in errors alone. The document says it as OpenAPI 3.1 does: another type. */
  readonly nullable?: true;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  /** Whether an object that names its properties may have others; of an object without named ones, their schema. */
  readonly additionalProperties?: boolean | JsonSchema;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
};

/** The type of values that a schema allows. Absent means absent, and null is valid only where the schema says so. */
export type TypeOf<Schema> = Schema extends { readonly nullable: true }
  ? TypeOf<Omit<Schema, 'nullable'>> | null
  : NonNullOf<Schema>;

type NonNullOf<Schema> = Schema extends { readonly type: 'object'; readonly properties: infer Properties }
  ? { readonly [Name in RequiredOf<Schema> & keyof Properties]: TypeOf<Properties[Name]> } & {
      readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?: TypeOf<Properties[Name]>;
    }
  : Schema extends { readonly type: 'object'; readonly additionalProperties: infer Others extends object }
    ? Readonly<Record<string, TypeOf<Others>>>
    : Schema extends { readonly type: 'array'; readonly items: infer Items }
      ? readonly TypeOf<Items>[]
      : Schema extends { readonly type: 'string'; readonly enum: readonly (infer Value)[] }
        ? Value
        : Schema extends { readonly type: 'string' }
          ? string
          : Schema extends { readonly type: 'number' | 'integer' }
            ? number
            : Schema extends { readonly type: 'boolean' }
              ? boolean
              : unknown;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;
