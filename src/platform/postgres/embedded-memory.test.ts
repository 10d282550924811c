import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryFor } from './embedded-memory.ts'

const MB = 2 ** 20

/** The folder of a cluster with so much data (holes, on the disk) and these settings. */
async function clusterOf(bytes: number, conf: string, altered = '') {
  const data = await mkdtemp(join(tmpdir(), 'bandama-memory-'))
  await mkdir(join(data, 'base', '1'), { recursive: true })
  await writeFile(join(data, 'base', '1', '16384'), '')
  await truncate(join(data, 'base', '1', '16384'), bytes)
  await writeFile(join(data, 'postgresql.conf'), conf)
  await writeFile(join(data, 'postgresql.auto.conf'), altered)
  return { data, [Symbol.asyncDispose]: () => rm(data, { recursive: true }) }
}

const first = `shared_buffers = 128MB\t\t\t# min 128kB\n#max_wal_size = 1GB\nmax_wal_size = '2GB'\n`

test('a new cluster has what it was made with, one that grew has memory for its data', async () => {
  await using young = await clusterOf(100 * MB, first)
  assert.deepEqual(await memoryFor(young.data), {})
  await using grown = await clusterOf(300 * MB, first)
  assert.deepEqual(await memoryFor(grown.data), { shared_buffers: '300MB' })
  await using large = await clusterOf(2 ** 40, first)
  const { shared_buffers = '', max_wal_size } = await memoryFor(large.data)
  assert.match(shared_buffers, /^\d+MB$/)
  assert.ok(Number.parseInt(shared_buffers, 10) <= 16_384, shared_buffers)
  assert.equal(max_wal_size, '16384MB')
})

test('what the owner of the machine set stays', async () => {
  await using cluster = await clusterOf(2 ** 40, `${first}shared_buffers = '256MB'\nmax_wal_size = 4GB\n`)
  assert.deepEqual(await memoryFor(cluster.data), {})
  await using altered = await clusterOf(2 ** 40, first, "shared_buffers = '256MB'\n")
  assert.deepEqual(Object.keys(await memoryFor(altered.data)), ['max_wal_size'])
})
