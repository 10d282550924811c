import type { Words } from '../console/say.ts'
import { listMerchants } from '../merchants/find-merchants.ts'
import { hasHeardFrom } from '../operators/callbacks/callback-store.ts'
import { type Checked, checkConnector } from '../operators/contracts/check-connector.ts'
import { listConnectors, showConnector } from '../operators/contracts/find-connectors.ts'
import { listRoutes } from '../operators/contracts/find-routes.ts'
import type { Surroundings } from '../operators/contracts/open-connector.ts'
import { type FloatWarning, readAccepted, readNewest } from '../operators/float/float-store.ts'
import { isLoopback } from '../operators/operator-api/operator-http.ts'
import type { Config } from '../platform/config.ts'
import { failureOfCode, failureSentences } from '../platform/egress/connection-failure.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { groupDigits } from '../values/group-digits.ts'
import { operatorCodes, operatorNames } from '../values/operators.ts'
import { readCertificate } from './certificate.ts'
import { type LiveFinding, missing, note, ok } from './live-finding.ts'
import { placeFindings } from './place-findings.ts'

type Dependencies = { sql: Sql; surroundings: Surroundings; config: Settings }
type Settings = Pick<
  Config,
  'public_url' | 'trust_proxy' | 'rate_per_key' | 'rate_per_address' | 'pages_per_address' | 'page_attempts_per_address'
>

/** Days for which a certificate should still be valid. */
const CERTIFICATE_DAYS = 14
/** Most merchants to check. */
const MERCHANTS_MAX = 200

/** Checks everything that live mode needs. Returns one sentence for each thing. */
export async function checkLive(deps: Dependencies): Promise<LiveFinding[]> {
  const findings = await Promise.all([
    connectorFindings(deps),
    routeFindings(deps.sql),
    addressFindings(deps.config),
    rateFinding(deps.config),
    payersFinding(deps.config),
    placeFindings(deps.sql),
    feeFindings(deps.sql),
  ])
  return findings.flat()
}

async function connectorFindings({ sql, surroundings }: Dependencies): Promise<LiveFinding[]> {
  const live = (await listConnectors(sql)).filter(({ livemode, removed_at }) => livemode && removed_at === null)
  if (live.length === 0) {
    return [
      missing(
        ['connecteurs réels', 'live connectors'],
        [
          'Aucun opérateur n’est relié en réel.',
          'No operator is connected in live mode. bandama connector set connects one.',
        ],
        '/connectors',
      ),
    ]
  }
  const findings = await Promise.all(
    live.map(async ({ name }): Promise<LiveFinding[]> => {
      const shown = (await showConnector(sql, surroundings, name))!
      const checked = await checkConnector(sql, surroundings, name)
      return [
        settingsFinding(name, checked),
        ...addressOfConnectorFindings(name, shown.settings),
        ...chargeFindings(name, shown.settings),
        ...(await callbackFindings(sql, name, shown.callback_url)),
        ...(await floatFindings(sql, name)),
      ]
    }),
  )
  return findings.flat()
}

function settingsFinding(name: string, checked: Checked): LiveFinding {
  const subject = connectorSubject(name)
  if (checked.kind === 'fails') {
    return missing(subject, checked.problem, pageOf(name))
  }
  if (checked.kind === 'works') {
    return checked.unproven === undefined
      ? ok(subject, ['Son opérateur accepte ses réglages.', 'Its operator accepts its settings.'], pageOf(name))
      : note(subject, checked.unproven, pageOf(name))
  }
  const words = [
    'Son opérateur n’a pas d’appel qui prouve ses réglages sans rien bouger.',
    'Its operator has no call that proves its settings and moves nothing.',
  ] as const
  return note(subject, words, pageOf(name))
}

function connectorSubject(name: string): Words {
  return [`connecteur ${name}`, `connector ${name}`]
}

function pageOf(name: string): string {
  return `/connectors/${name}`
}

function addressOfConnectorFindings(name: string, settings: Record<string, unknown>): LiveFinding[] {
  const addresses = Object.entries(settings)
    .filter(([key]) => /(?:^|\.)base_url$/.test(key))
    .map(([, url]) => new URL(String(url)))
  if (!addresses.some(({ hostname }) => isLoopback(hostname))) {
    if (addresses.every(({ protocol }) => protocol === 'https:')) return []
    const plain = [
      'Son base_url est en http:// : seul le VPN protège ses ordres. Vérifiez qu’il chiffre toute la ligne.',
      'Its base_url is http://: only the VPN protects its orders. Make sure that it encrypts the whole line.',
    ] as const
    return [note(connectorSubject(name), plain, pageOf(name))]
  }
  const words = [
    'Son base_url est une adresse de cette machine, comme celle d’un opérateur simulé : aucun argent réel ne bouge.',
    'Its base_url is an address of this machine, such as a twin: no real money moves.',
  ] as const
  return [missing(connectorSubject(name), words, pageOf(name))]
}

