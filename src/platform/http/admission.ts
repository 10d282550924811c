import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './refusal.ts'

/** A request whose body has not been read. */
export type Unread = {
  readonly params: Readonly<Record<string, string>>
  readonly request_id: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly isWanted: () => boolean
}

/** Whether the body of a request is read. `uploader`: the signed-in person, whose file may take longer than other bodies; null: nobody's. */
export type Admission =
  | { readonly kind: 'admitted'; readonly uploader: string | null }
  | { readonly kind: 'refused'; readonly answer: Answer }
