import type { OwnTill } from '../../checkout/till/till-people-store.ts'
import { panel } from '../../console/components.ts'
import { errorList, type FieldError, field, hiddenField, nonceField, select } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'

type Request = ScreenRequest<'console'>

/**
 * One form for a payment: an amount, then the code to show, a link to send, or a number that is asked now. Enter shows the code, which asks nobody.
 * @param form_id lets the form make one sale, however often it is sent
 * @param codes the ids of the first two permanent codes of the shop
 * @param tills those of a cashier, who chooses if there are several
 */
export function payView(
  request: Request,
  {
    form_id,
    codes,
    tills,
    errors,
  }: { form_id: string; codes: readonly string[]; tills: readonly OwnTill[]; errors: readonly FieldError[] },
): ScreenView {
  const { say, at, fields, nonce } = request
  const title = say(['Faire payer', 'Get paid'])
  const what = html`${field(
    {
      name: 'amount',
      label: say(['Montant, F CFA', 'Amount, F CFA']),
      value: fields.text('amount'),
      class: 'money',
      more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '15' },
    },
    errors,
  )}${field(
    {
      name: 'description',
      label: say(['Pour quoi (facultatif)', 'What for (optional)']),
      value: fields.text('description'),
      more: { maxlength: '80', autocomplete: 'off' },
    },
    errors,
  )}${tills.length > 1 && tillField(request, tills, errors)}`
  const code = html`<button class="wide">${icon('qr')}${say(['Montrer le code', 'Show the code'])}</button>`
  const words = say(['Envoyer un lien par WhatsApp', 'Send a link by WhatsApp'])
  const link = html`<button class="wide second" formaction="${at('/pay/link')}">${icon('chat')}${words}</button>`
  const number = field(
    {
      name: 'number',
      label: say(['Numéro du client', 'Payer’s number']),
      hint: say([
        'Il confirme sur son téléphone. Wave : montrez plutôt le code.',
        'They confirm on their phone. Wave: show the code.',
      ]),
      value: fields.text('number'),
      type: 'tel',
      more: { inputmode: 'tel', autocomplete: 'off', maxlength: '40' },
    },
    errors,
  )
  const asking = say(['Demander à ce numéro', 'Ask this number'])
  const ask = html`<button class="wide second" formaction="${at('/pay/ask')}">${icon('phone')}${asking}</button>`
  const now = say(['Ou demander à un numéro, tout de suite', 'Or ask a number, right now'])
  const main = html`<div class="head"><div><h1>${title}</h1></div></div>${errorList(say, errors)}
<div class="two"><form method="post" action="${at('/pay/code')}" class="slip">${nonceField(nonce)}${hiddenField('form', form_id)}
<div class="stack">${what}${code}${link}</div>
<section class="stack" aria-labelledby="ask"><h2 id="ask">${now}</h2>${number}${ask}</section></form>
${permanentPanel(request, codes)}</div>`
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts: { errors } }
}

function tillField({ say, fields }: Request, tills: readonly OwnTill[], errors: readonly FieldError[]): Html {
  const choices = tills.map(({ link_id, name }) => ({ value: link_id, label: name ?? link_id }))
  return select({ name: 'till', label: say(['Caisse', 'Till']), value: fields.text('till'), choices }, errors)
}

/** The way to a code that never changes: its page, or the list if there are several. */
function permanentPanel({ say, at, can }: Request, codes: readonly string[]): Html | false {
  const title = say(['Le client tape le montant ?', 'Does the payer type the amount?'])
  const text = say([
    'Le code de la boutique ne change jamais : imprimé au comptoir ou ici, à l’écran.',
    'The code of the shop never changes: printed at the counter, or here on the screen.',
  ])
  const [only, another] = codes
  // A cashier may not read the list, and has the codes of their tills on the first page.
  if (!can('payments.read') && (only === undefined || another !== undefined)) return false
  const to = only !== undefined && another === undefined ? at(`/links/${only}`) : at('/tills')
  const words = say(['Code de la boutique', 'Code of the shop'])
  const link = html`<a class="button second" href="${to}">${icon('shop')}${words}</a>`
  return panel(title, html`<p>${text}</p><p class="acts">${link}</p>`)
}
