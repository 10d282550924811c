import { SaxesParser } from 'saxes'
import type { SheetRow } from './read-csv.ts'
import { type StatementFacts, stateAccount, stateCurrency } from './statement-facts.ts'
import { TableRefused } from './table-refused.ts'

/** The columns of the rows, in this order. */
export const camtTitles = [
  ...['date', 'value_date', 'amount', 'currency', 'type', 'state', 'reference', 'bank_reference', 'text'],
] as const

const DEPTH_MAX = 32
const TEXT_MAX = 800
/** The most bytes without the end of a tag: the parser keeps a text, a comment or an attribute until it ends. */
const WAITING_MAX = 1024 * 1024

/** The message of booked statements. Its siblings of the same elements, camt.052 and camt.054, repeat entries or foretell them. */
const STATEMENT = 'BkToCstmrStmt'
/** The places of a statement's own account. The owner and the bank have identifiers too. */
const ACCOUNTS = ['/Stmt/Acct/Id/IBAN', '/Stmt/Acct/Id/Othr/Id']
/** The elements of an entry or a balance that are kept. */
const KEPT = new Set([
  ...['Bal/Amt', 'Bal/CdtDbtInd', 'CdOrPrtry/Cd', 'Ntry/Amt', 'Ntry/CdtDbtInd', 'Ntry/NtryRef', 'Ntry/AcctSvcrRef'],
  ...['BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm', 'Prtry/Cd', 'Fmly/SubFmlyCd', 'Sts/Cd', 'Ntry/Sts'],
  ...['Refs/EndToEndId', 'Refs/AcctSvcrRef', 'RmtInf/Ustrd', 'Ntry/AddtlNtryInf'],
])

/**
 * Yields the entries of a camt.053 (ISO 20022) as rows below one row of titles. A document type is refused, because it could define entities,
 * and elements deeper than 32.
 * @throws TableRefused
 */
export async function* readCamt(pieces: AsyncIterable<Buffer>, facts: StatementFacts): AsyncGenerator<SheetRow[]> {
  const reader = new EntryReader(facts)
  const parser = new SaxesParser({ position: false })
  let [nth, waiting] = [0, 0]
  parser.on('doctype', () => {
    throw new TableRefused('dtd')
  })
  parser.on('opentag', ({ name, attributes }) => {
    waiting = 0
    reader.open(name, attributes as Readonly<Record<string, string>>)
  })
  parser.on('text', (text) => reader.text(text))
  parser.on('closetag', () => {
    waiting = 0
    reader.close()
  })
  parser.on('error', () => {
    throw new TableRefused('damaged', nth)
  })
  let decoder: TextDecoder | null = null
  yield [{ line: 0, cells: camtTitles.map((text) => ({ text })) }]
  for await (const piece of pieces) {
    decoder ??= decoderOf(piece)
    waiting += piece.length
    parser.write(decoder.decode(piece, { stream: true }))
    if (waiting > WAITING_MAX) throw new TableRefused('too_large', nth)
    const rows = reader.drain()
    nth += rows.length
    yield rows
  }
  parser.close()
  if (!reader.is_statement) throw new TableRefused('other_form')
  yield reader.drain()
}

