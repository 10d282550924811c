import { Bandama, type BandamaError } from 'bandama'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })
const order = { key: 'commande-417-envoi', amount: 25000, msisdn: '0500000010', name: 'Awa Koné' }

try {
  const { amount, msisdn, name } = order
  await client.payouts.create({ amount, beneficiary: { msisdn, name } }, { idempotencyKey: order.key })
} catch (thrown) {
  const error = thrown as BandamaError
  // fr: vrai : rappelez plus tard avec la même clé, ne refaites rien d'autre
  // en: true: call again later with the same key, do nothing else anew
  console.log(error.code, error.mayHaveHappened, error.docUrl)
}
