import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertAccount } from '../../src/external-accounts/store.ts'
import { mode } from '../harness/mode.ts'
import { openSettlementDesk, settlementList } from './settlement-desk.ts'

test('where the mode has two banks, the person says once which one paid the whole file', async () => {
  const { installation, kofi, validated } = await openSettlementDesk({ available: 100_000 })
  await using _ = installation
  const { sql } = installation.db
  const upload = `${settlementList}/transfers`
  const send = (text: string) => kofi.upload(upload, { name: 'releve.csv', bytes: text }, {})
  const ids = [await validated(41_000), await validated(42_000)]
  const file = ids.map((id, at) => `VIR-4${at}\t${id}\t${41_000 + at * 1_000}`).join('\n')
  const text = `reference\tlabel\tdebit\n${file}`
  assert.doesNotMatch((await send(text)).text, /name="account"/)
  const code = `ecobank-${process.pid}`
  const bank = { livemode: mode === 'live', code, kind: 'bank', connector: null, directions: [] } as const
  const terms = { number: null, profile: null, due: 'business', late_days: 3, created_by: 'a@example.ci' } as const
  await sql.begin((tx) => insertAccount(tx, { ...bank, ...terms }, 0))
  const page = await send(text)
  assert.match(page.text, new RegExp(`<select id="account" name="account".*<option value="${code}"`, 's'))
  const fields = [
    ...[...page.text.matchAll(/name="pay" value="([^"]+)" checked/g)].map(([, pick]) => ['pay', pick!] as const),
    ['account', code] as const,
  ]
  const { ask, done } = await kofi.confirm(`${upload}/record`, fields, upload)
  assert.match(ask.text, new RegExp(code))
  assert.match(done.text, /Virements inscrits\u00a0: 2 sur 2/)
  const held = await sql<{ account: string }[]>`
    select distinct account from ledger_entries where subject_id = any(${ids}::text[]) and account like 'held:%'`
  assert.deepEqual(
    held.map(({ account }) => account),
    [`held:${code}`],
  )
})
