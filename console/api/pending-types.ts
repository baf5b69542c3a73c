/** Calls and fields that the document of the operators' API does not have yet, by hand. */

export interface SettingRow {
  readonly name: string;
  readonly env: string;
  readonly value: unknown;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
}

export interface PendingCalls {
  readonly 'GET /settings': { readonly answer: { readonly settings: readonly SettingRow[] } };
}

/** What queries of described calls may have, too: none now. */
export type PendingQueries = Readonly<Record<never, never>>;
