import { beneficiaryIdIn, holderNameIn } from '../../beneficiaries/beneficiary.ts'
import { createDestination, type SettlementDestination } from '../../beneficiaries/create-destination.ts'
import {
  type CoolingDeps,
  confirmDestination,
  refuseDestination,
  withdrawDestination,
} from '../../beneficiaries/decide-destination.ts'
import { readDestination } from '../../beneficiaries/destination-store.ts'
import { Iban } from '../../beneficiaries/iban.ts'
import { readActiveDestinations } from '../../beneficiaries/proposal-store.ts'
import { proposeDestination } from '../../beneficiaries/propose-destination.ts'
import { stopDesignation } from '../../beneficiaries/stop-designation.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import { defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { readLine } from '../../values/read-typed.ts'
import { readNumber } from '../number-fields.ts'
import { type DestinationDeps, type DestinationFacts, readDestinations } from './destination-facts.ts'
import { askAboutAccount, destinationView, NO_SECOND, type Shown, type TypedProposal } from './destination-view.ts'

type Deps = DestinationDeps & { readonly clock: Clock }
type ActDeps = Deps & ActScreenDeps
type Request = ScreenRequest<'console'>

function read(request: Request, deps: Deps): Promise<DestinationFacts> {
  const { tenant, actor, can } = request
  return readDestinations(deps, tenant, { person: actor.person, can })
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

/** A proposed destination: one of the book, or a new one. */
type Wanted =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'new'; readonly destination: SettlementDestination; readonly name: string }

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

/** Reads a typed proposal, with an error for each wrong field. */
function readWanted({ say }: Request, typed: TypedProposal): { wanted: Wanted | null; errors: FieldError[] } {
  const id = beneficiaryIdIn(typed.to)
  if (id !== null) return { wanted: { kind: 'known', id }, errors: [] }
  const name = readLine(typed.holder, 200) === null ? null : holderNameIn(typed.holder)
  const errors: FieldError[] = []
  const isWallet = typed.to === 'wallet'
  const iban = isWallet ? null : Iban.parse(typed.iban)
  if (!isWallet && iban === null)
    errors.push({
      field: 'iban',
      text: say([
        'Cet IBAN ne se lit pas : il commence par CI et a 28 lettres et chiffres.',
        'This IBAN cannot be read: it begins with CI and has 28 letters and digits.',
      ]),
    })
  const number = isWallet ? readNumber(say, typed, errors) : null
  if (name === null)
    errors.push({ field: 'holder', text: say(['Un nom a 2 à 200 lettres.', 'A name has 2 to 200 letters.']) })
  const destination = iban === null ? number : { iban }
  if (destination === null || name === null) return { wanted: null, errors }
  return { wanted: { kind: 'new', destination, name }, errors }
}

const proposeRefusals = {
  resource_not_found: [
    'Cette destination n’est plus au carnet. Rien n’est proposé.',
    'This destination is no longer in the address book. Nothing was proposed.',
  ],
  already_designated: [
    'Vos reversements vont déjà là. Rien n’est proposé.',
    'Your settlements go there already. Nothing was proposed.',
  ],
  another_waits: [
    'Une autre proposition attend. Elle est décidée ou retirée d’abord.',
    'Another proposal waits. It is decided or withdrawn first.',
  ],
} as const satisfies Record<string, Words>

const propose = defineConsoleScreen<Deps>({
  method: 'POST',
  path: '/destination',
  operation: 'proposeDestinationScreen',
  summary: 'Propose where settlements go: the first of two people',
  right: 'destination.propose',
  async confirm(request, deps) {
    const { say, actor, at } = request
    const typed = typedIn(request)
    const { wanted, errors } = readWanted(request, typed)
    if (wanted === null) return show(request, deps, { typed, errors })
    const known = await findKnown(deps, request, wanted)
    if (known === null && wanted.kind === 'known')
      return show(request, deps, { typed, refused: say(proposeRefusals.resource_not_found) })
    const facts = await read(request, deps)
    const { waiting, designated, has_second } = facts
    if (waiting !== null && waiting.beneficiary_id === known?.id && waiting.proposed_by === actor.person)
      return moved(at('/destination?done=proposed'))
    if (waiting !== null) return show(request, deps, { typed, refused: say(proposeRefusals.another_waits) })
    if (designated !== null && designated.id === known?.id)
      return show(request, deps, { typed, refused: say(proposeRefusals.already_designated) })
    if (!has_second) return show(request, deps, { typed, refused: say(NO_SECOND) })
    const account = known?.account ?? accountOf(wanted)
    const operator = known === null ? operatorOf(wanted) : known.operator
    return askAboutAccount(request, {
      title: say(['Proposer cette destination', 'Propose this destination']),
      ...{ account, operator, name: known?.name ?? (wanted.kind === 'new' ? wanted.name : '') },
      subject: known?.id ?? null,
      content: { act: 'propose' },
    })
  },
  async handle(request, deps) {
    const { say, tenant, actor, at } = request
    const typed = typedIn(request)
    const { wanted } = readWanted(request, typed)
    const id = wanted!.kind === 'known' ? wanted!.id : await bring(deps, request, wanted!)
    const result =
      id === null
        ? ({ kind: 'refused', code: 'resource_not_found' } as const)
        : await proposeDestination(deps.sql, tenant, id, actor)
    if (result.kind === 'refused') return show(request, deps, { typed, refused: say(proposeRefusals[result.code]) })
    return moved(at('/destination?done=proposed'))
  },
})

type Known = { readonly id: string; readonly name: string; readonly operator: string | null; readonly account: string }

/** Finds the typed destination in the book, with its name there. Null when it is new. */
async function findKnown({ sql }: Deps, { tenant }: Request, wanted: Wanted): Promise<Known | null> {
  const all = await readActiveDestinations(sql, tenant)
  for (const { id, name, operator, last4 } of all) {
    if (wanted.kind === 'known' ? id !== wanted.id : !accountOf(wanted).endsWith(last4)) continue
    const { account } = await readDestination(sql, { ...tenant, id })
    if (wanted.kind === 'known' || account === accountOf(wanted)) return { id, name, operator, account }
  }
  return null
}

function accountOf(wanted: Wanted): string {
  if (wanted.kind === 'known') return ''
  return wanted.destination.iban === undefined ? wanted.destination.msisdn.e164 : wanted.destination.iban.text
}

function operatorOf(wanted: Wanted): string | null {
  return wanted.kind === 'new' && wanted.destination.iban === undefined ? wanted.destination.operator : null
}

/** Adds a new destination to the book. Null when its merchant does not exist. */
async function bring({ sql }: Deps, { tenant, actor }: Request, wanted: Extract<Wanted, { kind: 'new' }>) {
  const created = await createDestination(sql, tenant, wanted.destination, wanted.name, actor)
  return created.kind === 'refused' ? null : created.beneficiary.id
}

/** Shows the page again: a refusal above it, an error under its field. */
function again(request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const [first] = errors
  return show(request, deps, first?.field === 'main' ? { refused: first.text } : { errors })
}

const place = (done: string) => ({
  back: ({ at }: Request) => at('/destination'),
  done: () => `/destination?done=${done}`,
  again,
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

/** The screens of a merchant's settlement destination, which two people change. */
export const destinationScreens = [page, propose, ...decisions] as const
