/**
 * How wide numbers are, for programs that are generated from the document: without a format, many generators take 32 bits
 * for any of them, which no time in milliseconds fits into, and which no amount of money survives.
 */
const FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' };

/** The document with a format for each number, wherever its schema stands. */
export function withNumberFormats(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withNumberFormats);
  if (typeof part !== 'object' || part === null) return part;
  const written = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, withNumberFormats(value)]),
  );
  const types = [part].flatMap((schema) => ('type' in schema ? schema.type : []));
  const format = types.map((type) => FORMATS[String(type)]).find((found) => found !== undefined);
  return format === undefined ? written : { ...written, format };
}
