import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import { matchEnded } from '../matching/match-file.ts'
import { takeAbandoned } from './file-store.ts'
import { type ReadingDeps, writeLines } from './write-lines.ts'

/** Reads one of the files on whose process nobody hears any more, and matches again the lines whose orders have ended. Returns the number of files. */
export async function sweepFiles(deps: ReadingDeps, log: Log): Promise<number> {
  await matchEnded(deps.sql, deps.readCarried)
  const taken = await takeAbandoned(deps.sql, null)
  return eachApart(taken, {
    task: 'reading of statement files',
    log,
    nameOf: (id) => id,
    act: (id) => writeLines(deps, id),
  })
}
