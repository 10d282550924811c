import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSurroundings } from '../../app/contracts.ts'
import { checkConnector, readConnectorBalance } from '../../operators/contracts/check-connector.ts'
import { readTerms } from '../../operators/contracts/connector-store.ts'
import { connectorTypes } from '../../operators/contracts/connector-types.ts'
import { IN_FORCE_MS } from '../../operators/contracts/contract-directory.ts'
import { decideConnector, withdrawConnector } from '../../operators/contracts/decide-connector.ts'
import { type ListedConnector, listConnectors, showConnector } from '../../operators/contracts/find-connectors.ts'
import { removeConnector } from '../../operators/contracts/remove-connector.ts'
import { setConnector } from '../../operators/contracts/set-connector.ts'
import { acceptBalance } from '../../operators/float/accept-balance.ts'
import { askBalance } from '../../operators/float/ask-balance.ts'
import { warningsOf } from '../../operators/float/connector-warnings.ts'
import { type FloatRow, readAccepted, readBalance, readNewest } from '../../operators/float/float-store.ts'
import { hasOpenOrders } from '../../operators/store.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readTime } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { serviceOrigin } from '../service-origin.ts'
import { viewProposal } from '../view-proposal.ts'

/** Most bytes of settings: enough for a dozen keys in PEM. */
const SETTINGS_BYTES_MAX = 65_536

const name = {
  kind: 'needed',
  value: 'NAME',
  says: 'the connector, as connector list shows it',
  sample: 'pawapay-main',
} as const

/** The settings of each command, by its options: its question and its act read them, and standard input is read once. */
const readOnce = new WeakMap<object, Promise<Buffer>>()

const connectorSet = actCommand(setConnector, {
  details:
    'The settings are one flat JSON object, read from a file or from standard input, and never from the command line, so that they do not get into the ' +
    "shell's history. They are encrypted in the database and shown masked. The command returns when every process uses them. Replaced settings still verify " +
    "the operator's callbacks for 24 hours. An account that another connector of the same mode uses is refused. In live mode a signed-in person's new " +
    'connector, or another address or account of one, waits for a second person.',
  async deps(context, _, given) {
    const settings = readOnce.get(given) ?? readSettings(given.settings as string)
    readOnce.set(given, settings)
    return { ...(await connectorDeps(context)), settings: await settings, digest: null }
  },
  instead: {
    options: {
      name: { ...name, says: 'its permanent name: lower-case letters, digits, - and _' },
      type: { kind: 'needed', says: 'the kind of connector', choices: connectorTypes.map(({ type }) => type) },
      mode: 'needed',
      settings: {
        kind: 'needed',
        value: 'FILE',
        says: 'the file with its settings; - reads standard input',
        sample: 'pawapay.json',
      },
    },
    typed: (given) => given as Record<string, string | undefined>,
  },
  async answer(made, context) {
    if ('proposal_id' in made) return made
    const { name, type, livemode, generation, warning } = made
    if (warning !== null) context.advise(`Warning: ${warning[1]}`)
    context.advise(`bandama connector check --name ${name} checks the settings by a call that moves no money.`)
    const { sql, surroundings } = await connectorDeps(context)
    const shown = await showConnector(sql, surroundings, name)
    await sleep(IN_FORCE_MS)
    const told = warning === null ? {} : { warning: warning[1] }
    const mode = livemode ? 'live' : 'test'
    return { name, type, mode, generation, callback_url: shown!.callback_url, ...told }
  },
  advice: (made) =>
    'proposal_id' in made
      ? `Another person confirms it on the desk, or with bandama connector approve --id ${made.proposal_id}.`
      : null,
})

const decided = { deps: connectorDeps, answer: viewProposal }
const connectorApprove = actCommand(decideConnector.approve, decided)
const connectorRefuse = actCommand(decideConnector.refuse, decided)
const connectorWithdraw = actCommand(withdrawConnector, decided)

const connectorList = defineCommand({
  name: 'connector list',
  summary: 'Show the connectors, removed ones last',
  options: {},
  table: {
    rows: 'connectors',
    columns: ['name', 'type', 'mode', 'generation', 'balance', 'warnings', 'changed_at', 'changed_by', 'removed_at'],
    empty: 'There are no connectors yet: bandama connector set makes one.',
  },
  async run(context) {
    const sql = await context.sql()
    const floats = new Map((await readNewest(sql)).map((row) => [row.connector, row]))
    const connectors = (await listConnectors(sql)).map((row) => {
      const float = floats.get(row.name)
      const told = {
        balance: float?.amount ?? null,
        balance_asked_at: float?.asked_at ?? null,
        warnings: warningsOf(row, float ?? null),
      }
      return { ...withMode(row), ...told }
    })
    return { connectors }
  },
})

const connectorShow = defineCommand({
  name: 'connector show',
  summary: "Show a connector with its settings, their secrets masked, and the address for its operator's callbacks",
  options: { name },
  async run(context, { name }) {
    const { sql, surroundings } = await connectorDeps(context)
    const shown = await showConnector(sql, surroundings, name)
    if (shown === null) throw unknown(name)
    return withMode({ ...shown, warning: shown.warning?.[1] ?? null, problem: shown.problem?.[1] ?? null })
  },
})

