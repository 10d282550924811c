import { fieldsOf, type List, wantedOf } from '../console/lists/define-list.ts'
import { choose } from '../console/lists/filters.ts'
import { type Command, CommandError, type Option, readTenant, type Table } from './command.ts'
import { listed, pageOptions, readPage } from './page.ts'

type Typed = Readonly<Record<string, string | undefined>>
type Placed = Typed & { readonly merchant: string; readonly mode: string }

/**
 * The command of a list: it reads a page of the same rows, with the same filters as options, each spelled with hyphens.
 * @param more the noun, one sentence without its full stop, and how people see the rows
 */
export function listCommand<Row extends object, Wanted extends object>(
  list: List<Row, Wanted, unknown>,
  { noun, summary, ...table }: { noun: string; summary: string } & Omit<Table, 'rows'>,
): Command {
  const { rows = list.name, cursor } = list
  const fields = fieldsOf(list)
  const options = fields.map(({ name: field, option: { must: _, ...words } }): [string, Option] => [
    spelled(field),
    { kind: 'optional', ...words },
  ])
  return {
    name: `${noun} list`,
    summary,
    options: { merchant: 'needed', mode: 'needed', ...Object.fromEntries(options), ...pageOptions },
    table: { rows, ...table },
    async run(context, typed: Placed) {
      const tenant = readTenant(typed)
      const chosen = choose(fields, (field) => typed[spelled(field)] ?? null)
      for (const field of fields) {
        const given = spelled(field.name)
        if (typed[given] !== undefined && chosen[field.name] === '')
          throw new CommandError(`--${given} ${field.option.must}`, 2)
      }
      const page = readPage(typed, cursor.reads)
      const db = await context.reads()
      const wanted = await wantedOf(list, chosen, { db, tenant })
      return listed(rows, await list.read(db, tenant, wanted, page, null))
    },
  }
}

/** The name of a field as an option: `request_id` is `--request-id`. */
function spelled(field: string): string {
  return field.replaceAll('_', '-')
}
