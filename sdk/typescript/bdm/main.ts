import { parseArgs } from 'node:util'
import { version } from '../src/home.ts'
import { type Connection, connect } from './connect.ts'
import { doctor } from './doctor.ts'
import { forward, isTaken, receiverAt, remedyOf } from './forward.ts'
import { listen } from './listen.ts'
import { login } from './login.ts'
import { tailLogs } from './logs.ts'
import { confirmLive, put, putOne, say } from './print.ts'
import { type Profile, readProfile } from './profile.ts'
import { create, get, list, made, verify } from './read.ts'
import { Sentence, sentenceOf } from './sentence.ts'
import { trigger } from './trigger.ts'

const USAGE = `bdm ${version}: an instance and your program, from a terminal.

  bdm login [--url URL]                      keeps an address and a key
  bdm listen --forward-to URL [--from last|now|begin|CURSOR|MOMENT] [--skip evt_…]
                                             hands each event, signed, to your receiver
  bdm trigger payment.failed [--amount N]    makes the test payment that ends so
  bdm logs tail                              shows your requests as they are answered
  bdm get ID                                 reads a resource
  bdm list payments [status=failed …] [--limit N]
  bdm create payment amount=10000 counterparty.msisdn=0700000000 [--key K] [--yes]
  bdm replay evt_… [--forward-to URL]        sends an event again, or hands it to your receiver
  bdm verify --signature t=…,v1=… [FILE]     checks a webhook with WEBHOOK_SECRET, or the secret of listen
  bdm doctor [--live] [--forward-to URL]     checks clock, key, mode, receiver and signature

With each: --profile NAME, --json, --jsonl.`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const common = { profile: text, json: flag, jsonl: flag, help: { type: 'boolean', short: 'h' } } as const

/** The options of each command, besides those of all. */
const options = {
  login: { url: text },
  listen: { 'forward-to': text, from: text, skip: text },
  trigger: { amount: text },
  logs: {},
  get: {},
  list: { limit: text },
  create: { key: text, yes: flag },
  replay: { 'forward-to': text, yes: flag },
  verify: { signature: text },
  doctor: { live: flag, 'forward-to': text },
} as const

type Given = { [Name in 'json' | 'jsonl' | 'live' | 'yes']?: boolean } & {
  [Name in 'profile' | 'url' | 'forward-to' | 'from' | 'skip' | 'amount' | 'limit' | 'key' | 'signature']?: string
}
type Run = {
  words: string[]
  given: Given
  profile: Profile
  connection: Connection
  signal: AbortSignal
}

/** The commands that need a login. */
const commands: Readonly<Record<Exclude<keyof typeof options, 'login'>, (run: Run) => Promise<void>>> = {
  listen: ({ profile, given, signal }) => listen(profile, given, signal),
  trigger: ({ connection, words, given }) => trigger(connection, words[0], given),
  async logs({ connection, words, given, signal }) {
    if (words[0] !== 'tail') throw new Sentence('bdm logs tail shows your requests as they are answered.')
    await tailLogs(connection, given, signal)
  },
  get: ({ connection, words, given }) => get(connection, words[0], given),
  list: ({ connection, words, given }) => list(connection, words, given),
  async create({ connection, words, given }) {
    if (!made.some((one) => one === words[0])) throw new Sentence(`Create what? One of ${made.join(', ')}.`)
    await confirmLive(connection.mode, `this ${words[0]}`, given.yes)
    await create(connection, words, given)
  },
  async replay({ profile, connection, words: [id], given }) {
    if (id === undefined) throw new Sentence('Which event? Such as bdm replay evt_….')
    if (given['forward-to'] === undefined) {
      putOne(await connection.client.events.replay(id), given)
      return
    }
    const url = receiverAt(given['forward-to'])
    const { deliveries: _, ...event } = (await connection.client.events.get(id)) as Record<string, unknown>
    const receiver = { url, secret: profile.secret, prefix: connection.seen.prefix }
    const answer = await forward(receiver, event as never)
    if (!isTaken(answer)) throw new Sentence(`${remedyOf(answer, url)}.`)
    put(`${event.type}  ${id}  ${answer.status}`)
  },
  verify: ({ profile, words, given }) => verify(process.env.WEBHOOK_SECRET ?? profile.secret, words[0], given),
  doctor: ({ profile, connection, given }) => doctor(profile, connection, given),
}

/** Runs one command. @returns its exit code: 0, 1 for a refusal, 2 for words that are no command */
async function run(argv: string[]): Promise<number> {
  const [name = '', ...rest] = argv
  if (name === '--version') {
    put(version)
    return 0
  }
  if (!Object.hasOwn(options, name)) {
    say(name === '' || name === 'help' || name === '--help' ? USAGE : `There is no command ${name}.\n\n${USAGE}`)
    return name === '' ? 2 : name.includes('help') ? 0 : 2
  }
  const command = name as keyof typeof options
  const parsed = parseArgs({ args: rest, options: { ...common, ...options[command] }, allowPositionals: true })
  const given = parsed.values as Given & { help?: boolean }
  if (given.help) {
    say(USAGE)
    return 0
  }
  const at = given.profile ?? 'default'
  if (command === 'login') await login(at, given)
  else {
    const profile = await readProfile(at)
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    const connection = connect(profile)
    await commands[command]({ words: parsed.positionals, given, profile, connection, signal: stop.signal })
  }
  return 0
}

// A reader that closes the pipe, such as head, ends the command.
process.stdout.on('error', () => process.exit(0))

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  const sentence = sentenceOf(error)
  if (sentence === null) throw error
  if ((error as { kind?: string }).kind !== 'aborted') say(sentence)
  process.exitCode = (error as { kind?: string }).kind === 'aborted' ? 0 : 1
}
