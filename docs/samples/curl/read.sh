KEY=bdm_sk_test_…

# fr: le dernier paiement de la commande, tel qu'il est maintenant
# en: the last payment of the order, as it is now
curl -sS "https://pay.example.ci/x/payments?reference=CMD-417" -H "Authorization: Bearer $KEY"
