<?php

declare(strict_types=1);

namespace Purser;

/** The request is not a delivery to believe: answer 400 and do nothing else. */
final class WebhookVerificationError extends \RuntimeException
{
    public function __construct(
        /** missing-header, malformed-signature, wrong-signature, outside-tolerance, not-an-event. */
        public readonly string $reason,
        string $message,
    ) {
        parent::__construct($message);
    }
}
