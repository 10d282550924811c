import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../contract/ask.ts'
import { RefusedCommand } from '../harness/command-line.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn, payment } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'

test('a version serves, works and answers commands on a database that a newer one has migrated, if older code runs with it', async () => {
  await using db = await openTestDatabase()
  await db.sql.copy('schema_migrations', [{ file: '9998_new.sql', checksum: 'x', older_code: 'runs' }])
  const installation = await installOn(db.url)
  await using service = await installation.start()
  const merchant = await newMerchant(db.sql)
  const { status } = await ask(service.address, payment(merchant.key, { amount: 1_500, simulate: 'succeed' }))
  assert.equal(status, 201)
  assert.match(
    service.output(),
    /"files":\["9998_new\.sql"\],.*"msg":"the database is newer than this code, which runs with it/,
  )
  await installation.bandama('audit')
})

test('a version ends in one sentence on a database with a file with which older code stops', async () => {
  await using db = await openTestDatabase()
  await db.sql.copy('schema_migrations', [{ file: '9998_new.sql', checksum: 'x', older_code: 'stops' }])
  const installation = await installOn(db.url)
  const sentence =
    'The database is newer than this code: it has 9998_new.sql, with which older code stops. Start the newer version again.'
  await assert.rejects(installation.start(), new RegExp(`\n${sentence.replaceAll('.', '\\.')}\n$`))
  await assert.rejects(
    installation.bandama('audit'),
    (error) => error instanceof RefusedCommand && error.message.includes(sentence),
  )
})
