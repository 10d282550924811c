import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TSchema } from 'typebox'
import type { Scope } from '../../values/caller.ts'
import type { ErrorCode } from '../../values/error-codes.ts'
import { type IdPrefix, looksLikeId } from '../../values/ids.ts'
import { type About, type CountedAs, explainAbout } from './about.ts'
import type { Admission, Unread } from './admission.ts'
import type { AuthenticatorName, Callers } from './authenticator.ts'
import type { CallFrom, Idempotency } from './call.ts'
import { fieldChecker, nullRemover, type WrongField } from './field-checker.ts'
import type { Form } from './read-form.ts'
import { type Answer, refusalAnswer } from './refusal.ts'
import { refuseContradictions } from './refuse-contradictions.ts'
import type { Concurrency, Turn } from './turns.ts'

/** The most bytes of a body, for a route that declares no other limit. */
const BODY_MAX_BYTES = 65_536

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type ErrorTable = Readonly<Record<number, readonly ErrorCode[]>>
type Schemas = Readonly<Record<number, TSchema>>

/** Every code that a table of errors lists. */
export type CodeIn<Errors extends ErrorTable> = Errors[keyof Errors & number][number]

/** Builds the answer of a success. Only declared statuses with their declared body compile. */
export type Reply<Replies extends Schemas> = {
  <Status extends keyof Replies & number>(status: Status, body: Static<Replies[Status]>): Answer
  /** Sends a stored answer byte for byte, for the replay of an idempotent request. */
  stored(status: number, text: string): Answer
}

/** Builds the answer of a refusal. Only codes of the route's own table compile; the table gives the status. */
export type Refuse<Code extends ErrorCode> = (
  code: Code,
  options?: { readonly message?: string | undefined; readonly headers?: Readonly<Record<string, string>> | undefined },
) => Answer

/**
 * The form of the body. `json`: validated against the declared fields. `form`: the fields of a form, from a browser or as JSON; the handler
 * validates them. `raw`: the bytes, for example for a signature. `upload`: the bytes, or null above the limit, because the handler answers
 * a person with a page.
 */
export type BodyReader = 'json' | 'form' | 'raw' | 'upload'

type FieldsOf<Schema> = Schema extends TObject ? Static<Schema> : undefined
type BodyOf<Reads extends BodyReader, Schema> = Reads extends 'form'
  ? Form | null
  : Reads extends 'upload'
    ? Buffer | null
    : Reads extends 'raw'
      ? Buffer
      : FieldsOf<Schema>
type FieldNames<Schema> = Schema extends TObject ? keyof Static<Schema> & string : never

/** The content of a path parameter: an id with this prefix or one of these prefixes, or any text, which the handler validates. */
export type PathParameter = IdPrefix | readonly IdPrefix[] | 'text'

/**
 * An example of a request, in test mode with the keys of the demo. Path parameters have no example, because their ids come
 * from earlier answers.
 */
export type RouteExample<Query, Body> = {
  readonly query?: Partial<FieldsOf<Query>>
  readonly body?: FieldsOf<Body>
}

type CodeOfField<Code extends ErrorCode> = Code | ((sent: unknown) => Code)

/** The argument of `handle`. */
export type RouteRequest<
  Auth extends AuthenticatorName,
  Params extends Readonly<Record<string, PathParameter>>,
  Query extends TObject | undefined,
  Body extends TObject | undefined,
  Replies extends Schemas,
  Errors extends ErrorTable,
  Idempotent extends true | 'optional' | undefined,
  Reads extends BodyReader,
> = {
  /** The authenticated caller. */
  readonly caller: Callers[Auth]
  readonly params: { readonly [Name in keyof Params]: string }
  readonly query: FieldsOf<Query>
  /**
   * The body as sent, with valid declared fields. It still contains undeclared fields, so name the fields that you use. Null for a form that
   * cannot be read.
   */
  readonly body: BodyOf<Reads, Body>
  /** The origin of this call, for an operation. */
  readonly call: CallFrom<
    Callers[Auth],
    Idempotent extends true ? Idempotency : Idempotent extends 'optional' ? Idempotency | null : null
  >
  readonly request_id: string
  /** The raw path and query, headers and client's address: for pages and callbacks, which have no declaration for them. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  /** Whether the caller still waits for the answer. If not, begin no work. */
  readonly isWanted: () => boolean
  /**
   * The turn of this call among those of its merchant, or of the thing that it is about. A handler gives it up while it waits for anything
   * but the database, and ends it early when it takes another one.
   */
  readonly turn: Turn
  readonly reply: Reply<Replies>
  readonly refuse: Refuse<CodeIn<Errors>>
}

/** The declaration of a route, from which its validation, types, authorisation, refusals and documentation follow. */
export type RouteDeclaration<
  Auth extends AuthenticatorName,
  Params extends Readonly<Record<string, PathParameter>>,
  Query extends TObject | undefined,
  Body extends TObject | undefined,
  Replies extends Schemas,
  Errors extends ErrorTable,
  Idempotent extends true | 'optional' | undefined,
  Reads extends BodyReader,
  Deps,
