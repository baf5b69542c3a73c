<?php

declare(strict_types=1);

namespace Purser;

/**
 * The buyer API for a program: every call returns the answer, with the API's own names and money as text, or throws a
 * PurserError after as many attempts as make sense. On your servers only: the API key spends the wallet.
 *
 * Fields and values that a later server adds arrive unchanged: read what you know, and let the rest be.
 */
final class PurserClient
{
    /** States of a later server that are unknown here count as not final. */
    private const FINAL_STATES = ['completed', 'failed', 'refunded'];
    private const SHORTEST_POLL_MS = 1_000;
    /** Between two requests that had events, or those of a busy account use up its limit of requests. */
    private const REST_MS = 1_000;

    /** The account's webhook configuration. */
    public readonly WebhookCalls $webhook;
    private readonly ApiCaller $caller;

    /**
     * Sends nothing. `$baseUrl` ends with `/api/v1/buyer`; several, one of each node, for a shop that is a cluster.
     * `$store` keeps each purchase before it is sent. Times are for one attempt, at all addresses together.
     *
     * @param string|list<string> $baseUrl
     * @param (\Closure(string $method, string $path, int $delayMs, PurserError $error): void)|null $onRetry
     * @throws \InvalidArgumentException for what can't work
     */
    public function __construct(
        string|array $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        private readonly ?PurchaseStore $store = null,
        int $timeoutMs = 15_000,
        private readonly int $purchaseTimeoutMs = 30_000,
        int $maxAttempts = 4,
        int $maxRetryAfterMs = 60_000,
        ?\Closure $onRetry = null,
        ?Timing $timing = null,
    ) {
        $addresses = array_map(self::checkedUrl(...), array_values((array) $baseUrl));
        if ($addresses === []) {
            throw new \InvalidArgumentException('baseUrl must have at least one address');
        }
        // The message doesn't show it: messages end up in logs.
        if (preg_match('/^[\x21-\x7e]+$/D', $apiKey) !== 1) {
            throw new \InvalidArgumentException('apiKey is missing, or has characters that no API key has');
        }
        if (min($timeoutMs, $purchaseTimeoutMs, $maxAttempts, $maxRetryAfterMs) < 1) {
            throw new \InvalidArgumentException('times and maxAttempts must be positive');
        }
        $this->caller = new ApiCaller(
            new Addresses($addresses),
            $apiKey,
            $timeoutMs,
            $maxAttempts,
            $maxRetryAfterMs,
            $onRetry,
            $timing ?? new Timing(),
        );
        $this->webhook = new WebhookCalls($this->caller);
    }

    /**
     * Whether the service answers; sends no key.
     *
     * @return array{service: string, status: string, version: string}
     */
    public function health(): array
    {
        return $this->caller->json(new ApiRequest('GET', '/health', authenticated: false));
    }

    /**
     * Everything on sale, or up to 100 products alone. `availableStock` is an int, or 'unlimited'.
     *
     * @param list<int>|null $ids
     * @return array{products: list<array{id: int, name: string, priceUsdt: string, availableStock: int|string, ...}>}
     */
    public function products(?array $ids = null): array
    {
        return $this->get('/products' . ($ids === null ? '' : '?ids=' . implode(',', array_map(self::checkedId(...), $ids))));
    }

    /** @return array{balanceUsdt: string, ...} */
    public function balance(): array
    {
        return $this->get('/balance');
    }

    /**
     * A purchase with its key, not yet sent. `$expectedPriceUsdt` is the total, such as '9.50'.
     *
     * Without a store: keep `idempotencyKey` yourself before `send`. With a stored key it finishes what an earlier run
     * of the program began.
     */
    public function purchase(
        int $productId,
        string|int $expectedPriceUsdt,
        int $quantity = 1,
        ?string $recipient = null,
        ?string $idempotencyKey = null,
    ): Purchase {
        $request = ['productId' => $productId, 'quantity' => $quantity, 'expectedPriceUsdt' => $expectedPriceUsdt];
        if ($recipient !== null) {
            $request['recipient'] = ['username' => $recipient];
        }
        return $this->made(ExactJson::write($request), $idempotencyKey);
    }

    /**
     * The purchases of the store that are not done: send each again, and call `done`.
     *
     * @return list<Purchase>
     */
    public function unfinished(): array
    {
        $purchases = [];
        foreach ($this->store?->unfinished() ?? [] as $idempotencyKey => $body) {
            $purchases[] = $this->made($body, (string) $idempotencyKey);
        }
        return $purchases;
    }

    /**
     * @return array{orderId: int, status: string, productId: int, quantity: int, totalPriceUsdt: string, createdAt: int,
     *   delivery?: array{items?: list<string>, downloadUrl?: string}, requestId: string}
     */
    public function order(int $orderId): array
    {
        return $this->get('/orders/' . self::checkedId($orderId));
    }

    /**
     * A signed receipt of the order as it is now: keep it.
     *
     * @return array{receipt: string, ...}
     */
    public function receipt(int $orderId): array
    {
        return $this->get('/orders/' . self::checkedId($orderId) . '/receipt');
    }

