import { approveBatch, rejectBatch } from '../../../src/payout-batches/decide-batch.ts'
import { approveRequest, rejectRequest } from '../../../src/payouts/decide-request.ts'
import { checkBatch, checkRequest } from '../../contract/payout-answers.ts'
import { payout } from '../../contract/sender.ts'
import { rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

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

const rejected = {
  fields: { decline_reason: 'Pas prévu' },
  otherFields: { decline_reason: 'Une erreur' },
} as const

export const payouts: readonly Stage[] = [
  { act: approveRequest, second: true, open: newRequest },
  { act: rejectRequest, second: true, ...rejected, open: newRequest },
  { act: approveBatch, second: true, open: newBatch },
  { act: rejectBatch, second: true, ...rejected, open: newBatch },
]
