import { unreadFilters } from '../../console/list.ts'
import { defineConsoleScreen, type Screen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { ExportOperations } from '../../listings/export-operations.ts'
import { findOperations, PAGE_DEFAULT } from '../../listings/find-operations.ts'
import { idPrefixes } from '../../listings/listed-operation.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'
import type { MerchantRight } from '../../values/rights.ts'
import { exportAnswer, refuseFilters } from '../lists/file-answer.ts'
import { chosenIn, filterNames, filtersOf } from './list-filters.ts'
import { type ListFacts, type ListKind, listKinds, listView, statusesOf } from './list-view.ts'

export type ListDeps = { readonly reads: Db; readonly exportOperations: ExportOperations }

type Menu = NonNullable<Screen['menu']>

/** Reads the page of a list that the address names, and its facts for a program. */
export async function readList(
  request: ScreenRequest<'console'>,
  { kind }: ListKind,
  reads: Db,
): Promise<{ listed: ListFacts; facts: object }> {
  const chosen = chosenIn(request, Object.keys(statusesOf(kind)))
  const after = request.query.get('starting_after') ?? ''
  const starting_after = looksLikeId(idPrefixes[kind], after) ? after : ''
  const wanted = { limit: PAGE_DEFAULT, after: starting_after === '' ? null : starting_after }
  const page = await findOperations(reads, request.tenant, filtersOf(kind, chosen), wanted)
  const facts = { chosen, operations: page.rows, has_more: page.after !== null }
  return { listed: { chosen, page, starting_after, unread: unreadFilters(request, chosen) }, facts }
}

function listScreen(what: ListKind, right: MerchantRight, menu?: Menu): Screen<ListDeps> {
  return defineConsoleScreen<ListDeps>({
    method: 'GET',
    path: what.path,
    query: [...filterNames, 'starting_after'],
    operation: `${what.kind}sScreen`,
    summary: `${what.title[1]} of a merchant, newest first`,
    right,
    ...(menu === undefined ? {} : { menu }),
    async handle(request, { reads }) {
      const { listed, facts } = await readList(request, what, reads)
      return { kind: 'view', title: request.say(what.title), main: listView(request, what, listed), facts }
    },
  })
}

/** Declares the export of exactly the rows of a list. */
export function exportScreen(what: ListKind, right: MerchantRight): Screen<ListDeps> {
  const statuses = Object.keys(statusesOf(what.kind))
  return defineConsoleScreen<ListDeps>({
    method: 'GET',
    path: `${what.path}/export`,
    query: [...filterNames, 'format'],
    operation: `${what.kind}sExport`,
    summary: `All ${what.title[1].toLowerCase()} that the filters match, as a file`,
    right: 'exports.take',
    takes_file: true,
    async handle(request, { exportOperations }): Promise<ScreenAnswer> {
      const { tenant, can } = request
      if (!can(right)) return { kind: 'not_permitted', right }
      const chosen = chosenIn(request, statuses)
      if (unreadFilters(request, chosen).length > 0) return refuseFilters(request, what.path)
      const filters = filtersOf(what.kind, chosen)
      const whole_numbers = what.kind === 'payout'
      return exportAnswer(request, what.path, (file) => exportOperations({ tenant, filters, file, whole_numbers }))
    },
  })
}

function listScreens(what: ListKind, right: MerchantRight, menu?: Menu): Screen<ListDeps>[] {
  return [listScreen(what, right, menu), exportScreen(what, right)]
}

/** The lists of a merchant's operations. Settlements have their own folder, because people also request them there (`settlements/`). */
export const listConsoleScreens = [
  ...listScreens(listKinds.payment, 'payments.read', {
    group: 'received',
    icon: 'in',
    words: ['Paiements', 'Payments'],
    dock: ['Paiements', 'Payments'],
  }),
  ...listScreens(listKinds.refund, 'payments.read'),
  ...listScreens(listKinds.payout, 'payouts.read', {
    group: 'sent',
    icon: 'out',
    words: ['Envois et lots', 'Payouts and batches'],
    dock: ['Envois', 'Payouts'],
  }),
  ...listScreens(listKinds.batch, 'payouts.read'),
]
