import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Demo } from '../../src/app/demo.ts'
import { sha256 } from '../../src/platform/digest.ts'
import { merchantRoles, staffRoles } from '../../src/values/rights.ts'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { hold, patient, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { refused } from './commands.ts'

// The way in: there is no account that exists already, and links are for one use.

let installation: Installation
let merchant: string
before(async () => {
  installation = await openInstallation()
  merchant = String((await installation.bandama('merchant', 'create', '--name', 'Maquis')).merchant_id)
})
after(() => installation[Symbol.asyncDispose]())

const person = (verb: string, ...words: string[]) => installation.bandama('person', verb, ...words)
const links = (output: string) =>
  [...output.matchAll(/\bhttps?:\S+\/(?:desk|console)\/invitation\/[\w-]{43}/g)].map(String)

test('an invitation prints its link once; people are listed with their roles and never with a link', async () => {
  const invited = await person('invite', '--email', 'Awa@Example.com', '--role', 'finance', '--role', 'support')
  const { link } = invited as { link: string }
  assert.match(new URL(link).pathname, /^\/desk\/invitation\/[\w-]{43}$/)
  const owner = await person('invite', '--email', 'yao@example.com', '--merchant', merchant, '--role', 'owner')
  assert.match(new URL(String(owner.link)).pathname, /^\/console\/invitation\//)
  const { persons } = (await person('list')) as { persons: { email: string; roles: string[]; status: string }[] }
  const awa = persons.find(({ email }) => email === 'awa@example.com')!
  assert.deepEqual([awa.status, awa.roles], ['invited', ['finance', 'support']])
  const team = await person('list', '--merchant', merchant)
  assert.deepEqual(
    (team.persons as { email: string }[]).map(({ email }) => email),
    ['yao@example.com'],
  )
  assert.ok(!JSON.stringify([persons, team]).includes(link.split('/').at(-1)!))
})

test('the commands explain their refusals about a person in a sentence', async () => {
  const invite = (...words: string[]) => person('invite', ...words)
  await refused(invite('--email', 'awa', '--role', 'support'), /--email is an address of mail/, 2)
  await refused(invite('--email', 'a@b.c', '--role', 'owner'), /--role must be one of owner, .* with --merchant/)
  await refused(invite('--email', 'a@b.c'), /--role names a role/, 2)
  await refused(invite('--email', 'a@b.c', '--role', 'owner', '--merchant', '987654'), /no such merchant/)
  await refused(invite('--email', 'a@b.c', '--role', 'support', '--as', 'A@B.C'), /Nobody gives themselves a role/)
  await refused(person('disable', '--id', 'per_nobody'), /There is no person per_nobody/)
  await refused(person('reset', '--id', 'per_nobody'), /There is no person per_nobody/)
  await refused(person('confirm', '--id', 'per_nobody', '--role', 'owner'), /has no such role/)
})

// These processes work for nobody: without a worker, and each ended before the next test, they leave the machine to the other tests.
const apiOn = (url: string) =>
  startService({ url, args: ['--only', 'api'], env: { SECRET_KEY: installation.services[0]!.secret_key } })

test('a start without an administrator prints one link, however many processes start at once', async () => {
  await using db = await openTestDatabase()
  // None writes its link before all three are there.
  await using held = await hold(db.sql, (tx) => tx`lock table invitations in share mode`)
  const starting = Promise.all([1, 2, 3].map(() => apiOn(patient(db.url))))
  await untilWaiting(db.sql, { count: 3 })
  await held.letGo()
  const started = await starting
  await Promise.all(started.map((service) => service.stop()))
  const shown = started.flatMap((service) => links(service.output()))
  assert.equal(shown.length, 1)
  const open = await db.sql`
    select token_hash, round(extract(epoch from expires_at - created_at) / 60)::integer as minutes
      from invitations where used_at is null and revoked_at is null`
  assert.deepEqual(open, [{ token_hash: sha256(shown[0]!.split('/').at(-1)!), minutes: 60 }])
})

test('a later start prints a new link once the old one has expired, and none while it opens or after its use', async () => {
  await using db = await openTestDatabase()
  const linksOfStart = async () => {
    await using service = await apiOn(db.url)
    return links(service.output())
  }
  assert.equal((await linksOfStart()).length, 1)
  assert.deepEqual(await linksOfStart(), [], 'the link that was shown still opens')
  await db.sql`update invitations set expires_at = clock_now()`
  assert.equal((await linksOfStart()).length, 1)
  await db.sql`update persons set status = 'active'`
  await db.sql`update invitations set expires_at = clock_now()`
  assert.deepEqual(await linksOfStart(), [], 'somebody administers it')
})

test('the demo prints a link for each role, but none at an address that others reach', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-people-'))
  try {
    for (const [name, PUBLIC_URL] of [
      ['alone', ''],
      ['seen', 'https://pay.example'],
    ] as const) {
      const DATA_DIR = join(folder, name)
      const env = { DATA_DIR, PORT: String(await freePort()), METRICS_PORT: '0', DEMO: 'on', PUBLIC_URL }
      await using service = await startService({ url: null, env })
      const { people = {} } = JSON.parse(await readFile(join(DATA_DIR, 'demo.json'), 'utf8')) as Demo
      // Two people for what two people decide.
      const twice = (role: string) => (['finance', 'administrator'].includes(role) ? [role, `${role}-2`] : [role])
      const wanted = name === 'alone' ? [...merchantRoles, ...staffRoles].flatMap(twice) : []
      assert.deepEqual(Object.keys(people), wanted)
      const count = name === 'alone' ? wanted.length : 1
      const printed = () => links(service.output())
      await waitFor(() => printed().length >= count, { what: 'the links' })
      const shown = printed()
      assert.equal(shown.length, count)
      // A name, because browsers make no passkey for an address in numbers.
      const address = service.address.replace('127.0.0.1', 'localhost')
      for (const path of Object.values(people)) assert.ok(shown.includes(`${address}${path}`), path)
      await service.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
