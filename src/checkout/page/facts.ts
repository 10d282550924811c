import type { NextAction } from '../../operators/port.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import type { Language } from '../../values/language.ts'
import type { OperatorCode } from '../../values/operators.ts'
import type { InAddress } from '../link-address.ts'

/**
 * The facts that the hosted page shows for a session or a link, without their look. The JSON form of the page is these
 * same objects. Amounts in francs, times in UTC (ISO 8601). A phone number has only its last two digits, and only
 * `address` and `url` contain a token.
 */
export type PageFacts = SessionFacts | LinkFacts

type OfferFacts = {
  /** The name of the service, for the foot of the page. */
  brand_name: string
  merchant_name: string
  /** The colour of the page's button, such as `#0a7d4b`. Null for the default colour. */
  merchant_color: string | null
  /** The merchant's picture as a `data:` address, up to 11 kB. The JSON form leaves it out. */
  merchant_logo?: string | null
  /** False in test mode, where no money moves. */
  livemode: boolean
  /** The merchant's description of the order. */
  description: string | null
  /** The merchant's reference of the order, from its link or the link's address. */
  reference: string | null
  /** Whether it comes from the address of the link, which anybody can write. */
  reference_in_address: boolean
  /** The operators that a payer can choose, in the order of the page. When empty, nobody can pay at the moment. */
  operators: readonly OperatorCode[]
  /** Those of `operators` that have not answered lately. An attempt through one fails at once, unless it answers again. */
  unavailable_operators: readonly OperatorCode[]
  /** Others of `operators`, through which many payments have failed lately. */
  failing_operators: readonly OperatorCode[]
  /**
   * Operators that do not accept the amount to be collected. They are not in `operators`, except on a link with a free
   * amount: there they do not accept the amount of the refused form.
   */
  out_of_bounds_operators: readonly OperatorCode[]
  /** The path of this page without query. The form posts to it, and the form of a code to `<address>/code`. */
  address: string
  /** The whole address of this page, for QR codes. */
  url: string
  /** New for each rendering. The form sends it back in the field `nonce`, so that one form makes one payment. */
  nonce: string
}

/** The price of one amount for the payer. `amount + fee_amount = amount_collected`. */
export type Price = {
  /** The amount that the merchant asked for. */
  amount: number
  /** The fee that the payer pays on top; 0 when the merchant bears the fees. */
  fee_amount: number
  /** The sum that the wallet is debited with. */
  amount_collected: number
}

/** A session as its page shows it. */
export type SessionFacts = OfferFacts &
  Price & {
    kind: 'session'
    /**
     * The present status. `expired` as soon as `expires_at` is past, unless an attempt is in progress. `busy` while another
     * payer is paying the session's link, which is paid once.
     */
    status: 'open' | 'busy' | 'paid' | 'closed' | 'expired'
    expires_at: string
    /** Whether a payer can start an attempt now: the session is open and in time, no attempt is in progress, and the last is not in doubt. */
    payable: boolean
    /** The latest attempt, or the one that paid the session. Null before the first. */
    attempt: AttemptFacts | null
    /** The merchant's address for the way back. Null before the session is paid. */
    return_url: string | null
    /** Null before the session is paid. */
    receipt: Receipt | null
  }

/** A link as its page shows it to a visitor without a session. */
export type LinkFacts = OfferFacts & {
  kind: 'link'
  /** The amount and the reference in the address of this page, which its forms and links keep. */
  in_address: InAddress
  /** Only a link that is paid once can be `busy` (a payer is paying it now) or `paid`. */
  status: 'open' | 'busy' | 'paid' | 'closed' | 'expired'
  payable: boolean
  /** Null when the payer chooses the amount between the bounds. */
  price: Price | null
  min_amount: number | null
  max_amount: number | null
  /**
   * Whether the payer bears a fee that depends on the chosen amount. The form then asks only for the amount. It leads to
   * the page of a session, which shows the fee and asks for the number.
   */
  fee_on_top: boolean
  expires_at: string | null
}

/** An attempt to pay, as the payer sees it. */
export type AttemptFacts = {
  /** 1 for the first attempt of a session. */
  number: number
  /** `txn_…` */
  payment_id: string
  status: PaymentStatus
  operator: OperatorCode | null
  /** The last two digits of the payer's number. */
  msisdn_end: string | null
  amount_collected: number
  /** Null unless `failed`. A lapsed request is `expired`, without a code. */
  failure_code: FailureCode | null
  /** The payer's next step. Null when there is none, and after the payer typed a code. */
  next_action: NextAction | null
  /** Whether the payer typed a code, which the operator now checks. */
  code_submitted: boolean
  /**
   * The payer must not pay again. The attempt is in progress, and its outcome is uncertain or it takes far too long. Or it
   * failed or lapsed, and the operator has reported money for it since.
   */
  in_doubt: boolean
  created_at: string
  /** When it succeeded, failed or lapsed. */
  ended_at: string | null
}

