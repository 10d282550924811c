import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { lockAccounts } from '../../src/ledger/post.ts'
import { newNumber, payout } from '../contract/sender.ts'
import { hold } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { confirmed, newShop, read, type Shop } from './batch-shop.ts'

// Others change the merchant's book and money at the moment at which a person executes a batch or approves a payout.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const LINES = 300
const line = (msisdn: string, amount = 100) => {
  const beneficiary = { msisdn, operator: 'orange_ci', name: 'Awa Koné' }
  return { amount, beneficiary }
}

/** Makes a draft by the API, with this many numbers that are not in the book. */
async function draft({ sender }: Shop, numbers: readonly string[], amount?: number): Promise<string> {
  const answer = await sender.prepare({ lines: numbers.map((one) => line(one, amount)) })
  assert.equal(answer.status, 201, answer.text)
  return (answer.json() as { id: string }).id
}

test('a batch is executed while another caller adds its numbers to the book one by one', async () => {
  const shop = await newShop(installation)
  const { sender, base, mariam } = shop
  for (let round = 0; round < 3; round += 1) {
    const numbers = Array.from({ length: LINES }, () => newNumber())
    const id = await draft(shop, numbers)
    const page = `${base}/batches/${id}`
    // From the last line to the first, so that both sides add the same numbers.
    const waiting = numbers.toReversed()
    let sent = false
    const add = async () => {
      for (let msisdn = waiting.pop(); msisdn !== undefined && !sent; msisdn = waiting.pop()) {
        const body = { msisdn, operator: 'orange_ci', name: 'Awa Koné' }
        const answer = await installation.ask({ path: '/v1-beneficiaries', key: sender.key, body })
        assert.ok(answer.status === 200 || answer.status === 201, answer.text)
      }
    }
    const sending = confirmed(mariam, `${page}/execute`, {}, page).finally(() => {
      sent = true
    })
    const [done] = await Promise.all([sending, add(), add(), add(), add()])
    assert.equal(done.location, `${page}?done=launched`, done.text)
    const batch = await sender.untilBatch(id, 'termine')
    assert.equal(batch.id, id)
  }
})

/** Locks the money of a shop in a transaction that does not end. */
function holdMoney({ sender }: Shop) {
  return hold(installation.db.sql, (tx) => lockAccounts(tx, [{ ...sender.tenant, account: 'transfer' }]))
}

test('while another operation holds the money the page says that nothing was done, and the next attempt succeeds', async () => {
  const shop = await newShop(installation)
  const { sender, base, mariam, aya } = shop
  const id = await draft(shop, [newNumber()])
  const batch = `${base}/batches/${id}`
  const held = (await sender.send(payout(100_001))).json() as { id: string }
  const approval = `${base}/approvals/${held.id}`
  {
    await using _ = await holdMoney(shop)
    for (const [who, page, act] of [
      [mariam, batch, 'execute'],
      [aya, approval, 'approve'],
    ] as const) {
      const busy = await confirmed(who, `${page}/${act}`, {}, page)
      assert.equal(busy.status, 409)
      assert.match(await read(busy), /Une autre opération tient le compte .* Rien n’a été fait.* réessayez sans risque/)
    }
    const refused = await sender.execute(id)
    assert.equal(refused.status, 500)
    assert.equal(refused.headers['retry-after'], '1')
    const adding = await mariam.post(
      `${base}/beneficiaries`,
      { name: 'Awa Koné', msisdn: newNumber(), operator: 'orange_ci' },
      `${base}/beneficiaries/new`,
    )
    assert.equal(adding.status, 503, adding.text)
    assert.equal(adding.headers.get('retry-after'), '1')
    assert.match(await read(adding), /Une autre opération les tient .* Rien n’a été fait.* réessayez sans risque/)
  }
  assert.equal((await confirmed(mariam, `${batch}/execute`, {}, batch)).location, `${batch}?done=launched`)
  assert.equal((await confirmed(aya, `${approval}/approve`, {}, approval)).location, `${approval}?done=approved`)
  const [lines] = await installation.db.sql<{ payouts: number }[]>`
    select count(*)::integer as payouts from payouts where merchant_id = ${sender.tenant.merchant_id}`
  assert.equal(lines!.payouts, 2, 'each was sent once')
})

test('while another operation holds the account a command says that nothing was done, and the next attempt succeeds', async () => {
  const { sender } = await newShop(installation)
  const deposit = () => installation.bandama('deposit', ...sender.words, '--amount', '5000', '--reference', 'VIR-1')
  {
    await using _ = await hold(installation.db.sql, (tx) =>
      lockAccounts(tx, [{ ...sender.tenant, account: 'transfer' }]),
    )
    await assert.rejects(deposit(), ({ code, stderr }: Error & { code: number; stderr: string }) => {
      assert.equal(code, 1)
      assert.match(stderr, /Another operation has locked the same account\. Nothing was done\. Run/)
      return true
    })
  }
  assert.equal((await deposit()).repeated, false, 'the first run entered nothing')
})
