import { Bandama } from 'bandama'
import { signed } from 'bandama/test'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })
const url = `http://127.0.0.1:${process.env.PORT ?? 4000}/webhooks`

for await (const { event } of client.events.follow({ after: 'now' })) {
  const answer = await fetch(await signed(event, process.env.WEBHOOK_SECRET!, { url }))
  console.log(event.type, answer.status)
}
