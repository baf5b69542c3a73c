// Made from GET /openapi.json by `npm run client:types`: change the schemas of the server instead.

export interface components {
    schemas: {
        /** @description Of every answer. */
        readonly Answer: {
            /** @description Names this answer for support; the same as the header X-Request-Id. */
            readonly requestId: string;
            /**
             * @description True on success, false on error.
             * @constant
             */
            readonly success: true;
        };
        /** @description What the wallet holds. */
        readonly Balance: components["schemas"]["Answer"] & {
            /** @description What can be spent now; what is on hold is not in it. */
            readonly balanceUsdt: number;
        };
        /** @description Everything that is on sale. */
        readonly Catalog: components["schemas"]["Answer"] & {
            readonly products: readonly components["schemas"]["Product"][];
        };
        /** @description What was bought, as one of the two; present exactly when the order is `completed`. */
        readonly Delivery: {
            /** @description Of file products: the path of the file, relative to this server. */
            readonly downloadUrl?: string;
            /** @description The texts. */
            readonly items?: readonly string[];
        };
        /** @description The service is up. */
        readonly Health: components["schemas"]["Answer"] & {
            /** @description The name of the service. */
            readonly service: string;
            /** @constant */
            readonly status: "ok";
            /** @description The version of the program, not of the API. */
            readonly version: string;
        };
        /** @description An order. */
        readonly Order: components["schemas"]["Answer"] & {
            /** @description Unix milliseconds, UTC. */
            readonly createdAt: number;
            readonly delivery?: components["schemas"]["Delivery"];
            readonly orderId: number;
            readonly productId: number;
            readonly quantity: number;
            /**
             * @description `processing` and `pending_delivery` are under way; `completed` has its `delivery`; of a `failed` order the amount was returned.
             * @enum {string}
             */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @description What was charged for the whole quantity. */
            readonly totalPriceUsdt: number;
        };
        /** @description A product on sale. */
        readonly Product: {
            /** @description Always true here: the catalog lists what is on sale. */
            readonly active: boolean;
            /** @description How many can be bought, or `unlimited`; approximate where a supplier delivers. */
            readonly availableStock: number | "unlimited";
            /** @description What the product includes. */
            readonly description: string;
            /** @description What to send as `productId`. */
            readonly id: number;
            /** @description How to use what is delivered; may be empty. */
            readonly instructions: string;
            /** @description The commercial name. */
            readonly name: string;
            /** @description Per unit, up to 2 decimals. With volume pricing the total of a purchase differs from price times quantity. */
            readonly priceUsdt: number;
            /** @description When true, a purchase must name `recipient.username`. */
            readonly requiresRecipient: boolean;
            /**
             * @description How the product is delivered.
             * @enum {string}
             */
            readonly type: "standard" | "file" | "manual";
        };
        /** @description The order that a purchase made. A repeated request with the same key gets the same order. */
        readonly Purchase: components["schemas"]["Order"] & {
            /** @description What the wallet held right after the purchase. */
            readonly balanceAfterUsdt: number;
        };
        /** @description What to buy. Fields that are not named here are ignored. */
        readonly PurchaseRequest: {
            /** @description The total for the whole quantity, not per unit. When the total is another, nothing is charged. */
            readonly expectedPriceUsdt: number;
            /** @description The `id` of a product in GET /products. */
            readonly productId: number;
            /**
             * @description How many to buy.
             * @default 1
             */
            readonly quantity?: number;
            /** @description For whom; required when the product says `requiresRecipient`. */
            readonly recipient?: {
                /** @description A chat username: `@`, then 5 to 32 letters, digits or underscores. */
                readonly username?: string;
            };
            /** @description The flat spelling of `recipient.username`; when both are sent they must be equal. */
            readonly recipientUsername?: string;
        };
        /** @description Where events go from now on, and the new secret, in full this once. */
        readonly RegisteredWebhook: components["schemas"]["Answer"] & {
            readonly webhook: components["schemas"]["WebhookRequest"] & {
                /** @description Signs every delivery. Store it: no other answer shows it. */
                readonly secret: string;
            };
        };
        /** @description Where events go. */
        readonly WebhookConfiguration: components["schemas"]["Answer"] & {
            readonly webhook: components["schemas"]["WebhookRequest"] & {
                /** @description Three asterisks and the last 4 characters of the secret. */
                readonly secretMasked: string;
            };
        };
        /** @description Where to send which events. Fields that are not named here are ignored. */
        readonly WebhookRequest: {
            /** @description `balance.low` is sent when a purchase takes the balance below this; never without it. */
            readonly balanceThresholdUsdt?: number;
            /** @description Which events to send. One that is named twice counts once. */
            readonly events: readonly ("order.completed" | "order.failed" | "catalog.updated" | "stock.changed" | "balance.low")[];
            /** @description Public `https`, without user or password, port 443 or 8443. The host must resolve, and to public addresses only. */
            readonly url: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
