import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findPrograms } from './embedded-cluster.ts'
import { memoryFor } from './embedded-memory.ts'

const MB = 2 ** 20

/** The folder of a cluster with so much data (holes, on the disk) and these settings. */
async function clusterOf(bytes: number, conf: string, altered = '') {
  const data = await mkdtemp(join(tmpdir(), 'bandama-memory-'))
  await mkdir(join(data, 'base', '1'), { recursive: true })
  await mkdir(join(data, 'pg_wal'))
  await writeFile(join(data, 'base', '1', '16384'), '')
  await truncate(join(data, 'base', '1', '16384'), bytes)
  await writeFile(join(data, 'postgresql.conf'), conf)
  await writeFile(join(data, 'postgresql.auto.conf'), altered)
  return { data, [Symbol.asyncDispose]: () => rm(data, { recursive: true }) }
}

const first = `shared_buffers = 128MB\t\t\t# min 128kB\n#max_wal_size = 1GB\nmax_wal_size = '2GB'\n`

/** Where the libraries of a server would be that has none. */
const bare = '/nowhere/bin/postgres'

const machine = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())

/** What a quarter of it leaves of so many MB, and never less than a cluster is made with. */
const within = (wanted: number) => Math.max(128, Math.floor(Math.min(wanted, machine / 4 / MB)))

test('a new cluster has memory for a gigabyte of data, one that grew for what it has', async () => {
  const memoryOf = async (bytes: number) => {
    await using cluster = await clusterOf(bytes, first)
    const { shared_buffers = '128MB' } = await memoryFor(cluster.data, bare)
    return Number.parseInt(shared_buffers, 10)
  }
  assert.equal(await memoryOf(100 * MB), within(1_024))
  assert.equal(await memoryOf(1_500 * MB), within(1_500))
  assert.equal(await memoryOf(2 ** 40), within(16_384))
})

test('the log of a cluster that grew is longer, as far as the disk has room', async () => {
  await using young = await clusterOf(100 * MB, first)
  assert.equal((await memoryFor(young.data, bare)).max_wal_size, undefined)
  await using large = await clusterOf(2 ** 40, first)
  const { max_wal_size = '2048MB' } = await memoryFor(large.data, bare)
  const { bavail, bsize } = await statfs(large.data)
  const wanted = Math.max(2_048, Math.min(16_384, (bavail * bsize) / 4 / MB))
  // Others write to the same disk meanwhile.
  const given = Number.parseInt(max_wal_size, 10)
  assert.ok(Math.abs(given - wanted) < 0.2 * wanted, `${given} instead of about ${wanted} MB`)
})

test('what was in memory is read again where there is a library for it and the owner named none', async () => {
  const { postgres } = await findPrograms()
  const librariesFor = async (program: string, conf: string) => {
    await using cluster = await clusterOf(MB, conf)
    return (await memoryFor(cluster.data, program)).shared_preload_libraries
  }
  const untouched = `${first}#shared_preload_libraries = ''\t# (change requires restart)\n#include_dir = '...'\n`
  assert.equal(await librariesFor(postgres, untouched), 'pg_prewarm')
  assert.equal(await librariesFor(bare, untouched), undefined)
  for (const owners of [
    "shared_preload_libraries = 'auto_explain'",
    "Shared_Preload_Libraries ''",
    "include_dir 'conf.d'",
  ]) {
    assert.equal(await librariesFor(postgres, `${untouched}${owners}\n`), undefined, owners)
  }
})

test('what the owner of the machine set stays', async () => {
  await using cluster = await clusterOf(2 ** 40, `${first}shared_buffers = '256MB'\nmax_wal_size = 4GB\n`)
  assert.deepEqual(await memoryFor(cluster.data, bare), {})
  await using altered = await clusterOf(2 ** 40, first, "shared_buffers = '256MB'\n")
  assert.equal((await memoryFor(altered.data, bare)).shared_buffers, undefined)
})
