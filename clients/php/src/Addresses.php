<?php

declare(strict_types=1);

namespace Purser;

/**
 * The base addresses of one shop, and which of them is asked first: the one that answered last, or the leader.
 *
 * A node's word about its leader chooses among the addresses that the program gave, and adds none: the API key goes
 * nowhere else.
 */
final class Addresses
{
    /** @var list<string> */
    private readonly array $all;
    private string $first;

    /** @param non-empty-list<string> $addresses */
    public function __construct(array $addresses)
    {
        $this->all = array_values(array_unique($addresses));
        $this->first = $this->all[0];
    }

    public function first(): string
    {
        return $this->first;
    }

    public function answered(string $address): void
    {
        $this->first = $address;
    }

    /**
     * Whom to ask next of those not asked yet: the leader, or the next in order; null when all were.
     *
     * @param list<string> $asked
     */
    public function after(string $address, ?string $leaderUrl, array $asked): ?string
    {
        $at = (int) array_search($address, $this->all, true);
        $others = [...array_slice($this->all, $at + 1), ...array_slice($this->all, 0, $at)];
        $leader = null;
        foreach ($others as $other) {
            if ($leaderUrl !== null && self::origin($other) === self::origin($leaderUrl)) {
                $leader = $other;
            }
        }
        if ($this->first === $address) {
            $this->first = $leader ?? $others[0] ?? $address;
        }
        $candidates = $leader === null ? $others : [$leader, ...$others];
        return array_values(array_diff($candidates, $asked))[0] ?? null;
    }

    private static function origin(string $url): string
    {
        $parts = parse_url($url) ?: [];
        $port = isset($parts['port']) ? ":{$parts['port']}" : '';
        return strtolower(($parts['scheme'] ?? '') . '://' . ($parts['host'] ?? '') . $port);
    }
}
