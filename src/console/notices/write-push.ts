import type { Notice } from '../../people/notices/notice.ts'
import type { WaitingPush } from '../../people/push/push-store.ts'
import type { PushText } from '../../people/push/send-push.ts'
import { writeAmount, writeShortDay } from '../../platform/http/pages/write-values.ts'
import { type Say, sayIn } from '../say.ts'
import { linkTo, type MailDeps, mails, oneLine } from './write-mail.ts'

/**
 * Writes a notice for a locked screen: the shop, a sentence, and a page of ours. Of payments it tells the amount and the time, unless its person
 * hides the amount; of others only the subject of their mail, which has no name.
 */
export function writePush({ brand, originOf }: MailDeps, notice: Notice, to: WaitingPush): PushText {
  const say = sayIn(to.language)
  const link = linkTo({ notice, own_merchant_id: to.own_merchant_id }, mails[notice.name].page)
  const test = notice.about?.livemode === false ? 'TEST – ' : ''
  return {
    title: `${test}${oneLine(to.merchant_name ?? brand)}`,
    body: bodyOf(notice, to, say),
    url: link === null ? originOf('console') : `${originOf(link.door)}${link.path}`,
  }
}

function bodyOf({ name, facts = {} }: Notice, { hides_amount, language }: WaitingPush, say: Say): string {
  const amount = hides_amount || facts.amount === undefined ? null : writeAmount(Number(facts.amount))
  const subject = say(mails[name].subject)
  if (amount !== null && name === 'payment_received')
    return say(['+{amount} à {at}', '+{amount} at {at}'], { amount, at: facts.at! })
  if (amount !== null && name === 'payments_received')
    return say(['{count} paiements, +{amount}', '{count} payments, +{amount}'], { amount, count: facts.count! })
  if (amount !== null && name === 'day_taken')
    return say(['{amount} encaissés le {day} jusqu’à {at}', '{amount} taken on {day} until {at}'], {
      ...{ amount, day: writeShortDay(new Date(facts.day!), language), at: facts.at! },
    })
  return `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}.`
}
