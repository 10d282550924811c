import { Bandama, outcomeOf } from 'bandama'

// fr: la clé dit le mode (test ou réel) ; le paquet connaît l'adresse
// en: the key says the mode (test or live); the package knows the address
const client = new Bandama({ key: process.env.BANDAMA_KEY! })

const payment = await client.payments.create({
  amount: 10000,
  counterparty: { msisdn: '0700000000' },
  merchant_reference: 'CMD-417',
})

// fr: un 201 n'est pas encore de l'argent
// en: a 201 is no money yet
const end = await client.payments.wait(payment.id)
console.log(outcomeOf(end), end.net_amount)
