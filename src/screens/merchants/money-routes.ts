import type { ActProposal, Waits } from '../../acts/proposal.ts'
import { adjustmentFields } from '../../adjustments/adjustment-facts.ts'
import { proposeAdjustment } from '../../adjustments/propose-adjustment.ts'
import { choicesOf, withBanks, withChoices } from '../../console/acts/account-choices.ts'
import { actFields } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink, note, pageHead, panel } from '../../console/components.ts'
import { errorList, type FieldError, form } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import type { ExternalAccount } from '../../external-accounts/external-account.ts'
import { readAccounts } from '../../external-accounts/store.ts'
import {
  type DepositDeps,
  decideDeposit,
  type Filled,
  recordDeposit,
  withdrawDeposit,
} from '../../ledger/fill-transfer.ts'
import { depositReference } from '../../merchants/deposit-reference.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { matchDeposit } from '../../reconciliation/match-deposit.ts'
import type { Tenant } from '../../values/caller.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'

const ourFees = ['Nos frais', 'Our fees'] as const

type Deps = ActScreenDeps
type Request = ScreenRequest<'desk'>
type Known = { readonly tenant: Tenant; readonly name: string }
type Shown = Known & { readonly accounts: readonly ExternalAccount[] }

export const getMerchantMoney = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/merchants/:id/money',
  operation: 'deskMerchantMoney',
  summary: 'The forms of a deposit and of an adjustment',
  right: 'merchants.read',
  handle: (request, deps) => again(request, deps, []),
})

/** The page of both forms, again with the reasons of a refusal. */
const again = (request: Request, deps: Deps, errors: readonly FieldError[]) =>
  withMerchant(request, deps, async (known) => {
    const accounts = await readAccounts(deps.sql, known.tenant.livemode)
    return moneyView(request, { ...known, accounts }, errors)
  })
const back = ({ at, params }: Request) => at(`/merchants/${params.id}/money`)

/** Books a merchant's deposit at the bank. Each bank reference is booked once. */
const postDeposit = deskAct<DepositDeps, Filled | Waits, Deps & DepositDeps>(recordDeposit, {
  path: '/merchants/:id/deposit',
  back,
  done: ({ params }, made) =>
    'proposal_id' in made
      ? `${proposalPaths['balance.deposit']}/${made.proposal_id}?done=proposed`
      : `/merchants/${params.id}?done=deposited`,
  again,
})

/** Proposes a correction of a merchant's balance. Another person decides. */
const postAdjustment = deskAct(proposeAdjustment, {
  path: '/merchants/:id/adjustment',
  back,
  done: (_, { id }) => `/adjustments/${id}?done=proposed`,
  again,
})

async function withMerchant<Answer>(
  request: Request,
  { sql }: Deps,
  act: (known: Known) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const tenant = tenantIn(request)
  const name = tenant === null ? null : await readMerchantName(sql, tenant.merchant_id)
  return tenant === null || name === null ? absent : act({ tenant, name })
}

function moneyView(request: Request, { tenant, name, accounts }: Shown, errors: readonly FieldError[]): ScreenAnswer {
  const { say, at, can } = request
  const { merchant_id } = tenant
  const title = say(['Dépôt et ajustement', 'Deposit and adjustment'])
  const refused = note('plain', null, say(['La finance inscrit et ajuste.', 'Finance books and adjusts.']))
  const back = backLink(at(`/merchants/${merchant_id}`), name)
  const deposit = can('deposits.record') ? depositForm(request, merchant_id, accounts, errors) : refused
  const adjustment = can('adjustments.manage') && adjustmentForm(request, merchant_id, accounts, errors)
  const main = html`${back}${pageHead({ title, lead: name })}${errorList(say, errors)}
<div class="half">${deposit}${adjustment}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title: `${title} · ${name}`,
    main,
    facts: { merchant_id, merchant: name, errors },
  }
}

function depositForm(
  request: Request,
  merchant_id: number,
  accounts: Shown['accounts'],
  errors: readonly FieldError[],
): Html {
  const { say, at } = request
  const reference = html`<b class="n">${depositReference(merchant_id)}</b>`
  const known = html`<p class="hint">${say(['Il l’écrit sur son virement :', 'It writes on its transfer:'])} ${reference}</p>`
  const content = html`${known}${actFields(request, withBanks(recordDeposit.fields, accounts), errors)}
<button class="wide">${say(['Inscrire le dépôt', 'Book the deposit'])}</button>`
  return panel(say(['Dépôt', 'Deposit']), form(request, at(`/merchants/${merchant_id}/deposit`), content))
}

function adjustmentForm(
  request: Request,
  merchant_id: number,
  accounts: Shown['accounts'],
  errors: readonly FieldError[],
): Html {
  const { say, at } = request
  const sides = [{ value: 'fees', words: ourFees }, ...choicesOf(accounts)]
  const fields = { ...adjustmentFields, against: withChoices(adjustmentFields.against, sides) }
  const content = html`${actFields(request, fields, errors)}
<button class="second">${say(['Proposer l’ajustement', 'Propose the adjustment'])}</button>`
  return panel(say(['Ajustement', 'Adjustment']), form(request, at(`/merchants/${merchant_id}/adjustment`), content))
}

/** A deposit above the limit of one person, on the page of the second. */
const proposedDeposits = proposalScreens<Deps>(
  { ...decideDeposit, withdraw: withdrawDeposit, match: matchDeposit },
  {
    acts: ['balance.deposit'],
    path: proposalPaths['balance.deposit'],
    operation: 'deskProposedDeposit',
    summary: 'Read a deposit that waits for a second person',
    otherRole: ['La finance décide.', 'Finance decides.'],
    below: matchForm,
  },
)

/** The button that books a waiting deposit on the bank's file. */
function matchForm(request: Request, { id, status }: ActProposal): Html | null {
  const { say, at, can } = request
  if (status !== 'proposed' || !can(matchDeposit.right)) return null
  const hint = say([
    'Importé par une personne d’un autre rôle, le relevé de la banque vaut la deuxième personne.',
    'Imported by a person of another role, the bank’s statement stands for the second person.',
  ])
  const button = html`<button class="second">${say(matchDeposit.title)}</button>`
  const to = at(`${proposalPaths['balance.deposit']}/${id}/match`)
  return html`<p class="hint gap">${hint}</p>${form(request, to, button, { class: 'acts' })}`
}

export const moneyScreens = [getMerchantMoney, postDeposit, postAdjustment, ...proposedDeposits] as const
