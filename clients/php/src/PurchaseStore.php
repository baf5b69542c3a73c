<?php

declare(strict_types=1);

namespace Purser;

/** Purchases that are not done. Write your own to keep them in a database. */
interface PurchaseStore
{
    /** Returns when it is stored for good. A key may be saved again, with the same body: the JSON that is sent. */
    public function save(string $idempotencyKey, string $body): void;

    /** The purchase is done. A key that isn't there is no error. */
    public function remove(string $idempotencyKey): void;

    /**
     * All that are not done, oldest first: the body by the key.
     *
     * @return array<string, string>
     */
    public function unfinished(): array;
}
