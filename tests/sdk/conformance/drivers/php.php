<?php

declare(strict_types=1);

// The driver of the PHP SDK. driver.ts has the protocol. SDK_FILE: the single file in place of the sources; SDK_STREAMS: without curl.

use Bandama\{Bandama, BandamaError, Outcome, Result, SignatureError, Webhooks};

set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) === 0) {
        return false;
    }
    throw new ErrorException($message, 0, $level, $file, $line);
});
foreach (getenv('SDK_FILE') ? [getenv('SDK_FILE')] : glob(__DIR__ . '/../../../../sdk/php/src/*.php') as $file) {
    require_once $file;
}

/** @return mixed the result of one line */
function work(stdClass $line)
{
    $args = array_map('plain', $line->args ?? []);
    if ($line->op === 'outcome_of') {
        return Outcome::of(is_array($line->args[0]) ? null : $line->args[0]);
    }
    if ($line->op === 'webhooks.verify') {
        [$body, $headers, $secrets, $tolerance] = $args + [3 => null];
        return Webhooks::verify($body, $secrets, ['headers' => $headers] + ($tolerance === null ? [] : ['tolerance' => $tolerance]));
    }
    $streams = getenv('SDK_STREAMS') ? ['by_curl' => false] : [];
    $target = new Bandama((array) $line->client + $streams);
    $names = explode('.', $line->op);
    $method = array_pop($names);
    foreach ($names as $name) {
        $target = $target->$name;
    }
    return $target->$method(...$args, ...(isset($line->call) ? [(array) $line->call] : []));
}

/** Returns what a program writes in PHP: arrays. @param mixed $value @return mixed */
function plain($value)
{
    return json_decode(json_encode($value), true);
}

/** @return array<string, mixed> the answer to one line */
function answer(stdClass $line): array
{
    $items = [];
    try {
        $result = work($line);
        if ($result instanceof Result) {
            return ['ok' => $result, 'meta' => $result->meta()];
        }
        if (!$result instanceof Generator) {
            return ['ok' => $result];
        }
        foreach ($result as $cursor => $item) {
            $items[] = $line->op === 'events.follow' ? ['event' => $item, 'cursor' => $cursor] : $item;
            if (count($items) === ($line->take ?? null)) {
                break;
            }
        }
        return ['ok' => $items];
    } catch (BandamaError $error) {
        return ['error' => ['message' => $error->getMessage()] + get_object_vars($error), 'items' => $items];
    } catch (SignatureError $error) {
        return ['error' => ['kind' => 'signature', 'reason' => $error->reason, 'message' => $error->getMessage()]];
    } catch (InvalidArgumentException | ArgumentCountError $error) {
        return ['error' => ['kind' => 'usage', 'message' => $error->getMessage()]];
    }
}

while (($text = fgets(STDIN)) !== false) {
    $line = json_decode($text);
    fwrite(STDOUT, json_encode(['id' => $line->id] + answer($line), JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n");
}
