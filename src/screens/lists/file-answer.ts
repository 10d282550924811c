import { blankPage, linkButton } from '../../console/components.ts'
import type { ScreenQuery } from '../../console/read-query.ts'
import type { ScreenAnswer, ScreenRequest } from '../../console/screen.ts'
import type { ExportBegun, FileWanted } from '../../listings/export-file.ts'

/** A file never has more than its address asks for, so that a wrong filter gives no file. @param back the path of the list */
export function refuseFilters({ say, at }: ScreenRequest<'console'>, back: string): ScreenAnswer {
  const title = say(['Un filtre ne se lit pas', 'A filter cannot be read'])
  const text = say([
    'Aucun fichier n’est fait. Corrigez le filtre dans la liste.',
    'No file is made. Correct the filter in the list.',
  ])
  const acts = linkButton(at(back), say(['Revenir à la liste', 'Back to the list']), 'second')
  const main = blankPage('x', { title, text, acts })
  return { kind: 'view', status: 400, title, main, facts: { error: { code: 'invalid_request' } } }
}

/**
 * Returns the file of a list, in the format of the address, or the page that says that another export is in progress.
 * @param path that of the list, after which the file is named
 */
export async function exportAnswer(
  request: ScreenRequest<'console'>,
  path: string,
  begin: (file: FileWanted) => Promise<ExportBegun>,
): Promise<ScreenAnswer> {
  const { say, at, query, language, actor } = request
  const workbook = query.get('format') === 'xlsx'
  const format = workbook ? 'xlsx' : language === 'fr' ? 'csv_semicolons' : 'csv'
  const begun = await begin({ format, taken: { by: actor, list: path.slice(1), filters: filtersForLog(query) } })
  if (begun.kind === 'begun') {
    const name = `${fileName(request, path, begun.begun_at)}.${workbook ? 'xlsx' : 'csv'}`
    return { kind: 'file', name, type: begun.content_type, body: '', stream: begun.stream }
  }
  const title = say(['Un export est déjà en route', 'An export is under way already'])
  const text = say([
    'Chaque marchand en prend un à la fois, et chaque personne aussi. Réessayez dans une minute.',
    'Each merchant takes one at a time, and so does each person. Try again in a minute.',
  ])
  const acts = linkButton(at(path), say(['Revenir à la liste', 'Back to the list']), 'second')
  const main = blankPage('clock', { title, text, acts })
  return { kind: 'view', status: 429, title, main, facts: { error: { code: 'exports_busy' } } }
}

/** A word, a day, an amount or an identifier of ours. Any other value of a filter is a person's text, and can be a number. */
const SAFE_VALUE = /^(?:[a-z][a-z_.]{0,39}|\d{4}-\d{2}-\d{2}|\d{1,3}|[a-z]{2,4}_[0-9a-z]{26})$/

/** The filters of a file for the audit log, which holds no text of people. */
function filtersForLog(query: ScreenQuery): Record<string, string> {
  const given = query.declared().filter(([name, value]) => name !== 'format' && value.trim() !== '')
  const amounts = new Set(['min', 'max'])
  return Object.fromEntries(
    given.map(([name, value]) => [name, amounts.has(name) || SAFE_VALUE.test(value.trim()) ? value.trim() : '…']),
  )
}

/** The most characters that each filter adds to the name of a file. */
const FILTER_CHARACTERS = 40

/** Names a file after its list, its merchant, its day and its filters: `payments-1001-2026-11-27-status-failed`. */
function fileName({ tenant, query }: ScreenRequest<'console'>, path: string, begun_at: Date): string {
  const filters = query.declared().filter(([name, value]) => name !== 'format' && value.trim() !== '')
  const words = filters.map(([name, value]) => `${name}-${value.trim()}`.slice(0, FILTER_CHARACTERS))
  return [path.slice(1), tenant.merchant_id, begun_at.toISOString().slice(0, 10), ...words]
    .join('-')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.]+/g, '-')
}
