import { rowLink } from '../../console/list.ts'
import { moment } from '../../console/lists/columns.ts'
import { byId, defineList } from '../../console/lists/define-list.ts'
import { choice, days, type FilteredAt, text } from '../../console/lists/filters.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type OperationKind } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { type IdPrefix, looksLikeId } from '../../values/ids.ts'
import { eventTypes } from '../../webhooks/event-types.ts'
import { type ListedEvent, listEvents } from '../../webhooks/list-events.ts'
import { deliveryStatus, subjectOf, typeWords } from './delivery-views.ts'

/** The events of a merchant, with the state of their deliveries at the time of reading, and without their bodies. */
export const eventList = defineList({
  name: 'events',
  path: '/events',
  right: 'webhooks.read',
  title: ['Événements', 'Events'],
  filters: [
    choice('type', {
      label: ['Sorte', 'Kind'],
      all: ['Toutes', 'All'],
      words: typeWords,
      part: (type) => ({ types: type === null ? eventTypes : [type] }),
    }),
    days,
    text('about', {
      label: ['Opération ou référence', 'Operation or reference'],
      option: { says: 'only those about this payment, payout or other object' },
      part: async (about, at) => ({ subject_ids: about === null ? null : await subjectsOf(about, at) }),
    }),
  ],
  filtered: ['Sorte, période, opération', 'Kind, period, operation'],
  cursor: byId('starting_after', 'evt'),
  read: listEvents,
  columns: [
    (request) => ({
      title: request.say(['Événement', 'Event']),
      kind: 'k',
      all: true,
      cell: (row) => rowLink(request.at(`/events/${row.id}`), row.type, subjectOf(request, row)),
    }),
    (request) => ({
      title: request.say(['Livraisons', 'Deliveries']),
      kind: 's',
      cell: ({ deliveries }) => fared(request, deliveries),
    }),
    moment(({ created_at }) => created_at),
  ],
  size: 'few',
  none: {
    icon: 'bell',
    title: ['Aucun événement ici', 'No event here'],
    text: [
      'Chaque paiement et chaque envoi en écrit un quand son état change.',
      'Every payment and every payout creates one when its status changes.',
    ],
  },
  file: {
    created_at: (row) => row.created_at,
    id: (row) => row.id,
    type: (row) => row.type,
    subject_id: (row) => row.subject_id,
    deliveries: ({ deliveries }) => deliveries.length,
    delivered: ({ deliveries }) => deliveries.filter(({ status }) => status === 'delivered').length,
    failed: ({ deliveries }) => deliveries.filter(({ status }) => status === 'failed').length,
  },
})

/** The most operations of one kind with the typed reference. */
const REFERENCED_MAX = 20
/** The kinds of operations with a merchant's reference. */
const referenced: readonly OperationKind[] = ['payment', 'payout', 'batch']

/** The prefixes of the resources of events. */
const subjects: readonly IdPrefix[] = ['txn', 'por', 'pob', 'cs', 'stl', 'whe']

/** Finds the resources of a typed text: one by its id, or those with a reference. */
async function subjectsOf(about: string, { db, tenant }: FilteredAt): Promise<string[]> {
  if (subjects.some((prefix) => looksLikeId(prefix, about))) return [about]
  const found = await Promise.all(
    referenced.map((kind) =>
      findOperations(db, tenant, { ...allOf(kind), reference: about }, { limit: REFERENCED_MAX, after: null }),
    ),
  )
  return found.flatMap(({ rows }) => rows.map(({ id }) => id))
}

/** The state of an event: one word if all its deliveries have the same state, otherwise the number of delivered ones. */
function fared(request: ScreenRequest<'console'>, deliveries: ListedEvent['deliveries']): Html {
  const { say } = request
  const [first] = deliveries
  if (first === undefined) return html`<span class="soft">${say(['Aucune adresse', 'No endpoint'])}</span>`
  if (deliveries.length === 1) return deliveryStatus(request, first)
  const arrived = deliveries.filter(({ status }) => status === 'delivered').length
  const worst = deliveries.find(({ status }) => status !== 'delivered') ?? first
  const words = say(['{n} sur {all} livrées', '{n} of {all} delivered'], { n: arrived, all: deliveries.length })
  return html`${deliveryStatus(request, worst)} <span class="soft">${words}</span>`
}
