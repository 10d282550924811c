import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkList } from '../../checkout/console/link-list.ts'
import { sessionList } from '../../checkout/console/session-list.ts'
import type { AnyList } from '../../console/lists/define-list.ts'
import { fileHeads } from '../../console/lists/file-heads.ts'
import { sayIn } from '../../console/say.ts'
import { languages } from '../../values/language.ts'
import { batchList, paymentList, payoutList, refundList } from '../operations/operation-lists.ts'
import { requestList } from '../requests/request-list.ts'
import { deliveryList } from '../webhooks/delivery-list.ts'
import { eventList } from '../webhooks/event-list.ts'
import { fileColumns } from './list-screens.ts'

const lists: readonly AnyList[] = [
  ...[paymentList, payoutList, batchList, refundList],
  ...[linkList, sessionList, requestList, deliveryList, eventList],
]

test('each column of each file has a head of its own in both languages, and codes keep a column', () => {
  for (const list of lists) {
    const fields = Object.keys(list.file)
    for (const field of fields) assert.ok(fileHeads[field] !== undefined, `${list.name}: ${field}`)
    const worded = Object.keys(list.worded ?? {})
    for (const field of worded) assert.ok(fields.includes(field), `${list.name}: ${field}`)
    for (const language of languages) {
      const heads = Object.keys(fileColumns(list, { say: sayIn(language) }))
      assert.equal(heads.length, fields.length + worded.length, `${list.name}: ${heads}`)
      assert.equal(heads.filter((head) => head.endsWith('(code)')).length, worded.length)
    }
  }
})
