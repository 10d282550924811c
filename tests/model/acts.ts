import assert from 'node:assert/strict'
import type { AsyncCommand } from 'fast-check'
import fc from '../harness/property.ts'
import { AWA, checkAnswer, checkVerdict, ISSA, type MerchantInService } from './merchant-in-service.ts'
import { type MerchantModel, type ModelLine, type ModelPayment, PAYOUT_FEE } from './merchant-model.ts'

/** One act on a merchant's money, done in the model and in the service. `run` throws where they differ. */
type Act = AsyncCommand<MerchantModel, MerchantInService>

/** The moment of the clock, which all merchants share. */
export type SharedClock = { forward(hours: number): Promise<void> }

/** An act with its name for the report of a failure. @param canRun whether there is something to act on */
function act(
  name: string,
  run: (model: MerchantModel, real: MerchantInService) => Promise<void>,
  canRun: (model: Readonly<MerchantModel>) => boolean = () => true,
): Act {
  return {
    check: canRun,
    async run(model, real) {
      await run(model, real)
      await real.agrees(model)
    },
    toString: () => name,
  }
}

/** Small amounts make fees and rests uneven; round ones meet the caps and the balances exactly. */
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 301, max: 120_000 }),
  // Half a franc of fee, the smallest settlement, and the caps of a new merchant.
  fc.constantFrom(100, 300, 4_999, 5_000, 99_975, 100_000, 100_001),
)
/** An amount, or all that a cap or a balance leaves, and a franc more. */
const wanted: fc.Arbitrary<Wanted> = fc.oneof(
  amounts.map((amount) => ({ amount })),
  // A failure is shortened towards the first of these.
  fc.record({ left: fc.constant('cap' as const), and: fc.constantFrom(0, 1) }),
  fc.record({ left: fc.constant('balance' as const), and: fc.constantFrom(0, 1) }),
)
type Wanted = { amount: number } | { left: 'cap' | 'balance'; and: number }
const large = fc.oneof(amounts, fc.constantFrom(250_000, 1_000_000))
const ends = fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })
const lines: fc.Arbitrary<ModelLine[]> = fc.array(fc.record({ amount: amounts, arrives: ends }), {
  minLength: 1,
  maxLength: 6,
})
/** Shares of what is left, in thousandths. */
const shares = fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 2, maxLength: 4 })
const people = fc.constantFrom(AWA, ISSA)
/** The place of a thing among those there are, counted around. */
const which = fc.nat({ max: 50 })

function pick<Thing>(things: readonly Thing[], of: number): { thing: Thing; at: number } {
  const at = of % things.length
  return { thing: things[at]!, at }
}

/** The francs of a wanted amount. @param left what the cap and the balance leave */
function francs(wanted: Wanted, left: { cap: number; balance: number }): number {
  return 'amount' in wanted ? wanted.amount : Math.max(1, left[wanted.left] + wanted.and)
}

function named(wanted: Wanted): string {
  return 'amount' in wanted ? String(wanted.amount) : `all that the ${wanted.left} leaves and ${wanted.and}`
}

const leftForPayouts = (model: MerchantModel) => ({
  cap: Math.min(model.caps.operation, model.caps.day - model.used()),
  balance: model.transfer - PAYOUT_FEE,
})
const leftToTake = ({ available }: MerchantModel) => ({ cap: available, balance: available })

/** Pays an amount out. */
async function payOut(model: MerchantModel, real: MerchantInService, of: Wanted, arrives: boolean): Promise<void> {
  const amount = francs(of, leftForPayouts(model))
  const expected = model.payout(amount, arrives)
  checkAnswer(await real.payout(amount, arrives), expected)
}

async function prepare(model: MerchantModel, real: MerchantInService, of: readonly ModelLine[]): Promise<void> {
  const { status } = model.prepare(of)
  const answer = await real.prepare(of)
  checkAnswer(answer, { status: 201 })
  assert.equal((answer.json() as { status: string }).status, status)
}

