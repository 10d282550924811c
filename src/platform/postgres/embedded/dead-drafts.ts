import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Cluster, isAlive } from './cluster.ts'
import { stopServer } from './server.ts'

/** The drafts of this folder: names of a process that makes them. */
const DRAFT = /^(?:postgres\.new|drill)-(\d+)-/

/** Stops the server of a draft and removes the draft. */
export async function removeDraft(cluster: Pick<Cluster, 'folder' | 'data'>): Promise<void> {
  if ((await stat(cluster.data).catch(() => null)) !== null) await stopServer(cluster as Cluster)
  await rm(cluster.folder, { recursive: true, force: true })
}

/** Removes the drafts of processes that were killed, which hold a whole database, with their servers. */
export async function removeDeadDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = DRAFT.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    const folder = join(home, name)
    await removeDraft({ folder, data: join(folder, 'cluster') })
  }
}
