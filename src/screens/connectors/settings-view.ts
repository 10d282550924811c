import { backLink, id, note, pageHead, panel, type Row, rows } from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { list, rowLink } from '../../console/list.ts'
import type { Say } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { ConnectorType } from '../../operators/contracts/connector-type.ts'
import type { SettingPreview } from '../../operators/contracts/judge-setting.ts'
import type { SettingsDraft } from '../../operators/contracts/settings-draft.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { nameIn, typeNames } from './setting-words.ts'
import { type SettingsForm, settingInputs, shownValue } from './settings-form.ts'

type Request = ScreenRequest<'desk'>

/** The page to choose a kind of contract. */
export function typesView({ say, at }: Request, types: readonly ConnectorType[]): ScreenView {
  const title = say(['Relier un opérateur', 'Connect an operator'])
  const content = list<ConnectorType>({
    caption: title,
    rows: types,
    size: 'few',
    columns: [
      {
        title: say(['Sorte de contrat', 'Kind of contract']),
        kind: 'k',
        all: true,
        cell: ({ type }) => rowLink(at(`/connect/${type}`), typeNames[type] ?? type, type),
      },
    ],
  })
  const lead = say(['Avec qui est le contrat ?', 'With whom is the contract?'])
  const back = backLink(at('/connectors'), say(['Connecteurs', 'Connectors']))
  const main = html`${back}${pageHead({ title, lead })}${panel(null, content, { flush: true })}`
  return { kind: 'view', title, main, facts: { types: types.map(({ type }) => type) } }
}

export type SettingsPage = {
  readonly form: SettingsForm
  /** Null for a new contract, which still needs a name. */
  readonly name: string | null
  /** Whether the contract was removed, and this form restores it. */
  readonly removed: boolean
  /** The texts of a refused form. */
  readonly typed: (name: string) => string
  readonly errors: readonly FieldError[]
}

/** The form of a contract's settings. It contains no secret, neither a current nor a typed one. */
export function settingsView(
  request: Request,
  { form: settings, name, removed, typed, errors }: SettingsPage,
): ScreenView {
  const { say, at } = request
  const { type, fields, standing } = settings
  const title =
    name === null
      ? say(['Relier {type}', 'Connect {type}'], { type: typeNames[type] ?? type })
      : say(['Réglages de {name}', 'Settings of {name}'], { name })
  const [to, back, words] =
    name === null
      ? ([`/connect/${type}`, '/connect', say(['Sortes de contrat', 'Kinds of contract'])] as const)
      : ([`/connectors/${name}/settings`, `/connectors/${name}`, name] as const)
  const lead =
    name === null
      ? say(['Les secrets sont scellés et jamais montrés.', 'Secrets are sealed and never shown.'])
      : say(['Un champ vide ne change rien.', 'An empty field changes nothing.'])
  const { needed, others } = settingInputs(say, settings, typed, errors)
  const naming =
    name === null &&
    field(
      {
        name: 'name',
        label: say(['Nom du connecteur', 'Name of the connector']),
        hint: say([
          'Il reste pour toujours : petites lettres, chiffres, - et _.',
          'It never changes: lower-case letters, digits, - and _.',
        ]),
        value: typed('name'),
        more: { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', maxlength: '40' },
      },
      errors,
    )
  const again = errors.length > 0 && fields.some(({ kind }) => kind === 'secret')
  const operators = panel(
    say(['Chez l’opérateur', 'At the operator']),
    html`<div class="stack">${naming}${needed}</div>`,
  )
  const content = html`${hiddenField('secret_form', 'whole')}${operators}
${panel(null, html`<div class="stack">${others}</div>`)}<button class="wide">${say(['Continuer', 'Continue'])}</button>`
  const notKept = say([
    'Les secrets ne sont pas gardés : tapez-les de nouveau.',
    'Secrets are not kept: type them again.',
  ])
  const comesBack = say([
    'Ce connecteur est retiré. Il revient en service avec ces réglages.',
    'This connector is removed. It comes back into use with these settings.',
  ])
  const head = html`${backLink(at(back), words)}${pageHead({ title, lead })}${errorList(say, errors)}`
  const notes = html`${again && note('care', null, notKept)}${removed && note('plain', null, comesBack)}`
  const main = html`<div class="narrow wider">${head}${notes}${form(request, at(to), content)}</div>`
  const facts = { name, type, settings: standing, fields, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts, deciding: true }
}

/** The summary in the step-up: each changed setting before and after, secrets only by name. */
export function changeSummary(
  say: Say,
  { name, type, change }: SettingsDraft,
  preview: Extract<SettingPreview, { kind: 'preview' }>,
  fields: SettingsForm['fields'],
): Html {
  const { put, drop, on } = change
  const { before, after, renews, warning } = preview
  const secret = (key: string) => fields.some((one) => one.key === key && one.kind === 'secret')
  const nameOf = (key: string) => nameIn(say, fields, key)
  const changed: Row[] = Object.keys(put).map((key) => {
    const was = before[key] === undefined ? '' : `${shownValue(say, before[key])} → `
    return {
      name: nameOf(key),
      value: secret(key) ? say(['nouveau secret', 'new secret']) : id(`${was}${shownValue(say, after[key])}`),
    }
  })
  const dropped: Row[] = drop.map((key) => ({ name: nameOf(key), value: say(['retiré', 'removed']) }))
  const kept =
    renews &&
    say([
      'Les réglages d’avant vérifient encore 24 h les appels de l’opérateur.',
      'The settings before go on verifying the operator’s calls for 24 hours.',
    ])
  const word = on === null ? say(['nouveau contrat', 'new contract']) : say(['nouveaux réglages', 'new settings'])
  const head = html`<h1>${name}</h1><p class="say">${typeNames[type] ?? type}, ${word}</p>`
  const toCheck =
    warning !== null && say(['À vérifier : {warning}', 'Check this: {warning}'], { warning: say(warning) })
  const told = html`${kept && html`<p class="soft">${kept}</p>`}${toCheck && html`<p class="error">${toCheck}</p>`}`
  return html`${head}${rows([...changed, ...dropped])}${told}`
}
