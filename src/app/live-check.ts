import { connect } from 'node:tls'
import { listMerchants } from '../merchants/find-merchants.ts'
import { hasHeardFrom } from '../operators/callbacks/callback-store.ts'
import { type Checked, checkConnector } from '../operators/contracts/check-connector.ts'
import { listConnectors, showConnector } from '../operators/contracts/find-connectors.ts'
import { listRoutes } from '../operators/contracts/find-routes.ts'
import type { Surroundings } from '../operators/contracts/open-connector.ts'
import { type FloatWarning, readAccepted, readNewest } from '../operators/float/float-store.ts'
import { isLoopback } from '../operators/operator-api/operator-http.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { operatorCodes, operatorNames } from '../values/operators.ts'

/** `missing`: live mode does not work without it. `note`: it does, and a person should know. */
export type LiveFinding = { subject: string; status: 'ok' | 'missing' | 'note'; message: string }

type Dependencies = { sql: Sql; surroundings: Surroundings; config: Settings }
type Settings = Pick<Config, 'public_url' | 'trust_proxy' | 'rate_per_key' | 'rate_per_address'>

/** Milliseconds that the machine's clock may differ from the database's. */
const CLOCK_MS_MAX = 2_000
/** Milliseconds to wait for the certificate. */
const CERTIFICATE_MS = 5_000
/** Days that a certificate should still be good for. */
const CERTIFICATE_DAYS = 14
/** Merchants that are looked at. */
const MERCHANTS_MAX = 200

/** Goes through everything that live mode needs, and says of each thing how it stands, in one sentence. */
export async function checkLive(deps: Dependencies): Promise<LiveFinding[]> {
  const findings = await Promise.all([
    connectorFindings(deps),
    routeFindings(deps.sql),
    addressFindings(deps.config),
    rateFinding(deps.config),
    clockFinding(deps.sql),
    feeFindings(deps.sql),
  ])
  return findings.flat()
}

async function connectorFindings({ sql, surroundings }: Dependencies): Promise<LiveFinding[]> {
  const live = (await listConnectors(sql)).filter(({ livemode, removed_at }) => livemode && removed_at === null)
  if (live.length === 0) {
    return [missing('live connectors', 'No operator is connected in live mode. bandama connector set connects one.')]
  }
  const findings = await Promise.all(
    live.map(async ({ name }): Promise<LiveFinding[]> => {
      const subject = `connector ${name}`
      const shown = (await showConnector(sql, surroundings, name))!
      const checked = await checkConnector(sql, surroundings, name)
      return [
        settingsFinding(subject, checked),
        ...twinFindings(subject, shown.settings),
        ...chargeFindings(name, shown.settings),
        ...(await callbackFindings(sql, name, shown.callback_url)),
        ...(await floatFindings(sql, name)),
      ]
    }),
  )
  return findings.flat()
}

function settingsFinding(subject: string, checked: Checked): LiveFinding {
  if (checked.kind === 'fails') return missing(subject, checked.problem)
  if (checked.kind === 'works') return ok(subject, 'Its operator takes its settings.')
  return note(subject, 'Its operator has no call that proves its settings and moves nothing.')
}

function twinFindings(subject: string, settings: Record<string, unknown>): LiveFinding[] {
  const addresses = Object.entries(settings).filter(([key]) => /(?:^|\.)base_url$/.test(key))
  const here = addresses.some(([, url]) => isLoopback(new URL(String(url)).hostname))
  return here
    ? [missing(subject, 'Its base_url is an address of this machine, such as a twin: no real money moves.')]
    : []
}

function chargeFindings(name: string, settings: Record<string, unknown>): LiveFinding[] {
  if (Object.keys(settings).some((key) => key.startsWith('charges.'))) return []
  const told = 'Its settings hold no charges: what its operator takes is booked only where its answers state it.'
  return [note(`charges of ${name}`, told)]
}

const floatWarnings: Record<FloatWarning, string> = {
  below_floor: 'Less is left than float_floor asks for: bring money to the operator before payouts fail.',
  runs_out: 'It will not last for the hours of float_hours, as the last 24 hours went: bring money to the operator.',
  differs:
    'It is not what the orders and charges since the last accepted balance make it: bandama connector balance shows both.',
}

const neverAccepted =
  'None was accepted yet, so that nobody sees when it differs: bandama connector balance --accept reckons from it.'

/** The balance that the operator told last. */
async function floatFindings(sql: Sql, name: string): Promise<LiveFinding[]> {
  const [newest] = await readNewest(sql, name)
  if (newest === undefined) return []
  const messages = newest.warnings.map((warning) => floatWarnings[warning])
  if ((await readAccepted(sql, name)) === null) messages.push(neverAccepted)
  return messages.map((message) => note(`balance of ${name}`, message))
}