function decoderOf(first: Buffer): TextDecoder {
  const said = /^[^>]*encoding=["']([\w-]+)["']/i.exec(first.toString('latin1', 0, 200))?.[1] ?? 'utf-8'
  return new TextDecoder(/^(?:iso-8859-1|windows-1252|latin1)$/i.test(said) ? 'windows-1252' : 'utf-8')
}

/** Gathers the elements of an entry by their paths. */
class EntryReader {
  readonly #facts: StatementFacts
  readonly #path: string[] = []
  #rows: SheetRow[] = []
  #text = ''
  #currency = ''
  #entry: Map<string, string> | null = null
  #balance: Map<string, string> | null = null
  #count = 0
  /** Whether the message is a statement. */
  is_statement = false

  constructor(facts: StatementFacts) {
    this.#facts = facts
  }

  drain(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(qualified: string, attributes: Readonly<Record<string, string>>): void {
    const name = qualified.slice(qualified.indexOf(':') + 1)
    this.#path.push(name)
    if (this.#path.length > DEPTH_MAX) throw new TableRefused('too_deep', this.#count)
    this.#text = ''
    if (name === STATEMENT) this.is_statement = true
    else if (name.startsWith('BkToCstmr') || (/^(?:Ntry|Bal)$/.test(name) && !this.#path.includes(STATEMENT)))
      throw new TableRefused('other_form', this.#count)
    if (name === 'Ntry') this.#entry = new Map()
    if (name === 'Bal') this.#balance = new Map()
    if (name === 'Amt') this.#currency = attributes.Ccy ?? ''
  }

  text(text: string): void {
    if (this.#text.length < TEXT_MAX) this.#text += text.slice(0, TEXT_MAX)
  }

  close(): void {
    const [parent, name] = this.#path.slice(-2)
    const text = this.#text.trim().replace(/\s+/g, ' ')
    this.#text = ''
    this.#path.pop()
    if (name === 'Ntry') this.#endEntry()
    else if (name === 'Bal') this.#endBalance()
    else if (text === '') return
    else if (this.#entry !== null) this.#put(this.#entry, parent ?? '', name ?? '', text)
    else if (this.#balance !== null) this.#put(this.#balance, parent ?? '', name ?? '', text)
    else this.#state(`/${this.#path.join('/')}/${name}`, text)
  }

  #state(path: string, text: string): void {
    if (ACCOUNTS.some((place) => path.endsWith(place))) stateAccount(this.#facts, text)
    if (path.endsWith('/Stmt/Acct/Ccy')) stateCurrency(this.#facts, text)
  }

  /** An element that occurs several times keeps its first text, but a free text keeps all. */
  #put(into: Map<string, string>, parent: string, name: string, text: string): void {
    const key = `${parent}/${name}`
    if (!KEPT.has(key)) return
    const earlier = into.get(key)
    if (earlier === undefined) into.set(key, text)
    else if (name === 'Ustrd') into.set(key, `${earlier} ${text}`.slice(0, TEXT_MAX))
    if (key === 'Ntry/Amt') into.set('currency', this.#currency)
    if (key === 'Bal/Amt' && this.#currency !== '') stateCurrency(this.#facts, this.#currency)
  }

  #endBalance(): void {
    const at = (key: string) => this.#balance?.get(key) ?? ''
    const value = `${at('Bal/CdtDbtInd') === 'DBIT' ? '-' : ''}${at('Bal/Amt')}`
    if (at('CdOrPrtry/Cd') === 'OPBD') this.#facts.opening ??= value
    if (at('CdOrPrtry/Cd') === 'CLBD') this.#facts.closing = value
    this.#balance = null
  }

  #endEntry(): void {
    const at = (...keys: readonly string[]) => keys.map((key) => this.#entry?.get(key)).find((text) => text) ?? ''
    this.#count += 1
    const cells = [
      at('BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt'),
      at('ValDt/Dt', 'ValDt/DtTm'),
      at('Ntry/Amt') === '' ? '' : `${at('Ntry/CdtDbtInd') === 'DBIT' ? '-' : ''}${at('Ntry/Amt')}`,
      at('currency'),
      at('Prtry/Cd', 'Fmly/SubFmlyCd'),
      at('Sts/Cd', 'Ntry/Sts'),
      at('Refs/EndToEndId', 'Ntry/NtryRef'),
      at('Ntry/AcctSvcrRef', 'Refs/AcctSvcrRef'),
      at('RmtInf/Ustrd', 'Ntry/AddtlNtryInf'),
    ]
    this.#rows.push({ line: this.#count, cells: cells.map((text) => ({ text: text.slice(0, TEXT_MAX) })) })
    this.#entry = null
  }
}
