import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeTime } from '../../platform/http/pages/write-values.ts'
import type { Language, Words } from '../../values/language.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import type { View, ViewContext } from '../page/facts.ts'
import { type IconName, icon } from '../page/icons.ts'
import { writeFrame } from '../page/write-frame.ts'
import { QUESTION_MAX } from './read-question.ts'
import type { TillFacts, TillResult, TillStatus } from './read-till.ts'

const inLanguage = (language: Language) => (words: Words) => words[language === 'fr' ? 0 : 1]

/** The word of each answer, and what to do. */
const answers: Readonly<
  Record<TillStatus, { icon: IconName; tone: '' | 'care' | 'bad'; word: Words; act: Words | null }>
> = {
  paid: { icon: 'done', tone: '', word: ['PAYÉ', 'PAID'], act: null },
  waiting: {
    icon: 'clock',
    tone: 'care',
    word: ['EN ATTENTE', 'WAITING'],
    act: ['Ne livrez pas encore.', 'Do not hand over yet.'],
  },
  not_paid: {
    icon: 'failed',
    tone: 'bad',
    word: ['PAS PAYÉ', 'NOT PAID'],
    act: ['Ne livrez pas.', 'Do not hand over.'],
  },
  refunded: {
    icon: 'back',
    tone: 'care',
    word: ['REMBOURSÉ', 'REFUNDED'],
    act: ['Ne livrez pas.', 'Do not hand over.'],
  },
  part_refunded: {
    icon: 'back',
    tone: 'care',
    word: ['PAYÉ, EN PARTIE REMBOURSÉ', 'PAID, PARTLY REFUNDED'],
    act: [
      'Le propriétaire sait combien reste payé. Demandez-lui avant de livrer.',
      'The owner knows how much is still paid. Ask them before you hand over.',
    ],
  },
}

/** Seconds between two looks of the script, and of a browser without script. */
const POLL_SECONDS = 2
const REFRESH_SECONDS = 15
/** A quarter of an hour of looks after the last touch or payment; then the script looks every half minute. */
const STEADY_LOOKS = 450

/** The page of a telephone of a till: "is 6W0Z paid?", and the payments of the last day. */
export function tillView(facts: TillFacts, word: string, context: ViewContext): View {
  const say = inLanguage(context.language)
  const { asked, results, till_name, merchant_name } = facts
  const name = till_name ?? merchant_name
  const title = say(['Est-ce payé ?', 'Is it paid?'])
  const label = html`<label for="q">${say(['Code du reçu, montant ou référence', 'Code of the receipt, amount or reference'])}</label>`
  const attributes = html` maxlength="${QUESTION_MAX}" autocomplete="off" autocapitalize="characters" spellcheck="false"`
  const input = html`<input id="q" name="q" type="text" value="${asked}" data-typed${attributes}>`
  const field = html`<div class="field">${label}${input}</div>`
  const lang = html`<input type="hidden" name="lang" value="${context.language}">`
  const form = html`<form method="get" action="/till" class="acts">${lang}${field}<button>${say(['Vérifier', 'Check'])}</button></form>`
  const all = html`<p class="links"><a href="/till?lang=${context.language}">${say(['Tous les paiements', 'All payments'])}</a></p>`
  const head = html`<p><span class="who">${name}</span></p><h1 tabindex="-1">${title}</h1>${form}${asked !== '' && all}`
  const main = html`<article class="slip"><div>${head}</div>${answersOf(facts, context.language)}</article>`
  const about = new URLSearchParams({ q: asked })
  return writeFrame(
    {
      ...{ title: `${title} · ${name}`, main, situation: 'till', livemode: facts.livemode },
      watched: { address: asked === '' ? '/till' : `/till?${about}`, word },
      poll_seconds: POLL_SECONDS,
      steady_looks: STEADY_LOOKS,
      // A page that reloads would take away what somebody types, so only the list does.
      refresh_seconds: asked === '' && results.length > 0 ? REFRESH_SECONDS : null,
    },
    context,
  )
}

