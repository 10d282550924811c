import assert from 'node:assert/strict'
import type { Installation } from '../harness/installation.ts'
import { checkHeaders } from './answers.ts'
import type { Answer } from './ask.ts'
import { EVENTS } from './x-refusal-cases.ts'

export type Delivery = {
  id: string
  endpoint_id: string
  status: string
  attempts: number
  last_response_status: number | null
  next_attempt_at: string | null
}
export type Event = { id: string; type: string; data: { id: string; status: string }; deliveries: Delivery[] }
export type EventList = { object: string; data: Event[]; limit: number; has_more: boolean }

/** The body of a success. */
export function readBody<Body>(answer: Answer): Body {
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  return answer.json() as Body
}

/** The routes we added, asked with a key. */
export function askExtensions(installation: () => Installation) {
  const get = async <Body>(key: string, path: string) => readBody<Body>(await installation().ask({ path, key }))
  return {
    get,
    list: (key: string, query = '') => get<EventList>(key, `${EVENTS}${query}`),
    replay: (key: string, id: string) => installation().ask({ method: 'POST', path: `${EVENTS}/${id}/replay`, key }),
    stage: () => ({ installation: installation() }),
  }
}
