import { backLink } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import { defineDeskScreen, moved, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { openAccounts } from '../../ledger/open-accounts.ts'
import { createMerchant } from '../../merchants/create-merchant.ts'
import { html } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readLine } from '../../values/read-typed.ts'

type Request = ScreenRequest<'desk'>

/** The most characters of a merchant's name, as the database has it. */
const NAME_MAX = 200

export const getNewMerchant = defineDeskScreen({
  method: 'GET',
  path: '/merchants/new',
  operation: 'deskNewMerchant',
  summary: 'The form of a new merchant',
  right: 'merchants.manage',
  handle: async (request) => newMerchantView(request, '', []),
})

/** Creates a merchant with a fresh factor. It has no people yet; an administrator invites its first owner. */
export const postNewMerchant = defineDeskScreen<{ sql: Sql }>({
  method: 'POST',
  path: '/merchants/new',
  operation: 'deskCreateMerchant',
  summary: 'Create a merchant, in test and live mode',
  right: 'merchants.manage',
  async confirm(request) {
    const { say, at, fields } = request
    const name = readLine(fields.text('name'), NAME_MAX)
    if (name === null) return newMerchantView(request, fields.text('name'), [nameError(request)])
    const title = say(['Créer ce marchand', 'Create this merchant'])
    return {
      kind: 'confirm',
      subject: null,
      content: { name },
      title,
      back: at('/merchants/new'),
      shown: html`<h1>${title}</h1><p class="say">${name}</p><p class="soft">${say([
        'Il n’a ni personne, ni frais, ni argent. Un administrateur invite ensuite son propriétaire.',
        'It has no people, no fees and no money. An administrator then invites its owner.',
      ])}</p>`,
    }
  },
  async handle(request, { sql }) {
    const { fields, at, actor } = request
    const name = readLine(fields.text('name'), NAME_MAX)
    if (name === null) return newMerchantView(request, fields.text('name'), [nameError(request)])
    const merchant_id = await createMerchant(sql, { name, openAccounts }, actor)
    return moved(at(`/merchants/${merchant_id}?done=created`))
  },
})

export const newMerchantScreens = [getNewMerchant, postNewMerchant] as const

function nameError({ say }: Request): FieldError {
  return {
    field: 'name',
    text: say(['Écrivez un nom de 1 à 200 lettres, sur une ligne.', 'Write a name of 1 to 200 letters, on one line.']),
  }
}

function newMerchantView(request: Request, name: string, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Nouveau marchand', 'New merchant'])
  const content = html`<div class="stack"><h1>${title}</h1>${field(
    {
      name: 'name',
      label: say(['Nom', 'Name']),
      hint: say(['Les payeurs le lisent sur la page de paiement.', 'Payers read it on the payment page.']),
      value: name,
      more: { maxlength: String(NAME_MAX), autocomplete: 'off' },
    },
    errors,
  )}</div><div><button class="wide">${say(['Continuer', 'Continue'])}</button></div>`
  const back = backLink(at('/merchants'), say(['Marchands', 'Merchants']))
  const slip = form(request, at('/merchants/new'), content, { class: 'slip' })
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { name, errors } }
}
