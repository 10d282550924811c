import { Bandama, outcomeOf } from 'bandama'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })

let paid = false
for await (const payment of client.payments.list({ reference: 'CMD-417' })) {
  paid ||= outcomeOf(payment) === 'paid'
}
console.log(paid ? 'paid' : 'not yet')
