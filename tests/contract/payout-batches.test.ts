import { after, before } from 'node:test'
import { batchRefusals } from './batch-refusal-cases.ts'
import { type Installation, openInstallation } from './installation.ts'
import { testRefusals } from './meet-refusals.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '10' } })
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: { RATE_PER_KEY: '5' } }))
})
after(() => installation[Symbol.asyncDispose]())

testRefusals('/v1-payout-batches', batchRefusals, () => installation)
