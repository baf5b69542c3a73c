/** Calls and fields that the document of the operators' API does not have yet, by hand. */

export interface SettingRow {
  readonly name: string;
  readonly env: string;
  readonly value: unknown;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
}

export interface WebhookRow {
  readonly accountId: number;
  readonly name: string;
  readonly host: string;
  readonly events: readonly string[];
  readonly pending: number;
  readonly failing: boolean;
}

interface Page {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface PendingCalls {
  readonly 'GET /settings': { readonly answer: { readonly settings: readonly SettingRow[] } };
  readonly 'GET /webhooks': {
    readonly given: { readonly query?: Page };
    readonly answer: { readonly webhooks: readonly WebhookRow[]; readonly nextCursor?: string };
  };
}

/** Of rows of GET /suppliers. */
export interface PendingSupplierFields {
  readonly circuit?: 'closed' | 'open';
  readonly openPurchases?: number;
  readonly unresolvedPurchases?: number;
}

/** What queries of described calls may have, too. */
export interface PendingQueries {
  readonly 'GET /feed': { readonly types?: string };
}
