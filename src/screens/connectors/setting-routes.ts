import type { FieldError } from '../../console/forms.ts'
import {
  absent,
  type Confirmation,
  defineDeskScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
} from '../../console/screen.ts'
import { isReadable, showConnector } from '../../operators/contracts/find-connectors.ts'
import { typeNamed } from '../../operators/contracts/open-connector.ts'
import { type ConnectorToSet, previewSetting, setConnector } from '../../operators/contracts/set-connector.ts'
import { settingFields } from '../../operators/contracts/setting-fields.ts'
import { keepDraft, readDraft, type SettingsDraft, takeDraft } from '../../operators/contracts/settings-draft.ts'
import type { ConnectorDeps } from './connector-facts.ts'
import { inputName, readTypedSettings, type SettingsForm, settingErrors } from './settings-form.ts'
import { changeSummary, settingsView, typesView } from './settings-view.ts'

type Request = ScreenRequest<'desk'>

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

/**
 * Sets a contract with a fresh factor. The person types secrets once: the change waits in an encrypted draft, the step-up's question has
 * only the draft's id, and the person confirms the masked values with the digest of the draft.
 */
function setting(
  path: string,
  operation: string,
  summary: string,
  placeOf: (request: Request, deps: ConnectorDeps) => Place | null | Promise<Place | null>,
) {
  return defineDeskScreen<ConnectorDeps>({
    method: 'POST',
    path,
    operation,
    summary,
    right: 'connectors.manage',
    confirm: async (request, deps) =>
      withPlace(await placeOf(request, deps), (place) =>
        request.fields.text('draft') === '' ? begin(request, deps, place) : goOn(request, deps, place),
      ),
    handle: async (request, deps) => withPlace(await placeOf(request, deps), (place) => act(request, deps, place)),
  })
}

/** Reads the form, checks it like the command does, and stores it for the step-up. */
async function begin(request: Request, deps: ConnectorDeps, place: Place): Promise<Confirmation | ScreenAnswer> {
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
  const { draft_id } = await keepDraft(deps, session.session_id, draft)
  return question(request, deps, place, draft_id)
}

/** Handles the answer of the step-up, or asks again. All values come from the draft. */
function goOn(request: Request, deps: ConnectorDeps, place: Place): Promise<Confirmation | ScreenAnswer> {
  return question(request, deps, place, request.fields.text('draft'))
}

async function question(
  request: Request,
  deps: ConnectorDeps,
  place: Place,
  draft_id: string,
): Promise<Confirmation | ScreenAnswer> {
  const { say, at, session } = request
  const draft = await readDraft(deps, { draft_id, session_id: session.session_id })
  if (draft === null || !isFor(draft, request, place)) return show(request, place, [lapsed(request)])
  const preview = await previewSetting(deps, toSet(draft))
  if (preview.kind === 'refused') return show(request, place, settingErrors(say, place.form, preview.faults), draft)
  const { name, type, change, digest } = draft
  const { generation, before, after } = preview
  return {
    kind: 'confirm',
    subject: name,
    content: {
      connector: name,
      type,
      generation,
      before,
      after,
      drop: change.drop,
      typed: Object.keys(change.put),
      digest,
    },
    carries: { draft: draft_id },
    title: say(['Régler un connecteur', 'Set a connector']),
    back: at(place.name === null ? '/connectors' : `/connectors/${place.name}`),
    shown: changeSummary(say, draft, preview, place.form.fields),
  }
}

async function act(request: Request, deps: ConnectorDeps, place: Place): Promise<ScreenAnswer> {
  const { fields, say, at, session, actor } = request
  const draft = await takeDraft(deps, { draft_id: fields.text('draft'), session_id: session.session_id })
  if (draft === null || !isFor(draft, request, place)) return show(request, place, [lapsed(request)])
  const result = await setConnector(deps, toSet(draft), actor)
  if (result.kind === 'refused') return show(request, place, settingErrors(say, place.form, result.faults), draft)
  return moved(at(`/connectors/${draft.name}?done=connector_set`))
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

export const settingScreens = [getTypes, getNewConnector, postNewConnector, getSettings, postSettings] as const
