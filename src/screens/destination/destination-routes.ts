import {
  type CoolingDeps,
  confirmDestination,
  refuseDestination,
  withdrawDestination,
} from '../../beneficiaries/decide-destination.ts'
import {
  type DestinationProposed,
  type ProposeDeps,
  proposeDestination,
} from '../../beneficiaries/propose-destination.ts'
import { stopDesignation } from '../../beneficiaries/stop-designation.ts'
import { needed } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { defineConsoleScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { type DestinationDeps, type DestinationFacts, readDestinations } from './destination-facts.ts'
import { destinationView } from './destination-view.ts'
import { type OwnNumberActDeps, ownNumberScreens } from './own-number-routes.ts'
import type { Shown, TypedProposal } from './propose-part.ts'

type Deps = DestinationDeps & { readonly clock: Clock }
type ActDeps = Deps & ActScreenDeps
type Request = ScreenRequest<'console'>

async function read(request: Request, deps: Deps): Promise<DestinationFacts> {
  const { tenant, actor, can, visit } = request
  const facts = await readDestinations(deps, tenant, { person: actor.person, can })
  return visit === null ? facts : withoutDigits(facts)
}

/** Hides the digits that a person of the company hears in a call that nobody has made yet: a visit would tell them. */
function withoutDigits(facts: DestinationFacts): DestinationFacts {
  const { waiting } = facts
  if (waiting === null || !waiting.by_company || waiting.called_by !== null) return facts
  const last4 = '••••'
  const known = facts.known.map((one) => (one.id === waiting.beneficiary_id ? { ...one, last4 } : one))
  return { ...facts, waiting: { ...waiting, last4 }, known }
}

async function show(request: Request, deps: Deps, shown: Omit<Shown, 'now'> = {}): Promise<ScreenAnswer> {
  return destinationView(request, await read(request, deps), { ...shown, now: deps.clock.now() })
}

const page = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/destination',
  operation: 'destinationScreen',
  summary: 'Where settlements go, what is proposed, and past changes with their two people',
  right: 'settlements.read',
  handle: (request, deps) => show(request, deps),
})

function typedIn({ fields }: Request): TypedProposal {
  const text = (name: string) => fields.text(name)
  return {
    to: text('to'),
    iban: text('iban'),
    msisdn: text('msisdn'),
    operator: text('operator'),
    holder: text('holder'),
  }
}

/** The fields that describe a destination that is not of the book. */
const described: Readonly<Record<string, readonly string[]>> = {
  iban: ['iban', 'holder'],
  wallet: ['msisdn', 'operator', 'holder'],
}

/** The text of a field that the choice of the destination needs, and none of one that it does not. */
function textOf(request: Request, name: string): string {
  const typed: Readonly<Record<string, string>> = typedIn(request)
  if (name === 'to') return typed.to!
  if (name === 'withdraw') return request.fields.text(name)
  return described[typed.to!]?.includes(name) ? (needed(name)(request, name) ?? typed[name]!) : ''
}

/** Shows the page again: a refusal above it, an error under its field. */
function again(request: Request, deps: Deps, errors: readonly FieldError[], typed?: TypedProposal) {
  const [first] = errors
  const shown = first?.field === 'main' ? { refused: first.text } : { errors }
  return show(request, deps, typed === undefined ? shown : { ...shown, typed })
}

const propose = consoleAct<ProposeDeps, DestinationProposed, ActDeps & ProposeDeps>(proposeDestination, {
  path: '/destination',
  back: ({ at }) => at('/destination'),
  done: (_, { by_company }) => `/destination?done=${by_company ? 'company_calls' : 'proposed'}`,
  text: textOf,
  again: (request, deps, errors) => again(request, deps, errors, typedIn(request)),
})

const place = (done: string) => ({
  back: ({ at }: Request) => at('/destination'),
  done: () => `/destination?done=${done}`,
  again: (request: Request, deps: Deps, errors: readonly FieldError[]) => again(request, deps, errors),
})

const decisions = [
  consoleAct<CoolingDeps, null, ActDeps>(stopDesignation, { path: '/destination/stop', ...place('stopped') }),
  consoleAct<CoolingDeps, null, ActDeps>(confirmDestination, {
    path: '/destination/:id/confirm',
    ...place('confirmed'),
  }),
  consoleAct<unknown, null, ActDeps>(refuseDestination, { path: '/destination/:id/refuse', ...place('declined') }),
  consoleAct<unknown, null, ActDeps>(withdrawDestination, { path: '/destination/:id/withdraw', ...place('removed') }),
]

/** The screens of a merchant's settlement destination, which two people change, or an owner who is alone chooses first. */
export const destinationScreens = [
  page,
  propose,
  ...decisions,
  ...ownNumberScreens<ActDeps & OwnNumberActDeps>((request, deps, errors) => again(request, deps, errors)),
] as const
