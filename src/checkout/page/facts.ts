import type { NextAction } from '../../operators/port.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import type { Language } from '../../values/language.ts'
import type { OperatorCode } from '../../values/operators.ts'

/**
 * Everything the hosted page shows, as data: what is true of a session, a link or a receipt, and nothing of how it looks.
 * The JSON form of the page's addresses is these same objects. Amounts in francs, times in UTC (ISO 8601), no telephone
 * number longer than its last two digits and no token anywhere but in `address` and `url`.
 */
export type PageFacts = SessionFacts | LinkFacts

type OfferFacts = {
  /** The name of the service, for the foot of the page. */
  brand_name: string
  merchant_name: string
  /** The colour behind the text of the page's button, such as `#0a7d4b`; null: that of every page. */
  merchant_color: string | null
  /** Its picture as a `data:` address, up to 11 kB. The JSON form leaves it out. */
  merchant_logo?: string | null
  /** False: test mode, no money moves. */
  livemode: boolean
  /** The merchant's own words for the order. */
  description: string | null
  /** The operators a payer can choose from, in the order to show them. Empty: nobody can pay here at the moment. */
  operators: readonly OperatorCode[]
  /** Those of them that have not answered lately: an attempt through one fails at once, unless it answers again. */
  unavailable_operators: readonly OperatorCode[]
  /** Those others of them through which many payments have failed lately: an attempt may. */
  failing_operators: readonly OperatorCode[]
  /**
   * Those that take payments, but not of the amount to be collected. They are not among `operators`, except on a link whose
   * payer chooses the amount: there they are those that do not take the amount of the form that was refused.
   */
  out_of_bounds_operators: readonly OperatorCode[]
  /** The path of this page without query: the form posts to it, `<address>/code` takes a typed code. */
  address: string
  /** The same as a whole address, for codes that a camera reads. */
  url: string
  /** A fresh one for each rendering. Goes back in the form's field `nonce`, so that one form makes one payment. */
  nonce: string
}

/** The price of one amount for the payer. `amount + fee_amount = amount_collected`. */
export type Price = {
  /** The amount that the merchant asked for. */
  amount: number
  /** The fee that the payer pays on top; 0 when the merchant bears the fees. */
  fee_amount: number
  /** The sum that is taken from the wallet. */
  amount_collected: number
}

/** A session as its page shows it. */
export type SessionFacts = OfferFacts &
  Price & {
    kind: 'session'
    /**
     * As of now: `expired` as soon as `expires_at` is past, unless an attempt is still under way. `busy`: it came from a
     * link that is paid once, and somebody else is paying that right now.
     */
    status: 'open' | 'busy' | 'paid' | 'closed' | 'expired'
    expires_at: string
    /** Whether a payer may start an attempt now: open, not past its time, none under way, and no doubt about the last. */
    payable: boolean
    /** The latest attempt, or the one that paid; null before the first. */
    attempt: AttemptFacts | null
    /** Where the payer goes back to. Only once paid. */
    return_url: string | null
    /** Only once paid. */
    receipt: Receipt | null
  }

/** A link as its page shows it to somebody who has no session yet. */
export type LinkFacts = OfferFacts & {
  kind: 'link'
  /** `busy`: not reusable, and somebody is paying it right now. `paid`: not reusable, and paid. */
  status: 'open' | 'busy' | 'paid' | 'closed' | 'expired'
  payable: boolean
  /** Null: the payer chooses, between the bounds. */
  price: Price | null
  min_amount: number | null
  max_amount: number | null
  /**
   * Whether a fee comes on top that depends on the amount chosen. The form then asks for the amount alone and leaves the
   * number out: the answer is the page of a session, where the fee is shown and the number asked.
   */
  fee_on_top: boolean
  expires_at: string | null
}

/** One try to pay, told to the payer. */
export type AttemptFacts = {
  /** 1 for the first of a session. */
  number: number
  /** `txn_…` */
  payment_id: string
  status: PaymentStatus
  operator: OperatorCode | null
  /** The last two digits of the payer's number. */
  msisdn_end: string | null
  amount_collected: number
  /** Only when `failed`. A lapsed request is `expired`, without a code. */
  failure_code: FailureCode | null
  /** The payer's next step, while there is one. Gone once a code was typed. */
  next_action: NextAction | null
  /** A code was typed and is with the operator. */
  code_submitted: boolean
  /**
   * Do not pay again: it is under way, and we do not know whether the operator has it, or it takes far longer than usual; or
   * it failed or lapsed, and the operator has reported money for it since.
   */
  in_doubt: boolean
  created_at: string
  /** When it succeeded, failed or lapsed. */
  ended_at: string | null
}

