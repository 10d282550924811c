import type { Row } from '../../console/components.ts'
import { sayWords } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { feeInWords, feeServiceWords } from '../../merchants/fee-words.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount, writeDay, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { FeesOf, Terms } from './merchant-facts.ts'

type Words = Pick<ScreenRequest<'desk'>, 'say' | 'language'>

/** The rows of each service's fees with their dates. */
export function feeRows({ say, language }: Words, fees: readonly FeesOf[]): Row[] {
  return fees.flatMap(({ service, in_force, to_come }) => {
    const name = say(feeServiceWords[service])
    const begun = in_force && say(['depuis le {at}', 'since {at}'], { at: writeDay(in_force.effective_from, language) })
    return [
      { name, value: html`${sayWords(say, feeInWords(in_force))}${begun && html`<span class="sub">${begun}</span>`}` },
      ...to_come.map((schedule) => ({
        name: say(['{name}, dès le {at}', '{name}, from {at}'], {
          name,
          at: writeShortDate(schedule.effective_from, language),
        }),
        value: sayWords(say, feeInWords(schedule)),
      })),
    ]
  })
}

/** The rows of the terms: fees with their dates, caps with their usage, limits and the floor. */
export function termRows(words: Words, { fees, caps, floor }: Terms): Row[] {
  const { say } = words
  const use = say(['{sum} utilisés', '{sum} used'], { sum: writeAmount(caps.used) })
  return [
    ...feeRows(words, fees),
    { name: say(['Plafond par envoi', 'Cap of a payout']), value: writeAmount(caps.operation) },
    {
      name: say(['Plafond de 24\u00a0h', 'Cap of 24\u00a0h']),
      value: html`${writeAmount(caps.day)}<span class="sub">${use}</span>`,
    },
    { name: say(['Paiement au plus', 'Payment at most']), value: writeAmount(caps.payment) },
    { name: say(['Reversement au moins', 'Settlement at least']), value: writeAmount(floor) },
  ]
}
