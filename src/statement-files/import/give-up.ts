import { applyEffects } from '../../platform/commands/effects.ts'
import { addDaysOf } from './changed-days.ts'
import { lockFile } from './file-store.ts'
import { forgetChunks, forgetFile } from './forget-file.ts'
import { transitionFile } from './move-file.ts'
import type { ReadingDeps } from './write-lines.ts'

/** How often other processes continue a file before it is given up, a minute apart. */
export const TRIES_MAX = 5

/**
 * Gives up a file whose lines cannot be written, so that its account goes on: takes back what was written, as if it had never come, and refuses it.
 * False: it is not being read any more.
 */
export async function giveUp({ sql, now, readCarried }: ReadingDeps, file_id: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    await tx`set local statement_timeout = '2min'`
    // Excludes a process that still writes a chunk.
    await tx`select from statement_files where id = ${file_id} for update`
    const file = await lockFile(tx, file_id)
    if (file === null || file.status !== 'reading') return false
    const carried = await readCarried(tx, file.livemode)
    await forgetFile(tx, carried, file, 'deleted')
    forgetChunks(tx, file.id)
    // A comparison may have read its lines.
    await addDaysOf(tx, file)
    const moved = transitionFile(file, { trigger: 'given_up', refusal: 'not_written' }, now())
    if (moved !== null) await applyEffects(tx, moved.effects, now())
    return true
  })
}
