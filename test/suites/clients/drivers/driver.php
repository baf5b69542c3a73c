<?php

/** The client for PHP as a driver of the table of cases: reads commands, a line of JSON each, and writes replies. */

declare(strict_types=1);

require __DIR__ . '/../../../../clients/php/autoload.php';

use Purser\FilePlace;
use Purser\FilePurchaseStore;
use Purser\Purchase;
use Purser\PurserClient;
use Purser\PurserError;
use Purser\Timing;
use Purser\WebhookSignature;
use Purser\WebhookVerificationError;

// A warning is a fault of the client.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

final class FakeTiming extends Timing
{
    /** @var list<int> */
    public array $delaysMs = [];
    private int $now = 1_700_000_000_000;

    public function now(): int
    {
        return $this->now;
    }

    public function sleep(int $delayMs): void
    {
        $this->delaysMs[] = $delayMs;
        $this->now += $delayMs;
    }

    public function random(): float
    {
        return 0.0;
    }
}

final class Driver
{
    private FakeTiming $timing;
    private PurserClient $client;
    private ?Purchase $purchase = null;
    private ?FilePlace $place = null;

    public function __construct()
    {
        $this->timing = new FakeTiming();
    }

    public function run(array $command): array
    {
        $this->timing->delaysMs = [];
        try {
            $reply = ['value' => $this->do($command)];
        } catch (PurserError $error) {
            $reply = ['error' => [
                'code' => $error->errorCode,
                'message' => $error->getMessage(),
                'status' => $error->status,
                'requestId' => $error->requestId,
                'retryAfterSeconds' => $error->retryAfterSeconds,
                'currentPriceUsdt' => $error->currentPriceUsdt,
                'idempotencyKey' => $error->idempotencyKey,
                'isCharged' => $error->isCharged,
                'attempts' => $error->attempts,
            ]];
        } catch (WebhookVerificationError $error) {
            $reply = ['refused' => $error->reason];
        } catch (InvalidArgumentException) {
            $reply = ['invalid' => true];
        }
        return $reply + ['delaysMs' => $this->timing->delaysMs];
    }

    private function do(array $command): mixed
    {
        return match ($command['do']) {
            'client' => $this->begin($command),
            'purchase' => $this->purchase($command),
            'send' => $this->purchase?->send(),
            'done' => $this->purchase?->done(),
            'unfinished' => count($this->client->unfinished()),
            'resume' => $this->resume(),
            'download' => $this->download($command),
            'events' => $this->events($command),
            'forgetPlace' => $this->place?->save(null),
            'verify' => WebhookSignature::verify(
                $command['headers'],
                base64_decode($command['body'], true),
                $command['secrets'],
                ...array_filter(['toleranceMs' => $command['toleranceMs'] ?? null, 'nowMs' => $command['nowMs']]),
            ),
            default => $this->call($command['name'], $command['args'] ?? []),
        };
    }

    private function begin(array $command): void
    {
        $this->timing = new FakeTiming();
        $this->place = isset($command['place']) ? new FilePlace($command['place']) : null;
        $this->client = new PurserClient(
            $command['baseUrls'],
            $command['apiKey'],
            store: isset($command['store']) ? new FilePurchaseStore($command['store']) : null,
            timeoutMs: $command['timeoutMs'],
            purchaseTimeoutMs: $command['timeoutMs'],
            maxAttempts: $command['maxAttempts'],
            timing: $this->timing,
        );
    }

    private function purchase(array $command): string
    {
        $request = $command['request'];
        $this->purchase = $this->client->purchase(
            $request['productId'],
            $request['expectedPriceUsdt'],
            $request['quantity'] ?? 1,
            $request['recipient']['username'] ?? null,
            $command['idempotencyKey'] ?? null,
        );
        return $this->purchase->idempotencyKey;
    }

    private function resume(): int
    {
        $purchases = $this->client->unfinished();
        $this->purchase = $purchases[0] ?? $this->purchase;
        return count($purchases);
    }

    private function download(array $command): array
    {
        $content = '';
        $about = $this->client->download($command['orderId'], function (string $piece) use (&$content): void {
            $content .= $piece;
        });
        $file = '';
        for ($index = 0; $index < 200_000; $index += 1) {
            $file .= chr($index % 251);
        }
        return $about + ['bytes' => strlen($content), 'isTheFile' => $content === $file];
    }

    private function events(array $command): array
    {
        $taken = [];
        $options = array_filter([
            'after' => $command['after'] ?? null,
            'types' => $command['types'] ?? null,
            'limit' => $command['limit'] ?? null,
            'waitSeconds' => $command['wait'] ?? null,
        ], static fn (mixed $option): bool => $option !== null);
        foreach ($this->client->events($this->place, ...$options) as $event) {
            $taken[] = $event;
            if (count($taken) === $command['take']) {
                break;
            }
        }
        return $taken;
    }

    private function call(string $name, array $args): mixed
    {
        return match ($name) {
            'webhook.get' => $this->client->webhook->get(),
            'webhook.set' => $this->client->webhook->set(...$args),
            'webhook.delete' => $this->client->webhook->delete(),
            default => $this->client->$name(...$args),
        };
    }
}

$driver = new Driver();
while (($line = fgets(STDIN)) !== false) {
    echo json_encode($driver->run(json_decode($line, true, 512, JSON_THROW_ON_ERROR)), JSON_THROW_ON_ERROR), "\n";
    flush();
}
