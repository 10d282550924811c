import { approveBatch } from '../../src/payout-batches/decide-batch.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import { checkRequest } from '../contract/payout-answers.ts'
import { newSender, PATIENCE, payout, type Sender } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser } from '../harness/console.ts'
import type { Installation } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import type { Mode } from '../harness/merchant.ts'
import { mode as modeOfRun } from '../harness/mode.ts'
import { confirmSinglePerson, proposeSinglePerson } from '../harness/single-person.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

/** A merchant whose only person, Aya, made its key. */
export type AloneShop = {
  sender: Sender
  merchant_id: number
  /** The address of its console. */
  base: string
  aya: Member
  /** Requests a payout above a cap. Returns the id of its request. */
  held(): Promise<string>
  /** Makes a key that sends money and waits for a confirmation. Returns its id. */
  newKey(): Promise<string>
  /** Two staff members let Aya decide alone. */
  allow(): Promise<void>
  /** Aya approves a request alone, with a fresh factor. */
  approve(id: string): ReturnType<Member['post']>
  /** Aya confirms a key alone, with a fresh factor. */
  approveKey(key_id: string): ReturnType<Member['post']>
  statusOf(id: string): Promise<string>
}

/** Makes the merchant. @param funds its transfer balance in francs. @param mode absent: that of the run */
export async function newAloneShop(
  installation: Installation,
  { funds = 1_000_000, mode = modeOfRun }: { funds?: number; mode?: Mode } = {},
): Promise<AloneShop> {
  const { sql } = installation.db
  const sender = await newSender(installation, { funds, mode })
  const { merchant_id } = sender.tenant
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  await sql`update api_keys set created_by = ${aya.email} where key_id = ${sender.key_id}`
  const base = `/console/${mode}/${merchant_id}`
  const agree = async (at: string, from: string) => (await aya.confirm(`${at}/approve-alone`, {}, from)).done
  return {
    ...{ sender, merchant_id, base, aya },
    held: async () => checkRequest(await sender.send(payout(100_001)), 202).id,
    async newKey() {
      const wanted = {
        key_prefix: 'bdm',
        scope: 'payout',
        name: 'Caisse',
        allowed_addresses: [],
        needs_confirmation: true,
      } as const
      const by = { person: aya.email, door: 'console', from: null, step_up_id: null } as const
      return (await createKey(sql, sender.tenant, wanted, by)).key_id
    },
    async allow() {
      await proposeSinglePerson(sql, { merchant_id, reason: 'seule' }, actor('ama@example.com'))
      await confirmSinglePerson(sql, merchant_id, actor('kofi@example.com'))
    },
    approve: (id) => agree(`${base}/approvals/${id}`, `${base}/approvals/${id}`),
    approveKey: (key_id) => agree(`${base}/keys/${key_id}`, `${base}/keys`),
    statusOf: async (id) => checkRequest(await sender.read(id), 200).status,
  }
}

/** A moment after the 24 hours of an approval. */
export const DAY = '24 hours 1 minute'

/** The dependencies for carrying out approvals and deciding on requests. */
export function aloneDeps({ db: { sql } }: Installation, log: Log = createLog('silent', 'test')) {
  const payoutCaps = { payout_cap_operation: 100_000, payout_cap_day: 1_000_000, unchecked_day_max: 200_000 }
  return { sql, payoutCaps, log, clock: createClock(), approveBatch, proposal_days: 14 }
}

/**
 * Moves the clock back. The service reads the database's time every second, and until then ends every session that it reads. So this tries
 * another person's session first.
 */
export async function backToThePresent({ db, services }: Installation): Promise<void> {
  await db.moveClock('0')
  const inThePresent = async () => {
    const probe = await openBrowser(db.sql, services[0]!.address, { staff: ['support'] })
    return (await probe.get(`/desk/${modeOfRun}`)).status === 200
  }
  await waitFor(inThePresent, { ...PATIENCE, what: 'the service to know the present' })
}

/** Reads the end of a subject's last approval, and the person. Both are null while it waits. */
export async function outcomeOf({ db: { sql } }: Installation, subject_id: string) {
  const [row] = await sql<{ outcome: string | null; ended_by: string | null }[]>`
    select outcome, ended_by
      from solo_approvals
     where subject_id = ${subject_id}
     order by approved_at desc
     limit 1`
  return row
}

export function untilOutcome(installation: Installation, subject_id: string, outcome: string): Promise<unknown> {
  const what = `${subject_id} ${outcome}`
  return waitFor(async () => (await outcomeOf(installation, subject_id))?.outcome === outcome, { ...PATIENCE, what })
}
