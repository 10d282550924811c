import type { Tenant } from '../../values/caller.ts'
import { type Right, rightsOf } from '../../values/rights.ts'

export type NoticeKind =
  | 'watched'
  | 'approval'
  | 'batch'
  | 'stop'
  | 'settlement'
  | 'key'
  | 'destination'
  | 'till'
  | 'money'
  | 'confirmation'
  | 'role'
  | 'security'
  | 'alarm'
  | 'payment'
  | 'takings'
  | 'proposal'

/**
 * The kinds of notices:
 * - `right`: the right of the recipients; a person without a role at the merchant gets no mail. Null: the notice is about the person's own
 *   account, whatever their roles.
 * - `always`: a person cannot turn the kind off, because it may tell of somebody who acts in their place.
 * - `asked`: it comes by mail only to people who asked for it, because its mail has an amount.
 * - `hourly_max`: the most mails of this kind to one person in an hour, so that nobody can fill a mailbox, and the most pushes to one device. The screens show all events.
 *   Each kind has its own count, so that none suppresses another. Null: others cannot repeat the event.
 */
export const noticeKinds: Readonly<Record<NoticeKind, KindRules>> = {
  watched: { right: 'deposits.record', always: true, hourly_max: 30 },
  approval: { right: 'payouts.approve', always: false, hourly_max: 30 },
  batch: { right: 'payouts.make', always: false, hourly_max: 30 },
  stop: { right: 'payouts.make', always: false, hourly_max: 10 },
  key: { right: 'keys.confirm', always: true, hourly_max: 10 },
  settlement: { right: 'settlements.request', always: false, hourly_max: 30 },
  destination: { right: 'destination.confirm', always: true, hourly_max: 10 },
  till: { right: 'team.manage', always: true, hourly_max: 10 },
  money: { right: 'cases.decide', always: true, hourly_max: 30 },
  confirmation: { right: 'people.manage', always: true, hourly_max: 10 },
  role: { right: null, always: true, hourly_max: 10 },
  security: { right: null, always: true, hourly_max: null },
  // A mail that was not sent is found on the desk and by `bandama status`.
  alarm: { right: 'connectors.manage', always: true, hourly_max: 60 },
  payment: { right: 'payments.read', always: false, asked: true, hourly_max: 120 },
  takings: { right: 'payments.read', always: false, asked: true, hourly_max: 10 },
  // To the person who proposed, whatever their roles are since.
  proposal: { right: null, always: true, hourly_max: 30 },
}

type KindRules = {
  readonly right: Right | null
  readonly always: boolean
  readonly asked?: true
  readonly hourly_max: number | null
}

/** All notices, with their kinds. */
export const noticeNames = {
  act_alone: 'watched',
  rule_fires: 'alarm',
  rule_ended: 'alarm',
  incident_report_due: 'alarm',
  request_waits: 'approval',
  batch_waits: 'approval',
  batch_approved: 'batch',
  batch_done: 'batch',
  batch_done_with_errors: 'batch',
  payouts_stopped: 'stop',
  key_waits: 'key',
  settlement_paid: 'settlement',
  settlement_rejected: 'settlement',
  destination_proposed: 'destination',
  phone_paired: 'till',
  // Also to owners who were disabled since, who have no role any more.
  destination_chosen: 'security',
  moved_after_refusal: 'money',
  proposal_lapsed: 'proposal',
  statement_missing: 'money',
  approved_alone: 'security',
  alone_carried_out: 'security',
  alone_held: 'security',
  alone_ended: 'security',
  new_device: 'security',
  device_added: 'security',
  recovery_code_used: 'security',
  factor_changed: 'security',
  role_waits: 'confirmation',
  role_given: 'role',
  role_offered: 'role',
  role_declined: 'role',
  role_confirmed: 'role',
  role_removed: 'role',
  account_reset: 'security',
  account_disabled: 'security',
  merchant_checked: 'security',
  owner_disabled: 'security',
  owner_given: 'security',
  owner_confirmed: 'security',
  payment_received: 'payment',
  payments_received: 'payment',
  day_taken: 'takings',
} as const satisfies Record<string, NoticeKind>
export type NoticeName = keyof typeof noticeNames

/**
 * An event for people. It contains no secret and no phone number, because others may read a mail on its way, and an amount only in the kinds that
 * a person asks for.
 */
export type Notice = {
  readonly name: NoticeName
  /** The merchant (or `STAFF`) and the mode of the event; null: both modes. Absent: the event concerns a person's own account. */
  readonly about?: { readonly merchant_id: Tenant['merchant_id']; readonly livemode: boolean | null }
  /** The identifier of its subject, for the link. */
  readonly subject?: string
  /** The recipients. Absent: all people of the merchant with the right of its kind. */
  readonly to?: readonly string[]
  /** People who get no mail, because they know already or are on the maker's side: persons, or `key:…` for the creator of an API key. */
  readonly except?: readonly string[]
  /** The facts for the text, such as the changed factor, the role or the address of a sign-in. */
  readonly facts?: Readonly<Record<string, string>>
}

/** Whether a notice of this kind may go to a person with these roles. They may have lost the right since it was written. */
export function mayGet(kind: NoticeKind, roles: readonly string[]): boolean {
  const { right } = noticeKinds[kind]
  return right === null || rightsOf(roles).has(right)
}

/** The kinds that a person with these rights gets and may turn off. */
export function choosableKinds(can: (right: Right) => boolean): NoticeKind[] {
  return (Object.keys(noticeKinds) as NoticeKind[]).filter((kind) => {
    const { right, always } = noticeKinds[kind]
    return !always && right !== null && can(right)
  })
}
