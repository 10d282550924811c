import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performAct } from '../acts/perform.ts'
import { createKey } from '../api-keys/create-key.ts'
import { openAccounts } from '../ledger/open-accounts.ts'
import { createMerchant } from '../merchants/create-merchant.ts'
import { setFees } from '../merchants/set-fees.ts'
import { linkPath } from '../people/give-link.ts'
import { invitePerson } from '../people/invite-person.ts'
import { STAFF } from '../people/person.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, ConfigError } from '../platform/config.ts'
import { isLoopback } from '../platform/egress/address.ts'
import type { Egress } from '../platform/egress/post.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { SYSTEM } from '../values/actor.ts'
import { merchantRoles, type StaffRole, staffRoles } from '../values/rights.ts'
import type { Secret } from '../values/secret.ts'
import { createEndpoint } from '../webhooks/endpoints/create-endpoint.ts'
import { hasConsole, signInOrigin } from './public-origin.ts'

/** The content of `demo.json` in the data folder: all that a newcomer needs to try the service. */
export type Demo = {
  merchant_id: number
  keys: { collect_test: string; payout_test: string }
  /** The demo merchant's webhook endpoint, where `bandama listen` listens, and its signing secret. */
  endpoint: { endpoint_id: string; url: string; secret: string }
  /**
   * Paths of single-use links, by role; each creates a person with that role. Finance and administrators have a second one (`finance-2`), because
   * two people decide. Absent when other machines can reach the service.
   */
  people?: Readonly<Record<string, string>>
}

/**
 * Reads the demo of this data folder. Null when there is none.
 * @throws ConfigError when its file is damaged
 */
export async function readDemo(config: Config): Promise<Demo | null> {
  const text = await readFile(demoPath(config), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    const demo = JSON.parse(text) as Demo
    if (URL.canParse(demo.endpoint.url) && demo.endpoint.secret.length > 0) return demo
  } catch {}
  throw new ConfigError(
    `${demoPath(config)} is damaged: restore it, or remove it and the service makes another demo merchant at its next start.`,
  )
}

/** Returns the path of `demo.json` in the data folder. */
export function demoPath(config: Config): string {
  return join(config.data_dir, 'demo.json')
}

/**
 * Makes the demo merchant at the first start with a data folder: test keys, a commission of 1 % on collections, and an
 * endpoint on this machine. Null when the demo exists already, because keys are shown only once.
 */
export async function createDemo(deps: {
  config: Config
  sql: Sql
  clock: Clock
  secretKey: Secret
  egress: Egress
}): Promise<Demo | null> {
  const { config } = deps
  if ((await readDemo(config)) !== null) return null
  const named = { by: SYSTEM, within: {}, values: { name: 'Demo' } }
  const created = await performAct(createMerchant, { ...deps, openAccounts, is_checked: true }, named, null)
  if (created.kind !== 'done') throw new Error('The merchant of the demo was not made.')
  const { merchant_id } = created.result
  const tenant = { merchant_id, livemode: false }
  const key = async (scope: 'collect' | 'payout'): Promise<string> => {
    const call = { by: SYSTEM, tenant, within: {}, values: { name: null, scope, addresses: [] } }
    const made = await performAct(createKey, { ...deps, key_prefix: config.brand.key_prefix }, call, null)
    if (made.kind !== 'done') throw new Error('A key of the demo was not made.')
    return made.result.key.reveal()
  }
  const keys = { collect_test: await key('collect'), payout_test: await key('payout') }
  const one_percent = { percent: 100, fixed: 0, minimum: 0, maximum: null, bearer: 'merchant', from: null }
  const charged = { by: SYSTEM, merchant_id, within: {}, values: { service: 'collection', ...one_percent } }
  await performAct(setFees, { ...deps, unread: true }, charged, null)
  const url = `http://127.0.0.1:${portBeside(config)}/webhooks`
  // Nothing listens there yet, so a test delivery would fail.
  const target = await deps.egress.vet(url, false)
  const wanted = { by: SYSTEM, tenant, within: {}, values: { url, types: [] } }
  const endpoint = await performAct(createEndpoint, { ...deps, target, test: false }, wanted, null)
  if (endpoint.kind !== 'done') throw new Error('The endpoint of the demo was not made.')
  const { endpoint_id, secret } = endpoint.result
  const people = hasConsole(config) && isOfThisMachine(config) ? { people: await inviteEach(deps, merchant_id) } : {}
  const demo: Demo = { merchant_id, keys, endpoint: { endpoint_id, url, secret: secret.reveal() }, ...people }
  await mkdir(config.data_dir, { recursive: true })
  // Write beside it and rename, so that readers never see half a file. Only the owner may read it.
  await writeFile(`${demoPath(config)}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${demoPath(config)}.new`, demoPath(config))
  return demo
}

