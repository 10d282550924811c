import type { Static, TObject } from 'typebox'
import type { Words } from '../../values/language.ts'
import type { OperatorHttp } from '../operator-api/operator-http.ts'
import type { Connector } from '../port.ts'

/** The surroundings of a connector, beside its settings. */
export type ConnectorContext = {
  /** The name that the company gave the contract. */
  name: string
  livemode: boolean
  /** The way to this operator, with connections of its own. */
  http: OperatorHttp
  /**
   * Where the operator calls us, as it sees the address. It ends in an unguessable token where the operator signs nothing; behind that a
   * connector may put a dot and a word, such as its name for the order, which `readCallback` gets back.
   */
  callback_url: string
  /** Where a payer comes back to from the operator's own page. It moves nothing: the state comes from an inquiry. */
  return_url: string
  /** The machine's clock, for signatures and tokens: it never decides about money. */
  now(): Date
}

/** The name of each setting for people, in a few words. A setting without one does not compile. */
export type SettingLabels<Settings> = Readonly<Record<keyof Settings & string, Words>>

/**
 * A kind of contract: the same program for every company that has one. `docs/adding-a-connector.md` says how to write one.
 * @template Settings the schema of its settings: one flat object, dotted names for parts
 */
export type ConnectorType<Settings extends TObject = TObject> = {
  /** As it is named on the command line, such as `pawapay`. */
  readonly type: string
  readonly settings: Settings
  readonly labels: SettingLabels<Static<Settings>>
  /** The settings that are never shown: their values are sealed, and masked wherever a person looks. */
  readonly secrets: readonly (keyof Static<Settings> & string)[]
  /** The settings that decide where calls go, and the secrets with them: hosts and paths. With another one, a person types every secret again. */
  readonly addresses: readonly (keyof Static<Settings> & string)[]
  /**
   * Makes the connector. Opens nothing and calls nobody: one that is never used costs nothing.
   * @throws SettingsError for settings that fit the schema and cannot be used, such as those of a sandbox in live mode: the service would
   *   credit a payment that a sandbox calls succeeded, and no money is behind it
   */
  create(settings: Static<Settings>, context: ConnectorContext): Connector
  /**
   * The accounts with the operator that settings reach, each as a text that is equal for two contracts exactly when both reach it: no account
   * has two names in one mode. Behind the address only that counts which names the account. The texts may hold secrets, and are kept nowhere.
   */
  accounts(settings: Static<Settings>): readonly string[]
  /** One sentence of warning for test mode when settings move real money; null otherwise. Absent: nobody can tell. */
  realMoneyWarning?(settings: Static<Settings>): Words | null
}

/** Settings that a kind cannot use. Its message is one sentence for the person who wrote them: it names a key and never its value. */
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
