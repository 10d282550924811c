import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import { matchByNumber, matchEnded } from '../matching/match-file.ts'
import { takeAbandoned, takeRecent } from './file-store.ts'
import { giveUp, TRIES_MAX } from './give-up.ts'
import { type ReadingDeps, writeLines } from './write-lines.ts'

/**
 * Reads one of the files on whose process nobody hears any more, and matches again the lines whose orders have ended, and those of one recent file whose numbers
 * may be known by now. A file that has failed too often is given
 * up. Returns the number of files.
 * @param tellGivenUp called with the id of a file that is given up
 */
export async function sweepFiles(
  deps: ReadingDeps,
  log: Log,
  tellGivenUp: (file_id: string) => void = () => {},
): Promise<number> {
  await eachApart(['lines'], {
    task: 'matching of statement lines',
    log,
    nameOf: (name) => name,
    act: () => matchEnded(deps.sql, deps.readCarried),
  })
  await eachApart(await takeRecent(deps.sql), {
    task: 'matching of a statement file',
    log,
    nameOf: ({ id }) => id,
    act: async (file) => {
      const account = await deps.findAccount(deps.sql, file)
      await matchByNumber(deps.sql, await deps.readCarried(deps.sql, file.livemode), account!, file)
    },
  })
  const taken = await takeAbandoned(deps.sql, null)
  return eachApart(taken, {
    task: 'reading of statement files',
    log,
    nameOf: ({ id }) => id,
    act: async ({ id, tries }) => {
      if (tries <= TRIES_MAX) return writeLines(deps, id)
      if (await giveUp(deps, id)) tellGivenUp(id)
    },
  })
}
