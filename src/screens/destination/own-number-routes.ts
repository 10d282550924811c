import type { CoolingDeps } from '../../beneficiaries/decide-destination.ts'
import { type ChooseDeps, chooseOwnNumber } from '../../checkout/choose-own-number.ts'
import type { Sale } from '../../checkout/create-sale.ts'
import { type NumberProof, readProof } from '../../checkout/number-proofs.ts'
import type { PrepareAsk, Prepared } from '../../checkout/prepare-ask.ts'
import { PROOF_AMOUNT, type ProveDeps, proveNumber } from '../../checkout/prove-number.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { CheckDestination } from '../../payouts/check-recipient.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { PayDeps } from '../pay/pay-routes.ts'
import { type OwnNumberDeps, pageOfOwn, readProofFacts } from './own-number-facts.ts'
import { ownNumberView } from './own-number-view.ts'

type Request = ScreenRequest<'console'>
/** Shows the page of the destination with the errors of this form. */
export type ShowDestination<Deps> = (
  request: Request,
  deps: Deps,
  errors: readonly FieldError[],
) => Promise<ScreenAnswer>

export type OwnNumberActDeps = OwnNumberDeps &
  ActScreenDeps &
  CoolingDeps &
  ChooseDeps & {
    readonly checkDestination: CheckDestination
    readonly links: PayDeps['links']
    readonly sales: { readonly prepareAsk: PrepareAsk }
  }
type Proving = ProveDeps & { readonly giveBack: () => void }

/** Shows the proof of a number. `absent` when this person did not begin it. */
async function showProof(request: Request, deps: OwnNumberDeps, refused: string | null = null): Promise<ScreenAnswer> {
  const { tenant, params, actor } = request
  const facts = await readProofFacts(deps, tenant, { person: actor.person, session_id: params.id! })
  return facts === null ? absent : ownNumberView(request, facts, refused)
}

const getProof = defineConsoleScreen<OwnNumberDeps>({
  method: 'GET',
  path: '/destination/own/:id',
  operation: 'ownNumberScreen',
  summary: 'An own number that is being proven by a payment, and its choice',
  right: 'destination.propose',
  handle: (request, deps) => showProof(request, deps),
})

/** The screens with which an owner who is alone chooses a number of their own. @param again shows the form again, on the page of the destination */
export function ownNumberScreens<Deps extends OwnNumberActDeps>(again: ShowDestination<Deps>) {
  const prove = consoleAct<ProveDeps, Sale, Deps & Proving>(proveNumber, {
    path: '/destination/own',
    back: ({ at }) => at('/destination'),
    prepare: (request, deps) => prepare(request, deps, again),
    done: (_, { session_id }) => `/destination/own/${session_id}`,
    async again(request, deps, errors, refusal) {
      if (refusal === null) return again(request, deps, errors)
      deps.giveBack()
      if (refusal.code === 'made_before') return moved(request.at(`/destination/own/${deps.sale_id}`))
      return again(request, deps, errors)
    },
  })
  const choose = consoleAct<CoolingDeps & ChooseDeps, null, Deps>(chooseOwnNumber, {
    path: '/destination/own/:id/choose',
    back: ({ at, params }) => at(`/destination/own/${params.id}`),
    done: () => '/destination?done=own_chosen',
    again: (request, deps, [error]) => showProof(request, deps, error?.text ?? null),
  })
  return [getProof, prove, choose] as const
}

const whyNotAsked: Readonly<Record<Extract<Prepared, { kind: 'refused' }>['code'], Words>> = {
  no_operator: [
    'L’opérateur de ce numéro ne peut pas être demandé ici. Prenez un autre numéro à vous.',
    'The operator of this number cannot be asked here. Take another number of yours.',
  ],
  amount_out_of_bounds: [
    'L’opérateur de ce numéro ne prend pas 100 F CFA. Prenez un autre numéro à vous.',
    'The operator of this number does not take 100 francs. Take another number of yours.',
  ],
  too_many_asked: [
    'Trop de demandes en une minute. Attendez un instant.',
    'Too many prompts in one minute. Wait a moment.',
  ],
  too_many_attempts: [
    'Ce numéro a été demandé trop souvent. Recommencez plus tard.',
    'This number was asked too often. Begin again later.',
  ],
}

const anyWallet: Words = [
  'La page de cet opérateur laisse payer un autre numéro, et ne prouve rien. Prenez un autre numéro à vous, ou un compte avec notre rappel.',
  'The page of this operator lets another number pay, and proves nothing. Take another number of yours, or an account with our call.',
]

/** Reads what the payment needs from outside the database, and asks the operator whether the number is in the owner's name. */
async function prepare<Deps extends OwnNumberActDeps>(
  request: Request,
  deps: Deps,
  again: ShowDestination<Deps>,
): Promise<(Deps & Proving & { kind?: never }) | ScreenAnswer> {
  const { tenant, fields, say, session } = request
  const fault = (text: string) => again(request, deps, [{ field: 'number', text }])
  const nonce = fields.text('form')
  const { nonces, prepareAsk } = deps.sales
  const made_at = nonces.read(pageOfOwn(tenant), nonce)
  if (made_at === null)
    return fault(say(['Ce formulaire était trop vieux. Recommencez.', 'This form was too old. Try again.']))
  const msisdn = Msisdn.parse(fields.text('number'))!
  const sale_id = nonces.sessionOf(pageOfOwn(tenant), `${nonce} ${msisdn.e164}`, made_at, PROOF_AMOUNT)
  // A second tap leads to the page of the first.
  if ((await readProof(deps.sql, { ...tenant, session_id: sale_id })) !== null)
    return moved(request.at(`/destination/own/${sale_id}`))
  const prepared = await prepareAsk(tenant, { amount: PROOF_AMOUNT, msisdn })
  if (prepared.kind === 'refused') return fault(say(whyNotAsked[prepared.code]))
  const { asking, giveBack } = prepared
  if (!deps.collectsFromNumber({ ...tenant, operator: asking.operator, connector: null })) {
    giveBack()
    return fault(say(anyWallet))
  }
  const { name: holder } = session.person
  const wanted = { kind: 'inline', msisdn, operator: asking.operator, name: holder } as const
  const checked = await deps.checkDestination({ ...tenant, merchant_active: true }, wanted, (call) => call())
  if (checked.kind === 'refused') {
    giveBack()
    return fault(say(whyNotAsked.too_many_attempts))
  }
  const name_match = checked.result
  if (name_match === 'no_match') {
    giveBack()
    return fault(
      say(
        [
          'L’opérateur connaît ce numéro sous un autre nom que « {name} ». Prenez le vôtre, ou un compte avec notre rappel.',
          'The operator knows this number under another name than “{name}”. Take yours, or an account with our call.',
        ],
        { name: holder },
      ),
    )
  }
  const proving: Pick<NumberProof, 'holder' | 'name_match'> = { holder, name_match }
  const amount_max = await deps.links.amountMax(tenant)
  return { ...deps, asking, giveBack, sale_id, amount_max, proving }
}
