import { statementChecks } from '../../../src/app/audit/statement-checks.ts'
import { createImportDeps } from '../../../src/app/statement-reading.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { importFile } from '../../../src/statement-files/import/import-file.ts'
import { Secret } from '../../../src/values/secret.ts'
import { actor } from '../../harness/actor.ts'
import type { Installation } from '../../harness/installation.ts'
import { newStatementAccount } from '../../harness/statement-accounts.ts'
import { waveEn, waveFr } from '../../harness/statement-fixtures.ts'
import type { Harm, Harmed } from './harm.ts'

// These tests break each check of the audit about statement files once.

/** Two files of one account, one of which shows a line with another amount. */
export async function liveStatements({ db: { sql }, ...installation }: Installation): Promise<void> {
  const secretKey = new Secret(installation.services[0]?.secret_key ?? installation.secret_key)
  const deps = createImportDeps({ sql, secretKey, clock: createClock() })
  const account = await newStatementAccount(sql, false)
  const its = (await deps.findAccount(sql, { livemode: false, account }))!
  for (const text of [waveFr, waveEn.replace('1980,20', '1970,30')]) {
    const content = (async function* () {
      yield Buffer.from(text)
    })()
    const given = { account: its, source: 'file', content, profile: 'guess', period: null } as const
    await importFile(deps, given, actor('awa@example.com'), { dry_run: false })
  }
}

const [classes, orders, origins] = statementChecks.map(({ check }) => check) as [string, string, string]

/** A matched line of an order that is confirmed, with what the harm changes of it. */
const matched =
  (changes: object): Harm =>
  async (tx) => {
    const [order] = await tx`
    select subject_id, amount, livemode, direction
      from instructions
     where state = 'confirmed' and direction = 'collect'
     limit 1`
    const [file] = await tx`select id, account from statement_files where status = 'counted' limit 1`
    const { subject_id, amount: gross } = order!
    const line = {
      ...{ id: 'lin_harm', month: '2026-11-01', day: '2026-11-09', livemode: order!.livemode, account: file!.account },
      ...{
        class: 'operation',
        direction: 'in',
        gross,
        fee: 0,
        tax: 0,
        effect: gross,
        is_fee_known: true,
        currency: 'XOF',
      },
      ...{ file_id: file!.id, row: 99, state: 'matched', matched_by: 'reference', subject_id, ...changes },
    }
    await tx.copy('statement_lines', [line])
  }

/** The harm and the check that must find it. Other checks may find it too. */
const harms: [string, Harm][] = [
  [classes, (tx) => tx`update statement_lines set gross = gross + 1 where not is_changed`],
  [classes, (tx) => tx`update statement_lines set effect = effect + 1 where not is_changed`],
  [classes, (tx) => tx`delete from statement_rows where line_id is not null`],
  [classes, (tx) => tx`delete from statement_lines where not is_changed`],
  [orders, matched({ gross: 1 })],
  [orders, matched({ direction: 'out' })],
  [orders, matched({ subject_id: 'txn_nobody' })],
  [origins, (tx) => tx`update statement_files set status = 'refused', refusal = 'pdf', counts = null`],
  [origins, (tx) => tx`update statement_lines set account = 'bank'`],
]

export const statements: Harmed = { checks: statementChecks, guarded: ['statement_lines'], harms }
