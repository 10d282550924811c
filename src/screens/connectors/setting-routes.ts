import type { ActRefused } from '../../acts/act.ts'
import { askAct, performAct } from '../../acts/perform.ts'
import { unlessBusy } from '../../acts/unless-busy.ts'
import { type ActScreenDeps, sayRefusal } from '../../console/acts/act-screen.ts'
import { askForFactor, takeFactor } from '../../console/ask-for-factor.ts'
import { note } from '../../console/components.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { decideConnector, withdrawConnector } from '../../operators/contracts/decide-connector.ts'
import { isReadable, showConnector } from '../../operators/contracts/find-connectors.ts'
import { type ConnectorToSet, previewSetting } from '../../operators/contracts/judge-setting.ts'
import { typeNamed } from '../../operators/contracts/open-connector.ts'
import { setConnector } from '../../operators/contracts/set-connector.ts'
import { settingFields } from '../../operators/contracts/setting-fields.ts'
import {
  dropDraft,
  type KeptDraft,
  keepDraft,
  readDraft,
  type SettingsDraft,
} from '../../operators/contracts/settings-draft.ts'
import { proofOf } from '../../people/step-up/proof-of.ts'
import { html } from '../../platform/http/html.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'
import type { ConnectorDeps } from './connector-facts.ts'
import { inputName, readTypedSettings, type SettingsForm, settingErrors } from './settings-form.ts'
import { changeSummary, settingsView, typesView } from './settings-view.ts'

type Request = ScreenRequest<'desk'>
type Deps = ConnectorDeps & ActScreenDeps

/** The contract that a form is about. */
type Place = {
  readonly form: SettingsForm
  /** Null for a new contract. */
  readonly name: string | null
  readonly generation: number | null
  readonly removed: boolean
}

const getTypes = defineDeskScreen<ConnectorDeps>({
  method: 'GET',
  path: '/connect',
  operation: 'deskConnectorTypes',
  summary: 'Choose the kind of a new contract',
  right: 'connectors.manage',
  handle: async (request, { surroundings }) => typesView(request, surroundings.types),
})

const getNewConnector = defineDeskScreen<ConnectorDeps>({
  method: 'GET',
  path: '/connect/:type',
  operation: 'deskNewConnector',
  summary: 'The form of a new contract',
  right: 'connectors.manage',
  handle: async (request, deps) => withPlace(newPlace(request, deps), (place) => show(request, place)),
})

const getSettings = defineDeskScreen<ConnectorDeps>({
  method: 'GET',
  path: '/connectors/:name/settings',
  operation: 'deskSettings',
  summary: 'The form of other settings for a contract',
  right: 'connectors.manage',
  handle: async (request, deps) => withPlace(await knownPlace(request, deps), (place) => show(request, place)),
})

const postNewConnector = setting('/connect/:type', 'deskConnect', 'Make a contract', newPlace)
const postSettings = setting(
  '/connectors/:name/settings',
  'deskSetSettings',
  'Give a contract other settings',
  knownPlace,
)

/** The settings of a contract that waits for a second person. */
const proposedConnectors = proposalScreens<Deps>(
  { ...decideConnector, withdraw: withdrawConnector },
  {
    acts: ['connector.set'],
    path: proposalPaths['connector.set'],
    operation: 'deskProposedConnector',
    summary: 'Read the settings of a contract that wait for a second person',
    otherRole: ['Les opérations décident.', 'Operations decide.'],
    made: (name) => `/connectors/${name}`,
  },
)

/**
 * Sets a contract. The person types secrets once: the change waits in an encrypted draft, the step-up's question has only the draft's id, and the
 * person confirms the masked values with the digest of the draft. So this page asks and performs the act itself.
 */
function setting(
  path: string,
  operation: string,
  summary: string,
  placeOf: (request: Request, deps: ConnectorDeps) => Place | null | Promise<Place | null>,
) {
  return defineDeskScreen<Deps>({
    method: 'POST',
    path,
    operation,
    summary,
    right: setConnector.right,
    acts: [setConnector],
    handle: async (request, deps) =>
      withPlace(await placeOf(request, deps), (place) =>
        request.fields.text('draft') === '' ? begin(request, deps, place) : goOn(request, deps, place),
      ),
  })
}

/** Reads the form, checks it like the command does, and stores it for the step-up. */
async function begin(request: Request, deps: Deps, place: Place): Promise<ScreenAnswer> {
  const { fields, say, livemode, session } = request
  // A sign-in in between stores no field that begins with `secret_`. If this one is missing, the secrets of the form are lost.
  if (fields.secret('secret_form') === '') return show(request, place, [lapsed(request)])
  const { form, generation } = place
  const { put, drop } = readTypedSettings(fields, form)
  if (Object.keys(put).length + drop.length === 0 && !place.removed && place.name !== null) {
    const text = say(['Rien n’est tapé : rien ne change.', 'Nothing is typed: nothing changes.'])
    return show(request, place, [{ field: 'main', text }])
  }
  const name = place.name ?? fields.text('name')
  const draft = { name, type: form.type, livemode, change: { put, drop, on: generation } }
  const judged = await previewSetting(deps, toSet(draft))
  if (judged.kind === 'refused') return show(request, place, settingErrors(say, form, judged.faults))
  return ask(request, deps, place, await keepDraft(deps, session.session_id, draft), null)
}

