import { Bandama } from 'bandama'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })

const session = await client.checkout.create(
  { amount: 12500, description: 'Robe wax, taille M', return_url: 'https://boutique.example.ci/merci' },
  { idempotencyKey: 'panier-417' },
)
console.log(session.url)
