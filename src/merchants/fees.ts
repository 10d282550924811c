/** The operations that the service charges for. */
export type FeeService = 'collection' | 'payout'

/** A fee schedule in force from a date on, until a later one replaces it. Amounts in francs. */
export type FeeSchedule = {
  readonly service: FeeService
  readonly effective_from: Date
  /** Hundredths of a percent of the amount. */
  readonly basis_points: number
  /** Added to them. */
  readonly fixed: number
  /** The fee is at least this… */
  readonly minimum: number
  /** …and at most this; null: no bound. */
  readonly maximum: number | null
  /** Of a collection. `merchant`: taken from what it receives. `payer`: added to what the payer pays. */
  readonly bearer: 'merchant' | 'payer'
}

/** The settings of a merchant that decide how its operations are made. */
export type MerchantSettings = {
  readonly active: boolean
  /** Whether two people of the company have checked it, or nobody had to. */
  readonly is_checked: boolean
  /** The largest collection in francs; null: the service's own limit. */
  readonly collection_amount_max: number | null
  /** In force, to come, and lately replaced. */
  readonly fee_schedules: readonly FeeSchedule[]
}

/** Reads the settings of a merchant, at most a second old. Settings in memory come without a promise. */
export type ReadSettings = (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>

/** The cost of one operation, in francs. `net_amount + fee_amount = amount_collected`, always. */
export type Fees = { fee_amount: number; amount_collected: number; net_amount: number }

/** The schedule of a service at a moment: the latest of those that have begun. Null: it is free. */
export function feeAt(schedules: readonly FeeSchedule[], service: FeeService, at: Date): FeeSchedule | null {
  let found: FeeSchedule | null = null
  for (const schedule of schedules) {
    const begun = schedule.service === service && schedule.effective_from <= at
    if (begun && (found === null || schedule.effective_from > found.effective_from)) found = schedule
  }
  return found
}

/**
 * The cost of an amount under a schedule. The part in basis points is rounded to the nearest franc, half a franc upwards;
 * the fixed part is added, and the sum brought between the minimum and the maximum. A merchant who bears the fee of a
 * collection never owes more than the amount itself. The fee of a payout is always added to its amount.
 */
export function feeFor(schedule: FeeSchedule | null, amount: number): Fees {
  if (schedule === null) return { fee_amount: 0, amount_collected: amount, net_amount: amount }
  const { service, basis_points, fixed, minimum, maximum, bearer } = schedule
  // In BigInt: the product of the largest amount and 10 000 basis points is beyond what a number holds exactly.
  const part = Number((BigInt(amount) * BigInt(basis_points) + 5_000n) / 10_000n)
  const fee = Math.min(Math.max(part + fixed, minimum), maximum ?? Number.POSITIVE_INFINITY)
  if (bearer === 'payer' || service === 'payout')
    return { fee_amount: fee, amount_collected: amount + fee, net_amount: amount }
  const borne = Math.min(fee, amount)
  return { fee_amount: borne, amount_collected: amount, net_amount: amount - borne }
}

/** The cost of an operation of this amount at a moment. */
export function feesAt(
  { fee_schedules }: Pick<MerchantSettings, 'fee_schedules'>,
  service: FeeService,
  amount: number,
  at: Date,
): Fees {
  return feeFor(feeAt(fee_schedules, service, at), amount)
}