function chargeFindings(name: string, settings: Record<string, unknown>): LiveFinding[] {
  if (Object.keys(settings).some((key) => key.startsWith('charges.'))) return []
  const words = [
    'Ses réglages n’ont pas de frais : ce que l’opérateur prend n’est inscrit que si ses réponses le disent.',
    'Its settings hold no charges: what its operator takes is booked only where its answers state it.',
  ] as const
  return [note([`frais de ${name}`, `charges of ${name}`], words, pageOf(name))]
}

const floatWarnings: Record<FloatWarning, Words> = {
  below_floor: [
    'Il reste moins que float_floor ne demande : apportez de l’argent à l’opérateur avant que des envois échouent.',
    'Less is left than float_floor asks for: bring money to the operator before payouts fail.',
  ],
  runs_out: [
    'Au rythme des dernières 24 heures, il ne tiendra pas les heures de float_hours : apportez de l’argent à l’opérateur.',
    'It will not last for the hours of float_hours, as the last 24 hours went: bring money to the operator.',
  ],
  differs: [
    'Il n’est pas ce que les ordres et les frais en font depuis le dernier solde accepté : comparez les deux.',
    'It is not what the orders and charges since the last accepted balance make it: bandama connector balance shows both.',
  ],
}

const neverAccepted: Words = [
  'Aucun solde n’est encore accepté, et le service ne peut pas dire s’il est juste : acceptez-en un.',
  'No balance was accepted yet, so the service cannot tell whether it is right: bandama connector balance shows it, and how to accept it.',
]

/** The balance that the operator reported last. */
async function floatFindings(sql: Sql, name: string): Promise<LiveFinding[]> {
  const [newest] = await readNewest(sql, name)
  if (newest === undefined) return []
  const messages = newest.warnings.map((warning) => floatWarnings[warning])
  if ((await readAccepted(sql, name)) === null) messages.push(neverAccepted)
  return messages.map((message) => note([`solde de ${name}`, `balance of ${name}`], message, pageOf(name)))
}

async function callbackFindings(sql: Sql, name: string, callback_url: string | null): Promise<LiveFinding[]> {
  if (callback_url === null) return []
  const subject = [`appels de ${name}`, `callbacks of ${name}`] as const
  if (await hasHeardFrom(sql, name))
    return [
      ok(
        subject,
        ['Son opérateur a appelé, et a été compris.', 'Its operator has called, and was understood.'],
        pageOf(name),
      ),
    ]
  const words = [
    'Pas prouvé avant que son opérateur appelle pour la première fois. L’adresse à lui donner est sur la page du connecteur.',
    'Not proven until its operator calls for the first time. bandama connector show gives the address to enter there.',
  ] as const
  return [note(subject, words, pageOf(name))]
}

async function routeFindings(sql: Sql): Promise<LiveFinding[]> {
  const all = (await listRoutes(sql, true)).filter(({ direction }) => direction !== 'refund')
  const routes = all.filter(({ merchant_id }) => merchant_id === null)
  const leads = (operator: string, direction: string) =>
    routes.some((route) => route.operator === operator && route.direction === direction)
  const merchantsWith = (own: typeof all) => new Set(own.flatMap(({ merchant_id }) => merchant_id ?? [])).size
  const findings = operatorCodes.map((code): LiveFinding => {
    const [collects, pays] = [leads(code, 'collect'), leads(code, 'payout')]
    const subject = [`routes de ${code}`, `routes of ${code}`] as const
    const name = operatorNames[code]
    const tell = (told: typeof ok, french: string, english: string) =>
      told(subject, [`${name} ${french}`, `${name} ${english}`], '/connectors')
    if (collects && pays) return tell(ok, 'encaisse et envoie.', 'collects and pays out.')
    if (collects)
      return tell(note, 'encaisse ; personne ne peut être payé par lui.', 'collects; nobody can be paid through it.')
    if (pays) return tell(note, 'envoie ; personne ne peut payer par lui.', 'pays out; nobody can pay through it.')
    const few = merchantsWith(all.filter(({ operator }) => operator === code))
    if (few > 0)
      return tell(
        note,
        `n’a de route que pour certains marchands (${few}), et aucune pour les autres.`,
        `has a route for some merchants only (${few}), and none for the others.`,
      )
    const words = [
      `Aucune route ne mène à ${name} : ses clients ne peuvent ni payer ni être payés.`,
      `No route leads to ${name}: its customers can neither pay nor be paid.`,
    ] as const
    return note(subject, words, '/connectors')
  })
  const none = missing(
    ['routes réelles', 'live routes'],
    ['Aucune route ne mène nulle part en réel.', 'No route leads anywhere in live mode. bandama route set makes one.'],
    '/connectors',
  )
  return all.length > 0 ? findings : [none]
}

