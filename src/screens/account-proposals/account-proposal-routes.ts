import type { ActProposal } from '../../acts/proposal.ts'
import type { ActScreenDeps } from '../../console/acts/act-screen.ts'
import { id, miniTable } from '../../console/components.ts'
import type { Say, Words } from '../../console/say.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { decideProposal, reconciledActs, withdrawProposal } from '../../reconciliation/decide-proposal.ts'
import { typedRows } from '../../reconciliation/proposed-lines.ts'
import { groupDigits } from '../../values/group-digits.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'

const classes = {
  operation: ['Opération', 'Operation'],
  fee: ['Frais', 'Fee'],
  tax: ['Taxe', 'Tax'],
  own_transfer: ['Virement interne', 'Own transfer'],
} as const satisfies Record<string, Words>

const signed = (francs: number) => `${francs < 0 ? '\u2212' : ''}${groupDigits(Math.abs(francs))}`

/** The lines that the first person typed: the second one compares them with the paper. */
function typedTable(say: Say, row: ActProposal): Html | null {
  const typed = typedRows(row)
  if (typed === null) return null
  const lines = typed.map(({ row: number, class: its, effect, fee, balance, reference, our_reference, text }) => {
    const words = [reference, our_reference, text].filter((one) => one !== null).join(' · ')
    const more = words !== '' && html`<span class="sub">${id(words)}</span>`
    const name = html`${number}. ${say(classes[its as keyof typeof classes])}${more}`
    const figures = [signed(effect), groupDigits(fee), signed(balance!)].map(
      (figure) => html`<td class="n">${figure}</td>`,
    )
    return html`<tr><td>${name}</td>${figures}</tr>`
  })
  const numbers = [say(['Effet', 'Effect']), say(['Frais', 'Fee']), say(['Solde', 'Balance'])]
  return miniTable(
    { texts: [say(['Ligne', 'Line'])], numbers, caption: say(['Lignes saisies', 'Typed lines']) },
    html`${lines}`,
  )
}

/** A proposal about an external account, on the page of its second person. */
export const accountProposalScreens = proposalScreens<ActScreenDeps>(
  { ...decideProposal, withdraw: withdrawProposal },
  {
    acts: reconciledActs,
    path: proposalPaths['external_account.open'],
    operation: 'deskAccountProposal',
    summary: 'Read a proposal about an external account that waits for a second person',
    otherRole: ['La finance décide.', 'Finance decides.'],
    below: ({ say }, row) => typedTable(say, row),
  },
)
