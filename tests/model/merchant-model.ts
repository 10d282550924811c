/**
 * The promises of the interface about one merchant's money, as arithmetic: written from the text of the interface and of the glossary,
 * without the service's code. All amounts in francs. A method does what the service must do, and returns what it must answer.
 *
 * Operations end at once in the model. The test waits until they have ended in the service, too.
 */
export class MerchantModel {
  available = 0
  transfer = 0
  settlements_in_flight = 0
  readonly payments: ModelPayment[] = []
  readonly requests: ModelRequest[] = []
  readonly batches: ModelBatch[] = []
  readonly settlements: ModelSettlement[] = []
  caps = { operation: 100_000, day: 500_000 }
  /** The hours that the clock was moved. */
  hours = 0
  /** The francs that count towards the cap of 24 hours. */
  readonly #uses = new Map<string, { amount: number; since: number }>()
  #made = 0

  /** A payment of a payer who pays, or does not. The merchant bears the fee. */
  collect(amount: number, pays: boolean): ModelPayment {
    const fee_amount = Math.min(roundedHalfUp(amount * COLLECTION_BASIS_POINTS, 10_000), amount)
    const payment = { amount, fee_amount, refunded: 0, reversed: 0, status: pays ? 'succeeded' : 'failed' } as const
    if (pays) this.available += amount - fee_amount
    this.payments.push({ ...payment })
    return this.payments.at(-1)!
  }

  /** @param asked null: all that is left */
  refund(payment: ModelPayment, asked: number | null): 'created' | 'refused' {
    const left = payment.amount - payment.refunded
    const amount = asked ?? left
    if (payment.status === 'failed' || left === 0 || amount > left) return 'refused'
    // The commission returns pro rata of all that was refunded, so that a full refund costs the merchant nothing.
    const due = Math.floor((payment.fee_amount * (payment.refunded + amount)) / payment.amount) - payment.reversed
    const fee = Math.min(Math.max(0, due), amount)
    if (amount - fee > this.available) return 'refused'
    this.available -= amount - fee
    payment.refunded += amount
    payment.reversed += fee
    payment.status = payment.refunded === payment.amount ? 'refunded' : 'partially_refunded'
    return 'created'
  }

  deposit(amount: number): void {
    this.transfer += amount
  }

  moveToTransfer(amount: number): 'booked' | 'refused' {
    if (amount > this.available) return 'refused'
    this.available -= amount
    this.transfer += amount
    return 'booked'
  }

  /** @param arrives whether the operator pays the recipient, or refuses */
  payout(amount: number, arrives: boolean): Expected {
    const held = amount > this.caps.operation ? 'operation' : this.used() + amount > this.caps.day ? 'day' : null
    const name = this.#name()
    if (held !== null) {
      this.#count(name, amount)
      this.requests.push({ name, amount, arrives, since: this.hours, status: 'pending_approval' })
      const reason = held === 'operation' ? 'plafond_operation' : 'plafond_24h'
      return { status: 202, reason, limit: this.caps[held] }
    }
    if (amount + PAYOUT_FEE > this.transfer) return { status: 409, code: 'insufficient_funds' }
    if (arrives) this.#send(name, amount)
    return { status: 201 }
  }

