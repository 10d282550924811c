KEY=bdm_sk_test_…

curl -sS https://pay.example.ci/v1-payouts \
  -H "Authorization: Bearer $KEY" \
  -H 'Idempotency-Key: salaire-2026-09-awa' \
  -H 'Content-Type: application/json' \
  -d '{"amount": 25000, "beneficiary": {"msisdn": "0500000010", "operator": "mtn_ci", "name": "Awa Koné"}}'
