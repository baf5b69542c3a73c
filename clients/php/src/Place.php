<?php

declare(strict_types=1);

namespace Purser;

/** Where to go on with events. Write your own to keep it in the database that has what you made of the events. */
interface Place
{
    /** Null at first. */
    public function load(): ?string;

    /** Returns when it is stored for good. Null: from the oldest event again. */
    public function save(?string $eventId): void;
}
