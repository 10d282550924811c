KEY=bdm_sk_test_…

curl -sS https://pay.example.ci/v1-payments \
  -H "Authorization: Bearer $KEY" \
  -H 'Idempotency-Key: commande-417' \
  -H 'Content-Type: application/json' \
  -d '{"amount": 10000, "counterparty": {"msisdn": "0700000000"}, "merchant_reference": "CMD-417"}'
