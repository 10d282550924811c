import { adjustmentFields } from '../../adjustments/adjustment-facts.ts'
import { proposeAdjustment } from '../../adjustments/propose-adjustment.ts'
import { actFields } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink, note, pageHead, panel } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import type { Say } from '../../console/say.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { depositToTransfer } from '../../ledger/fill-transfer.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Tenant } from '../../values/caller.ts'
import { readFrancs, readLine } from '../../values/read-typed.ts'

type Deps = ActScreenDeps
type Request = ScreenRequest<'desk'>
type Known = { readonly tenant: Tenant; readonly name: string }

export const getMerchantMoney = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/merchants/:id/money',
  operation: 'deskMerchantMoney',
  summary: 'The forms of a deposit and of an adjustment',
  right: 'merchants.read',
  handle: (request, deps) => withMerchant(request, deps, async (known) => moneyView(request, known, [])),
})

/** Books a merchant's deposit at the bank, with a fresh factor. Each bank reference is booked once. */
export const postDeposit = defineDeskScreen<Deps>({
  method: 'POST',
  path: '/merchants/:id/deposit',
  operation: 'deskDeposit',
  summary: 'Book a deposit to the transfer balance of a merchant',
  right: 'deposits.record',
  confirm: (request, deps) =>
    withMerchant(request, deps, async (known) => {
      const { say, at } = request
      const read = readDeposit(request)
      if ('errors' in read) return moneyView(request, known, read.errors)
      const { merchant_id } = known.tenant
      return {
        kind: 'confirm',
        subject: `${merchant_id}:${read.reference}`,
        content: { merchant_id, ...read },
        title: say(['Inscrire un dépôt', 'Book a deposit']),
        back: at(`/merchants/${merchant_id}/money`),
        shown: html`<h1>${drawAmount(read.amount)}</h1><p class="say">${known.name}, ${say(['pour son solde d’envoi', 'for its payout balance'])}</p><p class="soft">${say(['Référence de la banque : {reference}', 'The bank’s reference: {reference}'], { reference: read.reference })}</p>`,
      }
    }),
  handle: (request, deps) =>
    withMerchant(request, deps, async (known) => {
      const { say, at, actor } = request
      const read = readDeposit(request)
      if ('errors' in read) return moneyView(request, known, read.errors)
      const order = { by: actor, reference: read.reference }
      const filled = await depositToTransfer(deps.sql, known.tenant, read.amount, deps.clock, order)
      if (filled.kind !== 'refused') return moved(at(`/merchants/${known.tenant.merchant_id}?done=deposited`))
      if (filled.code === 'resource_not_found') return absent
      const text =
        filled.code === 'reference_used'
          ? say(['Cette référence est déjà inscrite, avec {sum}.', 'This reference is booked already, with {sum}.'], {
              sum: writeAmount(filled.earlier.amount),
            })
          : referenceWords(say)
      return moneyView(request, known, [{ field: 'reference', text }])
    }),
})

/** Proposes a correction of a merchant's balance. Another person decides. */
const postAdjustment = deskAct(proposeAdjustment, {
  path: '/merchants/:id/adjustment',
  back: ({ at, params }) => at(`/merchants/${params.id}/money`),
  done: (_, { id }) => `/adjustments/${id}?done=proposed`,
  again: (request, deps: Deps, errors) =>
    withMerchant(request, deps, async (known) => moneyView(request, known, errors)),
})

function referenceWords(say: Say): string {
  return say([
    'Écrivez la référence de la banque, de 1 à 140 signes.',
    'Write the bank’s reference, 1 to 140 characters.',
  ])
}

function sumFault(field: string, say: Say): FieldError {
  return { field, text: say(['Écrivez une somme en francs.', 'Write a sum in francs.']) }
}

function readDeposit({
  fields,
  say,
}: Request): { amount: number; reference: string } | { errors: readonly FieldError[] } {
  const amount = readFrancs(fields.text('deposited'))
  const reference = readLine(fields.text('reference'), 140)
  if (amount !== null && reference !== null) return { amount, reference }
  return {
    errors: [
      ...(amount === null ? [sumFault('deposited', say)] : []),
      ...(reference === null ? [{ field: 'reference', text: referenceWords(say) }] : []),
    ],
  }
}

async function withMerchant<Answer>(
  request: Request,
  { sql }: Deps,
  act: (known: Known) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const tenant = tenantIn(request)
  const name = tenant === null ? null : await readMerchantName(sql, tenant.merchant_id)
  return tenant === null || name === null ? absent : act({ tenant, name })
}

function moneyView(request: Request, { tenant, name }: Known, errors: readonly FieldError[]): ScreenAnswer {
  const { say, at, can } = request
  const { merchant_id } = tenant
  const title = say(['Dépôt et ajustement', 'Deposit and adjustment'])
  const refused = note('plain', null, say(['La finance inscrit et ajuste.', 'Finance books and adjusts.']))
  const main = html`${backLink(at(`/merchants/${merchant_id}`), name)}${pageHead({ title, lead: name })}${errorList(say, errors)}
<div class="half">${can('deposits.record') ? depositForm(request, merchant_id, errors) : refused}${can('adjustments.manage') && adjustmentForm(request, merchant_id, errors)}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title: `${title} · ${name}`,
    main,
    facts: { merchant_id, merchant: name, errors },
  }
}

const numeric = { inputmode: 'numeric', autocomplete: 'off' }

function depositForm(request: Request, merchant_id: number, errors: readonly FieldError[]): Html {
  const { say, at, fields } = request
  const content = html`${field({ name: 'deposited', label: say(['Somme reçue, F CFA', 'Sum received, F CFA']), value: fields.text('deposited'), more: numeric }, errors)}
${field({ name: 'reference', label: say(['Référence de la banque', 'The bank’s reference']), hint: say(['La même référence n’est inscrite qu’une fois.', 'The same reference is booked only once.']), value: fields.text('reference'), more: { maxlength: '140', autocomplete: 'off' } }, errors)}
<button class="wide">${say(['Inscrire le dépôt', 'Book the deposit'])}</button>`
  return panel(say(['Dépôt', 'Deposit']), form(request, at(`/merchants/${merchant_id}/deposit`), content))
}

function adjustmentForm(request: Request, merchant_id: number, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const content = html`${actFields(request, adjustmentFields, errors)}
<button class="second">${say(['Proposer l’ajustement', 'Propose the adjustment'])}</button>`
  return panel(say(['Ajustement', 'Adjustment']), form(request, at(`/merchants/${merchant_id}/adjustment`), content))
}

export const moneyScreens = [getMerchantMoney, postDeposit, postAdjustment] as const
