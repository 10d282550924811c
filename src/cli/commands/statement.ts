import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getSystemErrorMessage } from 'node:util'
import { exportStatement, type StatementExport } from '../../statements/export-statement.ts'
import { recordStatementTaken } from '../../statements/record-taken.ts'
import { countOf } from '../../statements/statement.ts'
import { writeCsv } from '../../statements/write-csv.ts'
import { writeJson } from '../../statements/write-json.ts'
import { periodOf } from '../../values/period.ts'
import { type Command, CommandError, defineCommand, readTenant } from '../command.ts'
import { printStream } from '../output.ts'

const formats = ['csv', 'pdf', 'json'] as const
type Format = (typeof formats)[number]

const statement = defineCommand({
  name: 'statement',
  summary: "Write a merchant's statement (its account `available` over a period) as csv, pdf or json",
  options: {
    merchant: 'needed',
    mode: 'needed',
    from: { kind: 'needed', value: 'DAY', says: 'the first day, in UTC', sample: '2026-08-01' },
    to: { kind: 'needed', value: 'DAY', says: 'the last day', sample: '2026-08-31' },
    format: { kind: 'optional', says: 'otherwise json', choices: formats },
    out: { kind: 'optional', value: 'FILE', says: 'the file to write; otherwise standard output' },
  },
  example: '--merchant 1 --mode test --from 2026-08-01 --to 2026-08-31 --format csv --out august.csv',
  async run(context, { merchant, mode, from, to, format = 'json', out }, { json }) {
    const tenant = readTenant({ merchant, mode })
    const period = periodOf(from, to)
    if (period === null) {
      throw new CommandError('--from and --to must be days such as 2026-08-31, and --from must not be after --to.', 2)
    }
    if (format === 'pdf' && out === undefined && process.stdout.isTTY) {
      throw new CommandError('A PDF needs a file: give --out.', 2)
    }
    if (format !== 'json' && out === undefined && json) {
      throw new CommandError(
        `--json and --format ${format} cannot both go to standard output: give a file with --out.`,
        2,
      )
    }
    const exported = await exportStatement(await context.reads(), tenant, period)
    if (exported === null) throw new CommandError(`There is no merchant ${tenant.merchant_id}.`)
    const by = context.actor(undefined)
    await recordStatementTaken(await context.sql(), exported, { format, period, by })
    const content = await write(exported, format, context.config.brand.name)
    if (out === undefined) {
      await printStream(content)
      return null
    }
    await writeFile(out, content)
    const { opening_balance, total_in, total_out, closing_balance } = exported.figures
    const total_count = countOf(exported.figures)
    return { ...period, format, out, opening_balance, total_in, total_out, closing_balance, total_count }
  },
})

async function write(exported: StatementExport, format: Format, issuer: string): Promise<Readable> {
  if (format === 'csv') return Readable.from(writeCsv(exported))
  if (format === 'json') return Readable.from(writeJson(exported))
  // Loaded only when needed: it is larger than all the other code of a command.
  const { PDF_MOVEMENTS_MAX, writePdf } = await import('../../statements/write-pdf.ts')
  const count = countOf(exported.figures)
  if (count > PDF_MOVEMENTS_MAX) {
    throw new CommandError(
      `A PDF can have at most ${PDF_MOVEMENTS_MAX} movements, and this period has ${count}. Use --format csv.`,
    )
  }
  return writePdf(exported, issuer)
}

/**
 * Writes to a temporary file and renames it, so that the name never holds half a file. Only the owner may read it. A device or a pipe is
 * refused: the rename would put a file in its place, as root even in that of /dev/null.
 */
async function writeFile(path: string, content: Readable): Promise<void> {
  const there = await stat(path).catch(() => null)
  if (there !== null && !there.isFile()) throw new CommandError(`${path} cannot be written: it is not a file.`)
  const part = `${path}.part`
  try {
    await pipeline(content, createWriteStream(part, { mode: 0o600 }))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    const { code, errno } = error as NodeJS.ErrnoException
    // Name the file that was typed, not the temporary one.
    if (errno !== undefined)
      throw new CommandError(`${path} cannot be written (${code}): ${getSystemErrorMessage(errno)}.`)
    throw error
  }
}

export const commands: readonly Command[] = [statement]