/** The refusals of a page in the codes of the interface, with the HTTP statuses of its JSON form. */
export const pageRefusalStatuses = {
  /** The form is not ours, too old, or unreadable. The page shows it again. */
  invalid_request: 400,
  merchant_inactive: 403,
  /** The token does not exist. The page says no more. */
  resource_not_found: 404,
  method_not_allowed: 405,
  session_expired: 409,
  /** Paid or closed. */
  session_closed: 409,
  /** An attempt is in progress. The page shows it and starts no other. */
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
  /** Letters of `payment_id` for a person to read out, such as `KAG5X-C6W0Z`. */
  short_reference: string
  /** Its last four, such as `6W0Z`, by which a seller finds the payment among those of the day. */
  code: string
  /** The WhatsApp number of the seller, from the link: digits alone, with the country's. Null without one. */
  whatsapp: string | null
  merchant_reference: string | null
  /** Whether it comes from the address of the link, which anybody can write. */
  reference_in_address: boolean
  operator: OperatorCode | null
  /** The last two digits of the payer's number. */
  msisdn_end: string | null
  paid_at: string
  status: 'succeeded' | 'refunded' | 'partially_refunded'
  /** The receipt's text with its signature, to type or to scan. */
  signed_text: string
  /** The address at which anybody can check the receipt (`/verify?receipt=<signed_text>`), also in its QR code. */
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
  /** We signed the text and nobody changed it. `status` is the present state of the payment. */
  | { valid: true; claim: ReceiptClaim; status: Receipt['status'] }
  /** `unreadable`: the text is not a receipt. `forged`: we did not sign it, or somebody changed it. */
  | { valid: false; reason: 'unreadable' | 'forged' }

/** The JSON form of `/verify`. */
export type VerifyFacts = { brand_name: string; verification: Verification | null }

/** The context of a view, beside its facts. */
export type ViewContext = {
  language: Language
  /** The path and query of this page in each language, for the links between the languages. */
  in_language: Readonly<Record<Language, string>>
  brand_name: string
  /** `?still=1`: the page does not refresh itself in a browser without script. */
  still: boolean
  /** `?other=1`: during an attempt the payer said that the number is wrong. The next form begins empty. */
  other_number: boolean
  /** Whether the browser says that it runs on a phone. The page then leaves out the parts for wide screens. */
  handheld: boolean
  /** The refusal of the last form. Null when there is none. */
  refusal: PageRefusal | null
  /** Whether the refusal is of an amount or a reference in the address, which the payer cannot correct. */
  wrong_address: boolean
  /** The fields of the refused form, to show again. Only from this request, so never another payer's number. */
  typed: Readonly<{ amount?: string; msisdn?: string; operator?: string }>
  /** The identifier to quote to support. */
  request_id: string
}

/** An order of the simulator, waiting for the payer or answered. */
export type SimulatorOrder = {
  /** The reference of the instruction. Anybody who knows it can answer. */
  reference: string
  /** In francs. */
  amount: number
  answered: boolean
}

/** A page to send. */
export type View = {
  html: string
  /** CSP hashes of the inline styles, such as `'sha256-…'`. Nothing else is inline. */
  style_hashes: readonly string[]
}

/** A file of the page under `/page/<name>`. Browsers keep it for ever, because its name changes with its content. */
export type PageAsset = { type: string; body: string | Buffer }

/** The views (`page/views.ts`): pure functions from facts to pages. */
export type PageViews = {
  session(facts: SessionFacts, context: ViewContext): View
  link(facts: LinkFacts, context: ViewContext): View
  /** A printable A6 sheet with the link's address as a QR code. */
  poster(facts: LinkFacts, context: ViewContext): View
  /** `asked`: the checked text. `verification` is null before the first check. */
  verify(verification: Verification | null, asked: string, context: ViewContext): View
  /** Replaces an operator's app in test mode. */
  simulator(order: SimulatorOrder, context: ViewContext): View
  /** The page at `/`, which introduces the service. */
  front(context: ViewContext): View
  /** A refusal that has no other page: an unknown token, too many calls, our own fault. */
  refused(code: PageRefusal, context: ViewContext): View
  assets: ReadonlyMap<string, PageAsset>
}
