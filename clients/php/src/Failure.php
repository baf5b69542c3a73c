<?php

declare(strict_types=1);

namespace Purser;

/** One failed attempt. */
final class Failure extends \Exception
{
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfterSeconds = null,
        public readonly ?string $currentPriceUsdt = null,
        /** Whether the answer spoke of a leader at all, and where that is. */
        public readonly bool $namesLeader = false,
        public readonly ?string $leaderUrl = null,
    ) {
        parent::__construct($message);
    }
}
