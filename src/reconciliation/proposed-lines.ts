import type { ActProposal } from '../acts/proposal.ts'
import { readWaitingProposal } from '../acts/proposal-store.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { readAccount } from '../external-accounts/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import { LineNames } from '../statement-files/import/line-names.ts'
import type { FileRow } from '../statement-files/import/statement-file.ts'
import { viewLine } from '../statement-files/import/statement-line.ts'
import { rowsOf, type TypedDay } from '../statement-files/import/typed-lines.ts'
import { lineOf } from '../statement-files/import/write-chunk.ts'

/** The lines that a first person typed, with the balance after each. Null: the proposal is about something else. */
export function typedRows({ act, typed }: Pick<ActProposal, 'act' | 'typed'>) {
  return act === 'reconcile.type' ? rowsOf(typed as TypedDay) : null
}

/** Reads the lines of a typed file that waits for its second person, as commands show lines. No line of it is written yet. */
export async function readProposedLines(db: Db, file: FileRow): Promise<ReturnType<typeof viewLine>[]> {
  const { livemode, account: code } = file
  const about = { merchant_id: WHOLE_SERVICE, livemode }
  const proposal = await readWaitingProposal(db, about, 'reconcile.type', file.id)
  const account = await readAccount(db, { livemode, code })
  if (proposal === null || account === null) return []
  const names = new LineNames({ livemode, account: code, kind: account.kind })
  return (typedRows(proposal) ?? []).map((row) => viewLine(lineOf(file, row, names.nameOf(row))))
}
