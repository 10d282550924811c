import { type ActAccepted, type ActCall, type ActRefused, isWithin, refuse, row } from '../acts/act.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { creatorOfKey } from '../api-keys/find-keys.ts'
import { type DestinationToday, readDestination } from '../beneficiaries/destination-store.ts'
import { bankToRead, isAccount } from '../external-accounts/bank-field.ts'
import { BANK } from '../external-accounts/external-account.ts'
import { lockAccounts } from '../ledger/post.ts'
import { readPersonNames } from '../people/name-store.ts'
import { tellPeople } from '../people/notices/notify.ts'
import type { PersonNames } from '../people/person-words.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { decideMove, othersOf, postingOf, type WantedMove } from './decide-move.ts'
import { destinationKey, type SettlementRow } from './settlement.ts'
import { contentOf, settlementFacts } from './settlement-facts.ts'
import { refuseStanding, standingRefusals } from './standing.ts'
import type { SettlementTrigger } from './states.ts'
import * as store from './store.ts'

// The common parts of the three acts that move a settlement: validate, pay, reject. The result is the settlement as it is then.

const on = row('stl', 'settlement')
/** `account`: the external account of a transfer. */
type Call = ActCall<typeof on, Readonly<Record<string, unknown>> & { readonly account?: string }>

export type ToMove = {
  readonly about: Tenant
  readonly settlement: store.LockedSettlement
  /** Whether the named account exists. */
  readonly is_account: boolean
  /** The requester, the creator of the requesting key, and before a payment the validator. */
  readonly first: Beginners
  readonly destination_today: DestinationToday
  readonly names: PersonNames
}

/** Locks a settlement for a person's move, after the accounts that it posts to, as everywhere. */
async function loadMove(tx: Tx, { id, within, values }: Call, trigger: SettlementTrigger): Promise<ToMove | null> {
  const found = await store.findSettlement(tx, id)
  if (found === null || !isWithin(found, within)) return null
  const about = tenantOf(found)
  // Before the accounts are locked, because an account that is missing is opened there.
  const is_account = await isAccount(tx, found.livemode, values.account ?? BANK)
  const legs = is_account ? (postingOf(trigger, found.amount, values.account)?.legs ?? []) : []
  await lockAccounts(
    tx,
    legs.map(({ account }) => ({ ...about, account })),
  )
  const settlement = (await store.lockSettlement(tx, { ...about, settlement_id: id }))!
  const { validated_by, paid_by, rejected_by } = settlement
  const creator = await creatorOfKey(tx, about, settlement.made_by)
  return {
    ...{ about, settlement, is_account },
    first: await readBeginners(tx, [...othersOf(settlement, trigger), creator]),
    destination_today: (await readDestination(tx, destinationKey(settlement))).destination_today,
    names: await readPersonNames(tx, [validated_by, paid_by, rejected_by]),
  }
}

/** The declaration that the acts of one trigger share. */
export function moving(trigger: SettlementTrigger) {
  return {
    fresh: true,
    on,
    facts: settlementFacts,
    load: (tx: Tx, call: Call) => loadMove(tx, call, trigger),
    content: ({ settlement, destination_today }: ToMove) => contentOf(settlement, destination_today),
    unknown: 'There is no settlement {id}.',
  } as const
}

type Moved = ActAccepted<SettlementRow>
type MoveRefusal = keyof typeof moveRefusals

/** Decides the move of a locked settlement, with its line and its notice. The refusals are those of `decideMove`, in that order. */
export function move(
  { by }: Pick<Call, 'by'>,
  { about, settlement, first, names }: ToMove,
  wanted: Omit<WantedMove, 'by' | 'stands_behind'>,
  now: Date,
): Moved | ActRefused<MoveRefusal> {
  const stands_behind = !isSecondPerson(first, by.person)
  const decision = decideMove(settlement, { ...wanted, by: by.person, stands_behind }, now)
  if (decision.kind === 'refused') {
    if (decision.code === 'not_now') return refuseStanding(settlement, names)
    const { validated_by, account_taken_at, account_taken_by } = settlement
    const taken = { taken_at: account_taken_at?.toISOString() ?? '', taken_by: account_taken_by ?? '' }
    return refuse(decision.code, { validator: validated_by ?? 'nobody yet', ...taken })
  }
  const { row: result, effects } = decision
  const { status, amount } = result
  const { bank_reference = null, bank_account, bank_days, no_transfer_since } = wanted
  const stated = no_transfer_since == null ? {} : { no_transfer_since }
  const name = status === 'paid' ? 'settlement_paid' : 'settlement_rejected'
  const told = status === 'validated' ? [] : [tellPeople({ name, about, subject: settlement.id })]
  const before = { status: settlement.status }
  const account = bank_account === undefined ? null : bankToRead(bank_account)
  const from = account === null ? {} : { account }
  const after = { status, amount, bank_reference, ...from, ...bank_days, ...stated }
  return { kind: 'accepted', effects: [...effects, ...told], result, before, after }
}

export const moveRefusals = {
  ...standingRefusals,
  same_person: {
    words: [
      'Vous avez demandé ou validé ce reversement, ou vous avez fait entrer qui l’a fait : une autre personne entre le virement.',
      'You requested or validated this settlement, or let in the person who did: another person enters the transfer.',
    ],
    command:
      'Two people pay a settlement. The one who validated it ({validator}) cannot enter the transfer, nor whoever let the requester or the validator in within 90 days, and an API key never can. Name another person with --as.',
  },
  merchant_inactive: {
    words: [
      'Ce marchand est désactivé. Le reversement attend.',
      'This merchant is deactivated. The settlement goes on waiting.',
    ],
    command: 'This merchant is deactivated. The settlement keeps waiting for validation.',
  },
  transfer_possible: {
    words: [
      'Demandez à la banque si le virement est ordonné, puis cochez la case s’il ne l’est pas.',
      'Ask the bank whether the transfer is ordered, then tick the box if it is not.',
    ],
    command:
      'The transfer of {id} may be ordered: {taken_by} took its full account at {taken_at}. Ask the bank. If it has made no transfer since and will make none, give --no-transfer-since {taken_at}. If it has, enter the transfer with "bandama settlement pay".',
    at: 'no_transfer',
  },
} as const
