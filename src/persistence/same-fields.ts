/** Whether two flat objects have the same fields with the same values. */
export function sameFields(a: object, b: object): boolean {
  const fieldsOfB = new Map<string, unknown>(Object.entries(b));
  const entries = Object.entries(a);
  return entries.length === fieldsOfB.size && entries.every(([name, value]) => fieldsOfB.get(name) === value);
}