/** Handles the answer of the step-up. All values come from the draft. */
async function goOn(request: Request, deps: Deps, place: Place): Promise<ScreenAnswer> {
  const { fields, at, session } = request
  const draft = await readDraft(deps, { draft_id: fields.text('draft'), session_id: session.session_id })
  if (draft === null || !isFor(draft, request, place)) return show(request, place, [lapsed(request)])
  const factor = await takeFactor(deps.console.factorsAt('desk'), request)
  if (factor.kind !== 'confirmed') return ask(request, deps, place, draft, factor.kind === 'none' ? null : factor)
  const [act, call] = callOf(request, deps, draft)
  const outcome = await unlessBusy(performAct(setConnector, act, call, proofOf(session, factor.step_up_id)))
  if (outcome.kind === 'ask_again') return ask(request, deps, place, draft, { code: 'content_changed' })
  if (outcome.kind === 'refused') return refusedView(request, deps, place, draft, outcome)
  await dropDraft(deps.sql, draft)
  return 'proposal_id' in outcome.result
    ? moved(at(`${proposalPaths['connector.set']}/${outcome.result.proposal_id}?done=proposed`))
    : moved(at(`/connectors/${draft.name}?done=connector_set`))
}

/** Asks for a fresh factor, with the masked values and the digest of the draft. */
async function ask(
  request: Request,
  deps: Deps,
  place: Place,
  draft: KeptDraft,
  why: Parameters<typeof askForFactor>[4],
): Promise<ScreenAnswer> {
  const { say, at } = request
  const [act, call] = callOf(request, deps, draft)
  const asked = await unlessBusy(askAct(setConnector, act, call))
  if (asked.kind === 'refused') return refusedView(request, deps, place, draft, asked)
  const preview = await previewSetting(deps, toSet(draft))
  if (asked.kind === 'done' || preview.kind === 'refused') return show(request, place, [lapsed(request)])
  const pointed = asked.note === null ? null : note('plain', null, say(asked.note))
  const question = {
    carries: { draft: draft.draft_id },
    ...{ title: say(setConnector.title), back: at(place.name === null ? '/connectors' : `/connectors/${place.name}`) },
    shown: html`${changeSummary(say, draft, preview, place.form.fields)}${pointed}`,
  }
  return askForFactor(deps.console.factorsAt('desk'), request, asked.signed, question, why)
}

/** The act of a draft: its dependencies and its call. */
function callOf({ actor: by, livemode }: Request, deps: Deps, draft: KeptDraft) {
  const { name, type, change: settings, digest } = draft
  const values = { name, type, mode: livemode ? 'live' : 'test' }
  return [
    { ...deps, settings, digest },
    { by, values, within: { livemode } },
  ] as const
}

/** Shows the form again with the faults of the draft, or with the words of the refusal. */
async function refusedView(
  request: Request,
  deps: Deps,
  place: Place,
  draft: KeptDraft,
  refusal: ActRefused,
): Promise<ScreenAnswer> {
  const preview = await previewSetting(deps, toSet(draft))
  const errors =
    preview.kind === 'refused'
      ? settingErrors(request.say, place.form, preview.faults)
      : [{ field: 'main', text: sayRefusal(request, setConnector, refusal) }]
  return show(request, place, errors, draft)
}

function toSet({ name, type, livemode, change }: SettingsDraft): ConnectorToSet {
  return { name, type, livemode, settings: change }
}

/** Whether a draft belongs to this address. */
function isFor(draft: SettingsDraft, { livemode }: Request, { name, form }: Place): boolean {
  return draft.livemode === livemode && draft.type === form.type && (name === null || name === draft.name)
}

function lapsed({ say }: Request): FieldError {
  const text = say([
    'Rien n’est changé : la page a trop attendu, et les secrets ne sont pas gardés. Tapez de nouveau.',
    'Nothing is changed: the page waited too long, and secrets are not kept. Type again.',
  ])
  return { field: 'main', text }
}

/** Shows the form. @param draft the typed values after the step-up; its secrets are not shown */
async function show(
  request: Request,
  { form, name, removed }: Place,
  errors: readonly FieldError[] = [],
  draft: SettingsDraft | null = null,
): Promise<ScreenAnswer> {
  const shown = new Map(
    form.fields.flatMap((one) =>
      one.kind === 'secret' || draft?.change.put[one.key] === undefined
        ? []
        : [[inputName(one), String(draft.change.put[one.key])] as const],
    ),
  )
  if (draft !== null) shown.set('name', draft.name)
  const typed = (input: string) => (draft === null ? request.fields.text(input) : (shown.get(input) ?? ''))
  return settingsView(request, { form, name, removed, typed, errors })
}

function newPlace({ params }: Request, { surroundings }: ConnectorDeps): Place | null {
  const type = typeNamed(surroundings.types, params.type ?? '')
  if (type === null) return null
  const form = { type: type.type, fields: settingFields(type), standing: {} }
  return { form, name: null, generation: null, removed: false }
}

async function knownPlace({ params, livemode }: Request, { sql, surroundings }: ConnectorDeps): Promise<Place | null> {
  const shown = await showConnector(sql, surroundings, params.name ?? '')
  const type = shown === null ? null : typeNamed(surroundings.types, shown.type)
  // Settings that cannot be decrypted cannot be changed one by one.
  if (shown === null || type === null || shown.livemode !== livemode || !isReadable(shown)) return null
  const { name, generation, settings: standing, removed_at } = shown
  const form = { type: type.type, fields: settingFields(type), standing }
  return { form, name, generation, removed: removed_at !== null }
}

async function withPlace<Answer>(
  place: Place | null,
  act: (place: Place) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  return place === null ? absent : act(place)
}

export const settingScreens = [
  ...[getTypes, getNewConnector, postNewConnector, getSettings, postSettings],
  ...proposedConnectors,
] as const
