import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { Secret } from '../values/secret.ts'
import { isMailable } from './mail/mailable.ts'
import { asksForWrites, serversIn } from './postgres/servers/failover.ts'

/** An unusable setting. The message names the variable and its valid values, never the value itself. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Brand = {
  name: string
  /** The prefix of headers such as `Service-Request-Id`. Each also goes out as `Legacy-Request-Id`, with the same value. */
  header_prefix: string
  legacy_header_prefix: string
  /** Keys look like `bdm_sk_test_…`. */
  key_prefix: string
}

/** Every setting of the service, read once from the environment and validated. Amounts in francs; names state the unit of times. */
export type Config = ReturnType<typeof readConfig>

/**
 * Reads the settings.
 * @throws ConfigError with the name of the first unusable variable
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const read = reader(env)
  const database_url = read.database('DATABASE_URL')
  const embedded = database_url === null
  return {
    /** The URL of a PostgreSQL server. Null: the embedded server in `data_dir`. */
    database_url,
    /** The URL of a replica for reads. Null: reads use the database itself. */
    database_read_url: read.replica('DATABASE_READ_URL'),
    /** Whether merchants' rows are spread over machines, so that no transaction may write rows of two merchants. */
    sharded: read.flag('SHARDED', false),
    data_dir: read.text('DATA_DIR', '.data'),
    /** The settings folder of the user who types commands. Empty: `.config` in their home. */
    xdg_config_home: read.text('XDG_CONFIG_HOME', ''),
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 3000, 0, 65_535),
    public_url: read.url('PUBLIC_URL', ['http:', 'https:']),
    /** Whether this service serves the merchants' console and the staff's desk. */
    console: read.flag('CONSOLE', true),
    /** Separate addresses of the console and of the desk. Null: the address of the payers' pages. */
    console_url: read.url('CONSOLE_URL', ['http:', 'https:']),
    staff_url: read.url('STAFF_URL', ['http:', 'https:']),
    metrics_host: read.text('METRICS_HOST', '127.0.0.1'),
    metrics_port: read.integer('METRICS_PORT', 9464, 0, 65_535),
    redis_url: read.url('REDIS_URL', ['redis:', 'rediss:']),
    /** Addresses of the proxies in front, whose X-Forwarded-For the service trusts. Empty: none. */
    trust_proxy: read.blocks('TRUST_PROXY', ''),
    ...watchIn(read, read.flag('EGRESS_LOOPBACK_HTTP', false)),
    ...ratesIn(read),
    ...moneyIn(read),
    batch_wait_seconds: read.integer('BATCH_WAIT_SECONDS', 20, 0, 60),
    checkout_session_minutes: read.integer('CHECKOUT_SESSION_MINUTES', 30, 1, 10_080),
    /** The most guesses of page addresses from one IP address in a minute, and the most attempts to pay. */
    page_guesses_per_address: read.integer('PAGE_GUESSES_PER_ADDRESS', 20, 1),
    page_attempts_per_address: read.integer('PAGE_ATTEMPTS_PER_ADDRESS', 300, 1),
    /** The most tries to sign in to the console from one IP address in a minute, guesses of invitations included. */
    sign_ins_per_address: read.integer('SIGN_INS_PER_ADDRESS', 60, 1),
    /** Seconds after an operator's refusal of an order that it had accepted, at which the service looks at it again. */
    late_looks_seconds: read.ascending('LATE_LOOKS_SECONDS', '600,3600,21600,86400,259200', 2_592_000),
    ...retentionIn(read),
    ...backupsIn(read),
    /** Minutes between two reads of a connector's balance. 0: only people read it. */
    connector_balance_minutes: read.integer('CONNECTOR_BALANCE_MINUTES', 5, 0, 1_440),
    simulator_delay_ms: read.integer('SIMULATOR_DELAY_MS', 1_000, 0),
    /** Non-public address blocks that webhooks may reach. */
    egress_allow: read.blocks('EGRESS_ALLOW', embedded ? '127.0.0.0/8,::1/128' : ''),
    /** Whether webhooks of live mode may use plain http to this machine, if `egress_allow` contains it. */
    egress_loopback_http: read.flag('EGRESS_LOOPBACK_HTTP', false),
    /** A file of authorities in PEM that this process trusts beside the usual ones. Empty: none. */
    ca_file: read.text('CA_FILE', ''),
    /** The way of calls that leave the company's network, and the hosts that are inside of it. Null: they go directly. */
    proxy: proxyIn(read),
    /** IP addresses that connectors may call over plain http, because a VPN encrypts the line. */
    operator_http_allow: read.blocks('OPERATOR_HTTP_ALLOW', ''),
    log_level: read.choice('LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    /** Null: the first start creates the key in `data_dir`; only with the embedded server. */
    secret_key: secretKey(read.text('SECRET_KEY', ''), embedded),
    /** The mail server, and the sender's address. Null: the service sends no mail. */
    mail: mailIn(read),
    demo: read.flag('DEMO', embedded),
    /** Whether the service serves the routes that we added to the interface (`/x/`). */
    extensions: read.flag('EXTENSIONS', true),
    /** Whether the service gives out its own packages for merchants' programs (`/sdk`). Without the extensions it does not. */
    sdk: read.flag('SDK', true),
    brand: {
      name: read.matching('BRAND_NAME', 'Bandama', /^[\w -]{1,40}$/, '1 to 40 letters'),
      header_prefix: read.matching('BRAND_HEADER_PREFIX', 'Service', /^[A-Za-z]{1,20}$/, '1 to 20 letters'),
      legacy_header_prefix: read.matching(
        'BRAND_LEGACY_HEADER_PREFIX',
        'Legacy',
        /^[A-Za-z]{1,20}$/,
        '1 to 20 letters',
      ),
      key_prefix: read.matching('BRAND_KEY_PREFIX', 'bdm', /^[a-z]{2,8}$/, '2 to 8 small letters'),
    } satisfies Brand,
  }
}