async function callbackFindings(sql: Sql, name: string, callback_url: string | null): Promise<LiveFinding[]> {
  if (callback_url === null) return []
  const subject = `callbacks of ${name}`
  return (await hasHeardFrom(sql, name))
    ? [ok(subject, 'Its operator has called, and was understood.')]
    : [note(subject, `Not proven until its operator calls for the first time. It should call ${callback_url}`)]
}

async function routeFindings(sql: Sql): Promise<LiveFinding[]> {
  const routes = (await listRoutes(sql, true)).filter(({ merchant_id }) => merchant_id === null)
  const leads = (operator: string, direction: string) =>
    routes.some((route) => route.operator === operator && route.direction === direction)
  const findings = operatorCodes.map((code): LiveFinding => {
    const [collects, pays] = [leads(code, 'collect'), leads(code, 'payout')]
    const subject = `routes of ${code}`
    const name = operatorNames[code]
    if (collects && pays) return ok(subject, `${name} collects and pays out.`)
    if (collects) return note(subject, `${name} collects; nobody can be paid through it.`)
    if (pays) return note(subject, `${name} pays out; nobody can pay through it.`)
    return note(subject, `No route leads to ${name}: its customers can neither pay nor be paid.`)
  })
  const none = missing('live routes', 'No route leads anywhere in live mode. bandama route set makes one.')
  return routes.some(({ direction }) => direction !== 'refund') ? findings : [none]
}

async function addressFindings({ public_url }: Settings): Promise<LiveFinding[]> {
  const subject = 'PUBLIC_URL'
  if (public_url === null) {
    return [missing(subject, 'It is not set: payers and operators cannot be told where this service is.')]
  }
  const url = new URL(public_url)
  if (url.protocol !== 'https:') return [missing(subject, 'It does not begin with https://.')]
  return [ok(subject, `It is ${url.origin}.`), await certificateFinding(url)]
}

/** The certificate as a payer's browser would judge it, from this machine. */
async function certificateFinding({ hostname, port }: URL): Promise<LiveFinding> {
  const subject = 'certificate'
  const host = hostname.replace(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<LiveFinding>()
  const socket = connect({ host, port: Number(port || 443), ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }) })
  socket.setTimeout(CERTIFICATE_MS, () => resolve(missing(subject, `${hostname} did not answer within 5 seconds.`)))
  socket.once('error', (error: NodeJS.ErrnoException) =>
    resolve(
      missing(subject, `${hostname} cannot be reached safely from here (${error.code ?? 'no reason is given'}).`),
    ),
  )
  socket.once('secureConnect', () => {
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - machineMilliseconds()) / 86_400_000)
    const message = `It is good for ${days} more days.`
    resolve(days < CERTIFICATE_DAYS ? note(subject, message) : ok(subject, message))
  })
  return promise.finally(() => socket.destroy())
}

/** TLS ends in a proxy: without its address every caller has that, and all of them share the rate of one. */
function rateFinding({ public_url, trust_proxy, rate_per_key, rate_per_address }: Settings): LiveFinding {
  const rates = `a key may call ${rate_per_key} times a minute and an address ${rate_per_address} times`
  return public_url?.startsWith('https:') && trust_proxy.length === 0
    ? note('rates', `TRUST_PROXY is empty: behind a proxy all callers are one address, and ${rates}.`)
    : ok('rates', `${rates[0]!.toUpperCase()}${rates.slice(1)}.`)
}

async function clockFinding(sql: Sql): Promise<LiveFinding> {
  const before = machineMilliseconds()
  const [row] = await sql<{ milliseconds: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as milliseconds`
  const after = machineMilliseconds()
  const off = Math.round(Math.abs(row!.milliseconds - (before + after) / 2))
  return off - (after - before) > CLOCK_MS_MAX
    ? missing('clock', `This machine's clock and the database's differ by ${off} ms: signatures would be refused.`)
    : ok('clock', "This machine's clock agrees with the database's.")
}

async function feeFindings(sql: Sql): Promise<LiveFinding[]> {
  const { rows } = await listMerchants(sql, { limit: MERCHANTS_MAX, after: null })
  const free = rows.filter(({ active, fees }) => active && fees.length === 0)
  if (free.length === 0) return [ok('fees', 'Every merchant that may operate has fees.')]
  const names = free.slice(0, 5).map(({ merchant_id }) => merchant_id)
  const all = free.length > names.length ? `${names.join(', ')} and others` : names.join(', ')
  return [missing('fees', `Nothing is charged to merchant ${all}. bandama fees set says what is, also that it is 0.`)]
}

function ok(subject: string, message: string): LiveFinding {
  return { subject, status: 'ok', message }
}

function note(subject: string, message: string): LiveFinding {
  return { subject, status: 'note', message }
}

function missing(subject: string, message: string): LiveFinding {
  return { subject, status: 'missing', message }
}
