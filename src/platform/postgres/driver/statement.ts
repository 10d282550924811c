import { Names, quoteName, type Tables } from './tables.ts'

/**
 * A statement: its text with `$1`, `$2`… for the values. It is sent once, when it is first awaited. A statement in the template of another
 * is a part of that one and is never sent by itself.
 */
export class Statement<Rows extends readonly object[]> implements Promise<Rows & Counted> {
  readonly [Symbol.toStringTag] = 'Statement'
  readonly template: Template
  #send: Send
  #answer: Promise<Rows & Counted> | null = null

  constructor(send: Send, template: Template) {
    this.#send = send
    this.template = template
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the statement sends it.
  then<Good = Rows & Counted, Bad = never>(
    good?: ((rows: Rows & Counted) => Good | PromiseLike<Good>) | null,
    bad?: ((reason: Thrown) => Bad | PromiseLike<Bad>) | null,
  ): Promise<Good | Bad> {
    this.#answer ??= this.#send((tables) => writeStatement(this.template, tables)) as Promise<Rows & Counted>
    return this.#answer.then(good, bad)
  }

  catch<Bad = never>(bad?: ((reason: Thrown) => Bad | PromiseLike<Bad>) | null): Promise<(Rows & Counted) | Bad> {
    return this.then(null, bad)
  }

  finally(last?: (() => void) | null): Promise<Rows & Counted> {
    return this.then().finally(last)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the type of a rejection, as in every promise.
type Thrown = any

/** A tagged template: its texts, and the values between them. */
export type Template = { readonly strings: readonly string[]; readonly values: readonly Value[] }

/** The rows that a statement returned, with the count of returned or changed rows. */
export type Counted = { readonly count: number }

/** Sends a statement and resolves with its rows. */
export type Send = (statement: Write) => Promise<readonly object[] & Counted>

/** Completes a statement when it is sent, because the column types are known then. */
export type Write = (tables: Tables) => Written

/** The form in which a statement is sent. `values` is null for a text that may contain several statements, which takes no values. */
export type Written = {
  readonly text: string
  readonly values: readonly WireValue[] | null
  /** The rows of a COPY. */
  readonly copied?: CopiedRows
}

/** The rows of a COPY: encoded, and as the caller passed them. */
export type CopiedRows = {
  readonly bytes: Buffer
  readonly table: string
  /** The columns, each with its type. */
  readonly fields: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly object[]
}

/** A value in the form in which it is sent: text, or bytes. */
export type WireValue = string | Buffer | null

/** A single value. */
export type Scalar = string | number | boolean | Date | Uint8Array | null

/** A value in the template of a statement. A list becomes a PostgreSQL array. */
export type Value = Scalar | readonly Scalar[] | Names | Json | Recordset | Statement<readonly object[]>

/** A value that is sent as JSON text. */
export class Json {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Rows that a statement reads like a table, with the column types of a table: `json_to_recordset($1) as w(…)`. */
export class Recordset {
  readonly table: string
  readonly alias: string
  readonly fields: readonly string[]
  readonly rows: Json

  constructor(table: string, alias: string, fields: readonly string[], rows: Json) {
    this.table = table
    this.alias = alias
    this.fields = fields
    this.rows = rows
  }
}

function writeStatement(template: Template, tables: Tables): Written {
  const values: WireValue[] = []
  return { text: writeText(template, values, tables), values }
}

/** Returns the text of a template, and adds its values to those of the whole statement. */
function writeText({ strings, values }: Template, wire: WireValue[], tables: Tables): string {
  let text = strings[0]!
  values.forEach((value, at) => {
    if (value instanceof Names) text += value.text
    else if (value instanceof Recordset) text += writeRecordset(value, wire, tables)
    else if (value instanceof Statement) text += writeText(value.template, wire, tables)
    else text += `$${wire.push(toWire(value))}`
    text += strings[at + 1]!
  })
  return text
}

function writeRecordset({ table, alias, fields, rows }: Recordset, wire: WireValue[], tables: Tables): string {
  const known = tables.get(table)
  const columns = fields.map((field) => `${quoteName(field)} ${known.typeOf(field)}`)
  return `json_to_recordset($${wire.push(rows.text)}) as ${quoteName(alias)}(${columns.join(', ')})`
}

/** Converts a value for sending; a list becomes the text of an array. */
export function toWire(value: Scalar | readonly Scalar[] | Json): WireValue {
  if (value === null || typeof value === 'string') return value
  if (value instanceof Json) return value.text
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return isList(value) ? `{${value.map(elementOf).join(',')}}` : textOf(value)
}

function isList(value: number | boolean | Date | readonly Scalar[]): value is readonly Scalar[] {
  return Array.isArray(value)
}

function textOf(value: number | boolean | Date): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return momentOf(value)
  throw new TypeError(`A ${typeof value} is no value for a statement.`)
}

/** ISO 8601 writes a year of five digits with a sign and a zero, which the server cannot parse. */
function momentOf(moment: Date): string {
  const text = moment.toISOString()
  return text.startsWith('+') ? text.replace(/^\+0*/, '') : text
}

function elementOf(value: Scalar): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`
  const text = typeof value === 'string' ? value : textOf(value)
  // Nearly no text needs escapes, and the test costs a sixth of a replacement.
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
}
