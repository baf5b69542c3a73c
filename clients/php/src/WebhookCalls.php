<?php

declare(strict_types=1);

namespace Purser;

/** The account's one webhook. */
final class WebhookCalls
{
    private const JSON = ['Content-Type' => 'application/json'];

    public function __construct(private readonly ApiCaller $caller)
    {
    }

    /**
     * `NOT_FOUND` when there is none.
     *
     * @return array{webhook: array{url: string, events: list<string>, balanceThresholdUsdt?: string, secretMasked: string}}
     * @throws PurserError
     */
    public function get(): array
    {
        return $this->caller->json(new ApiRequest('GET', '/webhook'));
    }

    /**
     * Replaces it. The secret in the answer is shown this once; the one before no longer signs anything.
     *
     * @param list<string> $events
     * @return array{webhook: array{url: string, events: list<string>, balanceThresholdUsdt?: string, secret: string}}
     * @throws PurserError
     */
    public function set(string $url, array $events, string|int|null $balanceThresholdUsdt = null): array
    {
        $threshold = $balanceThresholdUsdt === null ? [] : ['balanceThresholdUsdt' => $balanceThresholdUsdt];
        $body = ExactJson::write(['url' => $url, 'events' => $events] + $threshold);
        return $this->caller->json(new ApiRequest('POST', '/webhook', self::JSON, $body));
    }

    /**
     * Also cancels what is waiting to be delivered. `NOT_FOUND` when there is none.
     *
     * @throws PurserError
     */
    public function delete(): void
    {
        try {
            $this->caller->json(new ApiRequest('DELETE', '/webhook', self::JSON, '{"confirm":true}'));
        } catch (PurserError $error) {
            // It was an earlier attempt that deleted it, and its answer that got lost.
            if ($error->errorCode !== 'NOT_FOUND' || $error->attempts === 1) {
                throw $error;
            }
        }
    }
}
