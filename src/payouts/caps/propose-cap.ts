import { type ActCall, type ActDecision, defineAct, merchant, refuse } from '../../acts/act.ts'
import {
  choiceField,
  francs,
  merchantFact,
  oneOf,
  reasonFact,
  reasonField,
  sumField,
  type ValuesOf,
} from '../../acts/facts.ts'
import { recordActs } from '../../audit-log/record-act.ts'
import { capWords } from '../../console/words.ts'
import { lockMerchant, type PaymentUndo, readPaymentUndo } from '../../merchants/store.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { newId } from '../../values/ids.ts'
import type { Words } from '../../values/language.ts'
import { type CapName, type CapProposal, capNamesIn } from './cap-proposal.ts'
import { type CapAsker, type CapMove, judgeWish, undoAfter } from './judge-wish.ts'
import { addProposal, lockWaiting, writeCapDecision } from './proposal-store.ts'
import { inForce, type UsualLimits } from './read-caps.ts'
import { type OwnCaps, readOwnCaps, setCap } from './set-caps.ts'

/** @property proposal waits for one of the staff; null: the cap applies at once, or did so before */
export type CapProposed = {
  readonly cap: CapName
  readonly amount: number
  readonly proposal: CapProposal | null
}

const fields = {
  cap: choiceField<CapName>(oneOf(['Plafond', 'Cap'], capWords), {
    label: ['Quel plafond', 'Which cap'],
    choices: capWords,
    fault: ['Choisissez un plafond de ce mode.', 'Choose a cap of this mode.'],
    says: 'the cap to change',
  }),
  amount: sumField(['Nouveau plafond, F CFA', 'New cap, F CFA'], {
    hint: [
      'Plus bas : tout de suite. Plus haut : l’équipe du service confirme.',
      'A lower cap holds at once. The team of the service confirms a higher one.',
    ],
  }),
  reason: reasonField(['Pourquoi', 'Why'], { fault: ['Dites pourquoi, en une ligne.', 'Say why, in one line.'] }),
} as const

type Values = ValuesOf<typeof fields>
type Call = ActCall<typeof merchant, Values>
type Has = {
  readonly about: Tenant
  readonly asker: CapAsker
  readonly own: OwnCaps
  readonly in_force: number
  readonly undo: PaymentUndo | null
  readonly move: CapMove
  /** The proposals for this cap that wait. */
  readonly waiting: readonly CapProposal[]
}

async function load(tx: Tx, { tenant, values }: Call, usual: UsualLimits, asker: CapAsker): Promise<Has | null> {
  if ((await lockMerchant(tx, tenant.merchant_id)) === null) return null
  const own = await readOwnCaps(tx, tenant)
  const in_force = inForce(own, usual)[values.cap]
  const undo = await readPaymentUndo(tx, tenant.merchant_id)
  const waiting = await lockWaiting(tx, tenant, values.cap)
  return { about: tenant, asker, own, in_force, undo, move: judgeWish(values, { in_force, undo }, asker), waiting }
}

/** Since when a cap holds, as the person reads it before they agree. */
export const capEffectWords = {
  waits: [
    'Plus haut : une personne de l’équipe du service doit confirmer.',
    'A higher cap has to be confirmed by a person of the team of the service.',
  ],
  within_a_second: [
    'Il vaut dans une seconde, en réel et en test.',
    'It holds within a second, in live and in test mode.',
  ],
  next_payout: ['Il vaut dès le prochain envoi.', 'It holds from the next payout on.'],
} as const satisfies Readonly<Record<string, Words>>
export type CapEffect = keyof typeof capEffectWords

