import assert from 'node:assert/strict'
import type { Log } from '../../platform/log.ts'
import type { Answer } from '../sending/answer.ts'

/** Consecutive bad sends that open a circuit. */
const IN_A_ROW = 5
/** The fewest sends within `WINDOW_MS` of which half must be bad to open a circuit. */
const ENOUGH = 20
/** Milliseconds of the window in which these are counted. */
const WINDOW_MS = 60_000
/** Milliseconds for which an open circuit admits nothing. Then it admits a probe. */
const REST_MS = 30_000
/** Good probes that close a circuit. */
const PROBES = 3
/** Milliseconds after which a probe without an outcome gives way to another: longer than any send takes. */
const PROBE_MS = 120_000

type CircuitState = 'closed' | 'open' | 'half_open'

/** The allowed transitions of a circuit. */
const moves: Record<CircuitState, readonly CircuitState[]> = {
  closed: ['open'],
  open: ['half_open'],
  half_open: ['open', 'closed'],
}

/**
 * The circuit breaker of one connector. `closed`: all operations are admitted. `open`: none is, because the operator
 * did not answer. `half_open`: one at a time is, the probe. Times in milliseconds of one monotonic clock.
 */
export type Circuit = {
  readonly state: CircuitState
  /** When it opened. */
  readonly opened_at: number
  /** Consecutive bad sends up to now. */
  readonly in_a_row: number
  /** The sends of the last minute, counted by the second. */
  readonly seconds: readonly { readonly second: number; readonly good: number; readonly bad: number }[]
  /** The operation that is the probe now. */
  readonly probe: { readonly operation: string; readonly since: number } | null
  /** Good probes since it opened. */
  readonly proven: number
}

/** The circuit of a connector without sends. */
export const closedCircuit: Circuit = {
  state: 'closed',
  opened_at: 0,
  in_a_row: 0,
  seconds: [],
  probe: null,
  proven: 0,
}

/** Whether the connector may be given an operation now. The probe itself may, in case it is begun twice. Pure. */
export function admits({ state, opened_at, probe }: Circuit, operation: string, now: number): boolean {
  if (state === 'closed') return true
  if (state === 'open') return now - opened_at >= REST_MS
  return probe === null || probe.operation === operation || now - probe.since >= PROBE_MS
}

/** The circuit after the sending of an operation began. Unless the circuit is closed, an admitted operation becomes the probe. Pure. */
export function afterBeginning(circuit: Circuit, operation: string, now: number): Circuit {
  if (circuit.state === 'closed' || !admits(circuit, operation, now)) return circuit
  const tried = circuit.state === 'open' ? moved(circuit, 'half_open') : circuit
  return { ...tried, probe: { operation, since: now } }
}

/** The circuit after a send ended. Unless the circuit is closed, only the probe counts: other sends left before it opened. Pure. */
export function afterSend(circuit: Circuit, operation: string, isGood: boolean, now: number): Circuit {
  if (circuit.state === 'closed') return afterSendWhileClosed(circuit, isGood, now)
  if (circuit.state === 'open' || circuit.probe?.operation !== operation) return circuit
  if (!isGood) return opened(circuit, now)
  const proven = circuit.proven + 1
  if (proven >= PROBES) return { ...closedCircuit, state: moved(circuit, 'closed').state }
  return { ...circuit, probe: null, proven }
}

/** Whether a send was good: the operator answered anything other than that it is unavailable. Pure. */
export function isGoodSend(answer: Answer): boolean {
  if (answer.kind === 'refused') return answer.failure_code !== 'operator_unavailable'
  return answer.kind !== 'unknown' && answer.kind !== 'not_sent'
}

/** The circuit after an operation was not begun after all. Another may then be the probe. Pure. */
export function afterUndoing(circuit: Circuit, operation: string): Circuit {
  return circuit.probe?.operation === operation ? { ...circuit, probe: null } : circuit
}

/** The time until which a circuit admits nothing new, on the clock of its times; null when it admits an operation now. Pure. */
function refusesUntil({ state, opened_at, probe }: Circuit, now: number): number | null {
  const until = state === 'open' ? opened_at + REST_MS : probe === null ? null : probe.since + PROBE_MS
  return until !== null && until > now ? until : null
}

