import type { Tenant } from '../../values/caller.ts'
import type { Right } from '../rights.ts'

export type NoticeKind = 'approval' | 'batch' | 'settlement' | 'destination' | 'confirmation' | 'role' | 'security'

/**
 * The kinds of mails. `right`: of those who are told, who have left when they have no role at the merchant any more; null: it is about the
 * person's own account, whatever roles they have. `always`: nobody switches it off, because it tells a person of somebody else in their
 * place. `hourly_max`: mails of this kind to one person in an hour, so that nobody fills a mailbox with what they can repeat; the screen
 * shows all of it. Each kind has its own count, so that none silences another; null: nobody else repeats it.
 */
export const noticeKinds: Readonly<Record<NoticeKind, KindRules>> = {
  approval: { right: 'payouts.approve', always: false, hourly_max: 30 },
  batch: { right: 'payouts.make', always: false, hourly_max: 30 },
  settlement: { right: 'settlements.request', always: false, hourly_max: 30 },
  destination: { right: 'destination.confirm', always: true, hourly_max: 10 },
  confirmation: { right: 'people.manage', always: true, hourly_max: 10 },
  role: { right: null, always: true, hourly_max: 10 },
  security: { right: null, always: true, hourly_max: null },
}

type KindRules = { readonly right: Right | null; readonly always: boolean; readonly hourly_max: number | null }

/** Everything that is told by mail, and its kind. */
export const noticeNames = {
  request_waits: 'approval',
  batch_waits: 'approval',
  batch_done: 'batch',
  batch_done_with_errors: 'batch',
  settlement_paid: 'settlement',
  settlement_rejected: 'settlement',
  destination_proposed: 'destination',
  approved_alone: 'security',
  alone_carried_out: 'security',
  alone_held: 'security',
  alone_ended: 'security',
  new_device: 'security',
  recovery_code_used: 'security',
  factor_changed: 'security',
  role_waits: 'confirmation',
  role_given: 'role',
  role_confirmed: 'role',
  role_removed: 'role',
  account_reset: 'security',
  account_disabled: 'security',
} as const satisfies Record<string, NoticeKind>
export type NoticeName = keyof typeof noticeNames

/** An event of which people are told. It has no secret, no phone number and no amount: mail is read on the way. */
export type Notice = {
  readonly name: NoticeName
  /** Of a merchant, or with `STAFF` of the staff, in one mode or in both (null). Absent: of a person's own account. */
  readonly about?: { readonly merchant_id: Tenant['merchant_id']; readonly livemode: boolean | null }
  /** The identifier of what it is about, for the link. */
  readonly subject?: string
  /** The person or persons whom it concerns. Absent: all of the merchant with the right of its kind. */
  readonly to?: readonly string[]
  /** Those who know already, or are of the maker's side: persons, or `key:…` for the maker of an API key. */
  readonly except?: readonly string[]
  /** The factor that was changed, the role, the address of a sign-in: plain words for the text. */
  readonly facts?: Readonly<Record<string, string>>
}

/** The kinds that a person may switch off, of those that a holder of these rights is told. */
export function choosableKinds(can: (right: Right) => boolean): NoticeKind[] {
  return (Object.keys(noticeKinds) as NoticeKind[]).filter((kind) => {
    const { right, always } = noticeKinds[kind]
    return !always && right !== null && can(right)
  })
}