type Reader = ReturnType<typeof reader>

/** Where the service tells of its own state. Such calls leave as webhooks of live mode do: over https, or by `loopback_http` to this machine. */
function watchIn(read: Reader, loopback_http: boolean) {
  const protocols = loopback_http ? ['https:', 'http:'] : ['https:']
  const notice_url = read.url('NOTICE_URL', protocols)
  const secret = read.text('NOTICE_SECRET', '')
  if (notice_url !== null && secret.length < 32)
    throw new ConfigError('NOTICE_SECRET is required with NOTICE_URL: at least 32 random characters.')
  return {
    /** The program that gets notices of rules and incidents, and the secret that signs them. Null: only mails. */
    notice_url,
    notice_secret: secret === '' ? null : new Secret(secret),
    /** The address that expects a call each minute while the service is well. Null: none. */
    heartbeat_url: read.url('HEARTBEAT_URL', protocols),
    /** The part of each rule's time, and of the time between two evaluations, so that a test of all rules does not take hours. */
    rule_time_percent: read.integer('RULE_TIME_PERCENT', 100, 1, 100),
  }
}

/** How often callers may call. */
function ratesIn(read: Reader) {
  return {
    rate_per_key: read.integer('RATE_PER_KEY', 300, 1),
    rate_per_address: read.integer('RATE_PER_ADDRESS', 600, 1),
    /** The most calls of payers' pages from one IP address in a minute, apart from all other calls. */
    pages_per_address: read.integer('PAGES_PER_ADDRESS', 6_000, 1),
    payer_attempts_max: read.integer('PAYER_ATTEMPTS_MAX', 5, 1),
    payer_attempts_window_seconds: read.integer('PAYER_ATTEMPTS_WINDOW_SECONDS', 600, 1),
    /** The most checks of recipients by a merchant in a minute, and of one number by a merchant in 24 hours. */
    recipient_checks_per_merchant: read.integer('RECIPIENT_CHECKS_PER_MERCHANT', 60, 1),
    recipient_checks_per_number: read.integer('RECIPIENT_CHECKS_PER_NUMBER', 10, 1, 1_000),
  }
}

