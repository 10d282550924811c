import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionFacts } from '../../src/checkout/page/facts.ts'
import { type Answer, ask } from '../contract/ask.ts'
import { auditPasses, json, newSession, open } from '../contract/payer.ts'
import { openInstallation } from '../harness/installation.ts'
import { openSeed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

const KILLS = 6
const PAYERS = 60
const CLIENTS = 6

/** One payer with one form, who sends it until there is an answer. Some tap twice. */
type Payer = { path: string; form: { nonce: string; msisdn: string }; answered: boolean; code: string | null }

test('each form is one payment and each session is paid once, however often the processes are killed', {
  timeout: 300_000,
}, async (t) => {
  const seed = openSeed(t)
  await using installation = await openInstallation({ processes: [[]], own: 'reads whole tables' })
  const { key, merchant_id } = await installation.newMerchant()
  const payers: Payer[] = []
  for (let at = 0; at < PAYERS; at += 1) {
    const { path } = await newSession(installation, key)
    const { nonce } = await open(installation, path)
    // Every third payer types a code, which is a separate call to the operator.
    const code = at % 3 === 0 ? '123456' : null
    const msisdn = `07${String(at).padStart(4, '0')}${code === null ? '0000' : '0008'}`
    payers.push({ path, form: { nonce, msisdn }, answered: false, code })
  }
  const roles = { api: installation.services[0]!, worker: await start('worker') }
  function start(role: string): Promise<Service> {
    return installation.start({ args: ['--only', role] })
  }
  const send = (path: string, body: object): Promise<Answer | null> =>
    ask(roles.api.address, { method: 'POST', path, headers: json, body }).catch(() => null)
  const look = async (path: string): Promise<SessionFacts | null> => {
    const answer = await ask(roles.api.address, { path, headers: json }).catch(() => null)
    return answer?.status === 200 ? (answer.json() as SessionFacts) : null
  }

  let stopped = false
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let turn = client; !stopped; turn += CLIENTS) {
      const payer = payers[turn % PAYERS]!
      if (!payer.answered) {
        const taps = seed.chance(0.3) ? 2 : 1
        const answers = await Promise.all(Array.from({ length: taps }, () => send(payer.path, payer.form)))
        payer.answered = answers.some((answer) => answer?.status === 200)
      } else if (payer.code !== null) {
        const facts = await look(payer.path)
        if (facts?.attempt?.next_action?.type === 'enter_code') {
          await send(`${payer.path}/code`, { nonce: facts.nonce, code: payer.code })
        }
      }
      await sleep(seed.between(5, 60))
    }
  })
  await using _clients = {
    async [Symbol.asyncDispose]() {
      stopped = true
      await Promise.all(clients)
    },
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(seed.between(200, 1_500))
    const role = seed.pick(['api', 'worker'] as const)
    await roles[role].kill('SIGKILL')
    roles[role] = await start(role)
  }

  // A kill can leave a session open: a code whose call was cut off is lost, and one typed after the request lapsed is too late. Nothing moved.
  const outcomes = async () => {
    const [row] = await installation.db.sql<{ paid: number; codes: number; again: number }[]>`
      select (select count(*)::int
                from checkout_sessions
               where merchant_id = ${merchant_id} and status = 'paid') as paid,
             count(*) filter (where o.payer_says is null and o.msisdn_end = '0008'
                                and (c.submitted_at < clock_now() - interval '5 seconds'
                                     or i.failure_code = 'payer_timeout'))::int as codes,
             count(*) filter (where i.sent_again > 0)::int as again
        from instructions i
        left join simulator_orders o using (merchant_id, livemode, reference)
        left join code_submissions c using (merchant_id, livemode, subject_id)
       where i.merchant_id = ${merchant_id}`
    return row!
  }
  const { again } = await waitFor(
    async () => {
      const { paid, codes, again } = await outcomes()
      return paid + codes === PAYERS && { again }
    },
    { deadline_ms: 60_000, what: 'every session to be paid, or its code to be lost' },
  )
  t.diagnostic(`${again} requests sent again`)
  assert.ok(again <= KILLS * CLIENTS, 'no more than were under way when a process was killed')
  const [row] = await installation.db.sql<{ payments: number; taken: number; second: number }[]>`
    select (select count(*)::int from payments where merchant_id = ${merchant_id}) as payments,
           (select count(*)::int from simulator_orders where merchant_id = ${merchant_id}) as taken,
           (select count(*)::int from anomalies where merchant_id = ${merchant_id}) as second`
  assert.deepEqual(row, { payments: PAYERS, taken: PAYERS, second: 0 })
  await auditPasses(installation)
})
