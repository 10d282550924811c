import { type Act, type ActCall, type ActDecision, type RefusalWords, refuse, type Target } from '../../acts/act.ts'
import type { Fact, Facts, OwnContentOf } from '../../acts/facts.ts'
import { tellPeople } from '../../people/notices/notify.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import type { Words } from '../../values/language.ts'
import type { Right } from '../../values/rights.ts'
import { stopRefusals } from '../../values/solo-approval.ts'
import { ALONE_HOURS, mayDecideAlone, type WaitsForSecond } from './approve-alone.ts'
import { nounOf } from './end-alone.ts'
import * as store from './store.ts'

type OnRow = Extract<Target, { kind: 'row' }>
type Call = ActCall<OnRow>

/** One kind of subjects that a merchant's only person approves alone. */
type Kind<Row, Deps, Known extends Facts> = {
  readonly noun: ReturnType<typeof nounOf>
  readonly right: Right
  readonly on: OnRow
  readonly title: Words
  /** Locks the subject of the page's place until the transaction ends. Null: there is none. */
  readonly find: (tx: Tx, call: Pick<Call, 'id' | 'within'>) => Promise<Tenant | null>
  readonly waits: WaitsForSecond
  /** Reads what the person signs. */
  readonly read: (tx: Tx, key: store.SoloKey, deps: Deps) => Promise<Row>
  readonly facts: Known
  readonly content: (row: Row) => OwnContentOf<Known>
}

const insertApproval = defineEffect<Parameters<typeof store.insertSoloApproval>[1]>(
  'solo approval',
  async (tx, given) => {
    for (const one of given) await store.insertSoloApproval(tx, one)
  },
)

type Stopped = { readonly key: store.SoloKey; readonly by: Actor }

const stopApproval = defineEffect<Stopped>('solo approval', async (tx, stopped) => {
  for (const { key, by } of stopped) await store.endSoloApproval(tx, key, 'stopped', by.person)
})

const laterFact: Fact<number> = {
  name: ['Prend effet', 'Takes effect'],
  write: (hours) => [`dans ${hours} heures`, `in ${hours} hours`],
}

const otherDecides: RefusalWords = {
  words: [
    'Une autre personne décide, ou l’équipe du service ne vous laisse pas décider seul. Rien n’est parti.',
    'Somebody else decides, or the team of the service does not let you decide alone. Nothing left.',
  ],
}

const refusals = {
  not_allowed: otherDecides,
  not_alone: otherDecides,
  not_waiting: ['La demande n’est plus comme avant. Relisez-la.', 'The request has changed. Read it again.'],
  expires_first: [
    'La demande expire avant la fin des 24 heures. Demandez l’envoi de nouveau.',
    'The request expires before the 24 hours end. Request the payout again.',
  ],
} as const satisfies Record<string, RefusalWords>

/** An approval that waits for its day. */
export type Approved = Pick<store.SoloApproval, 'takes_effect_at'>

/**
 * The acts of a merchant's only person on something that they made themselves: a payout request of their key, a batch, or a payout key. An approval
 * takes effect in `ALONE_HOURS` (`carryOutAlone`), and its subject does not change before. Until then the person can stop it, without a fresh
 * factor, because no money moves.
 */
