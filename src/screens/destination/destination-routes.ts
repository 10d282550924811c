import { beneficiaryIdIn, holderNameIn } from '../../beneficiaries/beneficiary.ts'
import { createDestination, type SettlementDestination } from '../../beneficiaries/create-destination.ts'
import { type DecideRefusal, decideDestination } from '../../beneficiaries/decide-destination.ts'
import { readDestination } from '../../beneficiaries/destination-store.ts'
import { Iban } from '../../beneficiaries/iban.ts'
import { type ProposalRow, readActiveDestinations, readProposal } from '../../beneficiaries/proposal-store.ts'
import { proposeDestination } from '../../beneficiaries/propose-destination.ts'
import { stopDesignation } from '../../beneficiaries/stop-designation.ts'
import type { FieldError } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { writeDate } from '../../platform/http/pages/write-values.ts'
import { readLine } from '../../values/read-typed.ts'
import { readNames } from '../approvals/waiting.ts'
import { writePerson } from '../approvals/words.ts'
import { readNumber } from '../number-fields.ts'
import { destinationWords } from '../settlements/ask-view.ts'
import { type DestinationDeps, type DestinationFacts, readDestinations } from './destination-facts.ts'
import { askAboutAccount, destinationView, NO_SECOND, type Shown, type TypedProposal } from './destination-view.ts'

type Deps = DestinationDeps & { readonly clock: Clock }
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

const decideRefusals = {
  already_decided: ['Cette proposition est déjà décidée.', 'This proposal has been decided already.'],
  same_person: [
    'Vous l’avez proposée, ou vous avez fait entrer qui l’a proposée depuis moins de 90 jours : une autre personne décide. Rien n’est changé.',
    'You proposed it, or let in within 90 days the person who did: another person decides. Nothing is changed.',
  ],
  not_proposer: [
    'Seule la personne qui l’a proposée la retire. Vous pouvez la refuser.',
    'Only the person who proposed it withdraws it. You can refuse it.',
  ],
  destination_archived: [
    'Cette destination n’est plus au carnet. Refusez la proposition.',
    'This destination is no longer in the address book. Refuse the proposal.',
  ],
  no_owner: [
    'L’une des deux personnes doit être propriétaire. Rien n’est changé.',
    'One of the two people must be an owner. Nothing is changed.',
  ],
} as const satisfies Record<Exclude<DecideRefusal, 'resource_not_found'>, Words>

/** Reads the proposal of the address. Null when it is not this merchant's. */
async function proposalOf({ sql }: Deps, { tenant, params }: Request): Promise<ProposalRow | null> {
  const id = beneficiaryIdIn(params.id ?? '')
  return id === null ? null : readProposal(sql, { ...tenant, id })
}

type Wish = Parameters<typeof decideDestination>[2]

async function decide(request: Request, deps: Deps, wish: Wish, done: string): Promise<ScreenAnswer> {
  const { say, tenant, actor, at } = request
  const proposal = await proposalOf(deps, request)
  if (proposal === null) return absent
  const result = await decideDestination(deps.sql, { ...tenant, id: proposal.id }, wish, actor)
  if (result.kind === 'decided' || isDone(proposal, wish, actor.person)) return moved(at(`/destination?done=${done}`))
  if (result.code === 'resource_not_found') return absent
  return show(request, deps, { refused: say(decideRefusals[result.code]) })
}

/** Whether this person has made this decision already: a repeated submission is the same decision. */
function isDone({ status, decided_by }: ProposalRow, wish: Wish, person: string): boolean {
  return status === wish.status && decided_by === person
}

