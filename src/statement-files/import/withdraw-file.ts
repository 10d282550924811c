import { applyEffects, defineEffect } from '../../platform/commands/effects.ts'
import { addDaysOf } from './changed-days.ts'
import { readCarried } from './find-account.ts'
import { forgetFile } from './forget-file.ts'
import { transitionFile } from './move-file.ts'
import type { FileRow } from './statement-file.ts'

/**
 * Takes locked, counted files back, with the lines that no other file shows. The caller holds the statements of their accounts (`lockStatements`), of which no
 * file is being read.
 */
export const withdrawFile = defineEffect<FileRow>('statement file', async (tx, files, now) => {
  // A million lines take longer than a statement of a request may.
  await tx`set local statement_timeout = '5min'`
  for (const file of files) {
    await forgetFile(tx, await readCarried(tx, file.livemode), file, 'withdrawn')
    // Its days may lack lines by now that no other file shows, or a file.
    await addDaysOf(tx, file)
    const moved = transitionFile(file, { trigger: 'withdrawn_by_two_people' }, now)
    if (moved !== null) await applyEffects(tx, moved.effects, now)
  }
})