> = {
  readonly auth: Auth
  readonly method: Method
  /** The path, with parameters as `:name`. */
  readonly path: string
  /** The name of the operation in the documentation, the metrics and the fingerprint of idempotent requests. */
  readonly operation: string
  /** One line for the documentation. */
  readonly summary: string
  readonly description?: string
  readonly tags?: readonly string[]
  /** The scope that the key must have; absent: any valid key. */
  readonly scope?: Scope | 'any'
  /** Whether `Idempotency-Key` is required, or may be sent. */
  readonly idempotent?: Idempotent
  /** Path parameters and the prefixes of their ids. A malformed id is refused with `invalid_id`. */
  readonly params?: Params
  /** The meaning of each path parameter, for the documentation. */
  readonly paramDescriptions?: { readonly [Name in keyof NoInfer<Params>]: string }
  /** The query fields; all are texts. */
  readonly query?: Query
  /** The fields of the body, checked in their order. The first wrong one decides the code. */
  readonly body?: Body
  /** The form of the body. Absent: `json`. */
  readonly reads?: Reads
  /** The most bytes of the body. Absent: 64 KiB. */
  readonly bodyMaxBytes?: number
  readonly example?: RouteExample<NoInfer<Query>, NoInfer<Body>>
  /** Fields of the body whose values may contain line breaks and tabs. All other fields refuse them. */
  readonly lineBreaksIn?: readonly FieldNames<Body>[]
  /** The JSON bodies of successes, by status. For a page or a file the handler makes the `Answer` itself. */
  readonly replies?: Replies
  /** The codes of each status, like the interface's tables. Do not repeat the refusals of the authenticator. */
  readonly errors: Errors
  /**
   * The code of a wrong or missing field, by top-level field; `otherwise` for other fields. A function if the code depends on
   * the value sent, such as a wrong type or an unknown name.
   */
  readonly invalid?: {
    readonly [Field in FieldNames<Body> | FieldNames<Query>]?: CodeOfField<NoInfer<CodeIn<Errors>>>
  } & { readonly otherwise: NoInfer<CodeIn<Errors>> }
  /** The code of an unreadable body, or of one that is no JSON object. Absent: `invalid_body`. */
  readonly unreadable?: NoInfer<CodeIn<Errors>>
  /** The code of a fault of ours: an exception, or an answer that took too long. */
  readonly fault: NoInfer<CodeIn<Errors>>
  /** Milliseconds after which a missing answer is a fault, for a route that waits on purpose. Absent: the server's. */
  readonly deadlineMs?: number
  /** The way in which its calls share the database with others. Absent: `alone`. */
  readonly concurrency?: Concurrency
  /** For an open route, and only there: the thing whose turns its calls take. */
  readonly about?: About
  /** The count of its caller's address. Absent: that of all calls. */
  readonly counts?: CountedAs
  /** False for an open GET that records an act, such as taking a file: HEAD, which takes nothing, is refused. Absent: HEAD is answered. */
  readonly head?: false
  /** For `upload`: called before the body is read, so that a stranger's file takes no memory. */
  readonly admit?: (request: Unread, deps: Deps) => Promise<Admission>
  readonly handle: (
    request: RouteRequest<Auth, Params, Query, Body, Replies, Errors, Idempotent, Reads>,
    deps: Deps,
  ) => Answer | Promise<Answer>
}

/** A declared route for the server and the documentation. `Deps`: the dependencies of its handler. */
export type Route<Deps = never> = {
  readonly auth: AuthenticatorName
  readonly method: Method
  readonly path: string
  readonly operation: string
  readonly summary: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly scope: Scope | 'any' | undefined
  readonly idempotent: true | 'optional' | undefined
  /** The prefixes of the ids of each path parameter. Null: any text. */
  readonly params: ReadonlyMap<string, readonly IdPrefix[] | null>
  readonly paramDescriptions: Readonly<Record<string, string>>
  readonly example: { readonly query?: Readonly<Record<string, unknown>>; readonly body?: object }
  readonly query: TObject | undefined
  readonly body: TObject | undefined
  readonly reads: BodyReader
  readonly bodyMaxBytes: number
  readonly lineBreaksIn: ReadonlySet<string>
  readonly replies: Schemas
  readonly errors: ErrorTable
  readonly unreadable: ErrorCode
  readonly fault: ErrorCode
  readonly deadlineMs: number | null
  readonly concurrency: Concurrency
  /** Null for a route with an authenticator, whose calls take the turns of their merchant. */
  readonly about: About | null
  readonly counts: CountedAs
  /** Whether HEAD is answered. */
  readonly head: boolean
  readonly reply: Reply<Schemas>
  readonly refuse: Refuse<ErrorCode>
  /** The message about the first path parameter that is a malformed id, or null. */
  wrongId(params: Readonly<Record<string, string>>): string | null
  /** The first wrong field, or null if all are valid. */
  wrongQuery(query: unknown): WrongField | null
  wrongBody(body: unknown): WrongField | null
  /** Returns a body without its optional fields that are null, because null means absent. */
  withoutNulls(body: unknown): unknown
  readonly admit: ((request: Unread, deps: Deps) => Promise<Admission>) | null
  // The server has validated the request against the declaration before, so it passes it untyped.
  readonly handle: (request: never, deps: Deps) => Answer | Promise<Answer>
}

