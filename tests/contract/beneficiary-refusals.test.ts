import { after, before } from 'node:test'
import { beneficiaryRefusals } from './beneficiary-refusal-cases.ts'
import { BOOK } from './book.ts'
import { type Installation, openInstallation } from './installation.ts'
import { testRefusals } from './meet-refusals.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: { RATE_PER_KEY: '5' } }))
})
after(() => installation[Symbol.asyncDispose]())

testRefusals(BOOK, beneficiaryRefusals, () => installation)
