import { createServer } from 'node:http'
import { handler } from 'bandama/express'

const receive = handler(process.env.WEBHOOK_SECRET!, async (event) => {
  // fr: notez event.id dans votre base : un événement peut arriver deux fois
  // en: note event.id in your database: an event can arrive twice
  if (event.type === 'payment.succeeded') console.log('paid', event.data.merchant_reference)
})

createServer(receive).listen(Number(process.env.PORT ?? 4000))