function answersOf({ asked, results }: TillFacts, language: Language): Html {
  const say = inLanguage(language)
  if (results.length > 0) return html`${results.map((result) => answerOf(result, language))}`
  if (asked === '') {
    const soon = say(['Les paiements s’affichent ici tout seuls.', 'Payments show here by themselves.'])
    return html`<section><h2>${say(['Aucun paiement depuis 24 heures', 'No payment for 24 hours'])}</h2><p>${soon}</p></section>`
  }
  const title = say(['AUCUN PAIEMENT', 'NO PAYMENT'])
  const why = say([
    'Rien de tel à cette caisse depuis 24 heures. Ne livrez pas. Une capture d’écran ne prouve rien.',
    'Nothing like it at this till for 24 hours. Do not hand over. A screenshot proves nothing.',
  ])
  return html`<section class="bad">${icon('failed')}<h2>${title}</h2><p>${why}</p></section>`
}

function answerOf(result: TillResult, language: Language): Html {
  const say = inLanguage(language)
  const { icon: drawing, tone, word, act } = answers[result.status]
  const { operator, msisdn_end, paid_at, code, reference, amount_source } = result
  const facts = [
    paid_at === null ? null : writeTime(new Date(paid_at)).slice(0, 5),
    operator !== null && isOperatorCode(operator) ? operatorNames[operator] : null,
    msisdn_end === null ? null : `••\u00a0${msisdn_end}`,
  ].filter((fact) => fact !== null)
  const lines = html`<p>Code <b>${code}</b> · ${facts.join(' · ')}</p>${reference !== null && html`<p>${reference}</p>`}`
  const compare = say(['Comparez ce montant au prix.', 'Compare this amount with the price.'])
  // Anybody can write another amount into the address, and a payer types their own.
  const warned = result.status === 'paid' && amount_source !== 'merchant' && html`<p class="hint">${compare}</p>`
  const amount = html`<h2>${say(word)} ${drawAmount(result.amount)}</h2>`
  const told = act !== null && html`<p class="safe">${say(act)}</p>`
  return html`<section${tone !== '' && html` class="${tone}"`}>${icon(drawing)}${amount}${told}${lines}${warned}</section>`
}

/** A page of one sentence about a telephone, with a button to pair it where it can be paired. */
export function tillNotice(
  { title, text, pair, livemode }: { title: Words; text: Words; pair: string | null; livemode: boolean },
  context: ViewContext,
): View {
  const say = inLanguage(context.language)
  const button = html`<button>${say(['Relier ce téléphone', 'Pair this phone'])}</button>`
  const form =
    pair !== null && html`<form method="post" action="${pair}?lang=${context.language}" class="acts">${button}</form>`
  const head = html`${icon(pair === null ? 'shut' : 'hand')}<h1 tabindex="-1">${say(title)}</h1><p class="lead">${say(text)}</p>`
  const main = html`<article class="slip"><section class="care">${head}${form}</section></article>`
  return writeFrame(
    { title: say(title), main, situation: pair === null ? 'till-shut' : 'till-join', livemode },
    context,
  )
}

/** The sentences about an invitation and a telephone. */
export const tillNotices = {
  join: (name: string, merchant: string): { title: Words; text: Words } => ({
    title: [`Relier ce téléphone à « ${name} »`, `Pair this phone with “${name}”`],
    text: [
      `Il verra les paiements de cette caisse de ${merchant} sur 24 heures, et rien d’autre. Ce lien ne sert qu’une fois.`,
      `It will see the payments of this till of ${merchant} over 24 hours, and nothing else. This link serves once.`,
    ],
  }),
  over: {
    title: ['Ce lien ne sert plus', 'This link is not valid any more'],
    text: [
      'Il a servi, ou son temps est passé. Demandez-en un autre au propriétaire de la boutique.',
      'It was used, or its time is over. Ask the owner of the shop for another one.',
    ],
  },
  unpaired: {
    title: ['Ce téléphone n’est relié à aucune caisse', 'This phone is paired with no till'],
    text: [
      'Il a été arrêté, ou n’a pas servi depuis trois mois. Demandez un lien au propriétaire de la boutique.',
      'It was ended, or not used for three months. Ask the owner of the shop for a link.',
    ],
  },
} as const satisfies Record<string, unknown>
