import { choices, type FieldError, field, select } from '../../console/forms.ts'
import type { FormFields } from '../../console/read-fields.ts'
import type { Say } from '../../console/say.ts'
import type { Settings, SettingsFault } from '../../operators/contracts/connector-settings.ts'
import type { SettingField } from '../../operators/contracts/setting-fields.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { describedSetting, namedSetting } from './setting-words.ts'

/** The fields of a contract's settings, and the conversion of typed text into a change. */
export type SettingsForm = {
  readonly type: string
  readonly fields: readonly SettingField[]
  /** The current settings, with masked secrets. */
  readonly standing: Settings
}

/** Returns the field name of a setting. That of a secret has the prefix that no page and no stored form repeats. */
export function inputName({ key, kind }: Pick<SettingField, 'key' | 'kind'>): string {
  return kind === 'secret' ? `secret_${key}` : `set_${key}`
}

/** Reads the typed values. An empty field changes nothing. Invalid values stay as they are, and the kind of contract refuses them. */
export function readTypedSettings(
  fields: FormFields,
  { fields: all, standing }: Pick<SettingsForm, 'fields' | 'standing'>,
): { put: Settings; drop: string[] } {
  const put = Object.fromEntries(all.flatMap((one) => readOne(fields, one)))
  const drop = removable({ fields: all, standing })
    .map(({ key }) => key)
    .filter((key) => fields.all('drop').includes(key) && !Object.hasOwn(put, key))
  return { put, drop }
}

function readOne(fields: FormFields, { key, kind }: SettingField): [string, unknown][] {
  const name = inputName({ key, kind })
  const typed = kind === 'secret' ? asPem(fields.secret(name).trim()) : fields.text(name)
  if (typed === '') return []
  if (kind === 'flag') return [[key, typed === 'true' ? true : typed === 'false' ? false : typed]]
  const figures = typed.replace(/[\s\u00a0\u202f]/g, '')
  return [[key, kind === 'number' && /^\d{1,15}$/.test(figures) ? Number(figures) : typed]]
}

/** Restores the line breaks of a PEM key, which a field of one line removes. Any other text stays. */
function asPem(text: string): string {
  const [, label, body] = /^-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----$/.exec(text) ?? []
  if (label === undefined || body === undefined) return text
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** Returns the current settings that may be removed. */
function removable({ fields, standing }: Pick<SettingsForm, 'fields' | 'standing'>): SettingField[] {
  return fields.filter(({ key, required }) => !required && standing[key] !== undefined)
}

/** Returns the errors of settings at their fields. */
export function settingErrors(
  say: Say,
  { fields }: Pick<SettingsForm, 'fields'>,
  faults: readonly SettingsFault[],
): FieldError[] {
  return faults.map(({ key, problem }) => {
    const about = fields.find((one) => one.key === key)
    const field = about === undefined ? (key === 'name' ? 'name' : 'main') : inputName(about)
    return { field, text: say(problem) }
  })
}

/**
 * The fields of the settings: required and current ones first, the others closed unless they have a typed text or an error. `typed`: the
 * text that a refused form shows again, never a secret.
 */
export function settingInputs(
  say: Say,
  { type, fields, standing }: SettingsForm,
  typed: (name: string) => string,
  errors: readonly FieldError[],
): { needed: Html; others: Html } {
  const draw = (some: readonly SettingField[]) => some.map((one) => input(say, type, one, standing, typed, errors))
  const closed = (words: string, some: readonly SettingField[]) => {
    const isOpen = some.some(
      (one) => errors.some(({ field: about }) => about === inputName(one)) || typed(inputName(one)),
    )
    return html`<details${isOpen && html` open`}><summary>${words}</summary><div class="stack gap">${draw(some)}</div></details>`
  }
  const isNeeded = ({ key, required }: SettingField) => required || standing[key] !== undefined
  const own = fields.filter(({ is_term }) => !is_term)
  const terms = fields.filter(({ is_term }) => is_term)
  const more = own.filter((one) => !isNeeded(one))
  const drop = removable({ fields, standing })
  const dropped = choices(
    {
      name: 'drop',
      legend: say(['Sans eux, la valeur d’usage vaut', 'Without them, the default holds']),
      kind: 'checkbox',
      chosen: [],
      choices: drop.map(({ key, label }) => ({ value: key, label: `${say(label)} (${key})` })),
    },
    errors,
  )
  const removing = say(['Retirer des réglages', 'Remove settings'])
  const dropping =
    drop.length > 0 && html`<details><summary>${removing}</summary><div class="gap">${dropped}</div></details>`
  const others = more.length > 0 && closed(say(['Autres réglages', 'Other settings']), more)
  const charges = closed(say(['Frais de l’opérateur et solde', 'Charges of the operator and balance']), terms)
  return {
    needed: html`${draw(own.filter(isNeeded))}`,
    others: html`${others}${charges}${dropping}`,
  }
}

function input(
  say: Say,
  type: string,
  setting: SettingField,
  standing: Settings,
  typed: (name: string) => string,
  errors: readonly FieldError[],
): Html {
  const { key, kind, required } = setting
  const name = inputName(setting)
  const stands = standing[key]
  const now =
    stands === undefined
      ? ''
      : kind === 'secret'
        ? say([
            'Un secret est en place. Avec une autre adresse, tapez-le de nouveau.',
            'A secret is in place. With another address, type it again.',
          ])
        : say(['Aujourd’hui : {value}', 'Today: {value}'], { value: shownValue(say, stands) })
  const hint = html`${describedSetting(say, type, setting)}${now !== '' && html` <b>${now}</b>`}`
  const label = required
    ? namedSetting(say, setting)
    : html`${namedSetting(say, setting)} <span class="soft">(${say(['facultatif', 'optional'])})</span>`
  const common = { name, label, hint, value: kind === 'secret' ? '' : typed(name) }
  const off = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }
  if (kind === 'secret')
    return field({ ...common, type: 'password', more: { ...off, autocomplete: 'new-password' } }, errors)
  if (kind === 'text') return field({ ...common, more: off }, errors)
  if (kind === 'number') return field({ ...common, more: { ...off, inputmode: 'numeric' } }, errors)
  const words = kind === 'flag' ? ['true', 'false'] : setting.choices
  const empty = stands === undefined ? say(['Ne rien dire', 'Not set']) : say(['Ne pas changer', 'Do not change'])
  const offered = words.map((value) => ({
    value,
    label: kind === 'flag' ? shownValue(say, value === 'true') : value,
  }))
  return select({ ...common, choices: [{ value: '', label: empty }, ...offered] }, errors)
}

/** Writes a setting for people. */
export function shownValue(say: Say, value: unknown): string {
  if (value === true) return say(['oui', 'yes'])
  if (value === false) return say(['non', 'no'])
  return String(value)
}
