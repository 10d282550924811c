import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementFixtures } from '../../tests/harness/statement-fixtures.ts'
import { readStatement } from './read-statement.ts'

// A damaged or forged file is refused or read: it neither throws nor hangs, and what is read still sums.

/** The mutations of a landing, and of a long search: `MUTATIONS=100000`. */
const MUTATIONS = Number(process.env.MUTATIONS ?? 2_000)
const isLong = MUTATIONS > 2_000
const SEED = Number(process.env.SEED ?? 20_261_129)
/** The longest that one small file may take, in microseconds of the processor. */
const TIME_MAX = 5_000_000

async function readWhole(bytes: Buffer, what: string): Promise<void> {
  const began = process.cpuUsage()
  const reading = readStatement(bytes, { profile: 'guess' })
  let [rows, effect] = [0, 0]
  for (;;) {
    const next = await reading.next().catch((error: Error) => assert.fail(`${what}: ${error.stack}`))
    if (!next.done) {
      rows += 1
      effect += next.value.effect
      assert.ok(Number.isSafeInteger(next.value.effect), what)
      continue
    }
    if (next.value.kind === 'read') {
      const sums = Object.values(next.value.totals)
      assert.equal(
        sums.reduce((sum, one) => sum + one.rows, 0),
        rows,
        what,
      )
      assert.equal(
        sums.reduce((sum, one) => sum + one.effect, 0),
        effect,
        what,
      )
    }
    break
  }
  assert.ok(process.cpuUsage(began).user < TIME_MAX, `${what} took too long`)
}

test('every beginning of a file is read or refused', async () => {
  for (const [profile, bytes] of statementFixtures) {
    const step = isLong ? 1 : Math.max(1, Math.ceil(bytes.length / 200))
    for (let length = 0; length < bytes.length; length += step)
      await readWhole(bytes.subarray(0, length), `${profile} cut at ${length}`)
  }
})

/** Numbers from 0 to 1 that one seed repeats (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Bytes that mean something to a reader: ends, marks, large and negative sizes. */
const telling = [0x00, 0x0a, 0x0d, 0x22, 0x2c, 0x2d, 0x3a, 0x3b, 0x3c, 0x3e, 0x5b, 0x7b, 0x7d, 0x7f, 0x80, 0xfe, 0xff]

function mutated(bytes: Buffer, chance: () => number): Buffer {
  const any = (below: number) => Math.floor(chance() * below)
  let file: Buffer = Buffer.from(bytes)
  for (let changes = 1 + any(4); changes > 0; changes -= 1) {
    const at = any(file.length)
    const kind = any(5)
    if (kind === 0) file[at] = any(256)
    else if (kind === 1) file[at] = telling[any(telling.length)]!
    else if (kind === 2) file = Buffer.concat([file.subarray(0, at), file.subarray(at + 1 + any(40))])
    else if (kind === 3) {
      const part = file.subarray(at, at + any(60))
      file = Buffer.concat([file.subarray(0, at), part, part, file.subarray(at)])
    } else if (at + 4 <= file.length)
      file.writeUInt32LE([0, 1, 0xffff, 0x7fffffff, 0xffffffff, 0xfffffffe][any(6)]!, at)
    if (file.length === 0) return file
  }
  return file
}

test(`${MUTATIONS} changed files are read or refused`, async () => {
  const chance = numbersFrom(SEED)
  for (let nth = 0; nth < MUTATIONS; nth += 1) {
    const [profile, bytes] = statementFixtures[nth % statementFixtures.length]!
    const file = mutated(bytes, chance)
    await readWhole(file, `${profile}, mutation ${nth} of SEED=${SEED}: ${file.toString('base64').slice(0, 4_000)}`)
  }
})

test('a long reference is cut between characters, so that the database takes it', async () => {
  const head = 'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,client_reference\n'
  const reading = readStatement(
    Buffer.from(`${head}2026-11-09 08:00:00+00:00,T_1,api_checkout,99,1,99,XOF,${'a'.repeat(399)}😀\n`),
    { profile: 'guess' },
  )
  const { value } = await reading.next()
  assert.ok(value !== undefined && 'our_reference' in value)
  assert.equal(value.our_reference!.isWellFormed(), true)
  await reading.return(undefined as never)
})