async function addressFindings({ public_url }: Settings): Promise<LiveFinding[]> {
  const subject = ['PUBLIC_URL', 'PUBLIC_URL'] as const
  if (public_url === null) {
    const words = [
      'Pas réglé : on ne peut pas dire aux payeurs et aux opérateurs où est ce service.',
      'It is not set: payers and operators cannot be told where this service is.',
    ] as const
    return [missing(subject, words)]
  }
  const url = new URL(public_url)
  if (url.protocol !== 'https:')
    return [missing(subject, ['Il ne commence pas par https://.', 'It does not begin with https://.'])]
  return [ok(subject, [`C’est ${url.origin}.`, `It is ${url.origin}.`]), await certificateFinding(url)]
}

/** Checks the certificate as a payer's browser would, from this machine. */
async function certificateFinding(url: URL): Promise<LiveFinding> {
  const subject = ['certificat', 'certificate'] as const
  const { hostname } = url
  const read = await readCertificate(url)
  if (read.kind === 'silent')
    return missing(subject, [
      `${hostname} n’a pas répondu en 5 secondes.`,
      `${hostname} did not answer within 5 seconds.`,
    ])
  if (read.kind === 'fails') {
    const { code } = read
    const [french, english] = failureSentences[failureOfCode(code)]
    return missing(subject, [
      `On ne peut pas joindre ${hostname} sûrement d’ici (${code || 'sans raison donnée'}). ${french}`,
      `${hostname} cannot be reached safely from here (${code || 'no reason is given'}). ${english}`,
    ])
  }
  const days = Math.floor(read.left_seconds / 86_400)
  const message = [`Il vaut encore ${days} jours.`, `It is good for ${days} more days.`] as const
  return days < CERTIFICATE_DAYS ? note(subject, message) : ok(subject, message)
}

/** Calls of a payer's phone in its first minute: the page, its script, the form, the operator's name, and thirteen looks while it waits. */
const CALLS_OF_A_PAYER = 20
/** Attempts of a payer in that minute: the second after a mistyped number. */
const ATTEMPTS_OF_A_PAYER = 2

/** The number of payers behind one address who can pay within one minute without a 429. A mobile network has thousands behind one address. */
function payersFinding({ pages_per_address, page_attempts_per_address }: Settings): LiveFinding {
  const ofCalls = pages_per_address / CALLS_OF_A_PAYER
  const payers = groupDigits(Math.floor(Math.min(ofCalls, page_attempts_per_address / ATTEMPTS_OF_A_PAYER)))
  return ok(
    ['payeurs', 'payers'],
    [
      `${payers} payeurs à la fois peuvent payer derrière une même adresse (PAGES_PER_ADDRESS, PAGE_ATTEMPTS_PER_ADDRESS).`,
      `${payers} payers at once can pay behind one address (PAGES_PER_ADDRESS, PAGE_ATTEMPTS_PER_ADDRESS).`,
    ],
  )
}

/**
 * TLS ends at a proxy. Without TRUST_PROXY every caller seems to have the proxy's address, and all share the rate of
 * one address.
 */
function rateFinding({ public_url, trust_proxy, rate_per_key, rate_per_address }: Settings): LiveFinding {
  const subject = ['limites d’appels', 'rates'] as const
  const rates = `a key may call ${groupDigits(rate_per_key)} times a minute and an address ${groupDigits(rate_per_address)} times`
  const french = `une clé peut appeler ${groupDigits(rate_per_key)} fois par minute et une adresse ${groupDigits(rate_per_address)} fois`
  const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`
  if (!public_url?.startsWith('https:') || trust_proxy.length > 0)
    return ok(subject, [sentence(french), sentence(rates)])
  return note(subject, [
    `TRUST_PROXY est vide : derrière un mandataire, tous les appelants sont une seule adresse, et ${french}.`,
    `TRUST_PROXY is empty: behind a proxy all callers are one address, and ${rates}.`,
  ])
}

async function feeFindings(sql: Sql): Promise<LiveFinding[]> {
  const subject = ['frais', 'fees'] as const
  const { rows } = await listMerchants(sql, { limit: MERCHANTS_MAX, after: null })
  const free = rows.filter(({ active, fees }) => active && fees.length === 0)
  if (free.length === 0)
    return [
      ok(subject, ['Chaque marchand actif a des frais.', 'Every merchant that may operate has fees.'], '/merchants'),
    ]
  const names = free.slice(0, 5).map(({ merchant_id }) => merchant_id)
  const [others, autres] = free.length > names.length ? [' and others', ' et d’autres'] : ['', '']
  const message = [
    `Rien n’est prélevé au marchand ${names.join(', ')}${autres}. Réglez ses frais, même à 0.`,
    `Nothing is charged to merchant ${names.join(', ')}${others}. Set the fees with bandama fees set, even to 0.`,
  ] as const
  return [missing(subject, message, free.length === 1 ? `/merchants/${names[0]}` : '/merchants')]
}
