/** Calls that the document of the operators' API does not have yet, by hand. */

interface SessionAnswer {
  readonly sessionId: number;
  /** Shown once; sent as Bearer. */
  readonly token: string;
  readonly operator: string;
  readonly role: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionRow {
  readonly sessionId: number;
  readonly operator: string;
  readonly role: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly current: boolean;
}

/** A standing alert, or one that was told. */
export interface AlertRow {
  readonly class: string;
  readonly error: string;
  readonly message: string;
  /** Unix milliseconds. */
  readonly since: number;
  readonly [field: string]: unknown;
}

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
  readonly 'POST /sessions': {
    readonly given: { readonly body: { readonly code: string } | { readonly token: string } };
    readonly answer: SessionAnswer;
  };
  readonly 'GET /sessions': { readonly answer: { readonly sessions: readonly SessionRow[] } };
  readonly 'DELETE /sessions/{id}': {
    readonly given: { readonly path: { readonly id: number | string } };
    readonly answer: object;
  };
  readonly 'GET /session': {
    readonly answer: {
      readonly operator: string;
      readonly role: string;
      readonly operatorId?: number;
      readonly sessionId?: number;
      readonly expiresAt?: number;
    };
  };
  readonly 'GET /alerts': {
    readonly answer: { readonly firing: readonly AlertRow[]; readonly recent: readonly AlertRow[] };
  };
  readonly 'GET /settings': { readonly answer: { readonly settings: readonly SettingRow[] } };
  readonly 'GET /webhooks': {
    readonly given: { readonly query?: Page };
    readonly answer: { readonly webhooks: readonly WebhookRow[]; readonly nextCursor?: string };
  };
}

/** Of GET /accounts/{id}. */
export interface PendingAccountFields {
  readonly webhook?: {
    readonly host?: string;
    readonly url?: string;
    readonly events: readonly string[];
    readonly balanceThresholdUsdt?: number | null;
  } | null;
}

/** Of rows of GET /products, and of GET /products/{id}. */
export interface PendingProductFields {
  readonly soldLastDay?: number;
  readonly hoursOfCover?: number;
}

/** Of rows of GET /suppliers. */
export interface PendingSupplierFields {
  readonly circuit?: 'closed' | 'open';
  readonly openPurchases?: number;
  readonly unresolvedPurchases?: number;
}

/** What queries of described calls may have, too. */
export interface PendingQueries {
  readonly 'GET /accounts': { readonly search?: string };
  readonly 'GET /products': { readonly search?: string };
  readonly 'GET /feed': { readonly types?: string };
}
