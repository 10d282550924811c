import { createHash, randomInt } from 'node:crypto'
import type { OperatorCode } from '../values/operators.ts'
import type { Message, Operation, Phone, TwinState } from './state.ts'
import type { Time } from './time.ts'

/** The first balance of an account, in francs. */
const FIRST_BALANCE = 250_000

/** The secret code of every phone without its own. */
const DEFAULT_PIN = '1234'

/** Seconds for which a one-time code is valid. */
const CODE_SECONDS = 120

const firstNames =
  'Adjoa Yao Awa Koffi Mariam Kouamé Aya Ibrahim Affoué Konan Fatou Serge Ahou Moussa Akissi Drissa Aminata Jean Bintou Kouassi Nathalie Ehui Salimata Didier'.split(
    ' ',
  )
const familyNames = 'Tano Kouadio Koné Traoré Bamba N’Guessan Ouattara Kouakou Coulibaly Assi Diabaté Brou'.split(' ')

/** The phones: each has an account per operator, a holder, a secret code and the lines that it has shown. */
export type Phones = {
  /** The phone of a number (`+225…`), created on the first call. */
  of(msisdn: string): Phone
  /** All phones, the most recently active first. */
  all(): Phone[]
  /** The balance of an account, in francs. */
  balance(msisdn: string, operator: OperatorCode): number
  setBalance(msisdn: string, operator: OperatorCode, amount: number): void
  /** Changes the balance of an account by an amount, which can be negative. */
  add(msisdn: string, operator: OperatorCode, amount: number): void
  /** Shows a line about an operation on its phone, if it has one. */
  tell(operation: Operation, about: Message['about']): void
  /** Makes a one-time code, as the operator's menu or an SMS would show it. @param length its number of digits */
  newCode(msisdn: string, operator: OperatorCode, length?: number): string
  /** Uses up a one-time code. */
  useCode(msisdn: string, operator: OperatorCode, digits: string): 'right' | 'wrong' | 'expired'
}

/** @param first_balance the first balance of an account, in francs */
export function createPhones(state: TwinState, time: Time, first_balance = FIRST_BALANCE): Phones {
  function of(msisdn: string): Phone {
    state.phones[msisdn] ??= {
      msisdn,
      holder: holderOf(msisdn),
      pin: DEFAULT_PIN,
      accounts: {},
      messages: [],
      code: null,
    }
    return state.phones[msisdn]
  }
  const balance = (msisdn: string, operator: OperatorCode): number => of(msisdn).accounts[operator] ?? first_balance
  const setBalance = (msisdn: string, operator: OperatorCode, amount: number): void => {
    of(msisdn).accounts[operator] = amount
  }
  return {
    of,
    all: () => Object.values(state.phones).toSorted((a, b) => (b.messages[0]?.at ?? 0) - (a.messages[0]?.at ?? 0)),
    balance,
    setBalance,
    add: (msisdn, operator, amount) => setBalance(msisdn, operator, balance(msisdn, operator) + amount),
    tell({ msisdn, operator, amount, payee }, about) {
      if (msisdn === null) return
      const phone = of(msisdn)
      phone.messages.unshift({ at: time.now(), operator, about, amount, payee, balance: balance(msisdn, operator) })
      phone.messages.length = Math.min(phone.messages.length, 10)
    },
    newCode(msisdn, operator, length = 4) {
      const digits = String(randomInt(10 ** length)).padStart(length, '0')
      of(msisdn).code = { operator, digits, until: time.now() + CODE_SECONDS * 1000 }
      return digits
    },
    useCode(msisdn, operator, digits) {
      const phone = of(msisdn)
      const { code } = phone
      if (code === null || code.operator !== operator || code.digits !== digits) return 'wrong'
      phone.code = null
      return code.until < time.now() ? 'expired' : 'right'
    },
  }
}

/** Returns the holder's name, always the same for a number. */
function holderOf(msisdn: string): string {
  const hash = createHash('sha256').update(msisdn).digest()
  return `${firstNames[hash[0]! % firstNames.length]} ${familyNames[hash[1]! % familyNames.length]}`
}
