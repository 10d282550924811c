import { holderField, msisdnField, operatorField } from '../../beneficiaries/account-fields.ts'
import { addBeneficiary } from '../../beneficiaries/add-beneficiary.ts'
import { archiveBeneficiary } from '../../beneficiaries/archive-beneficiary.ts'
import { readActFields } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import { hiddenSearch, SEALED } from '../../console/hidden-search.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { asSeen } from '../../values/as-seen.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { readBookList, readEntry } from './book-facts.ts'
import { bookView, type ChosenEntries, entryView, newEntryView, type TypedEntry } from './book-views.ts'

type BookDeps = {
  readonly sql: Sql
  readonly settings: ReadSettings
}
type Request = ScreenRequest<'console'>

/** The most letters of a search. */
const TEXT_MAX = 100

function chosenIn({ query }: Request): ChosenEntries {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, TEXT_MAX)
  return {
    state: text('state') === 'archived' ? 'archived' : '',
    operator: isOperatorCode(text('operator')) ? text('operator') : '',
    text: text('text'),
  }
}

const book = defineConsoleScreen<BookDeps>({
  method: 'GET',
  path: '/beneficiaries',
  query: ['state', 'operator', 'text', SEALED, 'after'],
  hides: 'text',
  operation: 'bookScreen',
  summary: 'The book of a merchant, newest entry first',
  right: 'beneficiaries.read',
  menu: { group: 'sent', icon: 'book', words: ['Carnet', 'Address book'] },
  async handle(request, { sql }) {
    const chosen = chosenIn(request)
    const { state, operator, text } = chosen
    const filter = {
      active: state === '',
      operator: isOperatorCode(operator) ? operator : null,
      text: text === '' ? null : (Msisdn.parse(text) ?? asSeen(text)),
    }
    const more = { after: request.query.get('after'), maySeeDestination: request.can('settlements.read') }
    return bookView(request, await readBookList(sql, request.tenant, filter, more), chosen)
  },
})

const newEntry = defineConsoleScreen({
  method: 'GET',
  path: '/beneficiaries/new',
  operation: 'newBeneficiaryScreen',
  summary: 'The form of a new entry of the book',
  right: 'beneficiaries.manage',
  handle: async (request) => newEntryView(request, { msisdn: '', operator: '', name: '' }, []),
})

const entryFields = { name: holderField, msisdn: msisdnField, operator: operatorField } as const

const addEntry = defineConsoleScreen<BookDeps>({
  method: 'POST',
  path: '/beneficiaries',
  operation: 'addBeneficiaryScreen',
  summary: 'Add a payout destination to the book',
  right: 'beneficiaries.manage',
  async handle(request, { sql, settings }) {
    const { say, tenant, actor, fields, at } = request
    const typed: TypedEntry = {
      msisdn: fields.text('msisdn'),
      operator: fields.text('operator'),
      name: fields.text('name'),
    }
    const read = readActFields(entryFields, request, (name) => fields.text(name))
    if ('errors' in read) return newEntryView(request, typed, read.errors)
    const { msisdn, operator, name } = read.values
    const { active: merchant_active } = await settings(tenant.merchant_id)
    const entry = { msisdn: Msisdn.stored(msisdn), operator, name }
    const result = await addBeneficiary(sql, { ...tenant, merchant_active, actor }, entry)
    if (result.kind === 'refused') {
      const text = say([
        'Votre compte est désactivé. Contactez l’équipe du service.',
        'Your account is deactivated. Contact the team of the service.',
      ])
      return newEntryView(request, typed, [{ field: 'name', text }])
    }
    const done = result.kind === 'created' ? 'added' : 'in_book'
    return moved(at(`/beneficiaries/${result.beneficiary.id}?done=${done}`))
  },
})

const showEntry = defineConsoleScreen<BookDeps>({
  method: 'GET',
  path: '/beneficiaries/:id',
  operation: 'beneficiaryScreen',
  summary: 'One entry of the book, its history and what was sent there',
  right: 'beneficiaries.read',
  async handle(request, { sql }) {
    const facts = await readEntry(sql, request.tenant, request.params.id ?? '', request.can('payouts.read'))
    return facts === null ? absent : entryView(request, facts)
  },
})

const archiveEntry = consoleAct<unknown, unknown, BookDeps & ActScreenDeps>(archiveBeneficiary, {
  path: '/beneficiaries/:id/archive',
  back: ({ at, params }) => at(`/beneficiaries/${params.id}`),
  done: ({ params }) => `/beneficiaries/${params.id}?done=archived`,
  again: async () => absent,
})

/** The screens of a merchant's book. */
export const bookScreens = [book, hiddenSearch(book), newEntry, addEntry, showEntry, archiveEntry] as const