/** The service's own limits of amounts, and the terms of payouts and settlements. */
function moneyIn(read: Reader) {
  return {
    collection_amount_max: read.integer('COLLECTION_AMOUNT_MAX', 2_000_000, 1, 1_000_000_000_000),
    /** Francs of a day that a merchant may collect, and send, in live mode until two people have checked it. */
    unchecked_day_max: read.integer('UNCHECKED_DAY_MAX', 200_000, 1, 1_000_000_000_000),
    payout_cap_operation: read.integer('PAYOUT_CAP_OPERATION', 100_000, 1, 1_000_000_000_000),
    payout_cap_day: read.integer('PAYOUT_CAP_DAY', 500_000, 1, 1_000_000_000_000),
    payout_request_expiry_days: read.integer('PAYOUT_REQUEST_EXPIRY_DAYS', 7, 1, 365),
    /** Francs that one signed-in person moves alone in live mode, in one act and in 24 hours. */
    second_person_above: read.integer('SECOND_PERSON_ABOVE', 100_000, 0, 1_000_000_000_000),
    /** Days after which a proposal lapses on which no second person decided. */
    proposal_days: read.integer('PROPOSAL_DAYS', 14, 1, 365),
    /** The company's own bank account, to which merchants bring money for their payouts. Null: merchants ask the team for it. */
    deposit_account: depositAccountIn(read),
    settlement_min: read.integer('SETTLEMENT_MIN', 5_000, 1, 1_000_000_000_000),
    destination_cooling_hours: read.integer('DESTINATION_COOLING_HOURS', 24, 0, 8_760),
  }
}

/** Its holder, its bank and its IBAN. */
export type DepositAccount = { readonly holder: string; readonly bank: string; readonly iban: string }

function depositAccountIn(read: Reader): DepositAccount | null {
  const [holder, bank] = [read.text('DEPOSIT_HOLDER', ''), read.text('DEPOSIT_BANK', '')]
  const iban = read.matching(
    'DEPOSIT_IBAN',
    '',
    /^(?:|CI[0-9A-Z ]{26,40})$/,
    'an account that begins with CI, or nothing',
  )
  return iban === '' ? null : { holder, bank, iban: iban.replaceAll(' ', '') }
}

/** How long the service waits for a payment, and keeps what it has recorded. */
function retentionIn(read: Reader) {
  return {
    payment_expiry_hours: read.integer('PAYMENT_EXPIRY_HOURS', 24, 1),
    idempotency_retention_days: read.integer('IDEMPOTENCY_RETENTION_DAYS', 30, 1),
    request_log_days: read.integer('REQUEST_LOG_DAYS', 30, 1),
    delivery_attempt_days: read.integer('DELIVERY_ATTEMPT_DAYS', 90, 1),
    /** At least 31, because the database refuses to drop an event of the last 30 days. */
    event_days: read.integer('EVENT_DAYS', 365, 31),
    operator_callback_days: read.integer('OPERATOR_CALLBACK_DAYS', 90, 1),
  }
}

/** The backups of the embedded server. */
function backupsIn(read: Reader) {
  const key = read.text('BACKUP_KEY', '')
  if (key !== '' && (key.length < 32 || new Set(key).size < 10))
    throw new ConfigError('BACKUP_KEY must be at least 32 random characters.')
  return {
    /** The key that encrypts them. Null: there are none. */
    backup_key: key === '' ? null : new Secret(key),
    /** Empty: `backups` in `data_dir`. */
    backup_dir: read.text('BACKUP_DIR', ''),
    /** How many are kept. */
    backup_keep: read.integer('BACKUP_KEEP', 14, 1, 10_000),
  }
}

function secretKey(text: string, embedded: boolean): Secret | null {
  if (text === '') {
    if (!embedded) throw new ConfigError('SECRET_KEY is required with DATABASE_URL: at least 32 random characters.')
    return null
  }
  if (text.length < 32 || new Set(text).size < 10) {
    throw new ConfigError('SECRET_KEY must be at least 32 random characters.')
  }
  return new Secret(text)
}

function proxyIn(read: Reader): { url: Secret; except: string[] } | null {
  const url = read.url('PROXY_URL', ['http:', 'https:'])
  const except = read.hosts('PROXY_EXCEPT', '')
  return url === null ? null : { url: new Secret(url), except }
}

function mailIn(read: Reader): { url: Secret; from: string } | null {
  const url = read.url('MAIL_URL', ['smtp:', 'smtps:'])
  const from = read.text('MAIL_FROM', '')
  if (url === null) return null
  if (!isMailable(from))
    throw new ConfigError('MAIL_FROM is required with MAIL_URL: an address such as bandama@example.com.')
  return { url: new Secret(url), from }
}

/**
 * Scheme, host and port of the payers' pages: those of PUBLIC_URL, otherwise those of the address on which the API listens.
 * Without a path, because pages link to each other from the root.
 */
