import { type ActDecision, defineAct, isWithin, type RefusalWords, refuse, row } from '../../acts/act.ts'
import { type Waits, waitsFor } from '../../acts/proposal.ts'
import { addProposal } from '../../acts/proposal-store.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { readAccount } from '../../external-accounts/store.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import { readLinesByName } from '../../statement-files/import/line-store.ts'
import { newId } from '../../values/ids.ts'
import { readUsedLines } from '../store.ts'
import { isDeposited, lockDifference, markProposed } from './decision-store.ts'
import { contentOf, resolutionFacts, resolutionFields, type ToResolve } from './resolution-facts.ts'
import { depositedWords, type Resolution, resolutionsFor, servesDepositWords } from './resolutions.ts'

const refusals = {
  not_open: ['Cet écart n’est pas ouvert : {status}.', 'This difference is not open: {status}.'],
  anomaly_decides: {
    words: ['Décidez de son anomalie.', 'Decide on its anomaly.'],
    command: 'Two people decide on its anomaly: bandama anomaly propose --id {anomaly}.',
  },
  serves_deposit: servesDepositWords,
  deposited: { at: 'merchant', words: depositedWords },
  not_for_this: {
    at: 'resolution',
    words: ['Cet écart permet : {possible}.', 'This difference allows: {possible}.'],
  },
  other_amount: {
    at: 'amount',
    words: ['Le montant de cet écart est {its}.', 'The amount of this difference is {its}.'],
  },
  merchant_needed: {
    at: 'merchant',
    words: [
      'Seul l’argent d’un marchand en nomme un, et il doit exister.',
      'Only money that is a merchant’s names one, and the merchant must exist.',
    ],
    command:
      'assign needs the --merchant of the money, who must exist. The other resolutions take no --merchant or --balance.',
  },
  no_account: {
    at: 'account',
    words: ['Un virement nomme un autre compte du même mode.', 'A transfer names another account of the same mode.'],
    command: '--account names the other account of own_transfer, as external-account list shows it.',
  },
} as const satisfies Record<string, RefusalWords>

/**
 * Proposes what becomes of an open difference. Another person decides, and nothing is booked until then. Refusals in order of precedence: it is not open; people
 * decide on its anomaly; its line confirmed a deposit; its kind has no such resolution; another amount; a merchant or an account that lacks, does not exist, or does not belong to the resolution; a deposit of that merchant under the line's reference.
 */
export const proposeResolution = defineAct({
  name: 'reconcile.propose',
  summary: 'Propose what becomes of a difference between a statement and our books',
  title: ['Décider d’un écart', 'Decide about a difference'],
  right: 'adjustments.manage',
  fresh: true,
  on: row('dif', 'difference'),
  fields: resolutionFields,
  async load(tx, { id, values, within }, { clock }: { clock: Clock }) {
    const found = await lockDifference(tx, id)
    if (found === null) return null
    const { livemode, account, day, kind, amount, line_id, line_month } = found
    const about = { merchant_id: WHOLE_SERVICE, livemode }
    if (!isWithin(about, within)) return null
    const [line = null] = line_id === null ? [] : await readLinesByName(tx, [{ id: line_id, month: line_month! }])
    const { merchant, account: other_account, resolution, reason } = values
    const credited = resolution === 'assign' ? (values.balance ?? 'available') : values.balance
    return {
      serves: line !== null && (await readUsedLines(tx, livemode, [line])).size > 0,
      ...{ about, found, line, proposal_id: newId('rcp', clock.milliseconds()) },
      of: {
        id,
        livemode,
        account,
        day,
        kind,
        amount,
        resolution,
        merchant,
        credited,
        other_account,
        reason,
      } as ToResolve,
      is_deposited: await isDeposited(tx, { livemode, resolution, merchant }, line),
      is_merchant: merchant !== null && (await readMerchantName(tx, merchant)) !== null,
      is_account:
        other_account !== null &&
        other_account !== account &&
        (await readAccount(tx, { livemode, code: other_account })) !== null,
    }
  },
  facts: resolutionFacts,
  content: ({ of, line }) => contentOf(of, line),
  note: () => ['Une deuxième personne décide.', 'A second person decides.'],
  decide(
    { by, values },
    { about, found, line, serves, of, proposal_id, is_merchant, is_deposited, is_account },
    now,
  ): ActDecision<Waits, keyof typeof refusals> {
    const { resolution, merchant, credited, other_account } = of
    // Matching groups no lines of banks yet, so theirs would wait for ever.
    const isDecidable = found.status === 'open' || (found.status === 'waiting' && found.kind === 'missing_here')
    if (!isDecidable) return refuse('not_open', { status: found.status })
    if (found.anomaly_id !== null) return refuse('anomaly_decides', { anomaly: found.anomaly_id })
    if (serves && resolution !== 'accept') return refuse('serves_deposit')
    const possible: readonly Resolution[] = serves ? ['accept'] : resolutionsFor(found.kind, line?.direction ?? null)
    if (!possible.includes(resolution))
      return refuse('not_for_this', { possible: possible.length === 0 ? '–' : possible.join(', ') })
    if (values.amount !== null && values.amount !== found.amount) return refuse('other_amount', { its: found.amount })
    if (resolution === 'assign' ? !is_merchant : merchant !== null || credited !== null)
      return refuse('merchant_needed')
    if (is_deposited) return refuse('deposited')
    if (other_account !== null && (resolution !== 'own_transfer' || !is_account)) return refuse('no_account')
    const { id } = found
    const proposal = {
      ...{ ...about, id: proposal_id, act: 'reconcile.propose' as const, subject: id, key: id },
      ...{ amount: found.amount === 0 ? null : found.amount, typed: of, content: contentOf(of, line), sealed: null },
      ...{ proposed_by: by.person, proposed_at: now },
    }
    return {
      kind: 'accepted',
      effects: [addProposal(proposal), markProposed({ id, proposal_id })],
      result: waitsFor(proposal),
      subject: proposal_id,
      after: { difference: id, resolution, amount: found.amount, merchant, credited, account: other_account },
    }
  },
  refusals,
  conflicts: { act_proposals_standing: 'not_open' },
})
