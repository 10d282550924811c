import { checkLive } from '../../app/live-check.ts'
import type { LiveFinding } from '../../app/live-finding.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import { connectorDeps } from './connector.ts'

const liveCheck = defineCommand({
  name: 'live check',
  summary: 'Check everything that live mode needs; the exit code is 1 when something is missing',
  details:
    'It checks connectors with their settings, charges, balances and callbacks, routes, PUBLIC_URL and its certificate from this machine, the clock, ' +
    "the database's collation, the age of the newest backup, " +
    'fees and rate limits. It changes no settings and moves no money.',
  options: {},
  async run(context, _, { json }) {
    const found = await checkLive({ ...(await connectorDeps(context)), config: context.config })
    const checks = found.map(inEnglish)
    const lacking = checks.filter(({ status }) => status === 'missing')
    const ready = lacking.length === 0
    const answer = json ? { ready, checks } : { ready, ...inSentences(checks) }
    if (lacking.length > 0) {
      const subjects = new Set(lacking.map(({ subject }) => subject))
      throw new CommandError(`Live mode is not ready: ${[...subjects].join(', ')}.`, 1, answer)
    }
    return answer
  },
})

/** A finding in the command's answer. The page of the desk has the same in both languages. */
type Told = { subject: string; status: LiveFinding['status']; message: string }

function inEnglish({ subject, status, message }: LiveFinding): Told {
  return { subject: subject[1], status, message: message[1] }
}

/** Writes one line for each finding; a requirement may have several. */
function inSentences(checks: readonly Told[]) {
  const of = (wanted: LiveFinding['status']) =>
    checks.filter(({ status }) => status === wanted).map(({ subject, message }) => `${subject}: ${message}`)
  return { missing: of('missing'), notes: of('note'), ok: of('ok') }
}

export const commands: readonly Command[] = [liveCheck]
