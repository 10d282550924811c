<?php
require 'bandama.php';

$client = new Bandama\Bandama(['key' => getenv('BANDAMA_KEY')]);

$session = $client->checkout->create(
    ['amount' => 12500, 'description' => 'Robe wax, taille M', 'return_url' => 'https://boutique.example.ci/merci'],
    ['idempotency_key' => 'panier-417']
);
echo $session->url, "\n";
