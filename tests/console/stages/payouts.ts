import assert from 'node:assert/strict'
import { keepDraft } from '../../../src/batch-files/keep-draft.ts'
import { makeAndSendBatch } from '../../../src/batch-files/make-and-send-batch.ts'
import { makeBatch } from '../../../src/batch-files/make-batch.ts'
import { soloBatch } from '../../../src/payout-batches/approve-batch-alone.ts'
import { approveBatch, cancelByPerson, rejectBatch } from '../../../src/payout-batches/decide-batch.ts'
import { executeByPerson } from '../../../src/payout-batches/execute-by-person.ts'
import { soloKey } from '../../../src/payouts/alone/approve-key-alone.ts'
import { stopMerchantsApproval } from '../../../src/payouts/alone/stop-approval.ts'
import { soloRequest } from '../../../src/payouts/approve-request-alone.ts'
import { approveRequest, rejectRequest } from '../../../src/payouts/decide-request.ts'
import { makePayout } from '../../../src/payouts/make-payout.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { checkBatch, checkRequest } from '../../contract/payout-answers.ts'
import { newNumber, payout } from '../../contract/sender.ts'
import { actor } from '../../harness/actor.ts'
import { createKey } from '../../harness/keys.ts'
import { perform } from '../../harness/perform.ts'
import { another, ofMerchant, rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

type Open = (stand: Stand, first: string) => Promise<Subject>

/** Gives a request or a batch to the first person: they made its key. */
async function made(stand: Stand, first: string, table: string, id: string): Promise<Subject> {
  const { sql } = stand
  await sql`
    update api_keys set created_by = ${first}
     where 'key:' || key_id = (select made_by from ${sql(table)} where id = ${id})`
  return { ...rowOf(stand, table, id), change: () => rename(stand) }
}

/** A payout above the cap of one operation. */
async function newRequest(stand: Stand, first: string): Promise<Subject> {
  const { collector, installation } = stand
  await installation.bandama('deposit', ...collector.words, '--amount', '3000000')
  const { id } = checkRequest(await collector.send(payout(2_500_000)), 202)
  return made(stand, first, 'payout_requests', id)
}

/** A batch above the cap of a day. */
async function newBatch(stand: Stand, first: string): Promise<Subject> {
  const lines = [payout(2_500_000), payout(2_400_000)]
  const { id } = checkBatch(await stand.collector.prepare({ lines }), 201)
  return made(stand, first, 'payout_batches', id)
}

/** A batch that can be sent: the other batches have used the cap up, so it is approved. */
const newApprovedBatch: Open = async (stand, first) => {
  const { id } = checkBatch(await stand.collector.prepare({ lines: [payout(1_000)] }), 201)
  const deps = { sql: stand.sql, clock: createClock(), payoutCaps: readConfig({}) }
  await perform(approveBatch, deps, { id }, actor('kofi@example.ci'))
  // An executed batch moves on by itself, so its other columns say nothing of the act.
  const state = async () =>
    (
      await stand.sql`
        select executed_at, executed_by, decided_by, decline_reason,
               (select count(payout_id)::integer from payout_batch_lines l where l.batch_id = b.id) as payouts
          from payout_batches b
         where id = ${id}`
    )[0]
  return { ...(await made(stand, first, 'payout_batches', id)), state }
}

/** The draft of a file with one line. */
const newDraft: Open = async (stand, first) => {
  const { sql, tenant } = stand
  const [number, amount] = [payout(1_000).beneficiary.msisdn, 1_000 + another()]
  const file = { name: 'paie.csv', bytes: Buffer.from(`nom;numero;montant\nAwa Koné;${number};${amount}\n`) }
  const kept = await keepDraft({ sql, clock: createClock() }, tenant, { name: '', file, replaces: null }, actor(first))
  assert.ok(kept.kind === 'kept', JSON.stringify(kept))
  const id = kept.draft_id
  const state = async () => (await sql`select count(*)::integer as made from drafted_batches where draft_id = ${id}`)[0]
  return { params: { id }, subject: 'new', state, change: () => rename(stand) }
}

const rejected = {
  fields: { decline_reason: 'Pas prévu' },
  otherFields: { decline_reason: 'Une erreur' },
} as const

/** An approval by one person that waits for its day. */
const approvedAlone =
  (subject: Open): Open =>
  async (stand, first) => {
    const { sql, tenant } = stand
    const { params } = await subject(stand, first)
    const id = params.id!
    await sql`
      insert into solo_approvals (merchant_id, livemode, subject_id, approved_by, step_up_id, takes_effect_at)
      values (${tenant.merchant_id}, ${tenant.livemode}, ${id}, ${first}, 'stp_1', clock_now() + interval '25 hours')`
    const state = async () => (await sql`select outcome, ended_by from solo_approvals where subject_id = ${id}`)[0]
    return { params: { id }, subject: id, state }
  }

const newKey: Open = async ({ sql, tenant }, first) => {
  const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Caisse', needs_confirmation: true } as const
  const { key_id } = await createKey(sql, tenant, wanted, actor(first))
  return { params: { id: key_id }, subject: key_id, state: async () => null }
}

/** The approvals need a merchant of one person: single-person.test.ts walks them. */
const ofOnePerson = { byHand: true, open: newRequest } as const

const recipient = { operator: '', beneficiary: '', purpose: '', name: 'Awa Koné' } as const

/** A merchant with money to send. A change of the recipient's former payouts changes what a person reads. */
const funded: Open = async (stand) => {
  await stand.installation.bandama('deposit', ...stand.collector.words, '--amount', '50000')
  const to = newNumber()
  const change = async () => {
    const sent = await stand.collector.send({ ...payout(5_000), beneficiary: { msisdn: to, name: 'Awa' } })
    assert.equal(sent.status, 201)
  }
  const words = [...stand.collector.words, '--to', to, '--amount', '5000', '--key', `form-${another()}`]
  return { ...ofMerchant(stand, 'payouts'), named: { to }, words, change }
}

export const payouts: readonly Stage[] = [
  {
    act: makePayout,
    get fields() {
      return { ...recipient, amount: '5000', key: `form-${another()}` }
    },
    get otherFields() {
      return { ...recipient, amount: '5001', key: `form-${another()}` }
    },
    open: funded,
  },
  { act: soloRequest.approve, ...ofOnePerson },
  { act: soloBatch.approve, ...ofOnePerson },
  { act: soloKey.approve, ...ofOnePerson },
  { act: soloRequest.stop, open: approvedAlone(newRequest) },
  { act: soloBatch.stop, open: approvedAlone(newBatch) },
  { act: soloKey.stop, open: approvedAlone(newKey) },
  {
    act: stopMerchantsApproval,
    line: 'payout_request.stop_alone',
    async open(stand, first) {
      const subject = await approvedAlone(newRequest)(stand, first)
      const params = { id: String(stand.tenant.merchant_id) }
      return { ...subject, params, named: { subject: subject.params.id! } }
    },
  },
  { act: approveRequest, second: true, open: newRequest },
  { act: rejectRequest, second: true, ...rejected, open: newRequest },
  { act: makeBatch, fields: { version: '1', repeated: '' }, open: newDraft },
  { act: makeAndSendBatch, fields: { version: '1', repeated: '' }, open: newDraft },
  { act: executeByPerson, fields: { repeated: '' }, open: newApprovedBatch },
  { act: cancelByPerson, open: newApprovedBatch },
  { act: approveBatch, second: true, open: newBatch },
  { act: rejectBatch, second: true, ...rejected, open: newBatch },
]