export function publicOrigin({ public_url, host, port }: Pick<Config, 'public_url' | 'host' | 'port'>): string {
  if (public_url !== null) return new URL(public_url).origin
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The proxy for the code that connects. Null: none. */
export function proxyOf({ proxy }: Pick<Config, 'proxy'>): { url: URL; except: readonly string[] } | null {
  return proxy === null ? null : { url: new URL(proxy.url.reveal()), except: proxy.except }
}

/** Derives a 32-byte key for one purpose from SECRET_KEY, so that no two purposes share a key. */
export function derivedKey(secretKey: Secret, purpose: string): Buffer {
  return createHash('sha256').update(`${purpose}\0${secretKey.reveal()}`).digest()
}

function isAddress(url: string): boolean {
  try {
    return serversIn(url).length > 0
  } catch {
    return false
  }
}

function listIn(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function isBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  const bitsFit = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  return family !== 0 && bitsFit && rest.length === 0
}

function reader(env: Readonly<Record<string, string | undefined>>) {
  const refuse = (name: string, wanted: string): never => {
    throw new ConfigError(`${name} must be ${wanted}.`)
  }
  const text = (name: string, otherwise: string): string => env[name] ?? otherwise
  return {
    text,
    integer(name: string, otherwise: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
      const written = env[name] ?? String(otherwise)
      const value = Number(written)
      if (!/^\d+$/.test(written) || value < min || value > max) {
        refuse(name, `a whole number ${max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`}`)
      }
      return value
    },
    /** At most ten whole numbers from 1, each greater than the one before. */
    ascending(name: string, otherwise: string, max: number): number[] {
      const written = text(name, otherwise).split(',')
      const values = written.map(Number)
      const right = values.every((value, at) => value > (values[at - 1] ?? 0) && value <= max)
      if (!right || written.length > 10 || !written.every((one) => /^\d+$/.test(one)))
        refuse(name, `at most ten whole numbers up to ${max}, ascending, separated by commas`)
      return values
    },
    flag(name: string, otherwise: boolean): boolean {
      const written = env[name] ?? (otherwise ? 'on' : 'off')
      if (written !== 'on' && written !== 'off') refuse(name, 'on or off')
      return written === 'on'
    },
    choice<Choice extends string>(name: string, otherwise: Choice, choices: readonly Choice[]): Choice {
      const written = text(name, otherwise)
      return choices.find((choice) => choice === written) ?? refuse(name, `one of ${choices.join(', ')}`)
    },
    matching(name: string, otherwise: string, pattern: RegExp, wanted: string): string {
      const written = text(name, otherwise)
      return pattern.test(written) ? written : refuse(name, wanted)
    },
    url(name: string, protocols: string[]): string | null {
      const written = text(name, '')
      if (written === '') return null
      if (!protocols.includes(URL.parse(written)?.protocol ?? ''))
        refuse(name, `an address starting ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
      return written
    },
    /** The URL of one server or several. With several, the service uses the one that accepts writes. */
    database(name: string): Secret | null {
      const written = text(name, '')
      if (written === '') return null
      const wanted = 'an address starting postgres:// or postgresql://, with several servers as one:5432,two:5432'
      if (!/^postgres(ql)?:\/\//.test(written) || !isAddress(written)) refuse(name, wanted)
      if (!asksForWrites(written)) refuse(name, 'without target_session_attrs, or with read-write')
      return new Secret(written)
    },
    /** The URL of one server, which can be read-only. */
    replica(name: string): Secret | null {
      const url = this.database(name)
      if (url !== null && serversIn(url.reveal()).length > 1) refuse(name, 'one server')
      return url
    },
    blocks(name: string, otherwise: string): string[] {
      const blocks = listIn(text(name, otherwise))
      if (!blocks.every(isBlock)) refuse(name, 'address blocks such as 10.0.0.0/8, separated by commas')
      return blocks
    },
    /** Names, ends of names such as `.example.com`, and address blocks. */
    hosts(name: string, otherwise: string): string[] {
      const hosts = listIn(text(name, otherwise)).map((host) => host.toLowerCase())
      if (!hosts.every((host) => isBlock(host) || /^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(host)))
        refuse(name, 'names, ends of names such as .example.com, or address blocks, separated by commas')
      return hosts
    },
  }
}
