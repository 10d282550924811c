import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCluster } from '../../src/platform/postgres/embedded/cluster.ts'
import { stopServer } from '../../src/platform/postgres/embedded/server.ts'

/**
 * An empty DATA_DIR, which PostgreSQL's account may pass when root runs this. In the end its server is stopped, whoever
 * left it running, and everything removed.
 */
export async function emptyDataDir() {
  const root = await mkdtemp(join(tmpdir(), 'bandama-faults-'))
  await chmod(root, 0o711)
  const path = join(root, 'data')
  return {
    path,
    async [Symbol.asyncDispose]() {
      if (await stat(path).catch(() => null)) await stopServer(await openCluster(path))
      await rm(root, { recursive: true, force: true })
    },
  }
}