/** The circuits of all connectors, by name. */
export type Circuits = {
  admits(connector: string, operation: string): boolean
  /** Whether the operator did not answer the last send. It may be down, although too few sends have failed to open the circuit. */
  isSilent(connector: string): boolean
  /** Whether the operator answered the last send. False before the first: a process that has just started does not know. */
  hasAnswered(connector: string): boolean
  began(connector: string, operation: string): void
  /** Reports that an operation was not begun after all, with any connector. */
  undone(operation: string): void
  ended(connector: string, operation: string, answer: Answer): void
}

/**
 * A connector whose circuit admits nothing new, for `ms` milliseconds. `until` is the end of that time on the process's
 * monotonic clock.
 */
export type Refusing = { connector: string; until: number; ms: number }

/** The circuits of a process that sends. They learn from its own sends. */
export type LearningCircuits = Circuits & { refusing(): Refusing[] }

/**
 * Creates the circuits of a process that sends, all closed.
 * @param now milliseconds of a monotonic clock
 */
export function createCircuits(
  log: Pick<Log, 'warn' | 'info'>,
  now: () => number = () => performance.now(),
): LearningCircuits {
  const circuits = new Map<string, Circuit>()
  const answering = new Set<string>()
  const circuitOf = (connector: string) => circuits.get(connector) ?? closedCircuit

  function become(connector: string, circuit: Circuit): void {
    const before = circuitOf(connector).state
    circuits.set(connector, circuit)
    if (circuit.state === before) return
    if (circuit.state === 'open')
      log.warn({ connector }, 'operators: circuit opened, nothing new is sent there for now')
    if (circuit.state === 'closed') log.info({ connector }, 'operators: circuit closed, the operator answers again')
  }

  return {
    admits: (connector, operation) => admits(circuitOf(connector), operation, now()),
    isSilent(connector) {
      const { state, in_a_row } = circuitOf(connector)
      return state !== 'closed' || in_a_row > 0
    },
    hasAnswered: (connector) => answering.has(connector),
    began: (connector, operation) => become(connector, afterBeginning(circuitOf(connector), operation, now())),
    undone(operation) {
      for (const [connector, circuit] of circuits) circuits.set(connector, afterUndoing(circuit, operation))
    },
    refusing: () =>
      [...circuits].flatMap(([connector, circuit]) => {
        const until = refusesUntil(circuit, now())
        return until === null ? [] : [{ connector, until, ms: until - now() }]
      }),
    ended(connector, operation, answer) {
      const isGood = isGoodSend(answer)
      if (isGood) answering.add(connector)
      else answering.delete(connector)
      become(connector, afterSend(circuitOf(connector), operation, isGood, now()))
    },
  }
}

function afterSendWhileClosed(circuit: Circuit, isGood: boolean, now: number): Circuit {
  const in_a_row = isGood ? 0 : circuit.in_a_row + 1
  const counted = { ...circuit, in_a_row, seconds: withSend(circuit.seconds, isGood, now) }
  const good = sumOf(counted.seconds, 'good')
  const bad = sumOf(counted.seconds, 'bad')
  const half = good + bad >= ENOUGH && bad >= good
  return in_a_row >= IN_A_ROW || half ? opened(counted, now) : counted
}

function withSend(seconds: Circuit['seconds'], isGood: boolean, now: number): Circuit['seconds'] {
  const second = Math.floor(now / 1_000)
  const kept = seconds.filter((one) => one.second > second - WINDOW_MS / 1_000)
  const last = kept.at(-1)?.second === second ? kept.pop()! : { second, good: 0, bad: 0 }
  kept.push({ second, good: last.good + (isGood ? 1 : 0), bad: last.bad + (isGood ? 0 : 1) })
  return kept
}

function sumOf(seconds: Circuit['seconds'], kind: 'good' | 'bad'): number {
  return seconds.reduce((sum, one) => sum + one[kind], 0)
}

function opened(circuit: Circuit, now: number): Circuit {
  return { ...closedCircuit, state: moved(circuit, 'open').state, opened_at: now }
}

function moved(circuit: Circuit, to: CircuitState): Circuit {
  assert.ok(moves[circuit.state].includes(to), `A circuit goes from ${circuit.state} to ${to} never.`)
  return { ...circuit, state: to }
}
