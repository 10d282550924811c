import { type Field, fieldOf } from './copy-rows.ts'

/** Names of columns or tables in the text of a statement. Only from our code, never from a caller. */
export class Names {
  readonly text: string

  constructor(names: string | readonly string[]) {
    this.text = [names].flat().map(quoteName).join(', ')
  }
}

/** A cache of quoted names. A statement has dozens; all are in the code, so there are few different ones. */
const quoted = new Map<string, string>()

/** `p.id` becomes `"p"."id"`. */
export function quoteName(name: string): string {
  let text = quoted.get(name)
  if (text === undefined) {
    text = name
      .split('.')
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join('.')
    quoted.set(name, text)
  }
  return text
}

/** The catalogue had no such table when it was read. */
export class UnknownTable extends Error {
  override name = 'UnknownTable'
}

type CatalogueRow = { table: string; column: string; type: string }

/** Reads every writable column of the tables that this session sees, without those of partitions. */
const CATALOGUE = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
   where c.relkind in ('r', 'p') and not c.relispartition
     and c.relnamespace <> 'pg_catalog'::regnamespace and pg_table_is_visible(c.oid)
     and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`

/** The tables of a database with their column types, from the catalogue. */
export class Tables {
  #known: ReadonlyMap<string, Table> = new Map()

  /** Whether the catalogue was read and contained tables. */
  get areKnown(): boolean {
    return this.#known.size > 0
  }

  /** @param ask sends a text, and resolves with the answer */
  async read(ask: (text: string) => Promise<{ readonly rows: readonly object[] }>): Promise<void> {
    const rows = (await ask(CATALOGUE)).rows as readonly CatalogueRow[]
    this.#known = new Map(
      Map.groupBy(rows, ({ table }) => table)
        .entries()
        .map(([name, columns]) => [name, new Table(name, new Map(columns.map(({ column, type }) => [column, type])))]),
    )
  }

  /** @throws UnknownTable */
  get(name: string): Table {
    const table = this.#known.get(name)
    if (table === undefined) throw new UnknownTable(`There is no table ${name}.`)
    return table
  }
}

/** The columns to write for rows with certain fields. Computed once for each set of fields, and cached. */
type Shape = {
  readonly fields: readonly Field[]
  readonly text: string
  /** Whether some fields are not columns. */
  readonly names: ReadonlySet<string>
  readonly next: Map<string, Shape>
}

export class Table {
  readonly #name: string
  readonly #types: ReadonlyMap<string, string>
  readonly #none: Shape

  constructor(name: string, types: ReadonlyMap<string, string>) {
    this.#name = name
    this.#types = types
    this.#none = this.#shape([], new Set())
  }

  /** The PostgreSQL type of a column; `text` for a field that is not a column. */
  typeOf(field: string): string {
    return this.#types.get(field) ?? 'text'
  }

  /** The columns to write for these rows: the columns that at least one row has as a field. */
  shapeOf(rows: readonly object[]): Pick<Shape, 'fields' | 'text'> {
    let shape = this.#none
    for (const row of rows) {
      for (const name in row) {
        if (!shape.names.has(name) && row[name as never] !== undefined) shape = this.#with(shape, name)
      }
    }
    return shape
  }

  #with(shape: Shape, name: string): Shape {
    let next = shape.next.get(name)
    if (next === undefined) {
      const type = this.#types.get(name)
      const fields = type === undefined ? shape.fields : [...shape.fields, fieldOf(name, type)]
      next = this.#shape(fields, new Set([...shape.names, name]))
      shape.next.set(name, next)
    }
    return next
  }

  #shape(fields: readonly Field[], names: ReadonlySet<string>): Shape {
    const columns = new Names(fields.map(({ name }) => name)).text
    const text = `copy ${new Names(this.#name).text} (${columns}) from stdin (format binary)`
    return { fields, text, names, next: new Map() }
  }
}
