import { pageHead, panel, type Row, rows } from '../../console/components.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { BANK } from '../../external-accounts/external-account.ts'
import { readOwedAndHeld } from '../../ledger/owed-and-held.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'

/** The totals of one mode: owed to merchants, and held in each external account. */
export const getOwed = defineDeskScreen<{ readonly sql: Sql }>({
  method: 'GET',
  path: '/owed',
  operation: 'deskOwed',
  summary: 'Read the money owed to merchants, and the money in each account at an operator or a bank',
  right: 'connectors.read',
  menu: { group: 'operators', icon: 'scale', words: ['Dû et détenu', 'Owed and held'] },
  async handle({ say, livemode }, { sql }) {
    const facts = await readOwedAndHeld(sql, livemode)
    const { owed, held, earned, charged, own } = facts
    const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
    const row = (name: string, amount: number): Row => ({ name, value: signed(amount) })
    const all = (amount: number): Row => ({ name: say(['En tout', 'Total']), value: signed(amount), all: true })
    const title = say(['Dû et détenu', 'Owed and held'])
    const lead = say([
      'Tous les marchands de ce mode, d’après nos livres.',
      'All merchants of this mode, by our books.',
    ])
    const ours = [
      row(say(['Solde disponible', 'Available balance']), owed.available),
      row(say(['Solde d’envoi', 'Payout balance']), owed.transfer),
      row(say(['Envois en cours', 'Payouts under way']), owed.payouts_in_flight),
      row(say(['Reversements en cours', 'Settlements under way']), owed.settlements_in_flight),
      all(total(Object.values(owed))),
    ]
    const theirs = [
      ...held.map(({ holder, amount }) => row(holder === BANK ? say(['Banque', 'Bank']) : holder, amount)),
      all(total(held.map(({ amount }) => amount))),
    ]
    const service = [
      row(say(['Nos frais', 'Our fees']), earned),
      row(say(['Frais des opérateurs', 'Operators’ charges']), -charged),
      ...(own === 0 ? [] : [row(say(['Argent de la maison', 'Money of the house']), own)]),
      all(earned - charged + own),
    ]
    const hint = say([
      'Ce qui est dû aux marchands et ce qui est au service font ensemble ce qui est détenu pour nous. Les soldes que les opérateurs disent eux-mêmes sont avec les connecteurs.',
      'What is owed and what is the service’s own add up to what is held. The page of connectors shows the balances that operators state.',
    ])
    const owedPanel = panel(say(['Dû aux marchands', 'Owed to merchants']), rows(ours))
    const ownPanel = panel(say(['Au service', 'The service’s own']), rows(service))
    const heldPanel = panel(
      say(['Détenu pour nous', 'Held for us']),
      html`${rows(theirs)}<p class="hint gap">${hint}</p>`,
    )
    const main = html`${pageHead({ title, lead })}<div class="half"><div class="stack">${owedPanel}${ownPanel}</div>${heldPanel}</div>`
    return { kind: 'view', title, main, facts }
  },
})

/** Writes an amount. A negative one has a true minus sign. */
function signed(amount: number): string {
  return amount < 0 ? `−${writeAmount(-amount)}` : writeAmount(amount)
}