  /** A person approves: the caps no longer matter, the balance does. */
  approve(request: ModelRequest): 'approved' | 'refused' {
    if (!this.#waits(request) || request.amount + PAYOUT_FEE > this.transfer) return 'refused'
    this.#uses.delete(request.name)
    if (request.arrives) this.#send(this.#name(), request.amount)
    request.status = 'approved'
    return 'approved'
  }

  reject(request: ModelRequest): 'rejected' | 'refused' {
    if (!this.#waits(request)) return 'refused'
    this.#uses.delete(request.name)
    request.status = 'rejected'
    return 'rejected'
  }

  /** Makes a batch. Its total counts at once. */
  prepare(lines: readonly ModelLine[]): ModelBatch {
    const name = this.#name()
    this.#count(name, totalOf(lines))
    const status = this.used() > this.caps.day ? 'en_attente_validation' : 'brouillon'
    const batch: ModelBatch = { name, lines, status, approved: false, cap: this.caps.day }
    this.batches.push(batch)
    return batch
  }

  approveBatch(batch: ModelBatch): 'decided' | 'refused' {
    if (batch.status !== 'en_attente_validation') return 'refused'
    batch.status = 'brouillon'
    batch.approved = true
    return 'decided'
  }

  execute(batch: ModelBatch): Expected {
    if (batch.status === 'en_attente_validation') return { status: 409, code: 'batch_pending_approval' }
    if (batch.status !== 'brouillon') return { status: 409, code: 'batch_not_executable' }
    const counted = this.#counts(batch.name)
    const total = totalOf(batch.lines)
    const fits = batch.approved || (counted && this.caps.day >= batch.cap)
    if (!fits && this.used() + (counted ? 0 : total) > this.caps.day) {
      batch.status = 'en_attente_validation'
      return { status: 409, code: 'batch_pending_approval' }
    }
    this.#uses.delete(batch.name)
    // All lines are decided on the balance before the operator answers about any.
    let left = this.transfer
    const sent = batch.lines.filter(({ amount }) => {
      const covered = amount + PAYOUT_FEE <= left
      if (covered) left -= amount + PAYOUT_FEE
      return covered
    })
    const arrived = sent.filter(({ arrives }) => arrives)
    for (const { amount } of arrived) this.#send(this.#name(), amount)
    batch.status = arrived.length === batch.lines.length ? 'termine' : 'termine_avec_erreurs'
    return { status: 200 }
  }

  cancel(batch: ModelBatch): Expected {
    if (batch.status !== 'brouillon' && batch.status !== 'en_attente_validation') {
      return { status: 409, code: 'batch_not_cancellable' }
    }
    this.#uses.delete(batch.name)
    batch.status = 'annule'
    return { status: 200 }
  }

  settle(amount: number): Expected {
    if (amount < SETTLEMENT_FLOOR) return { status: 422, code: 'sous_le_plancher' }
    if (amount > this.available) return { status: 422, code: 'montant_non_eligible' }
    this.available -= amount
    this.settlements_in_flight += amount
    this.settlements.push({ amount, status: 'pending_validation', validated_by: null })
    return { status: 202 }
  }

  validate(settlement: ModelSettlement, by: string): 'moved' | 'refused' {
    if (settlement.status !== 'pending_validation') return 'refused'
    settlement.status = 'validated'
    settlement.validated_by = by
    return 'moved'
  }

  /** Another person than the one who validated. */
  pay(settlement: ModelSettlement, by: string): 'moved' | 'refused' {
    if (settlement.status !== 'validated' || settlement.validated_by === by) return 'refused'
    this.settlements_in_flight -= settlement.amount
    settlement.status = 'paid'
    return 'moved'
  }

  rejectSettlement(settlement: ModelSettlement): 'moved' | 'refused' {
    if (settlement.status !== 'pending_validation' && settlement.status !== 'validated') return 'refused'
    this.settlements_in_flight -= settlement.amount
    this.available += settlement.amount
    settlement.status = 'rejected'
    return 'moved'
  }

  /** The francs sent or waiting within the last 24 hours. */
  used(): number {
    return [...this.#uses.values()].reduce((sum, { amount, since }) => sum + (this.#isRecent(since) ? amount : 0), 0)
  }

  /** A request that nobody decides expires after seven days. */
  #waits({ status, since }: ModelRequest): boolean {
    return status === 'pending_approval' && this.hours - since < 7 * 24
  }

  #name(): string {
    this.#made += 1
    return String(this.#made)
  }

  #send(name: string, amount: number): void {
    this.transfer -= amount + PAYOUT_FEE
    this.#count(name, amount)
  }

  #count(name: string, amount: number): void {
    this.#uses.set(name, { amount, since: this.hours })
  }

  #counts(name: string): boolean {
    return this.#isRecent(this.#uses.get(name)!.since)
  }

  #isRecent(since: number): boolean {
    return this.hours - since < 24
  }
}

/** The terms of the merchant: 1.5 % of a payment, 25 francs of a payout, and the service's usual smallest settlement. */
export const COLLECTION_BASIS_POINTS = 150
export const PAYOUT_FEE = 25
const SETTLEMENT_FLOOR = 5_000

export type ModelPayment = {
  readonly amount: number
  readonly fee_amount: number
  refunded: number
  /** The part of the commission that was given back. */
  reversed: number
  status: 'succeeded' | 'failed' | 'partially_refunded' | 'refunded'
}

export type ModelRequest = {
  readonly name: string
  readonly amount: number
  readonly arrives: boolean
  /** The hours of the clock when it was made. */
  readonly since: number
  status: 'pending_approval' | 'approved' | 'rejected'
}

export type ModelLine = { readonly amount: number; readonly arrives: boolean }

export type ModelBatch = {
  readonly name: string
  readonly lines: readonly ModelLine[]
  status: 'brouillon' | 'en_attente_validation' | 'annule' | 'termine' | 'termine_avec_erreurs'
  approved: boolean
  /** The cap of 24 hours when it was made. */
  readonly cap: number
}

export type ModelSettlement = {
  readonly amount: number
  status: 'pending_validation' | 'validated' | 'paid' | 'rejected'
  validated_by: string | null
}

/** The answer that an HTTP call must get. */
export type Expected =
  | { status: 200 | 201 }
  | { status: 202; reason?: string; limit?: number }
  | { status: 409 | 422; code: string }

function totalOf(lines: readonly ModelLine[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0)
}

function roundedHalfUp(dividend: number, divisor: number): number {
  return Math.floor((2 * dividend + divisor) / (2 * divisor))
}