    /**
     * Returns once the order is completed, failed or refunded: look which. `STILL_PENDING` after `$maxWaitMs`.
     *
     * @return array<string, mixed> as of `order`
     */
    public function waitForOrder(int $orderId, int $maxWaitMs = 600_000, int $pollMs = 5_000): array
    {
        $timing = $this->caller->timing;
        $endsAtMs = $timing->now() + $maxWaitMs;
        for (;;) {
            $pauseMs = max($pollMs, self::SHORTEST_POLL_MS);
            try {
                $order = $this->order($orderId);
                if (in_array($order['status'], self::FINAL_STATES, true)) {
                    return $order;
                }
                $message = "order $orderId is still {$order['status']} after $maxWaitMs ms";
                $error = new PurserError(new Failure('STILL_PENDING', $message, null, $order['requestId']));
            } catch (PurserError $error) {
                if (!ErrorPolicy::isRetried(new Failure($error->errorCode, '', $error->status))) {
                    throw $error;
                }
                $pauseMs = max($pauseMs, ($error->retryAfterSeconds ?? 0) * 1_000);
            }
            if ($timing->now() + $pauseMs > $endsAtMs) {
                throw $error;
            }
            $timing->sleep($pauseMs);
        }
    }

    /**
     * Gives the file of a completed order to `$receive`, piece by piece, across broken connections.
     *
     * @param \Closure(string): void $receive
     * @return array{contentType: string, contentLengthBytes: ?int}
     */
    public function download(int $orderId, \Closure $receive): array
    {
        return Download::receive($this->caller, '/orders/' . self::checkedId($orderId) . '/download', $receive);
    }

    /**
     * Writes the file of a completed order: it is there whole, or not at all.
     *
     * @return array{contentType: string, contentLengthBytes: ?int}
     */
    public function downloadTo(int $orderId, string $path): array
    {
        $unfinished = "$path.unfinished";
        $file = fopen($unfinished, 'w') ?: throw new \RuntimeException("$unfinished can't be opened");
        $about = $this->download($orderId, static function (string $piece) use ($file, $unfinished): void {
            fwrite($file, $piece) === strlen($piece) || throw new \RuntimeException("$unfinished can't be written");
        });
        if (!fflush($file) || !fsync($file) || !fclose($file) || !rename($unfinished, $path)) {
            throw new \RuntimeException("$path can't be written");
        }
        return $about;
    }

    /**
     * All events from the place on, one after the other, for ever: `foreach ($client->events(new FilePlace($path)) …)`.
     * The place moves past an event when the next one is asked for, so when you have dealt with it.
     *
     * Without a place it begins after the event `$after`; `latest`: with what happens from now on; null: with the oldest
     * that is kept. With `$waitSeconds` 0 it ends with the newest event. `EVENTS_GONE`: the events after the place are
     * not there any more; read catalog and orders, `$place->save(null)`, and begin again.
     *
     * @param list<string>|null $types
     * @return \Generator<int, array{eventId: string, type: string, createdAt: int, ...}>
     */
    public function events(
        ?Place $place = null,
        ?string $after = null,
        ?array $types = null,
        int $limit = 100,
        int $waitSeconds = 20,
    ): \Generator {
        $place ??= new MemoryPlace($after);
        $after = $place->load();
        for (;;) {
            $query = ['limit' => $limit, 'wait' => $waitSeconds];
            $query += $after === null ? [] : ['after' => $after];
            $query += $types === null ? [] : ['types' => implode(',', $types)];
            $timeoutMs = $this->caller->timeoutMs + $waitSeconds * 1_000;
            $path = '/events?' . http_build_query($query);
            $page = $this->caller->json(new ApiRequest('GET', $path, timeoutMs: $timeoutMs));
            foreach ($page['events'] as $event) {
                yield $event;
                $after = $event['eventId'];
                $place->save($after);
            }
            if ($page['lastEventId'] !== $after) {
                // Null: there never was an event, so the first one to come is the oldest.
                $after = $page['lastEventId'];
                $place->save($after);
            }
            if ($page['hasMore']) {
                continue;
            }
            if ($waitSeconds === 0) {
                return;
            }
            if ($page['events'] !== []) {
                $this->caller->timing->sleep(self::REST_MS);
            }
        }
    }

    /** @return array<string, mixed> */
    private function get(string $path): array
    {
        return $this->caller->json(new ApiRequest('GET', $path));
    }

    private function made(string $body, ?string $idempotencyKey): Purchase
    {
        return new Purchase($this->caller, $this->purchaseTimeoutMs, $this->store, $body, $idempotencyKey);
    }

    private static function checkedId(int $id): int
    {
        return $id > 0 && $id < 2 ** 53 ? $id : throw new \InvalidArgumentException("$id is not an id");
    }

    private static function checkedUrl(string $url): string
    {
        $parts = parse_url($url);
        $isPlain = is_array($parts) && array_diff_key($parts, ['scheme' => 1, 'host' => 1, 'port' => 1, 'path' => 1]) === [];
        if (!$isPlain || !isset($parts['host']) || preg_match('/^https?$/iD', $parts['scheme'] ?? '') !== 1) {
            throw new \InvalidArgumentException('baseUrl must be like https://shop.example/api/v1/buyer');
        }
        return rtrim($url, '/');
    }
}
