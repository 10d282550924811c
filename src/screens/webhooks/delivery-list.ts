import { rowLink } from '../../console/list.ts'
import { plain } from '../../console/lists/columns.ts'
import { defineList } from '../../console/lists/define-list.ts'
import { choice, days, ofResource } from '../../console/lists/filters.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { looksLikeId } from '../../values/ids.ts'
import { eventTypes } from '../../webhooks/event-types.ts'
import { listDeliveries } from '../../webhooks/show-deliveries.ts'
import { deliveryStateWords, deliveryStatus, subjectOf, typeWords } from './delivery-views.ts'

/** The deliveries of a merchant's events, without their bodies. Its page shows the endpoints too (`webhook-views.ts`). */
export const deliveryList = defineList({
  name: 'deliveries',
  path: '/webhooks',
  right: 'webhooks.read',
  title: ['Livraisons', 'Deliveries'],
  filters: [
    ofResource('endpoint', {
      reads: (typed) => looksLikeId('whe', typed),
      offered: { label: ['Adresse', 'Endpoint'], all: ['Toutes', 'All'] },
      part: (endpoint_id) => ({ endpoint_id }),
    }),
    choice('state', {
      label: ['État', 'State'],
      all: ['Tous', 'All'],
      words: deliveryStateWords,
      part: (state) => ({ state }),
    }),
    choice('type', {
      label: ['Événement', 'Event'],
      all: ['Tous', 'All'],
      words: typeWords,
      part: (type) => ({ types: type === null ? eventTypes : [type] }),
    }),
    days,
  ],
  filtered: ['Filtrer les livraisons', 'Filter the deliveries'],
  cursor: { field: 'after', reads: (text) => /^evt_\w+\.whe_\w+$/.test(text) },
  read: listDeliveries,
  columns: [
    (request) => ({
      title: request.say(['Événement', 'Event']),
      kind: 'k',
      all: true,
      cell: (row) => rowLink(request.at(`/webhooks/deliveries/${row.id}`), row.type, subjectOf(request, row)),
    }),
    (request) => ({
      title: request.say(['État', 'State']),
      kind: 's',
      cell: (row) => deliveryStatus(request, row),
    }),
    ({ say }, names) => ({
      title: say(['Vers', 'To']),
      kind: '',
      cell: (row) => names.endpoint?.get(row.endpoint_id) ?? '',
    }),
    plain(['Réponse', 'Answer'], ({ last_response_status }) => last_response_status ?? '–'),
    plain(['Essais', 'Attempts'], ({ attempts }) => attempts),
    // Not the kind of a time: the state has one too, and both do not fit on one line of a phone.
    ({ say, language }) => ({
      title: say(['Quand', 'When']),
      kind: '',
      label: say(['Quand', 'When']),
      cell: (row) => writeShortDate(row.created_at, language),
    }),
  ],
  size: 'many',
  none: {
    icon: 'hook',
    title: ['Aucune livraison ici', 'No delivery here'],
    text: ['Rien n’a encore été envoyé.', 'Nothing was sent yet.'],
  },
  file: {
    created_at: (row) => row.created_at,
    id: (row) => row.id,
    event_id: (row) => row.event_id,
    type: (row) => row.type,
    subject_id: (row) => row.subject_id,
    endpoint_id: (row) => row.endpoint_id,
    status: (row) => row.status,
    attempts: (row) => row.attempts,
    last_response_status: (row) => row.last_response_status,
    next_attempt_at: (row) => row.next_attempt_at,
  },
  worded: { status: deliveryStateWords },
})
