<?php

declare(strict_types=1);

namespace Purser;

/**
 * The API's own refusal, or a failure on the way to it. Branch on `errorCode`, and let later codes pass.
 *
 * The client's own codes: `NETWORK_ERROR` (no answer, or one that broke off), `TIMEOUT`, `BAD_RESPONSE` (an answer that
 * isn't this API's), `REDIRECTED` (never followed), `STILL_PENDING` (of `waitForOrder`).
 */
final class PurserError extends \RuntimeException
{
    public readonly string $errorCode;
    /** The HTTP status; null when there was no answer. */
    public readonly ?int $status;
    /** The id to quote to the operator. */
    public readonly ?string $requestId;
    public readonly ?int $retryAfterSeconds;
    /** The current total, with PRICE_CHANGED. */
    public readonly ?string $currentPriceUsdt;

    public function __construct(
        Failure $failure,
        /** How many requests this call has sent. */
        public readonly int $attempts = 0,
        /** False is a promise; 'unknown': send the same purchase with the same key to learn it. */
        public readonly false|string $isCharged = false,
        /** The key of the purchase that failed; null for any other call. */
        public readonly ?string $idempotencyKey = null,
    ) {
        $quoted = $failure->requestId === null ? '' : " (requestId {$failure->requestId})";
        parent::__construct("{$failure->errorCode}: {$failure->getMessage()}$quoted", 0, $failure);
        $this->errorCode = $failure->errorCode;
        $this->status = $failure->status;
        $this->requestId = $failure->requestId;
        $this->retryAfterSeconds = $failure->retryAfterSeconds;
        $this->currentPriceUsdt = $failure->currentPriceUsdt;
    }
}
