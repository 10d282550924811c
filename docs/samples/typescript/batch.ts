import { Bandama } from 'bandama'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })

const draft = await client.batches.create(
  {
    reference: 'salaires-septembre',
    lines: [
      { amount: 40000, beneficiary: { msisdn: '0500000010', operator: 'mtn_ci', name: 'Awa Koné' } },
      { amount: 40000, beneficiary: { msisdn: '0700000020', operator: 'orange_ci', name: 'Issa Traoré' } },
    ],
  },
  { idempotencyKey: 'salaires-2026-09' },
)

const batch = await client.batches.execute(draft.id)
for (const { rank, status, failure_code } of batch.lines) console.log(rank, status, failure_code)
