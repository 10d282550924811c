import assert from 'node:assert/strict'
import { test } from 'node:test'
import { post } from '../../src/ledger/post.ts'
import { adjustment } from '../../src/ledger/postings.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

test('a statement adds up on the page and in its files, for people with the right, in its own mode', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const book = (subject_id: string, amount: number) =>
    db.sql.begin((tx) =>
      post(tx, [
        {
          merchant_id,
          livemode: true,
          subject_id,
          operation: 'adjustment',
          legs: adjustment({ counterpart: 'held:bank', amount }),
        },
      ]),
    )
  await book('adj_1', 25_000)
  await book('adj_2', -4_000)
  const at = (path: string, mode = 'live') => `/console/${mode}/${merchant_id}${path}`
  const accountant = await openBrowser(db.sql, service.address, { merchant_id, roles: ['accountant'] })
  const { status, text } = await accountant.get(at('/statement'))
  assert.equal(status, 200)
  for (const words of ['adj_1', '25\u202f000', '−4\u202f000', '21\u202f000', 'Correction'])
    assert.ok(text.includes(words), words)
  assert.ok(!(await accountant.get(at('/statement', 'test'))).text.includes('adj_1'))

  const csv = await accountant.get(at('/statement/csv'))
  assert.match(csv.headers.get('content-disposition')!, /statement-.*\.csv/)
  assert.match(
    csv.text,
    /Date;Mouvement;Mouvement \(code\);Sens;Sens \(code\);Montant \(F CFA\);Solde \(F CFA\);Identifiant/,
  )
  assert.match(csv.text, /;Correction;adjustment;Sortie;out;4000;21000;adj_2/)
  assert.match(csv.text, /;Solde à la fin;closing_balance;;;;21000/)
  const english = await accountant.get(`${at('/statement/csv')}?lang=en`)
  assert.match(english.text, /,Adjustment,adjustment,Out,out,4000,21000,adj_2/)
  const tested = await accountant.get(at('/statement/csv', 'test'))
  assert.match(tested.headers.get('content-disposition')!, /TEST-statement/)
  assert.match((await accountant.get(at('/statement/pdf'))).text, /^%PDF/)
  assert.equal((await accountant.get(at('/statement/exe'))).status, 404)

  const wrong = await accountant.get(at('/statement?from=2026-09-02&to=2026-09-01'))
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="2026-09-02"/)
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  assert.ok(!(await viewer.get(at('/statement'))).text.includes('/statement/csv'))
  assert.equal((await viewer.get(at('/statement/csv'))).status, 403)
  const maker = await openBrowser(db.sql, service.address, { merchant_id, roles: ['maker'] })
  assert.equal((await maker.get(at('/statement'))).status, 403)
})
