import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { chooseAccount, EmbeddedPostgresError, spawnAs } from './account.ts'
import { findPrograms } from './cluster.ts'

const isRoot = process.getuid?.() === 0
const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0

/** A folder that only its maker may enter. */
async function privateFolder() {
  const path = await mkdtemp(join(tmpdir(), 'bandama-account-'))
  assert.equal((await stat(path)).mode & 0o777, 0o700)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('an ordinary user runs the programs itself', { skip: isRoot && 'needs an ordinary user' }, async () => {
  const { postgres } = await findPrograms()
  assert.deepEqual(await chooseAccount(postgres, '/', null), { owner: null, prefix: [] })
})

test("the programs get none of root's rights if every account can reach them", {
  skip: !isRoot && 'needs root',
}, async () => {
  const account = await chooseAccount('/bin/true', '/', null)
  assert.ok(account.owner !== null && account.owner.uid > 0)
  assert.deepEqual(account.prefix, [])
})

test('an existing cluster keeps its owner', { skip: !isRoot && 'needs root' }, async () => {
  const owner = { uid: 12_345, gid: 12_345 }
  assert.deepEqual((await chooseAccount('/bin/true', '/', owner)).owner, owner)
})

const needsRoot = { skip: !(isRoot && hasSetpriv) && 'needs root and setpriv' }
test('root makes a cluster with programs and in a folder that only root can reach', needsRoot, async () => {
  await using folder = await privateFolder()
  const { initdb } = await findPrograms()
  await cp(join(dirname(initdb), '..'), join(folder.path, 'native'), { recursive: true, verbatimSymlinks: true })
  const account = await chooseAccount(join(folder.path, 'native/bin/postgres'), folder.path, null)
  const data = join(folder.path, 'cluster')
  await mkdir(data)
  await chown(data, account.owner!.uid, account.owner!.gid)
  const args = [`--pgdata=${data}`, '--no-sync', '--no-instructions']
  const child = spawnAs(account, join(folder.path, 'native/bin/initdb'), args, { stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.equal((await stat(join(data, 'PG_VERSION'))).uid, account.owner!.uid)
})

test('root is told what to do when no other account can get there', { skip: !isRoot && 'needs root' }, async () => {
  await assert.rejects(chooseAccount('/bin/true', '/nowhere', null), (error: Error) => {
    assert.ok(error instanceof EmbeddedPostgresError)
    assert.match(error.message, /cannot reach \/nowhere .*ordinary user, or set DATABASE_URL/)
    return true
  })
})