export function defineSolo<Row, Deps, const Known extends Facts>(
  what: Kind<Row, Deps, Known>,
): { readonly approve: Act<Deps, Approved>; readonly stop: Act<unknown, null> } {
  const { noun, right, on } = what
  const common = { right, on, fields: {} }
  return {
    approve: {
      ...common,
      name: `${noun}.approve_alone`,
      summary: `Approve ${words[noun]} of one’s own as the only person of a merchant, a day ahead`,
      title: what.title,
      fresh: true,
      async load(tx: Tx, call: Call, deps: Deps) {
        const about = await what.find(tx, call)
        if (about === null) return null
        const key = { ...tenantOf(about), subject_id: call.id }
        // Locks the subject before the terms, as a decision does. Otherwise an approval could outlive its subject or the terms.
        const stands = await what.waits(tx, key, call.by.person)
        const row = await what.read(tx, key, deps)
        await store.lockTerms(tx, key.merchant_id)
        const why = await mayDecideAlone(tx, key.merchant_id, call.by.person)
        return { about: tenantOf(about), key, stands, row, why, known: await store.readSoloApproval(tx, key) }
      },
      facts: { ...what.facts, hours: laterFact },
      content: ({ row }: { row: Row }) => ({ ...what.content(row), hours: ALONE_HOURS }),
      decide: judgeApproval,
      refusals,
    },
    stop: {
      ...common,
      name: `${noun}.stop_alone`,
      summary: `Stop the approval of ${words[noun]} by one person before it takes effect`,
      title: ['Arrêter cet accord', 'Stop this approval'],
      fresh: false,
      async load(tx: Tx, call: Call) {
        const about = await what.find(tx, call)
        return about === null ? null : loadStop(tx, { ...tenantOf(about), subject_id: call.id })
      },
      facts: {},
      content: () => ({}),
      decide: ({ by }: Call, has: ToStop) => judgeStop(by, has),
      refusals: stopRefusals,
    },
  }
}

const words = { payout_request: 'a payout request', payout_batch: 'a batch', key: 'a payout key' } as const

type ToApprove = {
  readonly key: store.SoloKey
  readonly stands: Awaited<ReturnType<WaitsForSecond>>
  readonly why: 'not_allowed' | 'not_alone' | null
  readonly known: store.SoloApproval | null
}

function judgeApproval(
  { by }: Call,
  { key, stands, why, known }: ToApprove,
  now: Date,
): ActDecision<Approved, keyof typeof refusals> {
  if (why !== null) return refuse(why)
  if (stands === 'not_waiting') return refuse(stands)
  if (known !== null) return { kind: 'unchanged', result: known }
  if (stands === 'expires_first') return refuse(stands)
  const takes_effect_at = new Date(now.getTime() + ALONE_HOURS * 3_600_000)
  const given = { approved_by: by.person, approved_at: now, step_up_id: by.step_up_id!, from_address: by.from }
  const told = tellPeople({ name: 'approved_alone', about: tenantOf(key), subject: key.subject_id, to: [by.person] })
  return {
    kind: 'accepted',
    effects: [insertApproval({ ...key, ...given, takes_effect_at }), told],
    result: { takes_effect_at },
    after: { takes_effect_at: takes_effect_at.toISOString() },
  }
}

/** An approval to stop, with the end of the last one if none waits. */
export type ToStop = {
  readonly about: Tenant
  readonly key: store.SoloKey
  readonly waiting: store.SoloApproval | null
  readonly took_effect: boolean
}

/** Locks the waiting approval of a subject. One that takes effect at the moment is waited for. */
export async function loadStop(tx: Tx, key: store.SoloKey): Promise<ToStop> {
  const waiting = await store.lockWaiting(tx, key)
  const [last] = waiting === null ? await store.readLastApprovals(tx, key, [key.subject_id]) : []
  return { about: tenantOf(key), key, waiting, took_effect: last?.outcome === 'carried_out' }
}

/** Stops an approval before its effect, for the merchant's people or for the staff. */
export function judgeStop(
  by: Actor,
  { key, waiting, took_effect }: ToStop,
): ActDecision<null, keyof typeof stopRefusals> {
  if (waiting === null) return refuse(took_effect ? 'took_effect' : 'nothing_waits')
  const { approved_by, refusal } = waiting
  const outcome = 'stopped'
  const facts = { outcome, ...(refusal !== null && { refusal }) }
  const about = tenantOf(key)
  return {
    kind: 'accepted',
    effects: [
      stopApproval({ key, by }),
      tellPeople({ name: 'alone_ended', about, subject: key.subject_id, to: [approved_by], facts }),
    ],
    result: null,
    line: `${nounOf(key)}.stop_alone`,
    subject: key.subject_id,
    after: { outcome, approved_by, refusal },
  }
}