/** Why a page refuses, in the codes of the interface (its JSON form answers them with these statuses). */
export const pageRefusalStatuses = {
  /** The form is not ours, too old, or not readable: shown again, to be sent once more. */
  invalid_request: 400,
  merchant_inactive: 403,
  /** No such token. The page says no more. */
  resource_not_found: 404,
  method_not_allowed: 405,
  session_expired: 409,
  /** Paid or closed. */
  session_closed: 409,
  /** An attempt is under way: its page is shown instead of starting another. */
  idempotency_in_progress: 409,
  lien_indisponible: 409,
  invalid_msisdn: 422,
  invalid_operator: 422,
  invalid_amount: 422,
  amount_too_small: 422,
  amount_too_large: 422,
  amount_above_limit: 422,
  rate_limit_exceeded: 429,
  too_many_attempts: 429,
  payment_failed: 500,
  bornes_illisibles: 500,
} as const
export type PageRefusal = keyof typeof pageRefusalStatuses

/** The receipt of a paid session, for its payer. */
export type Receipt = Price & {
  merchant_name: string
  livemode: boolean
  description: string | null
  /** `txn_…` */
  payment_id: string
  /** `KAG5X-C6W0Z`: what a person reads out, made of letters of `payment_id`. */
  short_reference: string
  merchant_reference: string | null
  operator: OperatorCode | null
  /** The last two digits of the payer's number. */
  msisdn_end: string | null
  paid_at: string
  status: 'succeeded' | 'refunded' | 'partially_refunded'
  /** The receipt's text with its signature, to be typed or scanned. */
  signed_text: string
  /** The address at which anybody checks it (`/verify?receipt=<signed_text>`): the content of the QR code. */
  verify_url: string
}

/** The content of a signed receipt. */
export type ReceiptClaim = Price & {
  merchant_name: string
  livemode: boolean
  payment_id: string
  operator: OperatorCode | null
  paid_at: string
}

/** The result of `/verify`. */
export type Verification =
  /** Signed by us and unchanged. `status` is the payment's state as of now. */
  | { valid: true; claim: ReceiptClaim; status: Receipt['status'] }
  /** `unreadable`: no receipt at all. `forged`: not signed by us, or changed since. */
  | { valid: false; reason: 'unreadable' | 'forged' }

/** The JSON form of `/verify`. */
export type VerifyFacts = { brand_name: string; verification: Verification | null }

/** The context that every view is given beside its facts. */
export type ViewContext = {
  language: Language
  /** The path and query of this page in each language, for the switch that works without JavaScript. */
  in_language: Readonly<Record<Language, string>>
  brand_name: string
  /** `?still=1`: a reader without script does not want the page to load itself again. */
  still: boolean
  /** `?other=1`: while an attempt is under way its payer has said that the number is wrong. The form that follows begins empty. */
  other_number: boolean
  /** The browser says that it is a telephone's: what only a desk shows stays out of its page. */
  handheld: boolean
  /** Why the last form was refused, or null. */
  refusal: PageRefusal | null
  /** The fields typed into it, to be shown again. Never the number of somebody else: only fields that this request sent. */
  typed: Readonly<{ amount?: string; msisdn?: string; operator?: string }>
  /** The identifier to quote to support. */
  request_id: string
}

/** An order of the simulator that waits for its payer, or had their answer. */
export type SimulatorOrder = {
  /** The reference of the instruction: who was given it may answer. */
  reference: string
  /** In francs. */
  amount: number
  answered: boolean
}

/** A page to send. */
export type View = {
  html: string
  /** CSP hashes of the style that stands inside it, such as `'sha256-…'`. Nothing else stands inline. */
  style_hashes: readonly string[]
}

/** A file of the page, served under `/page/<name>` for ever: its name changes with its content. */
export type PageAsset = { type: string; body: string | Buffer }

/** The views (`page/views.ts`): pure functions from facts to pages. */
export type PageViews = {
  session(facts: SessionFacts, context: ViewContext): View
  link(facts: LinkFacts, context: ViewContext): View
  /** To print: the link's address as a QR code, A6. */
  poster(facts: LinkFacts, context: ViewContext): View
  /** `verification` null: nothing was asked yet. `asked` is the text that was checked. */
  verify(verification: Verification | null, asked: string, context: ViewContext): View
  /** Stands for an operator's app in test mode. */
  simulator(order: SimulatorOrder, context: ViewContext): View
  /** The page at `/`, which says what this service is. */
  front(context: ViewContext): View
  /** A refusal without anything to show it on: an unknown token, too many calls, our own fault. */
  refused(code: PageRefusal, context: ViewContext): View
  assets: ReadonlyMap<string, PageAsset>
}
