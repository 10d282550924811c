import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { chartOfCosts } from './chart.ts'
import type { Tpcb } from './database.ts'
import type { Card } from './machine-card.ts'
import { type Measured, ratio } from './measure.ts'
import { type Dated, figureOf, isHit, type Result, targets, writeBound, writeFigure } from './targets.ts'

const results = new URL('results/', import.meta.url)
/** The folder of results that newer ones have replaced. */
const replaced = new URL('notebook/results/', import.meta.url)
const root = new URL('../', import.meta.url)

/** The pages with tables derived from the results, each with the names of its tables. */
const pages = { 'docs/performance.md': ['targets'], 'benches/results/README.md': ['costs', 'cards'] } as const

/** Stores the result of a bench by date. Of two runs in one day, it keeps the later one. Results of earlier days move to the notebook. */
export async function keepResult(result: Result): Promise<void> {
  const kept = `${Temporal.Now.plainDateISO()}-${result.bench}.json`
  await writeFile(new URL(kept, results), `${JSON.stringify(result, null, 2)}\n`)
  const earlier = (await readdir(results)).filter((name) => name.slice(11) === kept.slice(11) && name < kept)
  for (const name of earlier) await rename(new URL(name, results), new URL(name, replaced))
}

/** Reads the newest result of every bench that has one, in the order of the targets. */
export async function readNewest(): Promise<Dated[]> {
  const newest = new Map<string, Dated>()
  for (const file of (await readdir(results)).filter((name) => name.endsWith('.json')).sort()) {
    const result = JSON.parse(await readFile(new URL(file, results), 'utf8')) as Result
    newest.set(result.bench, { day: file.slice(0, 10), result })
  }
  const order = [...new Set(targets.map(({ bench }) => bench))]
  return [...newest.values()].sort((a, b) => order.indexOf(a.result.bench) - order.indexOf(b.result.bench))
}

/** The figures with their targets, as hit or miss, or as not measured. */
export function tableOfTargets(dated: readonly Dated[]): string {
  const known = new Map(dated.map(({ result }) => [result.bench, result]))
  const rows = targets.map((target) => {
    const result = known.get(target.bench)
    const figure = result === undefined ? null : figureOf(target, result)
    const found = figure === null ? 'not measured' : writeFigure(figure, target.unit)
    const verdict = figure === null || target.bound === null ? '' : isHit(target, figure) ? 'hit' : '**miss**'
    return [target.bench, target.what, found, writeBound(target), verdict]
  })
  return tableOf(['Bench', 'What', 'Found', 'Wanted', ''], rows)
}

/**
 * The cost of one operation in every measured load of every bench, and the limit that follows: the operations that all
 * cores could do in a second if none were ever idle, and the share of that limit that was reached.
 */
function tableOfCosts(dated: readonly Dated[]): string {
  const rows = dated.flatMap(({ result }) =>
    partsOf(result).map(({ name, part }) => {
      const { service_cpu_ms, database_cpu_ms, client_cpu_ms, statements, commits, wal_bytes } = part.per_operation
      return [
        result.bench,
        name,
        part.per_second,
        ratioOf(result, part),
        [part.p50_ms, part.p95_ms, part.p99_ms].join(' / '),
        service_cpu_ms,
        database_cpu_ms,
        client_cpu_ms,
        statements,
        commits,
        wal_bytes,
        ...limitOf(result, part),
      ].map(String)
    }),
  )
  const figures = ['Service, ms', 'Database, ms', 'Client, ms', 'Statements', 'Commits', 'WAL, bytes', 'Limit', 'Of it']
  return tableOf(['Bench', 'Part', 'A second', 'To TPC-B', 'p50 / p95 / p99, ms', ...figures], rows)
}

function ratioOf({ tpcb }: Result, { per_second }: Measured): string {
  return tpcb === undefined ? '' : `${ratio(per_second, (tpcb as Tpcb).per_second)} ×`
}

function limitOf({ card }: Result, { per_second, per_operation }: Measured): [limit: string, part: string] {
  const cores = Number.parseInt((card as Card).cores, 10)
  const { service_cpu_ms, database_cpu_ms, client_cpu_ms, operator_cpu_ms = 0 } = per_operation
  const limit = (cores * 1_000) / (service_cpu_ms + database_cpu_ms + client_cpu_ms + operator_cpu_ms)
  return [String(Math.round(limit)), `${Math.round((100 * per_second) / limit)} %`]
}

/** The date and the machine of each measurement. Machines are numbered, because most measurements share one. */
function tableOfCards(dated: readonly Dated[]): string {
  const machineOf = ({ result: { card } }: Dated) => {
    const { cores, memory, disk, kernel, node, postgresql } = card as Partial<Card>
    const machine = [cores, memory, disk, kernel].filter((each) => each !== undefined).join(', ')
    return `${machine}, Node ${node}, PostgreSQL ${postgresql}`
  }
  const machines = [...new Set(dated.map(machineOf))]
  const rows = dated.map((one) => {
    const { per_second } = (one.result.tpcb ?? {}) as { per_second?: number }
    const { commit } = one.result.card as Partial<Card>
    return [
      one.result.bench,
      one.day,
      String(machines.indexOf(machineOf(one)) + 1),
      commit ?? '',
      String(per_second ?? ''),
    ]
  })
  const table = tableOf(['Bench', 'Day', 'Machine', 'Commit', 'TPC-B a second'], rows)
  return [...machines.map((machine, at) => `${at + 1}. ${machine}`), '', table].join('\n')
}

/** The measured loads in a result, each under the path of names to it. */
function partsOf(value: unknown, name = ''): { name: string; part: Measured }[] {
  if (typeof value !== 'object' || value === null) return []
  if ('per_operation' in value) return [{ name: name.replaceAll('_', ' '), part: value as Measured }]
  return Object.entries(value).flatMap(([field, inner]) => partsOf(inner, name === '' ? field : `${name}, ${field}`))
}

function tableOf(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A file derived from the newest results. `path` is relative to the root. */
export type Derived = { readonly path: string; readonly text: string }

/**
 * Derives the pages, with their tables between the marks that name them, and the chart.
 * @throws when a page has no marks for one of its tables
 */
export async function deriveFigures(): Promise<Derived[]> {
  const dated = await readNewest()
  const tables = { targets: tableOfTargets(dated), costs: tableOfCosts(dated), cards: tableOfCards(dated) }
  const written = Object.entries(pages).map(async ([path, names]) => {
    let text = await readFile(new URL(path, root), 'utf8')
    for (const name of names) {
      const marks = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`)
      if (!marks.test(text)) throw new Error(`${path} has no place for its ${name}.`)
      text = text.replace(marks, (_whole, begin: string, end: string) => `${begin}${tables[name]}\n${end}`)
    }
    return { path, text }
  })
  return [...(await Promise.all(written)), { path: 'docs/pictures/costs.svg', text: chartOfCosts(dated) }]
}

/** Rewrites the tables and the chart from the newest results. */
export async function updatePages(): Promise<void> {
  for (const { path, text } of await deriveFigures()) await writeFile(new URL(path, root), text)
}
