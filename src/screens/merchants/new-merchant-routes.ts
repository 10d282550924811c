import { actFields } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink } from '../../console/components.ts'
import { errorList, type FieldError, form } from '../../console/forms.ts'
import { defineDeskScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { type CreateMerchantDeps, createMerchant } from '../../merchants/create-merchant.ts'
import { html } from '../../platform/http/html.ts'

type Request = ScreenRequest<'desk'>

export const getNewMerchant = defineDeskScreen({
  method: 'GET',
  path: '/merchants/new',
  operation: 'deskNewMerchant',
  summary: 'The form of a new merchant',
  right: 'merchants.manage',
  handle: async (request) => newMerchantView(request, []),
})

const postNewMerchant = deskAct<CreateMerchantDeps, { merchant_id: number }, ActScreenDeps & CreateMerchantDeps>(
  createMerchant,
  {
    path: '/merchants/new',
    back: ({ at }) => at('/merchants/new'),
    done: (_, { merchant_id }) => `/merchants/${merchant_id}?done=created`,
    again: async (request, _, errors) => newMerchantView(request, errors),
  },
)

export const newMerchantScreens = [getNewMerchant, postNewMerchant] as const

function newMerchantView(request: Request, errors: readonly FieldError[]): ScreenView {
  const { say, at, fields } = request
  const title = say(['Nouveau marchand', 'New merchant'])
  const content = html`<div class="stack"><h1>${title}</h1>${actFields(request, createMerchant.fields, errors)}</div>
<div><button class="wide">${say(['Continuer', 'Continue'])}</button></div>`
  const back = backLink(at('/merchants'), say(['Marchands', 'Merchants']))
  const slip = form(request, at('/merchants/new'), content, { class: 'slip' })
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  const facts = { name: fields.text('name'), errors }
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts }
}
