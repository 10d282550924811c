import { maySecond, readDecider } from '../../acts/second-person.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { listConnectors } from '../../operators/contracts/find-connectors.ts'
import { listRoutes } from '../../operators/contracts/find-routes.ts'
import type { WeatherReport } from '../../operators/weather/follow-weather.ts'
import { readPayoutStops, resumePayouts, type StopScope, stopPayouts } from '../../payouts/stop-payouts.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { operatorWeather } from '../weather-panel.ts'
import { causeWords, stopWord, switchView } from './switch-view.ts'

export type SwitchDeps = { sql: Sql; clock: Clock; weather: WeatherReport }
type Request = ScreenRequest<'desk'>

/** The kill switch with the weather, and the contracts and routes of this mode. */
export const getSwitch = defineDeskScreen<SwitchDeps>({
  method: 'GET',
  path: '/switch',
  operation: 'deskSwitch',
  summary: 'Read the stops, the weather of the operators, and the routes',
  right: 'desk.read',
  menu: {
    group: 'operators',
    icon: 'power',
    words: ['Arrêt des envois', 'Payout stop'],
    dock: ['Arrêt', 'Stop'],
  },
  handle: (request, deps) => show(request, deps, []),
})

/** Stops payouts at once: by one person, without a fresh factor. A repeated stop changes nothing. */
export const postStop = defineDeskScreen<SwitchDeps>({
  method: 'POST',
  path: '/switch/stop',
  operation: 'deskStopPayouts',
  summary: 'Stop payouts at once',
  right: 'payouts.stop',
  async handle(request, deps) {
    const { say, fields, actor } = request
    const scope = scopeIn(fields.text('what'), fields.text('merchant'))
    if (scope === null) {
      const text = say([
        'Choisissez quoi arrêter ; pour un marchand, écrivez son numéro.',
        'Choose what to stop; for a merchant, write its number.',
      ])
      return show(request, deps, [{ field: 'what', text }])
    }
    const result = await stopPayouts(deps.sql, scope, actor)
    if (result.kind === 'stopped') return moved(request.at('/switch?done=stopped'))
    const text = say([
      'Aucun marchand n’a ce numéro : rien n’est arrêté.',
      'No merchant has this number: nothing is stopped.',
    ])
    return show(request, deps, [{ field: 'merchant', text }])
  },
})

/** Resumes payouts: the first of two people is recorded, the second lifts the stop. */
export const postResume = defineDeskScreen<SwitchDeps>({
  method: 'POST',
  path: '/switch/resume',
  operation: 'deskResumePayouts',
  summary: 'Resume payouts, which takes two people',
  right: 'payouts.resume',
  async confirm(request, { sql }) {
    const { say, at, fields } = request
    const scope = scopeIn(fields.text('what'), fields.text('merchant'))
    if (scope === null) return absent
    const stops = await readPayoutStops(sql, { lifted: false })
    const value =
      scope.scope === 'operator' ? scope.operator : scope.scope === 'merchant' ? String(scope.merchant_id) : ''
    const stop = stops.find((one) => one.scope === scope.scope && one.value === value)
    // Another person lifted it meanwhile: the page shows that nothing is stopped.
    if (stop === undefined) return moved(at('/switch'))
    const { resume_asked_by, stopped_at, cause, cause_detail } = stop
    const causes = causeWords(stop, say)
    const merchants = await readMerchantNames(sql, scope.scope === 'merchant' ? [scope.merchant_id] : [])
    const second = resume_asked_by !== null && isIndependentApprover(resume_asked_by, request.actor.person)
    // The page says why they are not the second person.
    if (second && !(await maySecond(sql, [resume_asked_by], request.actor.person))) return moved(at('/switch'))
    return {
      kind: 'confirm',
      subject: `${scope.scope}:${value}`,
      content: {
        ...scope,
        stopped_at: stopped_at.toISOString(),
        resume_asked_by,
        ...(cause === null ? {} : { cause, cause_detail }),
      },
      title: say(['Rouvrir les envois', 'Resume payouts']),
      back: at('/switch'),
      shown: html`<h1>${say(['Rouvrir', 'Resume'])}</h1><p class="say">${stopWord(stop, merchants, say)}</p>${causes !== null && html`<p>${causes}</p>`}<p class="soft">${second ? say(['Vous êtes la deuxième personne : les envois partent aussitôt.', 'You are the second person: payouts leave at once.']) : say(['Vous êtes la première personne : une deuxième devra confirmer.', 'You are the first person: a second one has to confirm.'])}</p>`,
    }
  },
  async handle(request, deps) {
    const { fields, actor, at } = request
    const scope = scopeIn(fields.text('what'), fields.text('merchant'))
    if (scope === null) return absent
    const result = await resumePayouts(deps.sql, scope, actor)
    if (result.kind === 'refused') return moved(at('/switch'))
    return moved(at(`/switch?done=${result.kind === 'resumed' ? 'resumed' : 'asked'}`))
  },
})

function scopeIn(what: string, merchant: string): StopScope | null {
  if (what === 'all') return { scope: 'all' }
  if (isOperatorCode(what)) return { scope: 'operator', operator: what }
  if (what === 'merchant' && /^[1-9]\d{0,14}$/.test(merchant))
    return { scope: 'merchant', merchant_id: Number(merchant) }
  return null
}

async function show(
  request: Request,
  { sql, weather }: SwitchDeps,
  errors: readonly { field: string; text: string }[],
): Promise<ScreenAnswer> {
  const { livemode } = request
  const [inForce, all, connectors, routes] = await Promise.all([
    readPayoutStops(sql, { lifted: false }),
    readPayoutStops(sql, { lifted: true }),
    listConnectors(sql),
    listRoutes(sql, livemode),
  ])
  // A stop in force is always shown, however many were lifted since.
  const stops = [...inForce, ...all.filter(({ lifted_at }) => lifted_at !== null)]
  const people = stops.flatMap(({ stopped_by, resume_asked_by, lifted_by }) => [stopped_by, resume_asked_by, lifted_by])
  const merchant_ids = stops.flatMap(({ scope, value }) => (scope === 'merchant' ? [Number(value)] : []))
  const [names, merchants, reader] = await Promise.all([
    readPersonNames(sql, people),
    readMerchantNames(sql, merchant_ids),
    readDecider(sql, request.actor.person),
  ])
  const facts = {
    stops,
    weather: operatorWeather(weather, livemode),
    connectors: connectors.filter((one) => one.livemode === livemode && one.removed_at === null),
    routes,
  }
  return switchView(request, { ...facts, names, merchants, reader, errors })
}