const connectorCheck = defineCommand({
  name: 'connector check',
  summary: 'Check the settings of a connector by a call that moves no money; the exit code is 1 when it fails',
  options: { name },
  async run(context, { name }) {
    const { sql, surroundings } = await connectorDeps(context)
    const checked = await checkConnector(sql, surroundings, name)
    if (checked.kind === 'refused') throw unknown(name)
    if (checked.kind === 'fails') throw new CommandError(checked.problem[1], 1, { name, works: false })
    if (checked.kind === 'works') {
      if (checked.unproven !== undefined) context.advise(checked.unproven[1])
      return { name, works: true }
    }
    context.advise('This operator has no call to check the settings. Its first payment will show whether they work.')
    return { name, works: null }
  },
})

const connectorRemove = actCommand(removeConnector, {
  details:
    'The service keeps its encrypted settings, and still refunds its payments through it. connector set restores it.',
  async deps(context) {
    const sql = await context.sql()
    return { hasOpenOrders: (of: string) => hasOpenOrders(sql, of) }
  },
  instead: { options: { name }, typed: () => ({}) },
  answer: (removed) => removed,
})

const balanceAccept = actCommand(acceptBalance, {
  name: 'connector balance',
  instead: {
    options: { name },
    typed: ({ accept }) => ({ asked_at: readTime('accept', String(accept)).toISOString() }),
  },
  async answer({ connector, asked_at }, context) {
    const row = (await readBalance(await context.sql(), { connector, asked_at }))!
    return viewBalance(row, row)
  },
})

const balanceAsk = defineCommand({
  name: 'connector balance',
  summary: 'Ask an operator for our balance, and compare it with the expected one',
  options: { name, as: 'optional' },
  async run(context, { name }) {
    const { sql, surroundings } = await connectorDeps(context)
    if (!(await listConnectors(sql)).some((one) => one.name === name)) throw unknown(name)
    const terms = (await readTerms(sql, name)) ?? {}
    const asked = await askBalance(sql, name, terms, () => readConnectorBalance(sql, surroundings, name))
    if (asked.kind === 'refused') throw unknown(name)
    if (asked.kind === 'fails') throw new CommandError(asked.problem[1])
    if (asked.kind === 'not_offered') throw new CommandError(`The operator of ${name} does not report a balance.`)
    const { balance, row } = asked
    if (row === null) return { name, ...balance, asked_at: context.clock.now().toISOString() }
    const accepted = await readAccepted(sql, name)
    if (accepted === null)
      context.advise(
        `There is no expected balance yet. --accept ${row.asked_at.toISOString()} makes this balance the starting point.`,
      )
    return viewBalance(row, accepted)
  },
})

type Accepting = { readonly accept?: string }

/** Asks for a balance, or with `--accept` accepts one that was read. */
const connectorBalance: Command = {
  ...balanceAccept,
  summary: balanceAsk.summary,
  details:
    'The expected balance is the last accepted one, plus the orders and charges since. It is a range while orders are in flight. --accept ' +
    'makes a balance that you were shown the new starting point, once you know why it differs, for example after a top-up: give its ' +
    'asked_at. The operator is not asked again. Accept a balance with little in flight: the range never becomes narrower than it is at ' +
    'that time.',
  right: ({ accept }: Accepting) => (accept === undefined ? null : acceptBalance.right),
  fresh: ({ accept }: Accepting) => accept !== undefined,
  options: {
    name,
    accept: {
      kind: 'optional',
      value: 'TIME',
      says: 'make the balance with this asked_at the new starting point',
      sample: '2027-01-01T09:30:00.123Z',
    },
    as: 'optional',
    code: 'optional',
  },
  run: (context, given: never, output) =>
    ((given as Accepting).accept === undefined ? balanceAsk : balanceAccept).run(context, given, output),
}

/** A balance as the command shows it, with the one from which it was expected. */
function viewBalance(
  { connector: name, amount, ...row }: Omit<FloatRow, 'accepted_by' | 'accepted_at'>,
  accepted: FloatRow | null,
): object {
  const { asked_at, expected_from, expected_to, difference, in_flight, held, outflow_of_a_day, warnings } = row
  const compared = { asked_at, in_flight, held, outflow_of_a_day, expected_from, expected_to, difference, warnings }
  const reckoned = accepted && { amount: accepted.amount, asked_at: accepted.asked_at, by: accepted.accepted_by }
  return { name, amount, currency: 'XOF', ...compared, accepted: reckoned }
}

/** The dependencies for opening contracts. */
export async function connectorDeps(context: CommandContext) {
  const origin = await serviceOrigin(context)
  const { config } = context
  const surroundings = createSurroundings({
    secretKey: await context.secretKey(),
    origin: { get: () => origin },
    config,
  })
  return { sql: await context.sql(), surroundings }
}

function unknown(name: string): CommandError {
  return new CommandError(`There is no connector ${name}. bandama connector list shows them.`)
}

function withMode<Row extends Pick<ListedConnector, 'livemode'>>({ livemode, ...row }: Row) {
  return { ...row, mode: livemode ? 'live' : 'test' }
}

async function readSettings(path: string): Promise<Buffer> {
  const file = path === '-' ? null : await open(path, 'r')
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of file === null ? process.stdin : file.createReadStream({ autoClose: false })) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > SETTINGS_BYTES_MAX) throw new CommandError(`The settings have more than ${SETTINGS_BYTES_MAX} bytes.`)
    }
    return Buffer.concat(chunks)
  } finally {
    await file?.close()
  }
}

export const commands: readonly Command[] = [
  connectorSet,
  connectorApprove,
  connectorRefuse,
  connectorWithdraw,
  connectorList,
  connectorShow,
  connectorCheck,
  connectorRemove,
  connectorBalance,
]
