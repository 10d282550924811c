import { readAccount } from '../../external-accounts/store.ts'
import { applyEffects, defineEffect } from '../../platform/commands/effects.ts'
import { addChangedDays } from './changed-days.ts'
import { lockFile, makeMonths } from './file-store.ts'
import { readCarried } from './find-account.ts'
import { LineNames } from './line-names.ts'
import { transitionFile } from './move-file.ts'
import { rowsOf, type TypedDay } from './typed-lines.ts'
import { writeRows } from './write-chunk.ts'
import { countRows } from './write-lines.ts'

type Typed = { readonly file_id: string; readonly typed: TypedDay }

/** Writes and counts typed lines that a second person approved. The caller holds the statements of the account, of which no file is being read. */
export const countTyped = defineEffect<Typed>('statement file', async (tx, approved, now) => {
  for (const { file_id, typed } of approved) {
    const file = (await lockFile(tx, file_id))!
    const { kind } = (await readAccount(tx, { livemode: typed.livemode, code: typed.account }))!
    const carried = await readCarried(tx, typed.livemode)
    const names = new LineNames({ ...typed, kind })
    await makeMonths(tx, typed.day, typed.day)
    const rows = rowsOf(typed).map((row) => ({ row, name: names.nameOf(row) }))
    await writeRows(tx, carried, file, 0, rows)
    const counts = await countRows(tx, carried, file)
    const moved = transitionFile(file, { trigger: 'approved_by_second_person', counts }, now)
    if (moved !== null) await applyEffects(tx, moved.effects, now)
    // The sweep compares the day with our books.
    await addChangedDays(tx, [{ livemode: typed.livemode, account: typed.account, day: typed.day }])
  }
})

type Ended = {
  readonly file_id: string
  readonly trigger: 'refused_by_second_person' | 'withdrawn_by_first_person' | 'time_ran_out'
}

/** Ends typed lines that nobody approved. None of them is written. */
export const dropTyped = defineEffect<Ended>('statement file', async (tx, ended, now) => {
  for (const { file_id, trigger } of ended) {
    const file = (await lockFile(tx, file_id))!
    const moved = transitionFile(file, { trigger, refusal: 'not_approved' }, now)
    if (moved !== null) await applyEffects(tx, moved.effects, now)
  }
})
