import type { AnyAct } from '../acts/act.ts'
import type { Session } from '../people/sessions/session.ts'
import type { OpenVisit } from '../people/visits/visit.ts'
import type { Html } from '../platform/http/html.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { Language } from '../values/language.ts'
import type { Right } from '../values/rights.ts'
import type { IconName } from './icons.ts'
import type { FormFields } from './read-fields.ts'
import type { ScreenQuery } from './read-query.ts'
import type { Say, Words } from './say.ts'

/** The console is a merchant's, under `/console/<mode>/<merchant>`; the desk is the staff's, under `/desk/<mode>`. */
export type ScreenDoor = 'console' | 'desk'

type Common = {
  readonly session: Session
  /** The mode of the address; a cookie never decides it. */
  readonly livemode: boolean
  /** The person of the session, for an operation and its line in the audit log. */
  readonly actor: Actor
  /** Whether this person has a right here. The frame has checked the route's own right; this one is for parts of a page. */
  readonly can: (right: Right) => boolean
  /** The parameters of the path, for the handler to judge. */
  readonly params: Readonly<Record<string, string>>
  /** The declared fields of the address. */
  readonly query: ScreenQuery
  /** The fields of a POST; empty for a GET. */
  readonly fields: FormFields
  readonly language: Language
  readonly say: Say
  /** An address of the same door, mode and merchant: `at('/payments')`. */
  readonly at: (path: string) => string
  /** The value of the field `nonce` in each form; `nonceField` of forms.ts writes it. */
  readonly nonce: string
  readonly request_id: string
  readonly address: string
  /** The browser, as it names itself. Empty: it does not. */
  readonly user_agent: string
}

/** A checked request: signed in, at an existing place, with the screen's right, and for a change from our own page. */
export type ScreenRequest<Door extends ScreenDoor> = Door extends 'console'
  ? Common & {
      readonly tenant: Tenant
      readonly merchant_name: string
      /** The visit by which a staff member reads here. Null: this person has roles here. */
      readonly visit: OpenVisit | null
    }
  : Common

/** A page inside the frame. */
export type ScreenView = {
  readonly kind: 'view'
  /** The HTTP status. Absent: 200. A form that is shown again has 409 or 422. */
  readonly status?: number
  /** The title of the tab, without the merchant's name. */
  readonly title: string
  readonly main: Html
  /** The same facts for a program (`Accept: application/json`). */
  readonly facts: object
  /** Whether the page has a decision, whose two buttons take the place of the dock. */
  readonly deciding?: boolean
  /**
   * Whether something on the page can still move; a script then renews it, while nobody types. True: work in progress, which ends soon. `open`:
   * payments may come at any time.
   */
  readonly moving?: boolean | 'open'
  /** Seconds after which a browser without script loads the page again. Absent: never. */
  readonly refresh_seconds?: number
}

export type ScreenAnswer =
  | ScreenView
  /** A redirect to another of our pages by GET, so that a reload submits nothing again. */
  | { readonly kind: 'moved'; readonly to: string }
  /** Nothing of this merchant in this mode. The page is the same whether it exists elsewhere or not. */
  | { readonly kind: 'absent' }
  /** The person lacks a right that depends on the content. */
  | { readonly kind: 'not_permitted'; readonly right: Right }
  | {
      readonly kind: 'file'
      readonly name: string
      readonly type: string
      readonly body: string | Buffer
      /** In place of a body: a file that is made while it is sent. If the stream fails, the download fails too. */
      readonly stream?: AsyncIterable<string | Uint8Array>
    }

export type MenuPlace = {
  readonly group: MenuGroup
  readonly icon: IconName
  readonly words: Words
  /** Its shorter words in the dock of a phone. Absent: not in the dock. */
  readonly dock?: Words
  /** Leaves it out of the dock of people with this right, who reach it from their first page. */
  readonly dock_unless?: Right
  /** The name of the count beside it. */
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
  /** The path below the door's mode (and merchant), with parameters as `:name`. Empty: the first page. */
  readonly path: string
  /** The fields of its address that it reads; others are ignored. Absent: none. */
  readonly query?: readonly string[]
  /**
   * The field of its address with a text that may be a phone number or an e-mail address. Its form posts to `hiddenSearch`, and the address has
   * the text encrypted.
   */
  readonly hides?: string
  /** Whether a POST changes nothing. Then a visit may send it. */
  readonly only_reads?: boolean
  /** The name of the operation, in metrics and step-ups. */
  readonly operation: string
  readonly summary: string
  /** The required right. Null: any member of the merchant, or any staff member. */
  readonly right: Right | null
  /** The declared acts of a POST. They ask for their fresh factor themselves. */
  readonly acts?: readonly AnyAct[]
  readonly menu?: MenuPlace
  /** For a GET that gives a file and records that it was taken: HEAD, which takes nothing, is refused. */
  readonly takes_file?: true
  /** For a POST with a file: the most bytes of the form, and the answer to a longer one, of which nothing was read. */
  readonly upload?: {
    readonly max_bytes: number
    readonly tooLarge: (request: never, deps: Deps) => Promise<ScreenAnswer>
  }
  readonly handle: (request: never, deps: Deps) => Promise<ScreenAnswer>
}

type Declaration<Door extends ScreenDoor, Deps> = Omit<Screen, 'door' | 'upload' | 'handle'> & {
  readonly upload?: {
    readonly max_bytes: number
    readonly tooLarge: (request: ScreenRequest<Door>, deps: Deps) => Promise<ScreenAnswer>
  }
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

/** Returns a redirect to another of our pages. */
export function moved(to: string): ScreenAnswer {
  return { kind: 'moved', to }
}
