import { defineTransition } from '../../platform/commands/transitions.ts'
import { fileTransitions } from '../states.ts'
import { updateFiles } from './file-store.ts'
import type { ImportRefusal } from './import-refusal.ts'
import type { FileCounts, FileRow } from './statement-file.ts'

/** Moves a locked file along its table of transitions; see `defineTransition`. */
export const transitionFile = defineTransition({
  rank: 'statement file',
  transitions: fileTransitions,
  write: updateFiles,
  change: (
    file: FileRow,
    _,
    { counts = file.counts, refusal = null }: { counts?: FileCounts | null; refusal?: ImportRefusal | null },
    now,
  ) => ({ counts, refusal, ended_at: now }),
})
