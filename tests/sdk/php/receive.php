<?php

declare(strict_types=1);

// A page of a shop that takes webhooks, as PHP's own server runs it.

foreach (glob(__DIR__ . '/../../../sdk/php/src/*.php') as $file) {
    require_once $file;
}
Bandama\Webhooks::receive(['whsec_of_before', (string) getenv('WEBHOOK_SECRET')], static function (stdClass $event): void {
    if ($event->type === 'payment.failed') {
        throw new RuntimeException('my own fault');
    }
    file_put_contents('php://stdout', "got {$event->id}\n");
});
