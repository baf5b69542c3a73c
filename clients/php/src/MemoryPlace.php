<?php

declare(strict_types=1);

namespace Purser;

/** For programs that begin anew at each start. */
final class MemoryPlace implements Place
{
    public function __construct(private ?string $eventId)
    {
    }

    public function load(): ?string
    {
        return $this->eventId;
    }

    public function save(?string $eventId): void
    {
        $this->eventId = $eventId;
    }
}
