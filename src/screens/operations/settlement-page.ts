import { figures, id, operatorName, rows } from '../../console/components.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { TransitionRead } from '../../platform/postgres/record-transitions.ts'
import { readOwnSettlement } from '../../settlements/list-settlements.ts'
import type { Settlement } from '../../settlements/settlement.ts'
import type { Tenant } from '../../values/caller.ts'
import { isOperatorCode } from '../../values/operators.ts'
import type { Names } from '../approvals/words.ts'
import { operationPage } from './operation-page.ts'
import { operationStory } from './operation-story.ts'
import { readTraces, type Traces } from './read-traces.ts'
import { decisionEvent, type Happened, traceEvents } from './trace-events.ts'

/** A settlement as its merchant sees it. */
export type SettlementPage = {
  readonly settlement: Settlement
  /** The person or API key that requested it. */
  readonly made_by: string
  readonly moves: readonly TransitionRead[]
  readonly traces: Traces
}

/** Reads the facts on the page of a settlement. Null when it is not this merchant's, or not of this mode. */
export async function readSettlementPage(
  db: Db,
  tenant: Tenant,
  settlement_id: string,
): Promise<SettlementPage | null> {
  const found = await readOwnSettlement(db, { ...tenant, settlement_id })
  if (found === null) return null
  const made_at = new Date(found.settlement.created_at)
  return { ...found, traces: await readTraces(db, tenant, settlement_id, { subject_id: settlement_id, made_at }) }
}

/** The page of one settlement: its state in a sentence, its timeline, and the facts. */
export function settlementView(request: ScreenRequest<'console'>, page: SettlementPage, names: Names): ScreenView {
  const { say, language } = request
  const { settlement, traces } = page
  const { beneficiary } = settlement
  const [shape, words] = statusWords.settlement[settlement.status]
  const time = (at: string) => writeShortDate(new Date(at), language)
  const facts = rows([
    { name: say(['Montant', 'Amount']), value: writeAmount(settlement.amount), all: true },
    { name: say(['Pour', 'For']), value: beneficiary.name },
    {
      name: beneficiary.account_type === 'wallet' ? say(['Numéro', 'Number']) : say(['Compte', 'Account']),
      value: figures(`•• ${beneficiary.last4}`),
    },
    beneficiary.operator !== null && {
      name: say(['Opérateur', 'Operator']),
      value: isOperatorCode(beneficiary.operator) ? operatorName(beneficiary.operator) : beneficiary.operator,
    },
    settlement.bank_reference !== null && {
      name: say(['Référence de la banque', 'Bank’s reference']),
      value: id(settlement.bank_reference),
    },
    { name: say(['Demandé', 'Requested']), value: time(settlement.created_at) },
    settlement.paid_at !== null && { name: say(['Versé', 'Paid']), value: time(settlement.paid_at) },
    { name: say(['Numéro du reversement', 'Identifier']), value: id(settlement.id) },
  ])
  const order = { sends: [], answers: [], next_check_at: null }
  return operationPage(request, {
    list: { path: '/settlements', words: ['Reversements', 'Settlements'] },
    title: say(['Reversement de ', 'Settlement of ']),
    amount: settlement.amount,
    status: [shape, words],
    sentence: sentenceOf(request, settlement),
    advice: null,
    story: operationStory(request, {
      ...{ kind: 'settlement', operator: null, moves: [], order },
      traces: [...decided(request, page, names), ...traceEvents(request, traces, names)],
    }),
    rows: facts,
    facts: page,
  })
}

/** The decisions of staff, without names, and the request, if no call made it. */
function decided(request: ScreenRequest<'console'>, page: SettlementPage, names: Names): Happened[] {
  const { say } = request
  const { settlement, made_by, moves, traces } = page
  const at = new Date(settlement.created_at)
  const asked = decisionEvent(request, names, { at, person: made_by, words: ['Demandé par', 'Requested by'] })
  const decisions = moves.map(({ to_status, transitioned_at }): Happened => {
    if (to_status === 'rejected') {
      const text = say(['Notre équipe a rejeté la demande', 'Our team rejected the request'])
      const reason = settlement.rejection_reason
      return { at: transitioned_at, icon: 'x', kind: 'bad', text, under: reason !== null && html`<p>${reason}</p>` }
    }
    return to_status === 'paid'
      ? {
          at: transitioned_at,
          icon: 'ok',
          kind: 'ok',
          text: say(['Une autre personne a fait le virement', 'Another person made the transfer']),
        }
      : {
          at: transitioned_at,
          icon: 'person',
          text: say(['Notre équipe a validé la demande', 'Our team validated the request']),
        }
  })
  return [...(traces.call === null ? [{ ...asked, begins: true } as const] : []), ...decisions]
}

function sentenceOf({ say, language }: ScreenRequest<'console'>, settlement: Settlement): string {
  const { name } = settlement.beneficiary
  switch (settlement.status) {
    case 'pending_validation':
      return say(
        [
          'La demande attend l’équipe du service. L’argent est mis de côté pour {name}.',
          'The request waits for the team of the service. The money is set aside for {name}.',
        ],
        { name },
      )
    case 'validated':
      return say(
        [
          'Notre équipe a validé la demande. Le virement à {name} va partir.',
          'Our team has validated the request. The transfer to {name} is about to leave.',
        ],
        { name },
      )
    case 'paid':
      return say(['Le virement à {name} est parti le {when}.', 'The transfer to {name} left on {when}.'], {
        name,
        when: writeShortDate(new Date(settlement.paid_at!), language),
      })
    case 'rejected':
      return say([
        'Notre équipe a rejeté la demande. L’argent est revenu sur votre solde disponible.',
        'Our team rejected the request. The money is back in your available balance.',
      ])
  }
}
