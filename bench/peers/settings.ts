/** Settings of a database: each is a value or, where the reason isn't obvious, a value and the reason. */
export type Settings = Readonly<Record<string, string | readonly [value: string, reason: string]>>;

/** As the database takes them. */
export function valuesOf(settings: Settings): readonly (readonly [name: string, value: string])[] {
  return Object.entries(settings).map(([name, setting]) => [
    name,
    typeof setting === 'string' ? setting : setting[0],
  ]);
}

/** As they are printed. */
export function explained(settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      name,
      typeof setting === 'string' ? setting : `${setting[0]} (${setting[1]})`,
    ]),
  );
}
