<?php
require __DIR__ . '/bandama.php';

Bandama\Webhooks::receive(getenv('WEBHOOK_SECRET'), function (stdClass $event) {
    // fr: notez $event->id dans votre base : un événement peut arriver deux fois
    // en: note $event->id in your database: an event can arrive twice
    if ($event->type === 'payment.succeeded') {
        error_log("paid {$event->data->merchant_reference}");
    }
});
