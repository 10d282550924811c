import { after, before } from 'node:test'
import { checkoutRefusals } from './checkout-refusal-cases.ts'
import { type Installation, openInstallation } from './installation.ts'
import { testRefusals } from './meet-refusals.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
  // One that is soon told too much by a key and by an address, and one by a payer.
  const tight = { RATE_PER_KEY: '5', PAGE_ATTEMPTS_PER_ADDRESS: '5' }
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: tight }))
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: { PAYER_ATTEMPTS_MAX: '1' } }))
})
after(() => installation[Symbol.asyncDispose]())

testRefusals('/v1-checkout', checkoutRefusals, () => installation)