const common = {
  title: ['Changer un plafond', 'Change a cap'],
  fresh: true,
  on: merchant,
  fields,
  facts: {
    amount: francs(['Montant', 'Amount']),
    merchant: merchantFact,
    cap: oneOf(['Plafond', 'Cap'], capWords),
    cap_today: francs(['Plafond aujourd’hui', 'Cap today']),
    effect: oneOf<CapEffect>(['Ensuite', 'Then'], capEffectWords),
    reason: reasonFact,
  },
  content({ move, in_force: cap_today }: Has, { amount, cap, reason }: Values) {
    const effect: CapEffect = move === 'proposed' ? 'waits' : cap === 'payment' ? 'within_a_second' : 'next_payout'
    return { amount, cap, cap_today, effect, reason }
  },
  decide,
  unknown: 'There is no such merchant.',
  // Two proposals of one merchant at once wait for its lock, so this is met only if the lock is lost.
  conflicts: { cap_proposals_standing: 'already_waiting' },
  refusals: {
    cap_of_live: {
      words: ['Choisissez un plafond de ce mode.', 'Choose a cap of this mode.'],
      command: 'The cap of a payment applies in both modes: set it with --mode live.',
      at: 'cap',
    },
    owner_only: {
      words: [
        'Plus bas, vos clients seraient refusés tout de suite : seul un propriétaire peut baisser le plafond par paiement.',
        'Payers would be refused at once: only an owner can lower the cap of a payment.',
      ],
      command: 'Only an owner of the merchant can lower the cap of a payment.',
      at: 'amount',
    },
    already_waiting: {
      words: [
        'Une demande attend déjà pour ce plafond. L’équipe du service la décide d’abord.',
        'A request for this cap waits already. The team of the service decides it first.',
      ],
      command: 'A higher cap of this kind already waits for its second person. Decide that one first.',
      at: 'cap',
    },
  },
} as const

type Code = keyof typeof common.refusals

function decide({ by, tenant, values }: Call, has: Has, now: Date): ActDecision<CapProposed, Code> {
  const { cap, amount, reason } = values
  const { move, own, in_force, undo, asker, waiting } = has
  if (!capNamesIn(tenant.livemode).includes(cap)) return refuse('cap_of_live')
  const result = { cap, amount, proposal: null }
  if (move === 'same') return { kind: 'unchanged', result }
  if (move === 'owner_only') return refuse('owner_only')
  const place = { merchant_id: tenant.merchant_id, livemode: tenant.livemode }
  if (move !== 'proposed') {
    const left = asker === 'owner' ? undoAfter(move, { amount, in_force, undo, now }) : null
    return {
      kind: 'accepted',
      effects: [setCap({ ...place, cap, amount, undo: left }), ...supersede(waiting, by, now)],
      result,
      line: 'caps.set',
      before: own,
      after: { ...own, [cap]: amount },
    }
  }
  if (waiting.length > 0) return refuse('already_waiting')
  const proposal: CapProposal = {
    ...place,
    ...{ id: newId('cap', now.getTime()), cap, amount, reason, status: 'proposed' },
    ...{ proposed_by: by.person, proposed_at: now },
    ...{ decided_by: null, decided_at: null, refusal_reason: null },
  }
  return {
    kind: 'accepted',
    effects: [addProposal(proposal)],
    result: { cap, amount, proposal },
    line: 'caps.propose',
    subject: proposal.id,
    before: { [cap]: in_force },
    after: { [cap]: amount },
  }
}

/** Ends the proposals for a cap that changes, with a line each: they were made under the cap before. */
function supersede(waiting: readonly CapProposal[], by: Call['by'], now: Date) {
  return waiting.flatMap((proposal) => {
    const { merchant_id, livemode, id: subject, cap, amount } = proposal
    const status = 'superseded' as const
    const change = { before: { status: 'proposed' }, after: { status, [cap]: amount } }
    return [
      writeCapDecision({ ...proposal, status, decided_by: by.person, decided_at: now }),
      recordActs({ merchant_id, livemode, actor: by, act: 'caps.supersede', subject, ...change }),
    ]
  })
}

export type CapWishDeps = {
  readonly payoutCaps: UsualLimits
  /** Whether the person is an owner of the merchant; absent: another of its people. */
  readonly asker?: 'owner' | 'member'
}

/**
 * Asks for another cap, in francs, as a person of the merchant.
 * - A lower cap of payouts applies at once, because it limits only the merchant itself.
 * - A higher cap waits until one of the staff confirms it.
 * - A lower cap of a payment refuses payers, so only an owner of the merchant may set it. The owner can restore the old
 *   cap at once, for 24 hours.
 */
export const proposeCap = defineAct({
  ...common,
  name: 'caps.propose',
  summary: 'Lower a cap at once, or ask the staff for a higher one',
  right: 'caps.propose',
  load: (tx, call, { payoutCaps, asker = 'member' }: CapWishDeps) => load(tx, call, payoutCaps, asker),
})

/** The same as one of the staff, for whom another one confirms a higher cap. */
export const changeCap = defineAct({
  ...common,
  name: 'caps.set',
  summary: "Set a merchant's own caps in francs: of one payout, of all payouts in 24 hours, of one payment",
  right: 'caps.confirm',
  load: (tx, call, { payoutCaps }: Pick<CapWishDeps, 'payoutCaps'>) => load(tx, call, payoutCaps, 'staff'),
})
