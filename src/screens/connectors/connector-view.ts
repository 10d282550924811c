import { backLink, id, linkButton, pageHead, panel, type Row, rows, toast } from '../../console/components.ts'
import { form, hiddenField } from '../../console/forms.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { connectorTypes } from '../../operators/contracts/connector-types.ts'
import { isReadable, type ShownConnector } from '../../operators/contracts/find-connectors.ts'
import { settingFields } from '../../operators/contracts/setting-fields.ts'
import type { FloatRow } from '../../operators/float/float-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { circuit, warningWords } from './connector-list-view.ts'
import { nameIn } from './setting-words.ts'

type Request = ScreenRequest<'desk'>

/** The result of an act on a contract. */
export type ConnectorNews = { readonly kind: 'ok' | 'care' | 'bad'; readonly text: string }

type Facts = {
  readonly shown: ShownConnector
  readonly newest: FloatRow | null
  readonly accepted: FloatRow | null
  readonly refuses: boolean
  readonly news: ConnectorNews | null
}

/** The page of one contract: its masked settings, its test by a call, and the balance at its operator. */
export function connectorView(request: Request, facts: Facts): ScreenView {
  const { say, at, can } = request
  const { shown, news, refuses } = facts
  const { name, type } = shown
  const lead = html`${type} · ${circuit({ refuses }, say)}`
  const told = news !== null && toast(news.text, news.kind === 'ok' ? '' : news.kind, say)
  const main = html`${backLink(at('/connectors'), say(['Connecteurs', 'Connectors']))}${told}${pageHead({ title: name, lead })}
<div class="two"><div class="stack">${settingsPanel(request, shown)}</div><div class="stack">${floatPanel(request, facts)}</div></div>`
  // The address for callbacks may contain a token, so only people who manage contracts see it.
  const callback_url = can('connectors.manage') ? shown.callback_url : null
  return {
    kind: 'view',
    status: news?.kind === 'bad' ? 409 : 200,
    title: name,
    main,
    facts: { ...facts, shown: { ...shown, callback_url } },
  }
}

function settingsPanel(request: Request, shown: ShownConnector): Html {
  const { say, at, can, language, query } = request
  const { also_verifying, warning, check_fails } = shown
  const { name, type, settings, generation, changed_at, changed_by, callback_url, problem, removed_at } = shown
  const kind = connectorTypes.find((one) => one.type === type)
  const fields = kind === undefined ? [] : settingFields(kind)
  const known: Row[] = Object.entries(settings).map(([key, value]) => ({
    name: nameIn(say, fields, key),
    value: id(String(value)),
  }))
  const facts = [
    ...known,
    {
      name: say(['Réglages', 'Settings']),
      value: say(['n° {n}, {by}, {at}', 'no. {n}, {by}, {at}'], {
        n: generation,
        by: changed_by,
        at: writeShortDate(changed_at, language),
      }),
    },
    also_verifying.length > 0 && {
      name: say(['Vérifient encore les appels', 'Still verify calls']),
      value: say(['n° {n}', 'no. {n}'], { n: also_verifying.join(', ') }),
    },
    callback_url !== null &&
      can('connectors.manage') && { name: say(['L’opérateur appelle', 'The operator calls']), value: id(callback_url) },
  ]
  const manages = can('connectors.manage')
  // After new settings the next step is the test by a call.
  const isSet = query.get('done') === 'connector_set'
  const act = (verb: 'check' | 'remove', button: Html) =>
    form(request, at(`/connectors/${name}/${verb}`), button, { class: 'acts' })
  const words =
    removed_at === null
      ? say(['Changer les réglages', 'Change the settings'])
      : say(['Remettre en service', 'Put back into use'])
  const changing =
    manages &&
    isReadable(shown) &&
    html`<div class="acts">${linkButton(at(`/connectors/${name}/settings`), words, 'second')}</div>`
  const check = html`<button${!isSet && html` class="second"`}>${say(['Vérifier les réglages', 'Check the settings'])}</button>`
  const remove = html`<button class="stop">${say(['Retirer ce connecteur', 'Remove this connector'])}</button>`
  const using = manages && removed_at === null && html`${act('check', check)}${changing}${act('remove', remove)}`
  const acts = manages
    ? using || changing
    : html`<p class="hint">${say(['Les opérations vérifient, changent et retirent.', 'Operations check, change and remove.'])}</p>`
  const told = [
    problem !== null && say(problem),
    check_fails && problem === null && say(warningWords.check_fails),
    warning !== null && say(['À vérifier : {warning}', 'Check this: {warning}'], { warning: say(warning) }),
  ]
  const errors = html`${told.map((text) => text !== false && html`<p class="error">${text}</p>`)}`
  return panel(say(['Réglages, secrets masqués', 'Settings, secrets masked']), html`${errors}${rows(facts)}${acts}`)
}

function floatPanel(request: Request, { shown, newest, accepted }: Facts): Html {
  const { say, can, language } = request
  const { name } = shown
  const title = say(['Ce que l’opérateur détient', 'Money that the operator holds'])
  const expected =
    newest?.expected_from == null
      ? say(['rien d’accepté encore', 'nothing accepted yet'])
      : newest.expected_from === newest.expected_to
        ? writeAmount(newest.expected_from)
        : `${writeAmount(newest.expected_from)} – ${writeAmount(newest.expected_to!)}`
  const facts =
    newest === null
      ? html`<p class="soft">${say(['Aucun solde n’a été lu.', 'No balance was read.'])}</p>`
      : rows([
          {
            name: say(['Solde, {at}', 'Balance, {at}'], { at: writeShortDate(newest.asked_at, language) }),
            value: writeAmount(newest.amount),
          },
          { name: say(['Attendu', 'Expected']), value: expected },
          { name: say(['Envois partis', 'Payouts that left']), value: writeAmount(newest.in_flight) },
          { name: say(['Envois qui attendent', 'Payouts that wait']), value: writeAmount(newest.held) },
          newest.warnings.length > 0 && {
            name: say(['À voir', 'To look at']),
            value: newest.warnings.map((warning) => say(warningWords[warning])).join(', '),
          },
          accepted !== null && {
            name: say(['Accepté, {at}', 'Accepted, {at}'], { at: writeShortDate(accepted.asked_at, language) }),
            value: writeAmount(accepted.amount),
          },
        ])
  const finance = say(['La finance lit et accepte les soldes.', 'Finance reads and accepts balances.'])
  const readOnly = html`<p class="hint">${finance}</p>`
  return panel(title, html`${facts}${can('float.manage') ? floatActs(request, name, newest) : readOnly}`)
}

/** The forms that ask for the balance, and that accept the newest one. */
function floatActs(request: Request, name: string, newest: Facts['newest']): Html {
  const { say, at } = request
  const ask = html`<button class="second">${say(['Demander le solde', 'Ask for the balance'])}</button>`
  const asking = form(request, at(`/connectors/${name}/balance`), ask, { class: 'acts' })
  if (newest === null || newest.accepted_at !== null) return asking
  const accept = html`<button>${say(['Accepter ce solde', 'Accept this balance'])}</button>`
  const fields = html`${hiddenField('asked_at', newest.asked_at.toISOString())}${accept}`
  return html`${asking}${form(request, at(`/connectors/${name}/accept`), fields, { class: 'acts' })}`
}
