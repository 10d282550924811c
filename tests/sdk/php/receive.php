<?php

declare(strict_types=1);

// A page of a shop that takes webhooks, as PHP's own server runs it.

foreach (glob(__DIR__ . '/../../../sdk/php/src/*.php') as $file) {
    require_once $file;
}
$secrets = $_SERVER['REQUEST_URI'] === '/no-secret' ? '' : ['whsec_of_before', (string) getenv('WEBHOOK_SECRET')];
Bandama\Webhooks::receive($secrets, static function (stdClass $event): void {
    if ($event->type === 'payment.failed') {
        throw new RuntimeException('my own fault');
    }
    if ($event->type === 'exits') {
        exit('done');
    }
    if ($event->type === 'fatal') {
        // As the time limit ends it, and sooner.
        ini_set('memory_limit', '8M');
        str_repeat('x', 16_000_000);
    }
    if ($event->type === 'prints') {
        echo str_repeat('x', 9_000);
        ob_end_flush();
        flush();
        throw new RuntimeException('after printing');
    }
    file_put_contents('php://stdout', "got {$event->id}\n");
});
