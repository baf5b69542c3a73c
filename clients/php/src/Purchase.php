<?php

declare(strict_types=1);

namespace Purser;

/** A purchase before, while and after it is sent. Making one sends nothing, so its key can be stored first. */
final class Purchase
{
    /** Visible ASCII, with blanks only inside, where HTTP leaves them as they are. */
    private const KEY_FORM = '/^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/D';

    /** Store it before you send, unless the client has a store. */
    public readonly string $idempotencyKey;
    private false|string $isCharged;

    public function __construct(
        private readonly ApiCaller $caller,
        private readonly int $timeoutMs,
        private readonly ?PurchaseStore $store,
        private readonly string $body,
        ?string $idempotencyKey,
    ) {
        if ($idempotencyKey !== null && preg_match(self::KEY_FORM, $idempotencyKey) !== 1) {
            throw new \InvalidArgumentException('idempotencyKey must be 1 to 128 visible ASCII characters');
        }
        $this->idempotencyKey = $idempotencyKey ?? self::newKey();
        // A key that was given may have been sent before, by a run of the program that knew how it ended.
        $this->isCharged = $idempotencyKey === null ? false : 'unknown';
    }

    /**
     * As it will be sent.
     *
     * @return array<string, mixed>
     */
    public function request(): array
    {
        return ExactJson::read($this->body);
    }

    /**
     * Stores the purchase, then sends it, again if it must, always with the same key and bytes. May be called again: a
     * purchase that happened is answered with its order, and nothing is charged for it. What may have been charged stays
     * in the store until `done`.
     *
     * @return array{orderId: int, status: string, productId: int, quantity: int, totalPriceUsdt: string, createdAt: int,
     *   delivery?: array{items?: list<string>, downloadUrl?: string}, balanceAfterUsdt: string, requestId: string}
     * @throws PurserError
     */
    public function send(): array
    {
        $this->store?->save($this->idempotencyKey, $this->body);
        try {
            return $this->caller->json(new ApiRequest(
                'POST',
                '/orders',
                ['Idempotency-Key' => $this->idempotencyKey, 'Content-Type' => 'application/json'],
                $this->body,
                timeoutMs: $this->timeoutMs,
                idempotencyKey: $this->idempotencyKey,
                isCharged: $this->isCharged,
            ));
        } catch (PurserError $error) {
            $this->isCharged = $error->isCharged;
            if ($error->isCharged === false) {
                $this->done();
            }
            throw $error;
        }
    }

    /** You have what you bought: the store may forget it. Without a store it does nothing. */
    public function done(): void
    {
        $this->store?->remove($this->idempotencyKey);
    }

    /** A random UUID. */
    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
