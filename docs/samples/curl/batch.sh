KEY=bdm_sk_test_…

curl -sS https://pay.example.ci/v1-payout-batches \
  -H "Authorization: Bearer $KEY" \
  -H 'Idempotency-Key: salaires-2026-09' \
  -H 'Content-Type: application/json' \
  -d '{"reference": "salaires-septembre", "lines": [
        {"amount": 40000, "beneficiary": {"msisdn": "0500000010", "operator": "mtn_ci", "name": "Awa Koné"}},
        {"amount": 40000, "beneficiary": {"msisdn": "0700000020", "operator": "orange_ci", "name": "Issa Traoré"}}]}'
