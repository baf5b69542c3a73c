<?php

declare(strict_types=1);

namespace Purser;

/** One HTTP answer: its status and headers, and its body, or nothing of that when the receiver took it. */
final class HttpAnswer
{
    /** @var array<string, string> by lower-case name */
    public array $headers = [];
    public int $status = 0;
    public string $body = '';

    public function header(string $name): ?string
    {
        return $this->headers[$name] ?? null;
    }
}
