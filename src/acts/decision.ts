import type { ActName } from '../audit-log/act-words.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { IdPrefix } from '../values/ids.ts'
import type { Words } from '../values/language.ts'
import type { Right } from '../values/rights.ts'
import { findTransition, type Transition } from '../values/transition.ts'
import { type Act, type ActDecision, type ActRefused, type RefusalWords, refuse, row } from './act.ts'
import type { Facts, Field, OwnContentOf } from './facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from './second-person.ts'

/** A row that one person proposes and another decides on. */
export type Proposed = Tenant & {
  readonly id: string
  readonly status: string
  readonly proposed_by: string
  readonly decided_by: string | null
  readonly decided_at: Date | null
}

/** The decided row, for its effect. `refusal_reason`: null unless it was refused with a reason. */
export type Decided<Row extends Proposed> = Row & {
  readonly status: 'approved' | 'refused'
  readonly decided_by: string
  readonly decided_at: Date
  readonly refusal_reason: string | null
}

type Changed<Row> = {
  readonly effects: readonly Effect[]
  readonly before?: object
  readonly after?: object
  /** The columns of the row that an approval fills, besides the decision. */
  readonly row?: Partial<Row>
}

type DecisionOf<Row extends Proposed, Beside, Deps, Known extends Facts, Code extends string> = {
  /** The acts are `adjustment.approve` and `adjustment.refuse`. */
  readonly names: { readonly approve: ActName; readonly refuse: ActName }
  readonly id: IdPrefix
  readonly noun: string
  readonly summaries: { readonly approve: string; readonly refuse: string }
  readonly title: Words
  readonly right: Right
  /** Locks the row until the transaction ends. */
  readonly lock: (tx: Tx, id: string) => Promise<Row | null>
  /** Locks and reads the rest. */
  readonly load: (tx: Tx, row: Row, deps: Deps) => Promise<Beside>
  readonly facts: Known
  readonly content: (row: Row, beside: Beside) => OwnContentOf<Known>
  readonly note?: (row: Row, beside: Beside) => Words | null
  /** Writes the decision. The database has the last word on two people (`…_two_people`). */
  readonly decided: (row: Decided<Row>) => Effect
  /** The other changes of an approval, or its refusal. @param by the second person */
  readonly approve: (row: Row, beside: Beside, by: string) => Changed<Row> | ActRefused<Code>
  /** The values of a refusal in the audit log. */
  readonly refused: (row: Row) => object
  /** The other changes of a refusal. Absent: none. */
  readonly undo?: (row: Row) => readonly Effect[]
  /** The reason of a refusal. Absent: none is asked for. */
  readonly reason?: Field<string> | Field<string | null>
  readonly refusals: Readonly<Record<Code, RefusalWords>>
}

/**
 * The decision of a second person on a proposal. The first one withdraws an act that waits (`withdraw-proposal.ts`). A proposal of a cap can also end as `superseded`, without a decision: the statements that set
 * the cap end all that wait for it (`payouts/caps`).
 */
export const decisionTransitions = [
  { from: 'proposed', trigger: 'approved_by_second_person', to: 'approved', event: null },
  { from: 'proposed', trigger: 'refused_by_second_person', to: 'refused', event: null },
] as const satisfies readonly Transition<'proposed' | 'approved' | 'refused'>[]

export type DecisionTrigger = (typeof decisionTransitions)[number]['trigger']

/** The transition of every proposal that no second person decided in time. */
export const lapseTransition = {
  from: 'proposed',
  trigger: 'time_ran_out',
  to: 'lapsed',
  event: null,
} as const satisfies Transition<'proposed' | 'lapsed'>

/** Every transition of a proposal on which a second person decides: it lapses when nobody does. */
export const proposedTransitions = [...decisionTransitions, lapseTransition] as const

export const decidedAlready: RefusalWords = {
  words: ['Déjà décidé.', 'Decided already.'],
  command: 'This is already decided.',
}

const commonRefusals = {
  already_decided: decidedAlready,
  same_person: {
    words: [
      'Vous l’avez proposé, ou vous avez fait entrer qui l’a proposé depuis moins de 90 jours : une autre personne décide.',
      'You proposed it, or let in within 90 days the person who did: another person decides.',
    ],
    command:
      'The proposer cannot decide, nor whoever let them in within 90 days, and an API key never can. Have another person do it, or name them with --as.',
  },
} as const satisfies Record<string, RefusalWords>

/**
 * Declares how a second person decides on a proposal: two acts, to approve it with a fresh factor and to refuse it. Refusals in order of
 * precedence: no such row, already decided, not a second person (`second-person.ts`), then those of `approve`.
 */
export function defineDecision<
  Row extends Proposed,
  Beside,
  Deps,
  const Known extends Facts,
  Code extends string = never,
>(
  what: DecisionOf<Row, Beside, Deps, Known, Code>,
): { readonly approve: Act<Deps, Row>; readonly refuse: Act<Deps, Row> } {
  const { names, summaries, title, right, facts, note, reason } = what
  type Has = { readonly about: Tenant; readonly row: Row; readonly first: Beginners; readonly beside: Beside }
  type Call = { readonly id: string; readonly by: Actor; readonly values: { readonly refusal?: string | null } }
  const common = {
    title,
    right,
    on: row(what.id, what.noun),
    facts,
    async load(tx: Tx, { id }: Call, deps: Deps): Promise<Has | null> {
      const found = await what.lock(tx, id)
      if (found === null) return null
      const beside = await what.load(tx, found, deps)
      return { about: tenantOf(found), row: found, first: await readBeginners(tx, [found.proposed_by]), beside }
    },
    content: ({ row, beside }: Has) => what.content(row, beside),
    ...(note === undefined ? {} : { note: ({ row, beside }: Has) => note(row, beside) }),
  }
  /** Decides on the row as the second person, if they may. */
  const decide =
    (trigger: DecisionTrigger, change: (has: Has, by: string) => Changed<Row> | ActRefused) =>
    ({ by, values }: Call, has: Has, now: Date): ActDecision<Row> => {
      const transition = findTransition(decisionTransitions, has.row.status, trigger)
      if (transition === null) return refuse('already_decided')
      if (!isSecondPerson(has.first, by.person)) return refuse('same_person')
      const changed = change(has, by.person)
      if ('kind' in changed) return changed
      const { to: status } = transition
      const decision = { status, decided_by: by.person, decided_at: now, refusal_reason: values.refusal ?? null }
      const result = { ...has.row, ...changed.row, ...decision } as Decided<Row>
      const { effects, before = { status: has.row.status }, after = { status } } = changed
      return { kind: 'accepted', effects: [what.decided(result), ...effects], result, before, after }
    }
  return {
    approve: {
      ...common,
      name: names.approve,
      summary: summaries.approve,
      fresh: true,
      fields: {},
      decide: decide('approved_by_second_person', ({ row, beside }, by) => what.approve(row, beside, by)),
      refusals: { ...commonRefusals, ...what.refusals },
    },
    refuse: {
      ...common,
      name: names.refuse,
      summary: summaries.refuse,
      fresh: false,
      fields: reason === undefined ? {} : { refusal: reason },
      decide: decide('refused_by_second_person', ({ row }) => ({
        effects: what.undo?.(row) ?? [],
        after: { status: 'refused', ...what.refused(row) },
      })),
      refusals: commonRefusals,
    },
  }
}
