import { type ActCall, defineAct, refuse, service } from '../acts/act.ts'
import { merchantFact, requestedBy, text, type ValuesOf } from '../acts/facts.ts'
import { isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { recordAct, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { merchantExists, readMerchantName } from '../merchants/store.ts'
import { recheckPayoutsJob } from '../operators/sending/jobs.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Db, Sql, Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import { SYSTEM } from '../values/actor.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { causeFact, NO_SCOPE, payoutsFact, type StopScope, scopeFields, scopeOf } from './stop-facts.ts'
import * as store from './store.ts'
import { tellOfStopJob } from './tell-of-stop.ts'

type Call = ActCall<typeof service, ValuesOf<typeof scopeFields>>

/** Locks the stop in force of exactly these payouts. `scope` is null for a merchant without a number. */
async function load(tx: Tx, { values }: Call) {
  const scope = scopeOf(values)
  const merchant_id = scope?.scope === 'merchant' ? scope.merchant_id : WHOLE_SERVICE
  const about = { merchant_id, livemode: null }
  if (scope === null) return { about, scope, known: false, stop: null }
  const known = scope.scope !== 'merchant' || (await merchantExists(tx, scope.merchant_id))
  return { about, scope, known, stop: await store.lockStop(tx, stopKey(scope)) }
}

const on = { on: service, fields: scopeFields, facts: {} } as const

const insertStop = defineEffect<store.Stop & { by: string }>('payout stop', async (tx, stops) => {
  for (const { by, ...stop } of stops) await store.insertStop(tx, stop, by)
})
const tellOfStop = defineEffect<store.Stop>('job', (tx, stops) => {
  enqueue(
    tx,
    tellOfStopJob,
    stops.map((payload) => ({ payload })),
  )
})
const takeBackResumption = defineEffect<store.Stop>('payout stop', async (tx, stops) => {
  for (const stop of stops) await store.takeBackResumption(tx, stop)
})

/**
 * Stops payouts from being sent, at once: every send checks the stops first. Accepted payouts wait, collections go on,
 * and a payout already with an operator is not recalled. Stopping again cancels a pending request to resume, so that
 * two people have to agree anew; otherwise it changes nothing. An unknown merchant is refused: a person who mistyped it
 * would believe that payouts have stopped.
 */
export const stopPayouts = defineAct({
  ...on,
  name: 'payouts.stop',
  summary: "Stop payouts from being sent, within two seconds: all of them, one operator's or one merchant's",
  title: ['Arrêter les envois', 'Stop payouts'],
  right: 'payouts.stop',
  fresh: false,
  load,
  content: () => ({}),
  decide({ by }, { scope, known, stop }) {
    if (scope === null) return refuse('no_scope')
    if (!known) return refuse('no_merchant')
    const key = stopKey(scope)
    if (stop === null) {
      const effects = [insertStop({ ...key, by: by.person }), tellOfStop(key)]
      return { kind: 'accepted', effects, result: scope, after: key }
    }
    if (stop.resume_asked_by === null) return { kind: 'unchanged', result: scope }
    return { kind: 'accepted', effects: [takeBackResumption(key)], result: scope, before: stop, after: key }
  },
  refusals: {
    no_scope: NO_SCOPE,
    no_merchant: {
      words: ['Aucun marchand n’a ce numéro : rien n’est arrêté.', 'No merchant has this number: nothing is stopped.'],
      command: 'There is no merchant {merchant}.',
      at: 'merchant',
    },
  },
})

/**
 * Stops all payouts because of something that the service found itself. A stop in force gets the cause. Two people lift it as any other, and
 * say with it that the cause is mended: the same detail never stops again.
 * @returns false if this cause has stopped payouts before
 */
export async function stopPayoutsBecause(sql: Sql, cause: store.StopCause): Promise<boolean> {
  if (await store.isKnownCause(sql, cause)) return false
  const key = stopKey({ scope: 'all' })
  return sql.begin(async (tx) => {
    if (await store.insertStop(tx, key, SYSTEM.person)) enqueue(tx, tellOfStopJob, [{ payload: key }])
    await store.lockStop(tx, key)
    // Another process may have stopped them meanwhile.
    if (await store.isKnownCause(tx, cause)) return false
    await store.setStopCause(tx, key, cause)
    recordAct(
      tx,
      { merchant_id: WHOLE_SERVICE, livemode: null },
      { actor: SYSTEM, act: 'payouts.stop', after: { ...key, ...cause } },
    )
    return true
  })
}

type Step = store.Stop & { by: string }

const askToResume = defineEffect<Step>('payout stop', async (tx, steps, now) => {
  for (const { by, ...stop } of steps) await store.askToResume(tx, stop, by, now)
})
const liftStop = defineEffect<Step>('payout stop', async (tx, steps, now) => {
  for (const { by, ...stop } of steps) await store.liftStop(tx, stop, by, now)
})
const recheckPayouts = defineEffect<object>('job', (tx) => enqueue(tx, recheckPayoutsJob, [{ payload: {} }]))

/** `waiting`: somebody has asked, and a second person has to agree. */
export type PayoutsResumed = { readonly waiting: boolean; readonly scope: StopScope; readonly stop: store.StopRow }

/**
 * Resumes payouts once two people have asked: the first request is recorded, the second lifts the stop. The person who
 * stopped may be one of the two. Nobody is the second who let the first one in within 90 days. The payouts that waited are then checked
 * anew. The stop and its people stay on record. The first person who asks again changes nothing.
 */
export const resumePayouts = defineAct({
  ...on,
  name: 'payouts.resume',
  summary: 'Resume payouts, which takes two people; the service then sends those that waited',
  title: ['Rouvrir les envois', 'Resume payouts'],
  right: 'payouts.resume',
  fresh: true,
  async load(tx, call: Call) {
    const has = await load(tx, call)
    const asked_by = has.stop?.resume_asked_by ?? null
    const first = asked_by === null ? null : await readBeginners(tx, [asked_by])
    const { merchant_id } = has.about
    const name = merchant_id === WHOLE_SERVICE ? null : await readMerchantName(tx, merchant_id)
    return { ...has, name, isSecond: first !== null && isSecondPerson(first, call.by.person) }
  },
  facts: {
    payouts: payoutsFact,
    merchant: merchantFact,
    cause: causeFact,
    stopped_by: text(['Arrêté par', 'Stopped by']),
    requested_by: requestedBy,
  },
  content({ scope, name, stop }) {
    const payouts = scope && { ...stopKey(scope), name }
    const { stopped_by = null, stopped_at, resume_asked_by: requested_by = null, cause, cause_detail } = stop ?? {}
    return {
      ...{ payouts, stopped_by, requested_by, stopped_at: stopped_at?.toISOString() ?? null },
      cause: cause == null ? null : { cause, cause_detail: cause_detail ?? null },
    }
  },
  note: ({ isSecond }) =>
    isSecond
      ? [
          'Vous êtes la deuxième personne : les envois partent aussitôt.',
          'You are the second person: payouts leave at once.',
        ]
      : [
          'Vous êtes la première personne : une deuxième devra confirmer.',
          'You are the first person: a second one has to confirm.',
        ],
  decide({ by }, { scope, stop, isSecond }, now) {
    const { person } = by
    if (scope === null) return refuse('no_scope')
    if (person.startsWith('key:')) return refuse('not_a_person')
    if (stop === null) return refuse('not_stopped')
    const step = { ...stopKey(scope), by: person }
    const line = { before: stop, after: stopKey(scope) }
    const { resume_asked_by } = stop
    if (resume_asked_by === null) {
      const asked = { ...stop, resume_asked_by: person, resume_asked_at: now }
      const result = { waiting: true, scope, stop: asked }
      return { kind: 'accepted', effects: [askToResume(step)], result, line: 'payouts.ask_to_resume', ...line }
    }
    if (isSecond) {
      const result = { waiting: false, scope, stop: { ...stop, lifted_by: person, lifted_at: now } }
      return { kind: 'accepted', effects: [liftStop(step), recheckPayouts({})], result, ...line }
    }
    if (isIndependentApprover(resume_asked_by, person)) return refuse('same_person')
    return { kind: 'unchanged', result: { waiting: true, scope, stop } }
  },
  refusals: {
    no_scope: NO_SCOPE,
    not_a_person: ['Une clé ne rouvre pas les envois.', 'An API key does not resume payouts.'],
    not_stopped: {
      words: ['Ces envois ne sont pas arrêtés.', 'These payouts are not stopped.'],
      command: 'These payouts were not stopped.',
    },
    same_person: {
      words: [
        'Vous avez fait entrer la personne qui le demande depuis moins de 90 jours : une autre personne confirme.',
        'You let in within 90 days the person who asked: another person confirms.',
      ],
    },
  },
})

/** Most stops shown. */
const STOPS_MAX = 200

/** The stops in force with the people who asked to lift them, newest first. `lifted` adds the stops of the past. */
export function readPayoutStops(db: Db, { lifted }: { lifted: boolean }): Promise<store.StopRow[]> {
  return store.readStops(db, lifted, STOPS_MAX)
}

function stopKey(what: StopScope): store.Stop {
  const { scope } = what
  if (scope === 'operator') return { scope, value: what.operator }
  return { scope, value: scope === 'merchant' ? String(what.merchant_id) : '' }
}
