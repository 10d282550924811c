KEY=bdm_sk_test_…

curl -sS https://pay.example.ci/v1-checkout \
  -H "Authorization: Bearer $KEY" \
  -H 'Idempotency-Key: panier-417' \
  -H 'Content-Type: application/json' \
  -d '{"amount": 12500, "description": "Robe wax, taille M", "return_url": "https://boutique.example.ci/merci"}'
