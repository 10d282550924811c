<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/** The words of the plugin, in French and in English. `{brand}` is the brand of the instance. */
final class Words
{
    private const OF = [
        'title' => ['Mobile money', 'Mobile money'],
        'about' => ['Payez avec votre numéro de téléphone.', 'Pay with your telephone number.'],
        'method' => ['{brand} : mobile money', '{brand}: mobile money'],
        'method_about' => [
            'Le client paie sur la page de {brand}. La commande est marquée payée après une relecture du paiement, même si le client ferme sa page.',
            'The customer pays on the page of {brand}. The order is marked as paid after the payment was read again, even when the customer closes the page.',
        ],
        'enabled' => ['Activer', 'Enable'],
        'enabled_about' => ['Proposer {brand} aux clients', 'Offer {brand} to customers'],
        'shown_title' => ['Nom affiché', 'Title'],
        'shown_about' => ['Description affichée', 'Description'],
        'key' => ['Clé secrète', 'Secret key'],
        'key_about' => [
            'La console de {brand} la montre une seule fois, avec le droit d’encaisser. Elle décide du mode : …_sk_test_… ne déplace pas d’argent.',
            'The console of {brand} shows it once, with the right to collect. It decides the mode: …_sk_test_… moves no money.',
        ],
        'secret' => ['Secret des webhooks', 'Webhook secret'],
        'secret_about' => [
            'Ajoutez cette adresse dans la console, puis collez ici son secret whsec_… : {address}. Si une extension ferme l’API REST : {other}.',
            'Add this address in the console, then paste its secret whsec_… here: {address}. If a plugin closes the REST API: {other}.',
        ],
        'kept' => ['enregistré ; vide : ne change pas', 'kept; empty: stays as it is'],
        'bad_key' => [
            'La clé n’a pas la forme …_sk_test_… ou …_sk_live_… : elle n’a pas été enregistrée.',
            'The key is not of the form …_sk_test_… or …_sk_live_…: it was not kept.',
        ],
        'check' => ['Essayer', 'Try it'],
        'check_about' => [
            'Fait un paiement de test de 100 F et attend son webhook. Avec une clé de test seulement. Enregistrez d’abord.',
            'Makes a test payment of 100 F and awaits its webhook. With a test key only. Save first.',
        ],
        'check_ok' => ['Le paiement a réussi et son webhook est arrivé.', 'The payment succeeded and its webhook came.'],
        'check_waits' => [
            'Le paiement a été fait ; son webhook n’est pas arrivé. Vérifiez l’adresse et le secret, puis rechargez cette page. Sans webhook, les commandes sont marquées payées en quelques minutes par le cron.',
            'The payment was made; its webhook has not come. Check the address and the secret, then reload this page. Without webhooks, cron marks orders as paid within minutes.',
        ],
        'check_failed' => ['L’essai a échoué : {why}', 'The trial failed: {why}'],
        'check_live' => ['L’essai demande une clé de test.', 'The trial needs a test key.'],
        'last_follow' => ['Dernière lecture du flux : {when}', 'The feed was last read: {when}'],
        'never' => ['jamais', 'never'],
        'order' => ['Commande {number} – {shop}', 'Order {number} – {shop}'],
        'not_whole' => [
            'Ce moyen de paiement demande un montant entier en francs CFA.',
            'This means of payment needs a whole amount in CFA francs.',
        ],
        'try_again' => [
            'Le paiement n’a pas pu commencer. Rien n’a été débité : réessayez dans un instant.',
            'The payment could not begin. Nothing was taken: try again in a moment.',
        ],
        'uncertain' => [
            'Un paiement de cette commande est encore en cours de confirmation. Attendez, ne payez pas deux fois.',
            'A payment of this order is still being confirmed. Wait, do not pay twice.',
        ],
        'confirming' => [
            'Nous attendons la confirmation de votre opérateur. Vous pouvez fermer cette page : la commande sera mise à jour sans vous.',
            'We await the confirmation of your operator. You may close this page: the order will be updated without you.',
        ],
        'opened' => ['Page de paiement ouverte : {id}, {amount} F.', 'Payment page opened: {id}, {amount} F.'],
        'paid' => ['Payé : {id}, {amount} F ({operator}).', 'Paid: {id}, {amount} F ({operator}).'],
        'failed' => ['Le paiement {id} n’a pas abouti. {why}', 'The payment {id} did not succeed. {why}'],
        'late' => [
            'Le paiement {id} de {amount} F est arrivé après l’annulation. Livrez ou remboursez, à vous de décider.',
            'The payment {id} of {amount} F came after the order was cancelled. Deliver or refund: decide.',
        ],
        'differs' => [
            'Le paiement {id} de {amount} F ne correspond pas à la commande ({why}). Vérifiez avant de livrer.',
            'The payment {id} of {amount} F does not match the order ({why}). Check before you deliver.',
        ],
        'twice' => [
            'Le paiement {id} de {amount} F est arrivé pour une commande déjà payée. Remboursez-le au client.',
            'The payment {id} of {amount} F came for an order that is paid already. Refund it to the customer.',
        ],
        'no_order' => [
            'Le paiement {id} de {amount} F est arrivé pour la commande {number}, qui a été supprimée.',
            'The payment {id} of {amount} F came for order {number}, which was deleted.',
        ],
        'refunded' => ['{amount} F du paiement {id} ont été remboursés au client.', '{amount} F of payment {id} were refunded to the customer.'],
        'why_amount' => ['montant', 'amount'],
        'why_mode' => ['mode de test', 'test mode'],
        'why_currency' => ['devise', 'currency'],
        'alarm' => ['{shop} : une commande demande votre attention', '{shop}: an order needs your attention'],
        'no_woo' => ['{brand} a besoin de WooCommerce 7.9 ou plus récent.', '{brand} needs WooCommerce 7.9 or later.'],
    ];

    /** @param array<string, string|int> $with what stands for each `{name}` */
    public static function say(string $name, array $with = [], ?string $locale = null): string
    {
        $language = strncmp($locale ?? determine_locale(), 'fr', 2) === 0 ? 0 : 1;
        $pairs = ['{brand}' => Home::BRAND];
        foreach ($with as $key => $value) {
            $pairs['{' . $key . '}'] = (string) $value;
        }
        return strtr(self::OF[$name][$language], $pairs);
    }

    /** In the language of the shop, for its notes, its mails and what is the same for every customer. @param array<string, string|int> $with */
    public static function of_shop(string $name, array $with = []): string
    {
        return self::say($name, $with, get_locale());
    }
}