/**
 * Declares a route. The types of `body`, `reply`, `refuse` and the rest follow from the declaration; the type of the
 * dependencies follows from the annotation of the handler's second parameter.
 * @throws if the declaration contradicts itself: a code without a status or with two, a parameter that is not in the path
 */
export function defineRoute<
  const Auth extends AuthenticatorName,
  const Errors extends ErrorTable,
  const Replies extends Schemas = {},
  Deps = unknown,
  const Params extends Readonly<Record<string, PathParameter>> = {},
  Query extends TObject | undefined = undefined,
  Body extends TObject | undefined = undefined,
  const Idempotent extends true | 'optional' | undefined = undefined,
  const Reads extends BodyReader = 'json',
>(declaration: RouteDeclaration<Auth, Params, Query, Body, Replies, Errors, Idempotent, Reads, Deps>): Route<Deps> {
  const { method, path, body, query, errors, invalid, fault, reads = 'json' } = declaration
  const statuses = statusesOf(errors)
  const params = new Map(Object.entries(declaration.params ?? {}).map(([name, held]) => [name, prefixesOf(held)]))
  const unreadable: ErrorCode = declaration.unreadable ?? 'invalid_body'

  const wrongAbout = explainAbout(declaration, [...params.keys()])
  if (wrongAbout !== null) throw new Error(`${method} ${path}: ${wrongAbout}`)
  const { idempotent } = declaration
  refuseContradictions({ method, path, params, idempotent, body, query, reads, invalid, fault, unreadable, statuses })

  const refuse: Refuse<ErrorCode> = (code, options) => {
    const status = statuses.get(code)
    if (status === undefined) throw new Error(`${method} ${path} refused with ${code}, which it does not declare.`)
    return refusalAnswer({ status, code, ...options })
  }
  return {
    auth: declaration.auth,
    method,
    path,
    operation: declaration.operation,
    summary: declaration.summary,
    description: declaration.description ?? null,
    tags: declaration.tags ?? [],
    scope: declaration.scope,
    idempotent: declaration.idempotent,
    params,
    paramDescriptions: declaration.paramDescriptions ?? {},
    example: (declaration.example ?? {}) as Route['example'],
    query,
    body,
    reads,
    bodyMaxBytes: declaration.bodyMaxBytes ?? BODY_MAX_BYTES,
    lineBreaksIn: new Set(declaration.lineBreaksIn),
    replies: declaration.replies ?? {},
    errors,
    unreadable,
    fault,
    deadlineMs: declaration.deadlineMs ?? null,
    concurrency: declaration.concurrency ?? 'alone',
    about: declaration.about ?? null,
    counts: declaration.counts ?? 'address',
    // A monitor, a chat or a proxy asks for a page by HEAD first; the interface has no HEAD.
    head: declaration.auth === 'open' && method === 'GET' && declaration.head !== false,
    reply,
    refuse,
    wrongId(values) {
      for (const [name, prefixes] of params) {
        const value = values[name] ?? ''
        if (prefixes === null || prefixes.some((prefix) => looksLikeId(prefix, value))) continue
        const begins = prefixes.map((prefix) => `${prefix}_`).join(' or ')
        return `${name} must be ${begins} followed by 1 to 64 letters or digits. Send the id as an answer or event gave it.`
      }
      return null
    },
    wrongQuery: fieldChecker(query, invalid),
    wrongBody: fieldChecker(body, invalid),
    withoutNulls: body === undefined ? (sent) => sent : nullRemover(body),
    admit: declaration.admit ?? null,
    handle: declaration.handle as (request: never, deps: Deps) => Answer | Promise<Answer>,
  }
}

const reply: Reply<Schemas> = Object.assign(
  (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body), error_code: null, headers: null }),
  { stored: (status: number, body: string): Answer => ({ status, body, error_code: null, headers: null }) },
)

function prefixesOf(held: PathParameter): readonly IdPrefix[] | null {
  if (held === 'text') return null
  return typeof held === 'string' ? [held] : held
}

function statusesOf(errors: ErrorTable): Map<ErrorCode, number> {
  const statuses = new Map<ErrorCode, number>()
  for (const [status, codes] of Object.entries(errors)) {
    for (const code of codes) {
      if (statuses.has(code)) throw new Error(`${code} has two statuses in one table of errors.`)
      statuses.set(code, Number(status))
    }
  }
  return statuses
}
