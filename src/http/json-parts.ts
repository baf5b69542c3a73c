/**
 * A JSON text in parts, each made when it is asked for. Together they are what `JSON.stringify` gives, byte for byte; a
 * list may also be something that gives its elements one by one. An element of a list is one part.
 */
export type JsonParts = Iterator<string>;

export function* jsonParts(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (Symbol.iterator in value) yield* listParts(value as Iterable<unknown>);
  else yield* objectParts(value);
}

function* listParts(list: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const element of list) {
    yield before + (JSON.stringify(element) ?? 'null');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* objectParts(fields: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonParts(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
