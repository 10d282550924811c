import { addBeneficiary } from '../../beneficiaries/add-beneficiary.ts'
import { archiveInBook } from '../../beneficiaries/archive-beneficiary.ts'
import { holderNameIn } from '../../beneficiaries/beneficiary.ts'
import type { FieldError } from '../../console/forms.ts'
import { hiddenSearch, SEALED } from '../../console/hidden-search.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { asSeen } from '../../values/as-seen.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { readNumber } from '../number-fields.ts'
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
    const name = /\n/.test(typed.name) ? null : holderNameIn(typed.name)
    const errors: FieldError[] = []
    if (name === null)
      errors.push({ field: 'name', text: say(['Un nom a 2 à 200 lettres.', 'A name has 2 to 200 letters.']) })
    const number = readNumber(say, typed, errors)
    if (name === null || number === null) return newEntryView(request, typed, errors)
    const { active: merchant_active } = await settings(tenant.merchant_id)
    const result = await addBeneficiary(sql, { ...tenant, merchant_active, actor }, { ...number, name })
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

const archiveEntry = defineConsoleScreen<BookDeps>({
  method: 'POST',
  path: '/beneficiaries/:id/archive',
  operation: 'archiveBeneficiaryScreen',
  summary: 'Archive an entry of the book: no new payout goes there',
  right: 'beneficiaries.manage',
  async handle(request, { sql }) {
    const { tenant, params, actor, at } = request
    const facts = await readEntry(sql, tenant, params.id ?? '', false)
    if (facts === null) return absent
    await archiveInBook(sql, { ...tenant, id: facts.entry.id }, actor)
    return moved(at(`/beneficiaries/${facts.entry.id}?done=archived`))
  },
})

/** The screens of a merchant's book. */
export const bookScreens = [book, hiddenSearch(book), newEntry, addEntry, showEntry, archiveEntry] as const
