import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import fc from '../harness/property.ts'
import { actsOn, type SharedClock } from './acts.ts'
import { MerchantInService } from './merchant-in-service.ts'
import { MerchantModel } from './merchant-model.ts'

/** `FUZZ_RUNS=50 npm test -- tests/model` for a night. A failure prints the shortest sequence of acts that it found, and its seed. */
const size = Number(process.env.FUZZ_RUNS ?? 1)
const SEQUENCES = 12
const ACTS = 100

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { SIMULATOR_DELAY_MS: '1' }, processes: [[], ['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

test('after acts in any order, the service and the model agree on every answer and every franc', {
  timeout: 300_000 * size,
}, async (t) => {
  let hours = 0
  let done = 0
  const clock: SharedClock = {
    async forward(more) {
      hours += more
      await installation.db.moveClock(`${hours} hours`)
    },
  }
  await fc.assert(
    fc.asyncProperty(fc.commands(actsOn(clock), { maxCommands: ACTS, size: 'max' }), async (acts) => {
      const model = new MerchantModel()
      const real = await MerchantInService.open(installation)
      await fc.asyncModelRun(() => ({ model, real }), acts)
      await real.agreesOnAll(model)
      await real.statementCloses()
      done += real.acts
    }),
    {
      numRuns: SEQUENCES * size,
      // The search for a shorter sequence ends before the test does, whose timeout would hide what was found.
      interruptAfterTimeLimit: 240_000 * size,
      markInterruptAsFailure: true,
    },
  )
  t.diagnostic(`${done} acts`)
  const { checks } = await audit(installation.db.sql)
  assert.deepEqual(
    checks.filter(({ wrong }) => wrong > 0),
    [],
  )
})