/** The roles of the staff whose decisions take two people of the same role. */
const inPairs: readonly StaffRole[] = ['finance', 'administrator']

/** Makes a link for each role of the demo merchant and of the staff, and two for roles in pairs. */
async function inviteEach(deps: { sql: Sql; clock: Clock }, merchant_id: number): Promise<Record<string, string>> {
  const wanted = [
    ...merchantRoles.map((role) => ({ merchant_id, role, name: role as string })),
    ...staffRoles.flatMap((role) => {
      const names = inPairs.includes(role) ? [role, `${role}-2`] : [role]
      return names.map((name) => ({ merchant_id: STAFF, role, name }))
    }),
  ]
  const paths: Record<string, string> = {}
  for (const { role, name, merchant_id } of wanted) {
    const person = { email: `${name}@demo.example`, name: `Demo ${name}`, merchant_id, roles: [role] }
    const invited = await invitePerson(deps, person, SYSTEM)
    if (invited.kind === 'refused' || invited.link === null) throw new Error(`The demo's ${role} was not invited.`)
    paths[name] = linkPath(invited.link)
  }
  return paths
}

/** Whether only this machine can reach the service. Otherwise the demo has no links. */
function isOfThisMachine({ host, public_url, console_url, staff_url }: Config): boolean {
  const urls = [public_url, console_url, staff_url].filter((url) => url !== null)
  const hosts = [host, ...urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))]
  return hosts.every((name) => name === 'localhost' || isLoopback(name))
}

/** The next port after ours that is not the metrics port. A fixed port when ours is chosen at each start. */
function portBeside({ port, metrics_port }: Config): number {
  if (port === 0) return 3_001
  // At the end of the range it takes the previous port.
  const step = port >= 65_533 ? -1 : 1
  return port + step === metrics_port ? port + 2 * step : port + step
}

/** The links of the demo's people, one for each line. */
function linksOf({ people }: Demo, address: string, config: Config): string {
  if (!hasConsole(config)) return ''
  if (people === undefined) {
    return '  Console            no links, because others than this machine reach this address: bin/bandama person invite\n'
  }
  const lines = Object.entries(people).map(([role, path]) => {
    const origin = signInOrigin(config, path.startsWith('/desk/'), config.public_url ?? address)
    return `  ${role.padEnd(18)} ${origin}${path}\n`
  })
  return `Links for one use, each to the console or the desk as a person with this role:\n${lines.join('')}`
}

/** The text after the first start: where to look, and three commands to paste. */
export function welcome(demo: Demo, address: string, config: Config): string {
  const post = (key: string, body: object) =>
    `curl -sS ${address}/v1-payments -H 'Authorization: Bearer ${demo.keys.collect_test}' ` +
    `-H 'Idempotency-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  const paid = { amount: 10_000, counterparty: { msisdn: '0700000000' } }
  const declined = { amount: 500, counterparty: { msisdn: '0700000002' } }
  return `
${config.brand.name} listens on ${address}
  Reference          ${address}/docs
  Collection key     ${demo.keys.collect_test}
  Payout key         ${demo.keys.payout_test}
  Webhook secret     ${demo.endpoint.secret}
  Webhooks go to     ${demo.endpoint.url}   (bin/bandama listen shows them)
${linksOf(demo, address, config)}These are shown once and kept in ${demoPath(config)}.

Try:
  P=$(${post('first-payment', paid)}); echo "$P"
  curl -sS ${address}/v1-payments/$(echo "$P" | grep -o 'txn_[0-9a-z]*' | head -1) -H 'Authorization: Bearer ${demo.keys.collect_test}'; echo
  ${post('declined-payment', declined)}; echo

The first asks a payer for 10 000 francs, the second reads that payment (it succeeds after a second), the third asks a
payer who declines.
`
}

/** The text after a later start on the same data: where to look again. */
export function welcomeBack({ merchant_id, people }: Demo, address: string, config: Config): string {
  const links =
    people === undefined
      ? ''
      : `  A new link for a person of the demo: bin/bandama person list --merchant ${merchant_id} (for the staff without --merchant) shows
  their id, and bin/bandama person reset --id per_… prints the link.
`
  return `
${config.brand.name} listens on ${address}, with the data of ${config.data_dir}
  Reference          ${address}/docs
  Keys and secrets   ${demoPath(config)}
  Webhooks           bin/bandama listen shows them
${links}`
}
