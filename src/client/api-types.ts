// Made from GET /openapi.json by `npm run client:types`: change the schemas of the server instead.

export interface components {
    schemas: {
        /** @description Of every answer. */
        readonly Answer: {
            /** @description Identifies this answer when you ask support; the same as the header X-Request-Id. */
            readonly requestId: string;
            /**
             * @description True on success, false on error.
             * @constant
             */
            readonly success: true;
        };
        /** @description How many can be bought, or `unlimited`. Approximate when a supplier delivers the product. */
        readonly AvailableStock: number | "unlimited";
        /** @description The balance of the wallet. */
        readonly Balance: components["schemas"]["Answer"] & {
            /** @description What can be spent now, without the amounts on hold. */
            readonly balanceUsdt: number;
        };
        /** @description Everything that is on sale. */
        readonly Catalog: components["schemas"]["Answer"] & {
            readonly products: readonly components["schemas"]["Product"][];
        };
        /** @description What was bought: either `items` or `downloadUrl`. Present exactly when the order is `completed`. */
        readonly Delivery: {
            /** @description For file products: the path of the file on this server. */
            readonly downloadUrl?: string;
            /** @description One text for each item. */
            readonly items?: readonly string[];
        };
        /** @description The service is up. */
        readonly Health: components["schemas"]["Answer"] & {
            /** @description The name of the service. */
            readonly service: string;
            /** @enum {string} */
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
             * @description `processing` and `pending_delivery`: not finished yet. `completed`: there is a `delivery`. `failed` and `refunded`: the amount was returned.
             * @enum {string}
             */
            readonly status: "processing" | "pending_delivery" | "completed" | "failed" | "refunded";
            /** @description What was charged for the whole quantity. */
            readonly totalPriceUsdt: number;
        };
        /** @description A volume price. */
        readonly PriceTier: {
            /** @description The least quantity that has this price. */
            readonly minQuantity: number;
            /** @description Price of one unit, up to 6 decimals. */
            readonly priceUsdt: number;
        };
        /** @description A product on sale. */
        readonly Product: {
            /** @description Always true, because the catalog lists only products on sale. */
            readonly active: boolean;
            /** @description Texts by name, such as region or platform; `{}` when there are none. */
            readonly attributes: {
                readonly [key: string]: string;
            };
            readonly availableStock: components["schemas"]["AvailableStock"];
            /** @description Where it stands in the catalog; null: nowhere. */
            readonly category: string | null;
            /** @description What the product includes. */
            readonly description: string;
            /** @description Send it as `productId` in a purchase. */
            readonly id: number;
            /** @description A picture of it, an https address; null: none. */
            readonly imageUrl: string | null;
            /** @description How to use what is delivered; may be empty. */
            readonly instructions: string;
            /** @description The most that one order may buy; null: no bound. */
            readonly maxQuantity: number | null;
            /** @description The least that one order may buy. */
            readonly minQuantity: number;
            /** @description The commercial name. */
            readonly name: string;
            /** @description Volume prices, ascending by `minQuantity`; empty when there are none. From the last tier whose `minQuantity` the quantity reaches, every unit has that price, and the total is rounded to cents. */
            readonly priceTiers: readonly components["schemas"]["PriceTier"][];
            /** @description Price of one unit, up to 2 decimals. With volume prices (`priceTiers`), the total of a purchase is not this price times the quantity. */
            readonly priceUsdt: number;
            /** @description When true, a purchase must name `recipient.username`. */
            readonly requiresRecipient: boolean;
            /** @description The shop's own name for it; null: none. */
            readonly sku: string | null;
            /**
             * @description How the product is delivered.
             * @enum {string}
             */
            readonly type: "standard" | "file" | "manual";
        };
        /** @description The order that a purchase made. A repeated request with the same key gets the same order. */
        readonly Purchase: components["schemas"]["Order"] & {
            /** @description The balance right after the purchase. */
            readonly balanceAfterUsdt: number;
        };
        /** @description What to buy. Other fields are ignored. */
        readonly PurchaseRequest: {
            /** @description The total for the whole quantity, not per unit. When the total is different now, nothing is charged. */
            readonly expectedPriceUsdt: number;
            /** @description The `id` of a product in GET /products. */
            readonly productId: number;
            /**
             * @description How many to buy.
             * @default 1
             */
            readonly quantity?: number;
            readonly recipient?: components["schemas"]["Recipient"];
            /** @description Another way to send `recipient.username`. When both are sent, they must be equal. */
            readonly recipientUsername?: string;
        };
        /** @description What the shop signs that it sold. */
        readonly Receipt: components["schemas"]["Answer"] & {
            /** @description A compact JWS (RFC 7515), signed with EdDSA; its type is `purser-receipt+jws`. Its claims: the guide’s page of receipts. */
            readonly receipt: string;
        };
        /** @description Who gets it; required when the product has `requiresRecipient`. */
        readonly Recipient: {
            /** @description A chat username: `@`, then 5 to 32 letters, digits or underscores. */
            readonly username?: string;
        };
        /** @description The new webhook configuration, with its secret. No other answer shows the whole secret. */
        readonly RegisteredWebhook: components["schemas"]["Answer"] & {
            readonly webhook: components["schemas"]["WebhookWithSecret"];
        };
        /** @description Which events are sent, and where. */
        readonly Webhook: components["schemas"]["WebhookRequest"] & {
            /** @description Three asterisks and the last 4 characters of the secret. */
            readonly secretMasked: string;
        };
        /** @description The webhook configuration. */
        readonly WebhookConfiguration: components["schemas"]["Answer"] & {
            readonly webhook: components["schemas"]["Webhook"];
        };
        /** @description Which events to send, and where. Other fields are ignored. */
        readonly WebhookRequest: {
            /** @description `balance.low` is sent when a purchase takes the balance below this. Without it, it is never sent. */
            readonly balanceThresholdUsdt?: number;
            /** @description Which events to send. An event that is named twice is sent once. */
            readonly events: readonly ("order.completed" | "order.failed" | "catalog.updated" | "stock.changed" | "balance.low" | "order.refunded" | "order.items_replaced" | "balance.credited")[];
            /** @description An `https` URL without user or password, with port 443 or 8443. Its host must resolve to public addresses only. */
            readonly url: string;
        };
        /** @description Which events are sent, and where. */
        readonly WebhookWithSecret: components["schemas"]["WebhookRequest"] & {
            /** @description Signs every delivery. Store it: no other answer shows it. */
            readonly secret: string;
            /** @description The same secret, as libraries of Standard Webhooks take it. */
            readonly standardWebhooksSecret: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
