// Made from GET /openapi.json by `npm run console:types`: change the routes of the server instead.

export interface paths {
    readonly "/accounts": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly externalId?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly priceListId?: number;
                    readonly search?: string;
                    readonly to?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountPage"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly accountId?: number;
                        readonly allowedNetworks?: readonly string[] | null;
                        readonly externalId?: string | null;
                        readonly name: string;
                        readonly priceListId?: number | null;
                        readonly rateLimitPerMinute?: number | null;
                        readonly reason?: string;
                        readonly spendLimits?: readonly {
                            readonly amountUsdt: number;
                            readonly windowHours: number;
                        }[];
                        readonly webhookConcurrency?: number;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedAccountAnswer"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountAnswer"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountRead"];
                    };
                };
            };
        };
        readonly patch: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly allowedNetworks?: readonly string[] | null;
                        readonly externalId?: string | null;
                        readonly name?: string;
                        readonly priceListId?: number | null;
                        readonly rateLimitPerMinute?: number | null;
                        readonly reason?: string;
                        readonly spendLimits?: readonly {
                            readonly amountUsdt: number;
                            readonly windowHours: number;
                        }[];
                        readonly webhookConcurrency?: number;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountAnswer"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/credits": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly amountUsdt: number;
                        readonly reason?: string;
                        readonly reference: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Credit"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["Credit"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/deposits": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly amountUsdt: number;
                        readonly network: string;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["DepositAnswer"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/key": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                        readonly scopes?: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedNewKey"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["NewKey"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountAnswer"];
                    };
                };
            };
        };
        readonly patch: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly active: boolean;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountAnswer"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/price": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query: {
                    readonly productId: number;
                    readonly quantity?: number;
                };
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ExplainedPrice"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/prices": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly limit?: number;
                };
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountPricePage"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/prices/{productId}": {
        readonly parameters: {
        };
        readonly put: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                    readonly productId: components["parameters"]["PricedProductId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly priceTiers?: readonly {
                            readonly minQuantity: number;
                            readonly priceUsdt: number;
                        }[];
                        readonly priceUsdt: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AccountPrice"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                    readonly productId: components["parameters"]["PricedProductId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RemovedAccountPrice"];
                    };
                };
            };
        };
    };
    readonly "/accounts/{id}/statement": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly excel?: boolean;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly timeZone?: string;
                    readonly to?: string;
                };
                readonly header?: {
                    readonly Accept?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["AccountId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Statement"];
                        readonly "text/csv": string;
                    };
                };
            };
        };
    };
    readonly "/alerts": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Alerts"];
                    };
                };
            };
        };
    };
    readonly "/audit": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly accountId?: number;
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly operator?: string;
                    readonly to?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Audit"];
                    };
                };
            };
        };
    };
    readonly "/backups": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Backups"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                        readonly target: string;
                    };
                };
            };
            readonly responses: {
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["BackupBegun"];
                    };
                };
            };
        };
    };
    readonly "/backups/drill": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["DrillBegun"];
                    };
                };
            };
        };
    };
    readonly "/backups/status": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["BackupStatus"];
                    };
                };
            };
        };
    };
    readonly "/bots": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["BotList"];
                    };
                };
            };
        };
    };
    readonly "/cluster": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Cluster"];
                    };
                };
            };
        };
    };
    readonly "/cluster/handover": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["Handover"];
                    };
                };
            };
        };
    };
    readonly "/cluster/trim": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Trimmed"];
                    };
                };
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["Trimming"];
                    };
                };
            };
        };
    };
    readonly "/console-codes": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["ConsoleCode"];
                    };
                };
            };
        };
    };
    readonly "/deposits": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly accountId?: number;
                    readonly cursor?: string;
                    readonly limit?: number;
                    readonly state?: "waiting" | "credited" | "expired" | "unclaimed";
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["DepositPage"];
                    };
                };
            };
        };
    };
    readonly "/deposits/addresses": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly watching?: boolean;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["DepositAddresses"];
                    };
                };
            };
        };
    };
    readonly "/deposits/observed": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly address: string;
                        readonly amountUsdt: number;
                        readonly at: number;
                        readonly confirmations: number;
                        readonly logIndex?: number;
                        readonly network: string;
                        readonly reason?: string;
                        readonly txId: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ObservedTransfer"];
                    };
                };
            };
        };
    };
    readonly "/deposits/unclaimed/{reference}/assign": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly reference: components["parameters"]["TransferReference"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly accountId: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AssignedTransfer"];
                    };
                };
            };
        };
    };
    readonly "/feed": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly after?: number;
                    readonly blockedChats?: number;
                    readonly epoch?: number;
                    readonly from?: string;
                    readonly types?: string;
                    readonly unsentMessages?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
    };
    readonly "/items/search": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly productId?: number;
                        readonly reason?: string;
                        readonly text: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["FoundItems"];
                    };
                };
            };
        };
    };
    readonly "/live": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Live"];
                    };
                };
            };
        };
    };
    readonly "/lots/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["LotId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LotAnswer"];
                    };
                };
            };
        };
    };
    readonly "/lots/{id}/recall": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["LotId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LotRecall"];
                    };
                };
            };
        };
    };
    readonly "/lots/{id}/sold": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly to?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["LotId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LotSoldPage"];
                    };
                };
            };
        };
    };
    readonly "/metrics": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "text/plain": string;
                    };
                };
            };
        };
    };
    readonly "/openapi.json": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OpenApiDocument"];
                    };
                };
            };
        };
    };
    readonly "/operators": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly to?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OperatorPage"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly expiresAt?: string | number;
                        readonly externalIdPrefix?: string;
                        readonly name: string;
                        readonly reason?: string;
                        /** @enum {string} */
                        readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedOperatorWithToken"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["OperatorWithToken"];
                    };
                };
            };
        };
    };
    readonly "/operators/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["OperatorId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OperatorAnswer"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["OperatorId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OperatorAnswer"];
                    };
                };
            };
        };
    };
    readonly "/operators/{id}/token": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    readonly overlap?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["OperatorId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly expiresAt?: string | number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["OperatorWithToken"];
                    };
                };
            };
        };
    };
    readonly "/orders": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly accountId?: number;
                    readonly cursor?: string;
                    readonly excel?: boolean;
                    readonly from?: string;
                    readonly idempotencyKey?: string;
                    readonly limit?: number;
                    readonly productId?: number;
                    readonly recipient?: string;
                    readonly requestId?: string;
                    readonly status?: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
                    readonly timeZone?: string;
                    readonly to?: string;
                };
                readonly header?: {
                    readonly Accept?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OrderPage"];
                        readonly "text/csv": string;
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly accountId: number;
                        readonly productId: number;
                        readonly quantity?: number;
                        readonly reason?: string;
                        readonly recipient?: {
                            readonly username?: string;
                        };
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedOpenedOrder"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["OpenedOrder"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly items?: boolean;
                };
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OrderAnswer"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/complete": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly items?: readonly string[];
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OrderAnswer"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/fail": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OrderAnswer"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/file": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly header?: {
                    readonly "If-None-Match"?: string;
                    readonly "If-Range"?: string;
                    readonly Range?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "*/*": unknown;
                    };
                };
                readonly 206: {
                    content: {
                        readonly "*/*": unknown;
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/pay": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly expectedPriceUsdt?: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OrderAnswer"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/refund": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly amountUsdt?: number;
                        readonly items?: readonly number[];
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RefundedOrder"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/replace": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly items: readonly number[];
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ReplacedOrder"];
                    };
                };
            };
        };
    };
    readonly "/orders/{id}/timeline": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["OrderId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["OrderTimeline"];
                    };
                };
            };
        };
    };
    readonly "/overview": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Overview"];
                    };
                };
            };
        };
    };
    readonly "/price-lists": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly limit?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["PriceListPage"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        readonly percent?: number | null;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedPriceListAnswer"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["PriceListAnswer"];
                    };
                };
            };
        };
    };
    readonly "/price-lists/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly limit?: number;
                };
                readonly path: {
                    readonly id: components["parameters"]["PriceListId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["PriceListRead"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["PriceListId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["DeletedPriceList"];
                    };
                };
            };
        };
        readonly patch: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["PriceListId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name?: string;
                        readonly percent?: number | null;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["PriceListAnswer"];
                    };
                };
            };
        };
    };
    readonly "/price-lists/{id}/import": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    readonly charset?: "windows-1252";
                    readonly dryRun?: boolean;
                    readonly leaveOutBadLines?: boolean;
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["PriceListId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "text/csv": string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["PriceImport"];
                    };
                };
            };
        };
    };
    readonly "/price-lists/{id}/prices/{productId}": {
        readonly parameters: {
        };
        readonly put: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["PriceListId"];
                    readonly productId: components["parameters"]["PricedProductId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly priceTiers?: readonly {
                            readonly minQuantity: number;
                            readonly priceUsdt: number;
                        }[];
                        readonly priceUsdt: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ListPrice"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["PriceListId"];
                    readonly productId: components["parameters"]["PricedProductId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RemovedListPrice"];
                    };
                };
            };
        };
    };
    readonly "/products": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly search?: string;
                    readonly to?: string;
                };
                readonly header?: {
                    readonly Accept?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ProductPage"];
                        readonly "text/csv": string;
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly active?: boolean;
                        readonly allowDuplicates?: boolean;
                        readonly attributes?: {
                            readonly [key: string]: string;
                        };
                        readonly category?: string | null;
                        readonly description?: string;
                        readonly imageUrl?: string | null;
                        readonly instructions?: string;
                        readonly lowStock?: number | null;
                        readonly maxQuantity?: number | null;
                        readonly minQuantity?: number;
                        readonly name: string;
                        readonly priceTiers?: readonly {
                            readonly minQuantity: number;
                            readonly priceUsdt: number;
                        }[];
                        readonly priceUsdt: number;
                        readonly productId?: number;
                        readonly reason?: string;
                        readonly requiresRecipient?: boolean;
                        readonly sku?: string | null;
                        readonly sources?: readonly {
                            readonly sku: string;
                            readonly supplierId: number;
                        }[];
                        readonly supplierId?: number | null;
                        readonly supplierSku?: string | null;
                        /** @enum {string} */
                        readonly type?: "standard" | "file" | "manual";
                        /** @enum {string} */
                        readonly visibility?: "all" | "listed";
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedProductAnswer"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["ProductAnswer"];
                    };
                };
            };
        };
    };
    readonly "/products/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ProductAnswer"];
                    };
                };
            };
        };
        readonly patch: {
            readonly parameters: {
                readonly header?: {
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly active?: boolean;
                        readonly allowDuplicates?: boolean;
                        readonly attributes?: {
                            readonly [key: string]: string;
                        };
                        readonly category?: string | null;
                        readonly description?: string;
                        readonly imageUrl?: string | null;
                        readonly instructions?: string;
                        readonly lowStock?: number | null;
                        readonly maxQuantity?: number | null;
                        readonly minQuantity?: number;
                        readonly name?: string;
                        readonly priceTiers?: readonly {
                            readonly minQuantity: number;
                            readonly priceUsdt: number;
                        }[];
                        readonly priceUsdt?: number;
                        readonly reason?: string;
                        readonly requiresRecipient?: boolean;
                        readonly sku?: string | null;
                        readonly sources?: readonly {
                            readonly sku: string;
                            readonly supplierId: number;
                        }[];
                        readonly supplierId?: number | null;
                        readonly supplierSku?: string | null;
                        /** @enum {string} */
                        readonly type?: "standard" | "file" | "manual";
                        /** @enum {string} */
                        readonly visibility?: "all" | "listed";
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ProductAnswer"];
                    };
                };
            };
        };
    };
    readonly "/products/{id}/file": {
        readonly parameters: {
        };
        readonly put: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "*/*": unknown;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ProductAnswer"];
                    };
                };
            };
        };
    };
    readonly "/products/{id}/lots": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly to?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["LotPage"];
                    };
                };
            };
        };
    };
    readonly "/products/{id}/stock": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    readonly allowDuplicates?: boolean;
                    readonly charset?: "windows-1252";
                    readonly column?: string;
                    readonly costUsdt?: number;
                    readonly dryRun?: boolean;
                    readonly leaveOutBadLines?: boolean;
                    readonly reason?: string;
                    readonly reference?: string;
                    readonly source?: string;
                };
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly items: readonly string[];
                        readonly reason?: string;
                    };
                    readonly "text/csv": string;
                    readonly "text/plain": string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["AddStockAnswer"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["StockAdded"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query: {
                    readonly count: number;
                    readonly reason?: string;
                };
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["StockWithdrawn"];
                    };
                };
            };
        };
    };
    readonly "/products/{id}/stock/withdrawn": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly limit?: number;
                };
                readonly path: {
                    readonly id: components["parameters"]["ProductId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["WithdrawnItems"];
                    };
                };
            };
        };
    };
    readonly "/products/import": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    readonly charset?: "windows-1252";
                    readonly dryRun?: boolean;
                    readonly leaveOutBadLines?: boolean;
                    readonly reason?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "text/csv": string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ProductImport"];
                    };
                };
            };
        };
    };
    readonly "/ready": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Ready"];
                    };
                };
            };
        };
    };
    readonly "/rekey": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Keys"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly newKey?: string;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["MasterKeyChanged"];
                    };
                };
            };
        };
    };
    readonly "/rekey/save": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["MasterKeyShown"];
                    };
                };
            };
        };
    };
    readonly "/reports/money": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly by?: "day" | "product" | "productId" | "account" | "accountId";
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly timeZone?: string;
                    readonly to?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["MoneyReport"];
                    };
                };
            };
        };
    };
    readonly "/restore": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Restore"];
                    };
                };
            };
        };
    };
    readonly "/restore/open": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly all?: "keep" | "end";
                        /** @enum {string} */
                        readonly keys?: "keep" | "end";
                        /** @enum {string} */
                        readonly operators?: "keep" | "end";
                        /** @enum {string} */
                        readonly products?: "keep" | "end";
                        readonly reason?: string;
                        /** @enum {string} */
                        readonly webhooks?: "keep" | "end";
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SalesOpened"];
                    };
                };
            };
        };
    };
    readonly "/restore/quarantine": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly count: number;
                        readonly productId?: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ItemsQuarantined"];
                    };
                };
            };
        };
    };
    readonly "/restore/receipts": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "text/plain": string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["ReceiptsTakenIn"];
                    };
                };
            };
        };
    };
    readonly "/restore/release": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly productId?: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["QuarantineEnded"];
                    };
                };
            };
        };
    };
    readonly "/restore/withdraw": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly productId?: number;
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["QuarantineEnded"];
                    };
                };
            };
        };
    };
    readonly "/session": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["CallerAnswer"];
                    };
                };
            };
        };
    };
    readonly "/sessions": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SessionList"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly code?: string;
                        readonly reason?: string;
                        readonly token?: string;
                    };
                };
            };
            readonly responses: {
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["SessionWithToken"];
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}": {
        readonly parameters: {
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    readonly reason?: string;
                };
                readonly path: {
                    readonly id: components["parameters"]["SessionId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SessionAnswer"];
                    };
                };
            };
        };
    };
    readonly "/settings": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Settings"];
                    };
                };
            };
        };
    };
    readonly "/status": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["Status"];
                    };
                };
            };
        };
    };
    readonly "/supplier-purchases": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly to?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SupplierPurchasePage"];
                    };
                };
            };
        };
    };
    readonly "/supplier-purchases/{reference}/give-up": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly reference: components["parameters"]["Reference"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["GivenUpSupplierPurchase"];
                    };
                };
            };
        };
    };
    readonly "/supplier-purchases/reconcile": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SupplierPurchasePage"];
                    };
                };
            };
        };
    };
    readonly "/suppliers": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly to?: string;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SupplierPage"];
                    };
                };
            };
        };
        readonly post: {
            readonly parameters: {
                readonly header?: {
                    readonly "Idempotency-Key"?: string;
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        readonly reason?: string;
                        readonly secret: string;
                        readonly url: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["RepeatedSupplierAnswer"];
                    };
                };
                readonly 201: {
                    content: {
                        readonly "application/json": components["schemas"]["SupplierAnswer"];
                    };
                };
            };
        };
    };
    readonly "/suppliers/{id}": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["SupplierId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SupplierAnswer"];
                    };
                };
            };
        };
        readonly patch: {
            readonly parameters: {
                readonly path: {
                    readonly id: components["parameters"]["SupplierId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name?: string;
                        readonly reason?: string;
                        readonly secret?: string;
                        readonly url?: string;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["SupplierAnswer"];
                    };
                };
            };
        };
    };
    readonly "/webhooks": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly failing?: boolean;
                    readonly limit?: number;
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookPage"];
                    };
                };
            };
        };
    };
    readonly "/webhooks/{accountId}/deliveries": {
        readonly parameters: {
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly from?: string;
                    readonly limit?: number;
                    readonly to?: string;
                };
                readonly path: {
                    readonly accountId: components["parameters"]["WebhookAccountId"];
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookDeliveryPage"];
                    };
                };
            };
        };
    };
    readonly "/webhooks/{accountId}/deliveries/{eventId}/replay": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly accountId: components["parameters"]["WebhookAccountId"];
                    readonly eventId: components["parameters"]["EventId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookReplay"];
                    };
                };
            };
        };
    };
    readonly "/webhooks/{accountId}/replay": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    readonly cursor?: string;
                    readonly limit?: number;
                };
                readonly path: {
                    readonly accountId: components["parameters"]["WebhookAccountId"];
                };
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly dryRun?: boolean;
                        readonly reason?: string;
                        readonly since: string | number;
                        /** @enum {string} */
                        readonly status?: "delivered" | "discarded";
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookReplayCount"];
                    };
                };
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookReplays"];
                    };
                };
            };
        };
    };
    readonly "/webhooks/{accountId}/test": {
        readonly parameters: {
        };
        readonly post: {
            readonly parameters: {
                readonly path: {
                    readonly accountId: components["parameters"]["WebhookAccountId"];
                };
            };
            readonly requestBody?: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                readonly 202: {
                    content: {
                        readonly "application/json": components["schemas"]["WebhookTest"];
                    };
                };
            };
        };
    };
}
export interface components {
    schemas: {
        readonly Account: {
            readonly accountId: number;
            readonly allowedNetworks: readonly string[] | null;
            readonly balanceUsdt: number;
            readonly botId?: number;
            readonly createdAt: number;
            readonly externalId: string | null;
            readonly heldUsdt: number;
            readonly keyActive?: boolean;
            readonly keyPrefix?: string;
            readonly name: string;
            readonly priceListId: number | null;
            readonly rateLimitPerMinute: number | null;
            readonly scopes?: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
            readonly spendLimits: readonly {
                readonly amountUsdt: number;
                readonly windowHours: number;
            }[];
            readonly webhookConcurrency: number;
        };
        readonly AccountAnswer: {
            readonly accountId: number;
            readonly allowedNetworks: readonly string[] | null;
            readonly balanceUsdt: number;
            readonly botId?: number;
            readonly createdAt: number;
            readonly externalId: string | null;
            readonly heldUsdt: number;
            readonly keyActive?: boolean;
            readonly keyPrefix?: string;
            readonly name: string;
            readonly priceListId: number | null;
            readonly rateLimitPerMinute: number | null;
            readonly requestId: string;
            readonly scopes?: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
            readonly spendLimits: readonly {
                readonly amountUsdt: number;
                readonly windowHours: number;
            }[];
            /** @constant */
            readonly success: true;
            readonly webhookConcurrency: number;
        };
        readonly AccountPage: {
            readonly accounts: readonly components["schemas"]["Account"][];
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly AccountPrice: {
            readonly accountId: number;
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            readonly priceUsdt: number;
            readonly productId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly AccountPricePage: {
            readonly accountId: number;
            readonly nextCursor?: string;
            readonly prices: readonly components["schemas"]["OwnPrice"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly AccountRead: {
            readonly accountId: number;
            readonly allowedNetworks: readonly string[] | null;
            readonly balanceUsdt: number;
            readonly botId?: number;
            readonly createdAt: number;
            readonly externalId: string | null;
            readonly heldUsdt: number;
            readonly keyActive?: boolean;
            readonly keyPrefix?: string;
            readonly name: string;
            readonly priceListId: number | null;
            readonly rateLimitPerMinute: number | null;
            readonly requestId: string;
            readonly scopes?: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
            readonly spendLimits: readonly {
                readonly amountUsdt: number;
                readonly windowHours: number;
            }[];
            /** @constant */
            readonly success: true;
            readonly webhook: components["schemas"]["AccountWebhook"];
            readonly webhookConcurrency: number;
        };
        readonly AccountWebhook: {
            readonly balanceThresholdUsdt: number | null;
            readonly events: readonly ("order.completed" | "order.failed" | "catalog.updated" | "stock.changed" | "balance.low" | "order.refunded" | "order.items_replaced" | "balance.credited")[];
            readonly host: string;
        } | null;
        readonly AddStockAnswer: components["schemas"]["RepeatedStockAdded"] | components["schemas"]["StockDryRun"];
        readonly Adjustment: {
            readonly amountUsdt?: number;
            readonly at: number;
            readonly idempotencyKey?: string;
            readonly items?: readonly number[];
            /** @enum {string} */
            readonly kind: "refund" | "replacement";
            readonly newItems?: readonly number[];
            readonly oldItems?: readonly (number | null)[];
        };
        readonly Alert: {
            readonly at: number;
            /** @enum {string} */
            readonly class: "operations" | "buyer";
            /** @enum {string} */
            readonly error: "BAD_REQUEST" | "UNAUTHORIZED" | "RATE_LIMITED" | "ADDRESS_NOT_ALLOWED" | "WEBHOOK_EVENT_DISCARDED" | "LATE_DELIVERY" | "SUPPLIER_CONTRADICTION" | "SALES_CLOSED" | "DISK_LOW" | "DISK_FULL" | "CHECKPOINT_BEHIND" | "OUTBOX_BEHIND" | "BACKUP_ALTERED" | "BACKUP_BEHIND" | "BACKUP_DRILL" | "BACKUP_STOPPED" | "LOG_LOST" | "DELIVERY_OVERDUE" | "SUPPLIER_CIRCUIT_OPEN" | "SUPPLIER_PURCHASES_OPEN" | "DEPOSIT_UNCLAIMED" | "DEPOSITS_SILENT" | "STOCK_LOW";
            readonly message: string;
            /** @enum {string} */
            readonly state?: "firing" | "resolved";
        } & {
            readonly [key: string]: unknown;
        };
        readonly Alerts: {
            readonly firing: readonly components["schemas"]["FiringState"][];
            readonly firingCount: number;
            readonly recent: readonly components["schemas"]["Alert"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly AssignedTransfer: {
            readonly accountId: number;
            readonly amountUsdt: number;
            readonly balanceUsdt: number;
            readonly reference: string;
            readonly repeated?: boolean;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Attention: {
            readonly alertsFiring: number;
            readonly deliveries: number;
            readonly supplierCircuitsOpen: number;
            readonly supplierPurchasesOpen: number;
            readonly supplierPurchasesUnresolved: number;
            readonly webhookEventsPending: number;
            readonly webhooksFailing: number;
        };
        readonly Audit: {
            readonly entries: readonly components["schemas"]["AuditEntry"][];
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly AuditChange: {
            readonly field: string;
            readonly from: unknown;
            readonly productId?: number;
            readonly to: unknown;
        };
        readonly AuditEntry: {
            readonly accountId?: number;
            readonly action: string;
            readonly at: number;
            readonly changes?: readonly components["schemas"]["AuditChange"][];
            readonly eventId?: string;
            readonly lotId?: number;
            readonly operator: string;
            readonly orderId?: number;
            readonly orderIds?: readonly number[];
            readonly priceListId?: number;
            readonly productId?: number;
            readonly reason?: string;
            readonly requestId?: string;
            readonly seq: number;
            readonly supplierId?: number;
            readonly supplierPurchaseId?: number;
            readonly targetOperator?: string;
        };
        readonly AvailableStock: number | "unlimited";
        readonly Backup: {
            readonly at: number;
            readonly backupId: string;
            readonly bytes: number;
            readonly error?: string;
            readonly position: {
                readonly hash: string;
                readonly seq: number;
            } | null;
            /** @enum {string} */
            readonly state: "running" | "complete" | "failed";
            readonly target: string;
        };
        readonly BackupAge: {
            readonly drillAgeSeconds: number | null;
            readonly drillOk: boolean | null;
            readonly lagSeconds: number;
        } | null;
        readonly BackupBegun: {
            readonly backupId: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Backups: {
            readonly backups: readonly components["schemas"]["Backup"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly BackupStatus: {
            readonly drill: {
                readonly at: number;
                readonly error?: string;
                readonly ok: boolean;
                readonly position: {
                    readonly hash: string;
                    readonly seq: number;
                } | null;
            } | null;
            readonly drilling: boolean;
            readonly error: string | null;
            readonly fenced: boolean;
            readonly lagSeconds: number | null;
            readonly position: {
                readonly hash: string;
                readonly seq: number;
            } | null;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly target: string | null;
        };
        readonly BadImportLine: {
            readonly column: string;
            readonly line: number;
            readonly message: string;
        };
        readonly BadLineReason: {
            readonly count: number;
            readonly lines: readonly components["schemas"]["LineRange"][];
            readonly reason: string;
        };
        readonly Bot: {
            readonly behind: number | null;
            readonly blockedChats: number | null;
            readonly externalIdPrefix: string;
            readonly lastSeenAt: number | null;
            readonly name: string;
            readonly nextLineAt: number | null;
            readonly operatorId: number;
            readonly unsentMessages: number | null;
        };
        readonly BotList: {
            readonly bots: readonly components["schemas"]["Bot"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly CallerAnswer: {
            readonly expiresAt?: number;
            readonly operator: string;
            readonly operatorId: number;
            readonly requestId: string;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            readonly sessionId?: number;
            /** @constant */
            readonly success: true;
        };
        readonly Cluster: {
            readonly leader: string | null;
            readonly nodes: readonly {
                readonly applied: number;
                readonly node: string;
                /** @enum {string} */
                readonly role: "leader" | "follower";
                readonly url: string;
            }[];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly term: number;
        };
        readonly ConsoleCode: {
            readonly code: string;
            readonly expiresAt: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Credit: {
            readonly accountId: number;
            readonly amountUsdt: number;
            readonly balanceUsdt: number;
            readonly reference: string;
            /** @constant */
            readonly repeated?: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly DeletedPriceList: {
            readonly priceListId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Delivery: {
            readonly downloadUrl?: string;
            readonly items?: readonly string[];
        };
        readonly Deposit: {
            readonly accountId?: number;
            readonly address: string;
            readonly amountUsdt: number;
            readonly createdAt?: number;
            readonly depositId?: number;
            readonly expiresAt?: number;
            readonly network: string;
            readonly paidAt?: number;
            readonly payUsdt?: number;
            readonly reference?: string;
            readonly seenAt?: number;
            readonly state: string;
        };
        readonly DepositAddress: {
            readonly address: string;
            readonly network: string;
        };
        readonly DepositAddresses: {
            readonly addresses: readonly components["schemas"]["DepositAddress"][];
            readonly confirmations: number;
            readonly epoch: number;
            readonly heardAt?: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly DepositAnswer: {
            readonly accountId: number;
            readonly address: string;
            readonly amountUsdt: number;
            readonly createdAt: number;
            readonly depositId: number;
            readonly expiresAt: number;
            readonly network: string;
            readonly payUsdt: number;
            readonly reference?: string;
            readonly requestId: string;
            readonly state: string;
            /** @constant */
            readonly success: true;
        };
        readonly DepositPage: {
            readonly deposits: readonly components["schemas"]["Deposit"][];
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly DiskRoom: {
            readonly freeBytes: number;
            readonly totalBytes: number;
        } | null;
        readonly DrillBegun: {
            readonly drill: {
                readonly at: number;
                readonly error?: string;
                readonly ok: boolean;
                readonly position: {
                    readonly hash: string;
                    readonly seq: number;
                } | null;
            } | null;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly DuplicatesOf: {
            readonly count: number;
            readonly lines: readonly components["schemas"]["LineRange"][];
            readonly productId: number;
        };
        readonly EndedQuarantine: {
            readonly productId: number;
            readonly released: number;
            readonly withdrawn: number;
        };
        readonly EndedSupplierPurchase: {
            readonly accountId: number;
            /** @enum {string} */
            readonly cause?: "OUT_OF_STOCK" | "PURCHASE_FAILED" | "PROVIDER_TIMEOUT" | "IDEMPOTENCY_UNRESOLVED" | "ORDER_ENDED";
            readonly createdAt: number;
            readonly endedAt: number;
            readonly holdReference?: string;
            readonly idempotencyKey?: string;
            readonly itemsDelivered: number;
            readonly itemsIntoStock: number;
            readonly orderId?: number;
            readonly productId: number;
            readonly quantity: number;
            readonly reference: string;
            readonly requestId?: string;
            /** @enum {string} */
            readonly result: "delivered" | "failed" | "unknown" | "given-up";
            readonly supplierId: number;
            readonly supplierPurchaseId: number;
            readonly supplierSku: string;
            readonly totalPriceUsdt: number;
        };
        readonly ErrorAnswer: {
            readonly currentPriceUsdt?: number;
            readonly epoch?: number;
            /** @enum {string} */
            readonly error: "ALREADY_TAKEN" | "BAD_REQUEST" | "CHANGED_MEANWHILE" | "DELIVERY_UNAVAILABLE" | "FORBIDDEN" | "IDEMPOTENCY_CONFLICT" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "NOT_FOUND" | "NOT_LEADING" | "NOT_READY" | "OTHER_EPOCH" | "OUT_OF_STOCK" | "PRICE_CHANGED" | "PROVIDER_TIMEOUT" | "PURCHASE_FAILED" | "RATE_LIMITED" | "REPLAY_NOT_ALLOWED" | "SALES_CLOSED" | "TRANSITION_NOT_ALLOWED" | "UNAUTHORIZED";
            readonly forkAfter?: number;
            readonly leader?: components["schemas"]["Leader"];
            readonly message: string;
            readonly product?: components["schemas"]["Product"];
            readonly requestId: string;
            /** @constant */
            readonly success: false;
        };
        readonly ExplainedPrice: {
            readonly accountId: number;
            readonly priceListId?: number;
            readonly productId: number;
            readonly quantity: number;
            readonly requestId: string;
            /** @enum {string} */
            readonly rule: "account" | "list" | "percent" | "product";
            /** @constant */
            readonly success: true;
            readonly totalUsdt: number;
            readonly unitUsdt: number;
            readonly visible: boolean;
        };
        readonly FiringState: {
            /** @enum {string} */
            readonly class: "operations" | "buyer";
            /** @enum {string} */
            readonly error: "SALES_CLOSED" | "DISK_LOW" | "DISK_FULL" | "CHECKPOINT_BEHIND" | "OUTBOX_BEHIND" | "BACKUP_ALTERED" | "BACKUP_BEHIND" | "BACKUP_DRILL" | "BACKUP_STOPPED" | "LOG_LOST" | "DELIVERY_OVERDUE" | "SUPPLIER_CIRCUIT_OPEN" | "SUPPLIER_PURCHASES_OPEN" | "DEPOSIT_UNCLAIMED" | "DEPOSITS_SILENT" | "STOCK_LOW";
            readonly message: string;
            readonly since: number;
        } & {
            readonly [key: string]: unknown;
        };
        readonly FoundItem: {
            readonly accountId?: number;
            readonly at?: number;
            readonly exact: boolean;
            readonly lotId?: number;
            readonly orderId?: number;
            readonly productId: number;
            /** @enum {string} */
            readonly state: "available" | "sold" | "withdrawn";
        };
        readonly FoundItems: {
            readonly items: readonly components["schemas"]["FoundItem"][];
            /** @constant */
            readonly more?: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly GivenUpSupplierPurchase: {
            readonly accountId: number;
            /** @enum {string} */
            readonly cause?: "OUT_OF_STOCK" | "PURCHASE_FAILED" | "PROVIDER_TIMEOUT" | "IDEMPOTENCY_UNRESOLVED" | "ORDER_ENDED";
            readonly createdAt: number;
            readonly endedAt: number;
            readonly holdReference?: string;
            readonly idempotencyKey?: string;
            readonly itemsDelivered: number;
            readonly itemsIntoStock: number;
            readonly orderId?: number;
            readonly productId: number;
            readonly quantity: number;
            readonly reference: string;
            readonly requestId: string;
            /** @enum {string} */
            readonly result: "delivered" | "failed" | "unknown" | "given-up";
            /** @constant */
            readonly success: true;
            readonly supplierId: number;
            readonly supplierPurchaseId: number;
            readonly supplierSku: string;
            readonly totalPriceUsdt: number;
        };
        readonly Handover: {
            readonly leader: string | null;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly ImportedProduct: {
            readonly changes: readonly {
                readonly field: string;
                readonly from: unknown;
                readonly to: unknown;
            }[];
            readonly line: number;
            readonly productId?: number;
            readonly sku: string;
        };
        readonly ItemsQuarantined: {
            readonly products: readonly components["schemas"]["QuarantinedProduct"][];
            readonly quarantined: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Keys: {
            /** @enum {string} */
            readonly masterKeyFrom: "file" | "environment";
            readonly masterKeyId: string;
            readonly masterKeySaved?: boolean;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Leader: {
            readonly node: string;
            readonly url: string;
        } | null;
        readonly LineRange: {
            readonly first: number;
            readonly last: number;
        };
        readonly ListPrice: {
            readonly priceListId: number;
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            readonly priceUsdt: number;
            readonly productId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Live: {
            /** @constant */
            readonly live: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly LookAlike: {
            readonly added: boolean;
            readonly differsIn: readonly string[];
            readonly item?: number;
            readonly likeLine?: number;
            readonly line: number;
            readonly orderId?: number;
            readonly productId?: number;
        };
        readonly Lot: {
            readonly added: number;
            readonly at: number;
            readonly available: number;
            readonly costUsdt?: number;
            readonly lotId: number;
            readonly productId: number;
            readonly quarantined?: number;
            readonly recalledAt?: number;
            readonly reference?: string;
            readonly sold: number;
            readonly source?: string;
            readonly withdrawn: number;
        };
        readonly LotAnswer: {
            readonly added: number;
            readonly at: number;
            readonly available: number;
            readonly costUsdt?: number;
            readonly lotId: number;
            readonly productId: number;
            readonly quarantined?: number;
            readonly recalledAt?: number;
            readonly reference?: string;
            readonly requestId: string;
            readonly sold: number;
            readonly source?: string;
            /** @constant */
            readonly success: true;
            readonly withdrawn: number;
        };
        readonly LotPage: {
            readonly lots: readonly components["schemas"]["Lot"][];
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly LotRecall: {
            readonly added: number;
            readonly copiesWithdrawn?: number;
            readonly costUsdt?: number;
            readonly lotId: number;
            readonly nextCursor?: string;
            readonly productId: number;
            readonly recalledAt: number;
            readonly reference?: string;
            readonly requestId: string;
            readonly sold: readonly components["schemas"]["SoldOrder"][];
            readonly source?: string;
            /** @constant */
            readonly success: true;
            readonly withdrawn: number;
        };
        readonly LotSoldPage: {
            readonly nextCursor?: string;
            readonly requestId: string;
            readonly sold: readonly components["schemas"]["SoldOrder"][];
            /** @constant */
            readonly success: true;
        };
        readonly MasterKeyChanged: {
            readonly masterKeyId: string;
            readonly message: string;
            readonly previousMasterKeyId: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly MasterKeyShown: {
            readonly masterKey: string;
            readonly masterKeyId: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly MoneyReport: {
            readonly depositsUsdt: number;
            readonly heldUsdt: number;
            readonly nextCursor?: string;
            readonly refundsUsdt: number;
            readonly requestId: string;
            readonly rows: readonly components["schemas"]["MoneyRow"][];
            readonly salesUsdt: number;
            /** @constant */
            readonly success: true;
            readonly timeZone: string;
            readonly walletsUsdt: number;
        };
        readonly MoneyRow: {
            readonly accountId?: number;
            readonly day?: string;
            readonly depositsUsdt: number;
            readonly heldUsdt: number;
            readonly productId?: number;
            readonly refundsUsdt: number;
            readonly salesUsdt: number;
            readonly walletsUsdt: number;
        };
        readonly Movement: {
            readonly amountUsdt: number;
            readonly at: number;
            readonly balanceUsdt: number;
            /** @enum {string} */
            readonly kind: "purchase" | "credit" | "adjustment" | "hold" | "release" | "refund" | "return" | "capture" | "deposit";
            readonly operator?: string;
            readonly orderId?: number;
            readonly reason?: string;
            readonly reference?: string;
            readonly seq: number;
        };
        readonly NewKey: {
            readonly accountId: number;
            readonly apiKey: string;
            readonly keyPrefix: string;
            readonly requestId: string;
            readonly scopes: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
            /** @constant */
            readonly success: true;
        };
        readonly ObservedTransfer: {
            readonly accountId?: number;
            readonly requestId: string;
            readonly state: string;
            /** @constant */
            readonly success: true;
        };
        readonly OpenApiDocument: {
            readonly components: Record<string, never>;
            readonly info: Record<string, never>;
            readonly openapi: string;
            readonly paths: Record<string, never>;
            readonly servers: readonly Record<string, never>[];
            readonly tags: readonly Record<string, never>[];
        };
        readonly OpenedOrder: {
            readonly accountId: number;
            readonly balanceAfterUsdt: number;
            readonly createdAt: number;
            readonly orderId: number;
            readonly priceListId?: number;
            /** @enum {string} */
            readonly priceRule?: "account" | "list" | "percent" | "product";
            readonly productId: number;
            readonly quantity: number;
            readonly recipientUsername?: string;
            readonly requestId: string;
            /** @enum {string} */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @constant */
            readonly success: true;
            readonly totalPriceUsdt: number;
        };
        readonly Operator: {
            readonly createdAt: number;
            readonly expiresAt?: number;
            readonly externalIdPrefix?: string;
            readonly name: string;
            readonly operatorId: number;
            readonly previousTokenExpiresAt?: number;
            readonly revokedAt?: number;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
        };
        readonly OperatorAnswer: {
            readonly createdAt: number;
            readonly expiresAt?: number;
            readonly externalIdPrefix?: string;
            readonly name: string;
            readonly operatorId: number;
            readonly previousTokenExpiresAt?: number;
            readonly requestId: string;
            readonly revokedAt?: number;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            /** @constant */
            readonly success: true;
        };
        readonly OperatorPage: {
            readonly nextCursor?: string;
            readonly operators: readonly components["schemas"]["Operator"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly OperatorWithToken: {
            readonly createdAt: number;
            readonly expiresAt?: number;
            readonly externalIdPrefix?: string;
            readonly name: string;
            readonly operatorId: number;
            readonly previousTokenExpiresAt?: number;
            readonly requestId: string;
            readonly revokedAt?: number;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            /** @constant */
            readonly success: true;
            readonly token: string;
        };
        readonly Order: {
            readonly accountId: number;
            readonly balanceAfterUsdt: number;
            readonly createdAt: number;
            readonly idempotencyKey?: string;
            readonly orderId: number;
            readonly priceListId?: number;
            /** @enum {string} */
            readonly priceRule?: "account" | "list" | "percent" | "product";
            readonly productId: number;
            readonly quantity: number;
            readonly recipientUsername?: string;
            readonly refundedUsdt?: number;
            readonly requestId?: string;
            /** @enum {string} */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            readonly totalPriceUsdt: number;
        };
        readonly OrderAnswer: {
            readonly accountId: number;
            readonly adjustments?: readonly components["schemas"]["Adjustment"][];
            readonly balanceAfterUsdt: number;
            readonly createdAt: number;
            readonly delivery?: components["schemas"]["Delivery"];
            readonly idempotencyKey?: string;
            readonly orderId: number;
            readonly priceListId?: number;
            /** @enum {string} */
            readonly priceRule?: "account" | "list" | "percent" | "product";
            readonly productId: number;
            readonly purchaseRequestId?: string;
            readonly quantity: number;
            readonly recipientUsername?: string;
            readonly refundedUsdt?: number;
            readonly requestId: string;
            /** @enum {string} */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @constant */
            readonly success: true;
            readonly totalPriceUsdt: number;
        };
        readonly OrderPage: {
            readonly nextCursor?: string;
            readonly orders: readonly components["schemas"]["Order"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly timeZone?: string;
        };
        readonly OrderTimeline: {
            readonly events: readonly components["schemas"]["TimelineEvent"][];
            readonly omitted?: number;
            readonly orderId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            /** @constant */
            readonly webhooksOmitted?: true;
        };
        readonly Overview: {
            readonly at: number;
            readonly attention: components["schemas"]["Attention"];
            readonly backup: components["schemas"]["BackupAge"];
            readonly disk: components["schemas"]["DiskRoom"];
            readonly journalPosition: number;
            /** @enum {string} */
            readonly masterKeyFrom: "file" | "environment";
            readonly masterKeySaved?: boolean;
            readonly minutes: readonly components["schemas"]["OverviewMinute"][];
            readonly purchases: components["schemas"]["PurchasesNow"];
            readonly ready: boolean;
            readonly refusals: readonly components["schemas"]["RefusalCount"][];
            readonly requestId: string;
            readonly sold: components["schemas"]["SoldSinceStart"];
            readonly stock: readonly components["schemas"]["ProductCover"][];
            /** @constant */
            readonly success: true;
        };
        readonly OverviewMinute: {
            readonly at: number;
            readonly orders: number;
            readonly p50Ms: number | null;
            readonly p99Ms: number | null;
            readonly refusals: number;
            readonly seconds: number;
            readonly units: number;
            readonly usdt?: number;
        };
        readonly OwnPrice: {
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            readonly priceUsdt: number;
            readonly productId: number;
        };
        readonly PriceImport: {
            readonly created: number;
            readonly errorCount: number;
            readonly errors: readonly components["schemas"]["BadImportLine"][];
            readonly lines?: readonly components["schemas"]["PriceImportLine"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly unchanged: number;
            readonly updated: number;
        };
        readonly PriceImportLine: {
            readonly line: number;
            readonly newestCostUsdt: number | null;
            readonly newPriceUsdt: number;
            readonly oldPriceUsdt: number | null;
            readonly productId: number;
        };
        readonly PriceList: {
            readonly accounts: number;
            readonly createdAt?: number;
            readonly name: string;
            readonly percent: number | null;
            readonly priceListId: number;
            readonly prices: number;
        };
        readonly PriceListAnswer: {
            readonly accounts: number;
            readonly createdAt?: number;
            readonly name: string;
            readonly percent: number | null;
            readonly priceListId: number;
            readonly prices: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly PriceListPage: {
            readonly nextCursor?: string;
            readonly priceLists: readonly components["schemas"]["PriceList"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly PriceListRead: {
            readonly accounts: number;
            readonly createdAt?: number;
            readonly name: string;
            readonly nextCursor?: string;
            readonly percent: number | null;
            readonly priceListId: number;
            readonly prices: readonly components["schemas"]["OwnPrice"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly PriceTier: {
            readonly minQuantity: number;
            readonly priceUsdt: number;
        };
        readonly Product: {
            readonly active: boolean;
            readonly allowDuplicates: boolean;
            readonly attributes: {
                readonly [key: string]: string;
            };
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly category: string | null;
            readonly createdAt: number;
            readonly description: string;
            readonly file?: {
                readonly contentType: string;
                readonly fileId: string;
                readonly sha256: string;
                readonly sizeBytes: number;
            };
            readonly hoursOfCover?: number;
            readonly imageUrl: string | null;
            readonly instructions: string;
            readonly lowStock?: number;
            readonly maxQuantity: number | null;
            readonly minQuantity: number;
            readonly name: string;
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            readonly priceUsdt: number;
            readonly productId: number;
            readonly requiresRecipient: boolean;
            readonly sku: string | null;
            readonly soldLastDay: number;
            readonly sources?: readonly components["schemas"]["ProductSource"][];
            readonly supplierId?: number;
            readonly supplierSku?: string;
            /** @enum {string} */
            readonly type: "standard" | "file" | "manual";
            /** @enum {string} */
            readonly visibility: "all" | "listed";
        };
        readonly ProductAnswer: {
            readonly active: boolean;
            readonly allowDuplicates: boolean;
            readonly attributes: {
                readonly [key: string]: string;
            };
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly category: string | null;
            readonly createdAt: number;
            readonly description: string;
            readonly file?: {
                readonly contentType: string;
                readonly fileId: string;
                readonly sha256: string;
                readonly sizeBytes: number;
            };
            readonly hoursOfCover?: number;
            readonly imageUrl: string | null;
            readonly instructions: string;
            readonly lowStock?: number;
            readonly maxQuantity: number | null;
            readonly minQuantity: number;
            readonly name: string;
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            readonly priceUsdt: number;
            readonly productId: number;
            readonly requestId: string;
            readonly requiresRecipient: boolean;
            readonly sku: string | null;
            readonly soldLastDay: number;
            readonly sources?: readonly components["schemas"]["ProductSource"][];
            /** @constant */
            readonly success: true;
            readonly supplierId?: number;
            readonly supplierSku?: string;
            /** @enum {string} */
            readonly type: "standard" | "file" | "manual";
            /** @enum {string} */
            readonly visibility: "all" | "listed";
        };
        readonly ProductCover: {
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly hoursOfCover: number;
            readonly name: string;
            readonly productId: number;
        };
        readonly ProductImport: {
            readonly created: number;
            readonly errorCount: number;
            readonly errors: readonly components["schemas"]["BadImportLine"][];
            readonly lines?: readonly components["schemas"]["ImportedProduct"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly unchanged: number;
            readonly updated: number;
        };
        readonly ProductPage: {
            readonly nextCursor?: string;
            readonly products: readonly components["schemas"]["Product"][];
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly ProductSource: {
            readonly sku: string;
            readonly supplierId: number;
        };
        readonly PurchasesNow: {
            readonly p50Ms: number | null;
            readonly p99Ms: number | null;
            readonly perSecond: number;
        };
        readonly QuarantinedProduct: {
            readonly productId: number;
            readonly quarantined: number;
            readonly setAside: number;
        };
        readonly QuarantineEnded: {
            readonly products: readonly components["schemas"]["EndedQuarantine"][];
            readonly quarantined: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly Ready: {
            /** @constant */
            readonly ready: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly ReceiptInvalid: {
            readonly line: number;
            readonly reason: string;
        };
        readonly ReceiptPending: {
            readonly line: number;
            readonly orderId: number;
            readonly reason: string;
        };
        readonly ReceiptsTakenIn: {
            readonly invalid: readonly components["schemas"]["ReceiptInvalid"][];
            readonly invalidCount: number;
            readonly pending: readonly components["schemas"]["ReceiptPending"][];
            readonly pendingCount: number;
            readonly receipts: number;
            readonly recovered: number;
            readonly repeated: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly waiting: number;
        };
        readonly RefundedOrder: {
            readonly accountId: number;
            readonly adjustments?: readonly components["schemas"]["Adjustment"][];
            readonly balanceUsdt: number;
            readonly createdAt: number;
            readonly idempotencyKey?: string;
            readonly orderId: number;
            readonly priceListId?: number;
            /** @enum {string} */
            readonly priceRule?: "account" | "list" | "percent" | "product";
            readonly productId: number;
            readonly purchaseRequestId?: string;
            readonly quantity: number;
            readonly recipientUsername?: string;
            readonly refundedUsdt?: number;
            /** @constant */
            readonly repeated?: true;
            readonly requestId: string;
            /** @enum {string} */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @constant */
            readonly success: true;
            readonly totalPriceUsdt: number;
        };
        readonly RefusalCount: {
            readonly count: number;
            readonly error: string;
            readonly lastHour: number;
        };
        readonly RemovedAccountPrice: {
            readonly accountId: number;
            readonly productId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly RemovedListPrice: {
            readonly priceListId: number;
            readonly productId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly RepeatedAccountAnswer: {
            readonly accountId: number;
            readonly allowedNetworks: readonly string[] | null;
            readonly balanceUsdt: number;
            readonly botId?: number;
            readonly createdAt: number;
            readonly externalId: string | null;
            readonly heldUsdt: number;
            readonly keyActive?: boolean;
            readonly keyPrefix?: string;
            readonly name: string;
            readonly priceListId: number | null;
            readonly rateLimitPerMinute: number | null;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            readonly scopes?: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
            readonly spendLimits: readonly {
                readonly amountUsdt: number;
                readonly windowHours: number;
            }[];
            /** @constant */
            readonly success: true;
            readonly webhookConcurrency: number;
        };
        readonly RepeatedNewKey: {
            readonly accountId: number;
            readonly keyPrefix: string;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            readonly scopes: readonly ("catalog:read" | "balance:read" | "orders:write" | "orders:read" | "webhooks:read" | "webhooks:write")[];
            /** @constant */
            readonly success: true;
        };
        readonly RepeatedOpenedOrder: {
            readonly accountId: number;
            readonly balanceAfterUsdt: number;
            readonly createdAt: number;
            readonly orderId: number;
            readonly priceListId?: number;
            /** @enum {string} */
            readonly priceRule?: "account" | "list" | "percent" | "product";
            readonly productId: number;
            readonly quantity: number;
            readonly recipientUsername?: string;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            /** @enum {string} */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @constant */
            readonly success: true;
            readonly totalPriceUsdt: number;
        };
        readonly RepeatedOperatorWithToken: {
            readonly createdAt: number;
            readonly expiresAt?: number;
            readonly externalIdPrefix?: string;
            readonly name: string;
            readonly operatorId: number;
            readonly previousTokenExpiresAt?: number;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            readonly revokedAt?: number;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            /** @constant */
            readonly success: true;
        };
        readonly RepeatedPriceListAnswer: {
            readonly accounts: number;
            readonly createdAt?: number;
            readonly name: string;
            readonly percent: number | null;
            readonly priceListId: number;
            readonly prices: number;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly RepeatedProductAnswer: {
            readonly active: boolean;
            readonly allowDuplicates: boolean;
            readonly attributes: {
                readonly [key: string]: string;
            };
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly category: string | null;
            readonly createdAt: number;
            readonly description: string;
            readonly file?: {
                readonly contentType: string;
                readonly fileId: string;
                readonly sha256: string;
                readonly sizeBytes: number;
            };
            readonly hoursOfCover?: number;
            readonly imageUrl: string | null;
            readonly instructions: string;
            readonly lowStock?: number;
            readonly maxQuantity: number | null;
            readonly minQuantity: number;
            readonly name: string;
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            readonly priceUsdt: number;
            readonly productId: number;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            readonly requiresRecipient: boolean;
            readonly sku: string | null;
            readonly soldLastDay: number;
            readonly sources?: readonly components["schemas"]["ProductSource"][];
            /** @constant */
            readonly success: true;
            readonly supplierId?: number;
            readonly supplierSku?: string;
            /** @enum {string} */
            readonly type: "standard" | "file" | "manual";
            /** @enum {string} */
            readonly visibility: "all" | "listed";
        };
        readonly RepeatedStockAdded: {
            readonly added: number;
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly badLineCount?: number;
            readonly badLineReasons?: readonly components["schemas"]["BadLineReason"][];
            readonly badLines?: readonly number[];
            readonly duplicates: number;
            readonly duplicatesOf?: readonly components["schemas"]["DuplicatesOf"][];
            readonly lookAlikeCount?: number;
            readonly lookAlikes?: readonly components["schemas"]["LookAlike"][];
            readonly lotId?: number;
            readonly productId: number;
            readonly quarantined?: number;
            readonly recalled?: number;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly RepeatedSupplierAnswer: {
            /** @enum {string} */
            readonly circuit: "closed" | "open";
            readonly createdAt: number;
            readonly name: string;
            readonly openPurchases: number;
            /** @constant */
            readonly repeated: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly supplierId: number;
            readonly unresolvedPurchases: number;
            readonly url: string;
        };
        readonly ReplacedOrder: {
            readonly accountId: number;
            readonly adjustments?: readonly components["schemas"]["Adjustment"][];
            readonly balanceAfterUsdt: number;
            readonly createdAt: number;
            readonly delivery?: {
                readonly items: readonly string[];
            };
            readonly idempotencyKey?: string;
            readonly orderId: number;
            readonly priceListId?: number;
            /** @enum {string} */
            readonly priceRule?: "account" | "list" | "percent" | "product";
            readonly productId: number;
            readonly purchaseRequestId?: string;
            readonly quantity: number;
            readonly recipientUsername?: string;
            readonly refundedUsdt?: number;
            /** @constant */
            readonly repeated?: true;
            readonly requestId: string;
            /** @enum {string} */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @constant */
            readonly success: true;
            readonly totalPriceUsdt: number;
        };
        readonly Restore: {
            readonly epoch: number;
            readonly gap: {
                readonly from: number;
                readonly orders: number | null;
                readonly to: number;
            } | null;
            readonly quarantined: number;
            readonly requestId: string;
            /** @enum {string} */
            readonly sales: "open" | "closed";
            /** @constant */
            readonly success: true;
            readonly takenAway?: {
                readonly accountPrices: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenOwnPrice"][];
                };
                readonly accounts: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenTerms"][];
                };
                readonly complete: boolean;
                readonly items: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenItems"][];
                };
                readonly keys: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenKey"][];
                };
                readonly listPrices: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenListPrice"][];
                };
                readonly lots: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenLot"][];
                };
                readonly operators: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenOperator"][];
                };
                readonly priceLists: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenPercent"][];
                };
                readonly products: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenProduct"][];
                };
                readonly suppliers: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenSecret"][];
                };
                readonly to: number;
                readonly webhooks: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenWebhook"][];
                };
            } | null;
            readonly undecided?: {
                readonly keys: number;
                readonly operators: number;
                readonly products: number;
                readonly webhooks: number;
            };
            readonly waitingDebitCount: number;
            readonly waitingDebits: readonly components["schemas"]["WaitingDebit"][];
        };
        readonly SalesOpened: {
            readonly ended: {
                readonly keys: number;
                readonly operators: number;
                readonly products: number;
                readonly webhooks: number;
            };
            readonly epoch: number;
            readonly gap: {
                readonly from: number;
                readonly orders: number | null;
                readonly to: number;
            } | null;
            readonly quarantined: number;
            readonly requestId: string;
            /** @enum {string} */
            readonly sales: "open" | "closed";
            /** @constant */
            readonly success: true;
            readonly takenAway?: {
                readonly accountPrices: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenOwnPrice"][];
                };
                readonly accounts: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenTerms"][];
                };
                readonly complete: boolean;
                readonly items: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenItems"][];
                };
                readonly keys: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenKey"][];
                };
                readonly listPrices: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenListPrice"][];
                };
                readonly lots: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenLot"][];
                };
                readonly operators: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenOperator"][];
                };
                readonly priceLists: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenPercent"][];
                };
                readonly products: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenProduct"][];
                };
                readonly suppliers: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenSecret"][];
                };
                readonly to: number;
                readonly webhooks: {
                    readonly count: number;
                    readonly rows: readonly components["schemas"]["TakenWebhook"][];
                };
            } | null;
            readonly undecided?: {
                readonly keys: number;
                readonly operators: number;
                readonly products: number;
                readonly webhooks: number;
            };
            readonly waitingDebitCount: number;
            readonly waitingDebits: readonly components["schemas"]["WaitingDebit"][];
        };
        readonly Session: {
            readonly createdAt: number;
            readonly current: boolean;
            readonly expiresAt: number;
            readonly lastUsedAt: number;
            readonly operator: string;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            readonly sessionId: number;
        };
        readonly SessionAnswer: {
            readonly createdAt: number;
            readonly current: boolean;
            readonly expiresAt: number;
            readonly lastUsedAt: number;
            readonly operator: string;
            readonly requestId: string;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            readonly sessionId: number;
            /** @constant */
            readonly success: true;
        };
        readonly SessionList: {
            readonly requestId: string;
            readonly sessions: readonly components["schemas"]["Session"][];
            /** @constant */
            readonly success: true;
        };
        readonly SessionWithToken: {
            readonly createdAt: number;
            readonly expiresAt: number;
            readonly operator: string;
            readonly requestId: string;
            /** @enum {string} */
            readonly role: "metrics" | "bot" | "viewer" | "support" | "stock" | "finance" | "owner";
            readonly sessionId: number;
            /** @constant */
            readonly success: true;
            readonly token: string;
        };
        readonly Setting: {
            readonly env: string;
            readonly name: string;
            /** @enum {string} */
            readonly source: "flag" | "environment" | "file" | "default";
            readonly value: string | null;
        };
        readonly Settings: {
            readonly requestId: string;
            readonly settings: readonly components["schemas"]["Setting"][];
            /** @constant */
            readonly success: true;
        };
        readonly SoldOrder: {
            readonly accountId: number;
            readonly at: number;
            readonly orderId: number;
        };
        readonly SoldSinceStart: {
            readonly orders: number;
            readonly units: number;
            readonly usdt?: number;
        };
        readonly Statement: {
            readonly closingUsdt: number;
            readonly movements: readonly components["schemas"]["Movement"][];
            readonly nextCursor?: string;
            readonly openingUsdt: number;
            readonly position: {
                readonly hash: string;
                readonly seq: number;
            };
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly timeZone: string;
        };
        readonly Status: {
            readonly accounts: number;
            readonly buyerApi: {
                readonly host: string;
                readonly port: number;
            };
            readonly checkpointPosition: number;
            readonly cluster?: {
                readonly applied: number;
                readonly confirmed: number;
                readonly leader: {
                    readonly node: string;
                    readonly url: string;
                } | null;
                readonly node: string;
                /** @enum {string} */
                readonly role: "leader" | "follower";
                readonly term: number;
            };
            readonly journalPosition: number;
            readonly ledger?: {
                readonly depositsUsdt: number;
                readonly heldUsdt: number;
                readonly revenueUsdt: number;
                readonly walletsUsdt: number;
            };
            /** @enum {string} */
            readonly masterKeyFrom?: "file" | "environment";
            readonly masterKeySaved?: boolean;
            readonly orders: number;
            readonly products: number;
            readonly ready: boolean;
            readonly requestId: string;
            /** @enum {string} */
            readonly sales: "open" | "closed";
            readonly startedAt: number;
            /** @constant */
            readonly success: true;
            /** @enum {string} */
            readonly transport: "uws" | "node";
            readonly version: string;
        };
        readonly StockAdded: {
            readonly added: number;
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly badLineCount?: number;
            readonly badLineReasons?: readonly components["schemas"]["BadLineReason"][];
            readonly badLines?: readonly number[];
            readonly duplicates: number;
            readonly duplicatesOf?: readonly components["schemas"]["DuplicatesOf"][];
            readonly lookAlikeCount?: number;
            readonly lookAlikes?: readonly components["schemas"]["LookAlike"][];
            readonly lotId?: number;
            readonly productId: number;
            readonly quarantined?: number;
            readonly recalled?: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly StockDryRun: {
            readonly badLineCount: number;
            readonly badLineReasons: readonly components["schemas"]["BadLineReason"][];
            readonly badLines: readonly number[];
            readonly duplicateLineCount: number;
            readonly duplicateLines: readonly number[];
            readonly duplicatesOf: readonly components["schemas"]["DuplicatesOf"][];
            /** @enum {string} */
            readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
            readonly lookAlikeCount: number;
            readonly lookAlikes: readonly components["schemas"]["LookAlike"][];
            readonly productId: number;
            readonly recalled?: number;
            readonly requestId: string;
            readonly sample: readonly string[];
            /** @constant */
            readonly success: true;
            readonly table?: {
                readonly columns: readonly string[];
                readonly delimiter: string;
            };
            readonly wouldAdd: number;
        };
        readonly StockWithdrawn: {
            readonly availableStock: components["schemas"]["AvailableStock"];
            readonly items: readonly string[];
            readonly productId: number;
            /** @constant */
            readonly repeated?: true;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly withdrawn: number;
        };
        readonly Supplier: {
            /** @enum {string} */
            readonly circuit: "closed" | "open";
            readonly createdAt: number;
            readonly name: string;
            readonly openPurchases: number;
            readonly supplierId: number;
            readonly unresolvedPurchases: number;
            readonly url: string;
        };
        readonly SupplierAnswer: {
            /** @enum {string} */
            readonly circuit: "closed" | "open";
            readonly createdAt: number;
            readonly name: string;
            readonly openPurchases: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly supplierId: number;
            readonly unresolvedPurchases: number;
            readonly url: string;
        };
        readonly SupplierPage: {
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly suppliers: readonly components["schemas"]["Supplier"][];
        };
        readonly SupplierPurchase: {
            readonly accountId: number;
            /** @enum {string} */
            readonly cause?: "OUT_OF_STOCK" | "PURCHASE_FAILED" | "PROVIDER_TIMEOUT" | "IDEMPOTENCY_UNRESOLVED" | "ORDER_ENDED";
            readonly createdAt: number;
            readonly holdReference?: string;
            readonly idempotencyKey?: string;
            readonly orderId?: number;
            /** @enum {string} */
            readonly phase: "held" | "pending" | "unresolved";
            readonly productId: number;
            readonly quantity: number;
            readonly reference: string;
            readonly requestId?: string;
            readonly supplierId: number;
            readonly supplierPurchaseId: number;
            readonly supplierSku: string;
            readonly totalPriceUsdt: number;
        };
        readonly SupplierPurchasePage: {
            readonly ended: readonly components["schemas"]["EndedSupplierPurchase"][];
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly supplierPurchases: readonly components["schemas"]["SupplierPurchase"][];
        };
        readonly TakenItems: {
            readonly at: number;
            readonly count: number;
            readonly firstItem: number;
            readonly lastItem: number;
            readonly name?: string;
            readonly productId: number;
        };
        readonly TakenKey: {
            readonly accountId: number;
            readonly at: number;
            /** @enum {string} */
            readonly change: "replaced" | "revoked" | "deactivated";
            readonly name?: string;
        };
        readonly TakenListPrice: {
            readonly at: number;
            readonly name?: string;
            readonly priceListId: number;
            readonly priceTiers?: {
                readonly from: readonly {
                    readonly minQuantity: number;
                    readonly priceUsdt: number;
                }[];
                readonly to: readonly {
                    readonly minQuantity: number;
                    readonly priceUsdt: number;
                }[];
            };
            readonly priceUsdt?: {
                readonly from: number | null;
                readonly to: number | null;
            };
            readonly productId: number;
        };
        readonly TakenLot: {
            readonly at: number;
            readonly lotId: number;
            readonly name?: string;
            readonly productId: number;
            readonly withdrawn: number;
        };
        readonly TakenOperator: {
            readonly at: number;
            /** @enum {string} */
            readonly change: "revoked" | "rotated";
            readonly name?: string;
            readonly operatorId: number;
        };
        readonly TakenOwnPrice: {
            readonly accountId: number;
            readonly at: number;
            readonly name?: string;
            readonly priceTiers?: {
                readonly from: readonly {
                    readonly minQuantity: number;
                    readonly priceUsdt: number;
                }[];
                readonly to: readonly {
                    readonly minQuantity: number;
                    readonly priceUsdt: number;
                }[];
            };
            readonly priceUsdt?: {
                readonly from: number | null;
                readonly to: number | null;
            };
            readonly productId: number;
        };
        readonly TakenPercent: {
            readonly at: number;
            readonly name?: string;
            readonly percent: {
                readonly from: number | null;
                readonly to: number | null;
            };
            readonly priceListId: number;
        };
        readonly TakenProduct: {
            readonly at: number;
            readonly deactivated: boolean;
            readonly name?: string;
            readonly priceTiers?: {
                readonly from: readonly {
                    readonly minQuantity: number;
                    readonly priceUsdt: number;
                }[];
                readonly to: readonly {
                    readonly minQuantity: number;
                    readonly priceUsdt: number;
                }[];
            };
            readonly priceUsdt?: {
                readonly from: number;
                readonly to: number;
            };
            readonly productId: number;
        };
        readonly TakenSecret: {
            readonly at: number;
            /** @enum {string} */
            readonly change: "secret";
            readonly name?: string;
            readonly supplierId: number;
        };
        readonly TakenTerms: {
            readonly accountId: number;
            readonly allowedNetworks?: {
                readonly from: readonly string[] | null;
                readonly to: readonly string[] | null;
            };
            readonly at: number;
            readonly name?: string;
            readonly priceListId?: {
                readonly from: number | null;
                readonly to: number | null;
            };
            readonly spendLimits?: {
                readonly from: readonly {
                    readonly amountUsdt: number;
                    readonly windowHours: number;
                }[];
                readonly to: readonly {
                    readonly amountUsdt: number;
                    readonly windowHours: number;
                }[];
            };
        };
        readonly TakenWebhook: {
            readonly accountId: number;
            readonly at: number;
            /** @enum {string} */
            readonly change: "deleted" | "address" | "secret";
            readonly name?: string;
        };
        readonly TimelineEvent: {
            readonly at: number;
            readonly type: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly Trimmed: {
            readonly base?: number;
            readonly first?: number;
            readonly last?: number;
            readonly removed?: number;
            readonly requestId: string;
            /** @enum {string} */
            readonly state: "complete";
            /** @constant */
            readonly success: true;
        };
        readonly Trimming: {
            readonly requestId: string;
            /** @enum {string} */
            readonly state: "running";
            /** @constant */
            readonly success: true;
        };
        readonly WaitingDebit: {
            readonly accountId: number;
            readonly amountUsdt: number;
            readonly orderId: number;
            readonly since: number;
        };
        readonly Webhook: {
            readonly accountId: number;
            readonly balanceThresholdUsdt: number | null;
            readonly events: readonly ("order.completed" | "order.failed" | "catalog.updated" | "stock.changed" | "balance.low" | "order.refunded" | "order.items_replaced" | "balance.credited")[];
            readonly failing: boolean;
            readonly host: string;
            readonly name: string;
            readonly pending: number;
        };
        readonly WebhookAttempt: {
            readonly durationMs: number;
            readonly error?: {
                readonly code: string;
                readonly message: string;
            };
            readonly responseHead?: string;
            readonly startedAt: number;
            readonly status?: number;
        };
        readonly WebhookDelivery: {
            readonly attempts: readonly components["schemas"]["WebhookAttempt"][];
            readonly createdAt: number;
            readonly eventId: string;
            readonly nextAttemptAt?: number;
            /** @enum {string} */
            readonly status: "pending" | "delivered" | "discarded" | "cancelled";
            /** @enum {string} */
            readonly type: "order.completed" | "order.failed" | "catalog.updated" | "stock.changed" | "balance.low" | "order.refunded" | "order.items_replaced" | "balance.credited";
        };
        readonly WebhookDeliveryPage: {
            readonly deliveries: readonly components["schemas"]["WebhookDelivery"][];
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly WebhookPage: {
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly webhooks: readonly components["schemas"]["Webhook"][];
        };
        readonly WebhookReplay: {
            readonly eventId: string;
            readonly requestId: string;
            /** @enum {string} */
            readonly status: "pending";
            /** @constant */
            readonly success: true;
        };
        readonly WebhookReplayCount: {
            readonly nextCursor?: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
            readonly wouldReplay: number;
        };
        readonly WebhookReplays: {
            readonly nextCursor?: string;
            readonly replayed: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly WebhookTest: {
            readonly attempt: components["schemas"]["WebhookAttempt"];
            readonly eventId: string;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
        readonly WithdrawnItem: {
            readonly item: number;
            readonly text: string;
        };
        readonly WithdrawnItems: {
            readonly items: readonly components["schemas"]["WithdrawnItem"][];
            readonly nextCursor?: string;
            readonly productId: number;
            readonly requestId: string;
            /** @constant */
            readonly success: true;
        };
    };
    responses: never;
    parameters: {
        readonly AccountId: number;
        readonly EventId: string;
        readonly LotId: number;
        readonly OperatorId: number;
        readonly OrderId: number;
        readonly PricedProductId: number;
        readonly PriceListId: number;
        readonly ProductId: number;
        readonly Reference: string;
        readonly SessionId: number;
        readonly SupplierId: number;
        readonly TransferReference: string;
        readonly WebhookAccountId: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
