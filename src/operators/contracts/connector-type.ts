import type { Static, TObject } from 'typebox'
import type { Words } from '../../values/language.ts'
import type { OperatorHttp } from '../operator-api/operator-http.ts'
import type { Connector } from '../port.ts'

/** The dependencies of a connector besides its settings. */
export type ConnectorContext = {
  /** The name that the company gave the contract. */
  name: string
  livemode: boolean
  /** The HTTP client for this operator, with connections of its own. */
  http: OperatorHttp
  /**
   * The callback URL for the operator. If the operator signs nothing, it ends with an unguessable token. A connector may append a dot and a
   * word, such as its name for the order; `readCallback` receives that word.
   */
  callback_url: string
  /** The URL to which a payer returns from the operator's own page. The return changes no state; only an inquiry does. */
  return_url: string
  /** The machine's clock, for signatures and tokens. It decides nothing about money. */
  now(): Date
}

/** The name of each setting for people, in a few words. A setting without one does not compile. */
export type SettingLabels<Settings> = Readonly<Record<keyof Settings & string, Words>>

/**
 * A type of connector, such as pawaPay: the same code for every contract of this type. `docs/adding-a-connector.md` says how to write one.
 * @template Settings the schema of its settings: one flat object, dotted names for parts
 */
export type ConnectorType<Settings extends TObject = TObject> = {
  /** Its name on the command line, such as `pawapay`. */
  readonly type: string
  readonly settings: Settings
  readonly labels: SettingLabels<Static<Settings>>
  /** The secret settings. They are stored encrypted and shown masked. */
  readonly secrets: readonly (keyof Static<Settings> & string)[]
  /** The settings that decide where calls, and the secrets in them, go: hosts and paths. A change of one requires every secret again. */
  readonly addresses: readonly (keyof Static<Settings> & string)[]
  /**
   * Makes the connector, without a connection or a call.
   * @throws SettingsError for settings that fit the schema and cannot be used, such as those of a sandbox in live mode: the service would
   * credit payments for which no money exists
   */
  create(settings: Static<Settings>, context: ConnectorContext): Connector
  /**
   * Returns the operator accounts that these settings reach, each as a text. Two connectors have an equal text exactly when they reach the
   * same account, so that no account gets two names in one mode. Only the part of an address that names the account counts. The texts may
   * contain secrets, and are not stored.
   */
  accounts(settings: Static<Settings>): readonly string[]
  /**
   * Returns a warning, in one sentence, when settings of test mode move real money, otherwise null. Absent: the settings do not show it.
   */
  realMoneyWarning?(settings: Static<Settings>): Words | null
}

/** Settings that a type of connector cannot use. Its message is one sentence for the person who wrote them: it names a key and never its value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
  /** The setting to mend first, for a form. */
  readonly key: string

  /** The message in each language; that of the error is the English one. */
  readonly problem: Words

  constructor(key: string, problem: Words) {
    super(problem[1])
    this.key = key
    this.problem = problem
  }
}
