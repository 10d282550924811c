import { Msisdn, operatorOfPrefix } from '../../values/msisdn.ts'
import type { TwinAnswer } from '../wire.ts'
import { rejected } from './failures.ts'
import { callbackUrl, operatorOf, type Provider, providers, type Settings } from './settings.ts'

/** The account, for the calls beside deposits, payouts and refunds. */
type Account = { settings: Settings; query: URLSearchParams }

const names: Readonly<Record<Provider, string>> = { MTN_MOMO_CIV: 'MTN', ORANGE_CIV: 'Orange', WAVE_CIV: 'Wave' }

type OperationType = 'DEPOSIT' | 'PAYOUT'
const statusOf = (settings: Settings, provider: Provider, type: OperationType): string =>
  (type === 'DEPOSIT' ? settings.deposit_status : settings.payout_status)[provider]

/** The operation types asked for: both, without `operationType`. */
function typesOf(query: URLSearchParams): OperationType[] {
  const asked = query.get('operationType')
  return (['DEPOSIT', 'PAYOUT'] as const).filter((type) => asked === null || asked === type)
}

const isOtherCountry = (query: URLSearchParams): boolean => (query.get('country') ?? 'CIV') !== 'CIV'

/** `GET /v2/active-conf` */
export function activeConf({ settings, query }: Account): TwinAnswer {
  const account = {
    companyName: settings.company_name,
    signatureConfiguration: {
      signedRequestsOnly: settings.signed_requests_only,
      signedCallbacks: settings.sign_callbacks,
    },
  }
  if (isOtherCountry(query)) return { status: 200, body: { ...account, countries: [] } }
  const list = providers.map((provider) => ({
    provider,
    displayName: names[provider],
    nameDisplayedToCustomer: settings.display_name,
    currencies: [
      {
        currency: 'XOF',
        operationTypes: Object.fromEntries(typesOf(query).map((type) => [type, conditions(settings, provider, type)])),
      },
    ],
  }))
  return { status: 200, body: { ...account, countries: [{ country: 'CIV', prefix: '225', providers: list }] } }
}

function conditions(settings: Settings, provider: Provider, type: OperationType): object {
  const deposit = type === 'DEPOSIT'
  const redirect = provider === 'WAVE_CIV'
  return {
    minAmount: String(settings.min_amount),
    maxAmount: String(settings.max_amount),
    decimalsInAmount: 'NONE',
    status: statusOf(settings, provider, type),
    ...(deposit ? { authType: redirect ? 'REDIRECT_AUTH' : 'PROVIDER_AUTH' } : {}),
    ...(deposit && !redirect ? prompt(settings, provider) : {}),
    callbackUrl: callbackUrl(settings, deposit ? 'deposit' : 'payout') || null,
  }
}

/** How payers come to the prompt. Where they can call it themselves, the account says how, in two languages. */
function prompt({ pin_prompt, pin_prompt_revivable, dial_code: shortCode }: Settings, provider: Provider): object {
  const pinPrompt = pin_prompt[provider]
  if (pinPrompt === 'AUTOMATIC' && !pin_prompt_revivable)
    return { pinPrompt: 'AUTOMATIC', pinPromptRevivable: false, pinPromptInstructions: null }
  const steps = (dial: string, pin: string) =>
    [`${dial} {{shortCode}}`, pin].map((template) => {
      return { text: template.replace('{{shortCode}}', shortCode), template, variables: { shortCode } }
    })
  const channel = {
    type: 'USSD',
    displayName: { fr: 'Pour autoriser le paiement', en: 'To authorise the payment' },
    instructions: { fr: steps('Composez', 'Tapez votre code PIN'), en: steps('Dial', 'Type your PIN') },
  }
  return { pinPrompt, pinPromptRevivable: true, pinPromptInstructions: { channels: [channel] } }
}

/** `GET /v2/availability` */
export function availability({ settings, query }: Account): TwinAnswer {
  if (isOtherCountry(query)) return { status: 200, body: '[]', headers: { 'Content-Type': 'application/json' } }
  const list = providers.map((provider) => ({
    provider,
    operationTypes: Object.fromEntries(typesOf(query).map((type) => [type, statusOf(settings, provider, type)])),
  }))
  return { status: 200, body: [{ country: 'CIV', providers: list }] }
}

/** `POST /v2/predict-provider`, by prefix. */
export function predictProvider(body: unknown): TwinAnswer {
  const written = (body as { phoneNumber?: unknown } | null)?.phoneNumber
  const msisdn = typeof written === 'string' ? Msisdn.parse(written) : null
  const operator = msisdn === null ? null : operatorOfPrefix(msisdn)
  const provider = providers.find((one) => operatorOf[one] === operator)
  if (msisdn === null || provider === undefined)
    return {
      ...rejected('INVALID_PHONE_NUMBER'),
      unverified: 'How an unknown number is answered, and with which status.',
    }
  return {
    status: 200,
    body: { country: 'CIV', provider, phoneNumber: msisdn.e164.slice(1) },
    unverified: 'Whether pawaPay goes by prefixes or by a look-up.',
  }
}

/** `GET /v2/wallet-balances`. @param francs on the wallet of CIV */
export function walletBalances(query: URLSearchParams, francs: number): TwinAnswer {
  const balances = isOtherCountry(query) ? [] : [{ country: 'CIV', balance: `${francs}.00`, currency: 'XOF' }]
  return { status: 200, body: { balances } }
}