const confirmProposal = defineConsoleScreen<Deps>({
  method: 'POST',
  path: '/destination/:id/confirm',
  operation: 'confirmDestinationScreen',
  summary: 'Confirm where settlements go: the second of two people',
  right: 'destination.confirm',
  async confirm(request, deps) {
    const { say, tenant, actor, at, language } = request
    const proposal = await proposalOf(deps, request)
    if (proposal === null) return absent
    if (isDone(proposal, { status: 'confirmed' }, actor.person)) return moved(at('/destination?done=confirmed'))
    if (proposal.status !== 'proposed') return show(request, deps, { refused: say(decideRefusals.already_decided) })
    const { designated, waiting, cooling_hours } = await read(request, deps)
    if (waiting?.not_yours === 'own' || waiting?.not_yours === 'let_in')
      return show(request, deps, { refused: say(decideRefusals.same_person) })
    if (waiting?.not_yours === 'no_owner') return show(request, deps, { refused: say(decideRefusals.no_owner) })
    const { account } = await readDestination(deps.sql, { ...tenant, id: proposal.beneficiary_id })
    const names = await readNames(deps.sql, tenant)
    return askAboutAccount(request, {
      title: say(['Confirmer cette destination', 'Confirm this destination']),
      ...{ account, operator: proposal.operator, name: proposal.name, subject: proposal.id },
      content: {
        ...{ act: 'confirm', beneficiary_id: proposal.beneficiary_id },
        ...{ proposed_by: proposal.proposed_by, instead_of: designated?.id ?? null },
      },
      lines: [
        {
          name: say(['Proposée par', 'Proposed by']),
          value: html`${writePerson({ say, names, me: actor.person }, proposal.proposed_by)}, ${writeDate(proposal.proposed_at, language)}`,
        },
        {
          name: say(['À la place de', 'Instead of']),
          value: designated === null ? say(['aucune', 'none']) : destinationWords(request, designated),
        },
        { name: say(['Sert', 'In use']), value: say(['{n} h plus tard', '{n} h later'], { n: cooling_hours }) },
      ],
    })
  },
  handle: (request, deps) => decide(request, deps, { status: 'confirmed' }, 'confirmed'),
})

const NOT_COOLING = [
  'Ce changement n’est plus en attente. Rien n’est arrêté.',
  'This change no longer waits. Nothing was stopped.',
] as const satisfies Words

const stopChange = defineConsoleScreen<Deps>({
  method: 'POST',
  path: '/destination/stop',
  operation: 'stopDestinationScreen',
  summary: 'Stop a change of destination that still cools',
  right: 'destination.confirm',
  async confirm(request, deps) {
    const { say, actor, at, fields } = request
    const { designated, past } = await read(request, deps)
    const id = fields.text('destination')
    const isStopped = past.some((one) => one.beneficiary_id === id && one.stopped_by === actor.person)
    if (designated?.id !== id && isStopped) return moved(at('/destination?done=stopped'))
    if (designated === null || designated.id !== id || designated.has_cooled)
      return show(request, deps, { refused: say(NOT_COOLING) })
    const title = say(['Arrêter ce changement', 'Stop this change'])
    return {
      kind: 'confirm',
      subject: id,
      content: { act: 'stop', beneficiary_id: id, designated_at: designated.designated_at.toISOString() },
      title,
      back: at('/destination'),
      shown: html`<h1>${title}</h1><p><b>${destinationWords(request, designated)}</b>, ${designated.name}</p><p>${say(['Vos reversements ne vont plus nulle part, jusqu’à ce que deux personnes désignent une destination.', 'Your settlements go nowhere any more, until two people designate a destination.'])}</p>`,
    }
  },
  async handle(request, deps) {
    const { say, tenant, actor, at, fields } = request
    const id = beneficiaryIdIn(fields.text('destination'))
    const hours = deps.settlementRules.destination_cooling_hours
    const stopped = id !== null && (await stopDesignation(deps.sql, { ...tenant, id }, hours, actor)).kind === 'stopped'
    return stopped ? moved(at('/destination?done=stopped')) : show(request, deps, { refused: say(NOT_COOLING) })
  },
})

const refuseProposal = defineConsoleScreen<Deps>({
  method: 'POST',
  path: '/destination/:id/refuse',
  operation: 'refuseDestinationScreen',
  summary: 'Refuse a proposed destination, with a reason',
  right: 'destination.confirm',
  async handle(request, deps) {
    const { say, fields } = request
    if ((await proposalOf(deps, request)) === null) return absent
    const reason = readLine(fields.text('reason').replace(/\s+/g, ' '), 500)
    if (reason === null) {
      const text = say(['Dites pourquoi, en 500 lettres au plus.', 'Say why, in 500 letters at most.'])
      return show(request, deps, { errors: [{ field: 'reason', text }] })
    }
    return decide(request, deps, { status: 'refused', reason }, 'declined')
  },
})

const withdrawProposal = defineConsoleScreen<Deps>({
  method: 'POST',
  path: '/destination/:id/withdraw',
  operation: 'withdrawDestinationScreen',
  summary: 'Withdraw a destination that one has proposed oneself',
  right: 'destination.propose',
  handle: (request, deps) => decide(request, deps, { status: 'withdrawn' }, 'removed'),
})

/** The screens of a merchant's settlement destination, which two people change. */
export const destinationScreens = [
  page,
  propose,
  stopChange,
  confirmProposal,
  refuseProposal,
  withdrawProposal,
] as const
