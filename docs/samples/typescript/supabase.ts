import { handler } from 'https://pay.example.ci/sdk/js-0.1.0-3d2c1b0a/edge.js'

Deno.serve(
  handler(Deno.env.get('WEBHOOK_SECRET')!, async (event) => {
    if (event.type === 'payment.succeeded') console.log('paid', event.data.merchant_reference)
  }),
)
