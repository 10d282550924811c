import type { Right } from '../people/rights.ts'
import type { Session } from '../people/sessions/session.ts'
import type { Html } from '../platform/http/html.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { Language } from '../values/language.ts'
import type { IconName } from './icons.ts'
import type { FormFields } from './read-fields.ts'
import type { ScreenQuery } from './read-query.ts'
import type { Say, Words } from './say.ts'

/** The console is a merchant's, under `/console/<mode>/<merchant>`; the desk is the staff's, under `/desk/<mode>`. */
export type ScreenDoor = 'console' | 'desk'

type Common = {
  readonly session: Session
  /** The mode of the address. It is never in a cookie. */
  readonly livemode: boolean
  /** The person of the session, for an operation and its line in the audit log. */
  readonly actor: Actor
  /** Whether this person has a right here, for what a page offers. The route's own right was checked before. */
  readonly can: (right: Right) => boolean
  /** The parameters of the path, for the handler to judge. */
  readonly params: Readonly<Record<string, string>>
  /** Of the address, the fields that the screen declares. */
  readonly query: ScreenQuery
  /** The fields of a POST; empty for a GET. */
  readonly fields: FormFields
  readonly language: Language
  readonly say: Say
  /** An address of the same door, mode and merchant: `at('/payments')`. */
  readonly at: (path: string) => string
  /** Goes into each form as the field `nonce`; `nonceField` of forms.ts writes it. */
  readonly nonce: string
  readonly request_id: string
  readonly address: string
}

/** A request that may go on: signed in, in its place, with the right of the screen, and from a page of ours when it changes something. */
export type ScreenRequest<Door extends ScreenDoor> = Door extends 'console'
  ? Common & { readonly tenant: Tenant; readonly merchant_name: string }
  : Common

/** A page inside the frame. */
export type ScreenView = {
  readonly kind: 'view'
  /** Absent: 200. 409 and 422 for a form that is shown again. */
  readonly status?: number
  /** The tab's title, without the merchant's name. */
  readonly title: string
  readonly main: Html
  /** The same facts for a program (`Accept: application/json`). */
  readonly facts: object
  /** A page on which one decides has no dock: its two buttons stand there. */
  readonly deciding?: boolean
  /** Work is under way that the page shows and that ends: a script looks again how it goes, while nobody types. */
  readonly moving?: boolean
}

export type ScreenAnswer =
  | ScreenView
  /** To another page of ours by GET, so that a reload sends nothing again. */
  | { readonly kind: 'moved'; readonly to: string }
  /** Nothing of this merchant in this mode: the same page, whether it is another's or nobody's. */
  | { readonly kind: 'absent' }
  /** A right that depends on the content. */
  | { readonly kind: 'not_permitted'; readonly right: Right }
  | {
      readonly kind: 'file'
      readonly name: string
      readonly type: string
      readonly body: string | Buffer
      /** Instead of a body: a file that is made while it is sent. When it breaks off, so does the download. */
      readonly stream?: AsyncIterable<string | Uint8Array>
    }

/** The content that a person agrees to with a fresh factor, before the act. */
export type Confirmation = {
  readonly kind: 'confirm'
  /** The name under which the act knows its proof; absent: the screen's operation. */
  readonly operation?: string
  /** True: the act uses the proof up itself, in its own transaction. */
  readonly used_by_act?: boolean
  readonly subject: string | null
  /** Signed and kept. When it is another at the act, the act is refused and shown anew. */
  readonly content: object
  /**
   * The fields that the question carries on to the act; absent: everything that was typed, without fields that begin with `secret_`. A form
   * with secrets carries the id of a sealed draft (`operators/contracts/settings-draft.ts`).
   */
  readonly carries?: Readonly<Record<string, string>>
  /** Whether the act is of live mode. Absent: as its page is. */
  readonly livemode?: boolean
  /** The head of the slip: the sum, the recipient, the facts that matter. */
  readonly shown: Html
  readonly title: string
  /** Another answer to the question, such as a form that refuses it. */
  readonly instead?: Html
  /** The way back without doing anything. */
  readonly back: string
}

export type MenuPlace = {
  readonly group: MenuGroup
  readonly icon: IconName
  readonly words: Words
  /** Its shorter words in the dock of a telephone; absent: it is not there. */
  readonly dock?: Words
  /** The name of a count beside it. */
  readonly count?: string
}

export const menuGroups = {
  first: null,
  received: ['Argent reçu', 'Money in'],
  sent: ['Argent envoyé', 'Money out'],
  account: ['Compte', 'Account'],
  developers: ['Intégration', 'Integration'],
  money: ['Argent', 'Money'],
  operators: ['Opérateurs', 'Operators'],
  clients: ['Marchands', 'Merchants'],
  house: ['Maison', 'Organization'],
} as const satisfies Record<string, Words | null>
export type MenuGroup = keyof typeof menuGroups

export type Screen<Deps = never> = {
  readonly door: ScreenDoor
  readonly method: 'GET' | 'POST'
  /** Below the door's mode (and merchant), with parameters as `:name`; empty: its first page. */
  readonly path: string
  /** The fields of its address that it reads; others are not there. Absent: none. */
  readonly query?: readonly string[]
  /** The name of the operation, in metrics and step-ups. */
  readonly operation: string
  readonly summary: string
  /** The right that it needs; null: any member of the merchant, any of the staff. */
  readonly right: Right | null
  readonly menu?: MenuPlace
  /** For a POST that takes a file: bytes of the form at most, and the answer to a longer one. Of that nothing was read, so it changes nothing. */
  readonly upload?: {
    readonly max_bytes: number
    readonly tooLarge: (request: never, deps: Deps) => Promise<ScreenAnswer>
  }
  readonly confirm?: (request: never, deps: Deps) => Promise<Confirmation | ScreenAnswer>
  readonly handle: (request: never, deps: Deps) => Promise<ScreenAnswer>
}

type Declaration<Door extends ScreenDoor, Deps> = Omit<Screen, 'door' | 'upload' | 'confirm' | 'handle'> & {
  readonly upload?: {
    readonly max_bytes: number
    readonly tooLarge: (request: ScreenRequest<Door>, deps: Deps) => Promise<ScreenAnswer>
  }
  /**
   * For a POST that asks for a fresh factor: what is agreed to, read anew for the question and for the act. Another answer ends the
   * request, such as `absent`, or the page that shows the decision that stands already.
   */
  readonly confirm?: (request: ScreenRequest<Door>, deps: Deps) => Promise<Confirmation | ScreenAnswer>
  readonly handle: (request: ScreenRequest<Door>, deps: Deps) => Promise<ScreenAnswer>
}

/** Declares a screen of a merchant's console. */
export function defineConsoleScreen<Deps = unknown>(declaration: Declaration<'console', Deps>): Screen<Deps> {
  return { door: 'console', ...declaration } as Screen<Deps>
}

/** Declares a screen of the staff's desk. */
export function defineDeskScreen<Deps = unknown>(declaration: Declaration<'desk', Deps>): Screen<Deps> {
  return { door: 'desk', ...declaration } as Screen<Deps>
}

export const absent: ScreenAnswer = { kind: 'absent' }

export function moved(to: string): ScreenAnswer {
  return { kind: 'moved', to }
}