async function execute(model: MerchantModel, real: MerchantInService, at: number): Promise<void> {
  const expected = model.execute(model.batches[at]!)
  checkAnswer(await real.execute(at), expected)
}

async function later(model: MerchantModel, clock: SharedClock, hours: number): Promise<void> {
  model.hours += hours
  await clock.forward(hours)
}

const canRefund = ({ status }: ModelPayment) => status === 'succeeded' || status === 'partially_refunded'

const some = (kind: 'payments' | 'requests' | 'batches' | 'settlements') => (model: Readonly<MerchantModel>) =>
  model[kind].length > 0

/** Acts in any order. @param clock moved by some of them */
export function actsOn(clock: SharedClock): fc.Arbitrary<Act>[] {
  return [
    fc.tuple(large, ends).map(([amount, pays]) =>
      act(`collect ${amount}${pays ? '' : ', declined'}`, async (model, real) => {
        const { fee_amount, status } = model.collect(amount, pays)
        const answer = await real.collect(amount, pays)
        checkAnswer(answer, { status: 201 })
        assert.equal((answer.json() as { fee_amount: number }).fee_amount, fee_amount)
        // A declined payment moves no balance, and the clock must not overtake it.
        await real.ends('payments', model.payments.length - 1, status)
      }),
    ),
    fc.tuple(which, fc.option(amounts)).map(([of, amount]) =>
      act(
        `refund ${amount ?? 'the rest'} of payment ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.payments, of)
          const expected = model.refund(thing, amount)
          checkVerdict(await real.refund(at, amount), expected)
        },
        some('payments'),
      ),
    ),
    fc.tuple(which, shares).map(([of, shares]) =>
      act(
        `refund ${shares.join(', ')} thousandths of what is left of payment ${of}`,
        async (model, real) => {
          const { thing } = pick(model.payments.filter(canRefund), of)
          for (const share of shares) {
            const amount = Math.max(1, Math.floor(((thing.amount - thing.refunded) * share) / 1_000))
            const expected = model.refund(thing, amount)
            checkVerdict(await real.refund(model.payments.indexOf(thing), amount), expected)
          }
        },
        ({ payments }) => payments.some(canRefund),
      ),
    ),
    large.map((amount) =>
      act(`deposit ${amount}`, async (model, real) => {
        model.deposit(amount)
        checkVerdict(await real.deposit(amount), 'booked')
      }),
    ),
    wanted.map((of) =>
      act(`move ${named(of)} to the transfer balance`, async (model, real) => {
        const amount = francs(of, leftToTake(model))
        const expected = model.moveToTransfer(amount)
        checkVerdict(await real.moveToTransfer(amount), expected)
      }),
    ),
    fc
      .tuple(wanted, ends)
      .map(([of, arrives]) =>
        act(`pay out ${named(of)}${arrives ? '' : ', refused'}`, (model, real) => payOut(model, real, of, arrives)),
      ),
    fc.tuple(amounts, fc.integer({ min: 2, max: 5 })).map(([amount, count]) =>
      act(`pay out ${amount}, ${count} times at once`, async (model, real) => {
        const expected = Array.from({ length: count }, () => model.payout(amount, true))
        const answers = await real.payoutsAtOnce(amount, count)
        // Nobody says which of them comes first, but as many must end in each way.
        const inOrder = answers.toSorted((one, other) => rank(one.status) - rank(other.status))
        const asModelled = expected.toSorted((one, other) => rank(one.status) - rank(other.status))
        for (const [at, answer] of inOrder.entries()) checkAnswer(answer, asModelled[at]!)
      }),
    ),
    fc.tuple(which, fc.boolean()).map(([of, approves]) =>
      act(
        `${approves ? 'approve' : 'reject'} request ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.requests, of)
          const expected = approves ? model.approve(thing) : model.reject(thing)
          checkVerdict(await (approves ? real.approve(at) : real.reject(at)), expected)
        },
        some('requests'),
      ),
    ),
    lines.map((of) =>
      act(
        `make a batch of ${of.map(({ amount, arrives }) => `${amount}${arrives ? '' : ' (refused)'}`).join(', ')}`,
        (model, real) => prepare(model, real, of),
      ),
    ),
    // A draft that took all that the day left, and is a day old: with anything sent since, it no longer fits.
    fc.tuple(fc.constantFrom(0, 1), wanted, fc.constantFrom(13, 25)).map(([and, of, hours]) =>
      act(
        `make a batch of all that the day leaves and ${and}, ${hours} hours later pay out ${named(of)}, and execute the batch`,
        async (model, real) => {
          const amount = Math.max(1, model.caps.day - model.used() + and)
          await prepare(model, real, [{ amount, arrives: true }])
          const at = model.batches.length - 1
          await later(model, clock, hours)
          await payOut(model, real, of, true)
          await execute(model, real, at)
        },
      ),
    ),
    which.map((of) =>
      act(
        `approve batch ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.batches, of)
          const expected = model.approveBatch(thing)
          checkVerdict(await real.approveBatch(at), expected)
        },
        some('batches'),
      ),
    ),
    which.map((of) =>
      act(`execute batch ${of}`, (model, real) => execute(model, real, pick(model.batches, of).at), some('batches')),
    ),
    which.map((of) =>
      act(
        `cancel batch ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.batches, of)
          const expected = model.cancel(thing)
          checkAnswer(await real.cancel(at), expected)
        },
        some('batches'),
      ),
    ),
    wanted.map((of) =>
      act(`ask for a settlement of ${named(of)}`, async (model, real) => {
        const amount = francs(of, leftToTake(model))
        const expected = model.settle(amount)
        checkAnswer(await real.settle(amount), expected)
      }),
    ),
    fc.tuple(which, people).map(([of, by]) =>
      act(
        `${by} validates settlement ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.settlements, of)
          const expected = model.validate(thing, by)
          checkVerdict(await real.validate(at, by), expected)
        },
        some('settlements'),
      ),
    ),
    fc.tuple(which, people).map(([of, by]) =>
      act(
        `${by} pays settlement ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.settlements, of)
          const expected = model.pay(thing, by)
          checkVerdict(await real.pay(at, by), expected)
        },
        some('settlements'),
      ),
    ),
    which.map((of) =>
      act(
        `reject settlement ${of}`,
        async (model, real) => {
          const { thing, at } = pick(model.settlements, of)
          const expected = model.rejectSettlement(thing)
          checkVerdict(await real.rejectSettlement(at), expected)
        },
        some('settlements'),
      ),
    ),
    fc.tuple(fc.constantFrom(300, 5_000, 60_000, 150_000), fc.constantFrom(0, 40_000)).map(([operation, more]) =>
      act(`caps of ${operation} and ${operation + more}`, async (model, real) => {
        model.caps = { operation, day: operation + more }
        checkVerdict(await real.setCaps(model.caps), 'set')
      }),
    ),
    fc.tuple(which, fc.boolean()).map(([of, change]) =>
      act(`repeat call ${of}${change ? ' with another body' : ''}`, async (_, real) => {
        if (real.done.length === 0) return
        const { thing: done } = pick(real.done, of)
        const { status, text } = await real.repeat(done, change)
        if (!change) return assert.deepEqual([status, text], [done.answer.status, done.answer.text])
        const conflict = done.asked.path === '/v1-settlements' ? 409 : 422
        assert.deepEqual([status, JSON.parse(text).error.code], [conflict, 'idempotency_key_reused'])
      }),
    ),
    fc.constantFrom(13, 25).map((hours) => act(`${hours} hours later`, (model) => later(model, clock, hours))),
  ]
}

/** Paid before held, held before refused. */
const rank = (status: number): number => [201, 202, 409].indexOf(status)
