import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '../contract/ask.ts'
import { openTestDatabase } from '../harness/database.ts'
import { payment } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

// The image, run by bubblewrap: a container engine wants rights that a machine of tests seldom has.

const hasTools = ['bwrap', 'strip', 'dpkg-deb'].every((tool) => spawnSync(tool, ['--version']).error === undefined)

type Config = { config: { User: string; Env: string[]; Entrypoint: string[] } }

/** Runs a program to its end. @throws with what it said, unless it ends with 0 */
function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1e8 })
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stderr}`)
  return stdout
}

test('two builds of the image are equal, and it serves, works and audits read-only, not as root, with no shell', {
  skip: !hasTools && 'bubblewrap and binutils are not installed',
  timeout: 1_800_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-image-'))
  try {
    run('chmod', '0755', folder)
    const [archive, oci, root] = [join(folder, 'image.tar'), join(folder, 'oci'), join(folder, 'root')] as const
    run('deploy/build-image', '--check', archive)
    await mkdir(oci)
    await mkdir(root)
    run('tar', '-x', '-f', archive, '-C', oci)
    const read = async <T>(digest: string) =>
      JSON.parse(await readFile(join(oci, 'blobs/sha256', digest.replace('sha256:', '')), 'utf8')) as T
    const index = JSON.parse(await readFile(join(oci, 'index.json'), 'utf8')) as { manifests: { digest: string }[] }
    const manifest = await read<{ config: { digest: string }; layers: { digest: string }[] }>(
      index.manifests[0]!.digest,
    )
    const { config } = await read<Config>(manifest.config.digest)
    for (const { digest } of manifest.layers) {
      run('tar', '-x', '-z', '-f', join(oci, 'blobs/sha256', digest.replace('sha256:', '')), '-C', root)
    }
    const programs = await readdir(join(root, 'usr/local/bin'))
    assert.deepEqual(programs.sort(), ['bandama', 'node'])

    const [uid, gid] = config.User.split(':') as [string, string]
    const inside = [
      ...['bwrap', '--die-with-parent', '--unshare-user', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'],
      ...['--uid', uid, '--gid', gid, '--ro-bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
      ...config.Env.flatMap((pair) => ['--setenv', ...pair.split(/=(.*)/s).slice(0, 2)]),
    ]
    await using db = await openTestDatabase()
    await using service = await startService({ url: db.url, command: [...inside, ...config.Entrypoint] })
    const { key } = await newMerchant(db.sql)
    const address = service.address.replace('0.0.0.0', '127.0.0.1')
    const made = await ask(address, payment(key, { amount: 1_500, simulate: 'succeed' }))
    assert.equal(made.status, 201)
    await waitFor(
      async () => {
        const [row] = await db.sql<{ status: string }[]>`select status from payments`
        return row!.status === 'succeeded'
      },
      { what: 'the end of the payment' },
    )
    const docs = await ask(address, { method: 'GET', path: '/docs/en' })
    assert.equal(docs.status, 200)
    const [program, ...words] = inside as [string, ...string[]]
    const command = (...typed: string[]) =>
      spawnSync(program, [...words, ...typed], {
        encoding: 'utf8',
        env: { DATABASE_URL: db.url, SECRET_KEY: service.secret_key },
      })
    const audit = command('bandama', 'audit')
    assert.equal(audit.status, 0, audit.stderr)
    assert.notEqual(command('node', '-e', 'fs.writeFileSync("/opt/bandama/x", "")').status, 0, 'a file was written')
    assert.notEqual(command('/bin/sh', '-c', 'true').status, 0, 'there is a shell')
    await service.stop()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
