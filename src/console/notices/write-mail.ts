import { actWords } from '../../audit-log/act-words.ts'
import type { NoticeName } from '../../people/notices/notice.ts'
import type { WaitingMail } from '../../people/notices/store.ts'
import { STAFF } from '../../people/person.ts'
import { roleWords } from '../../people/role-words.ts'
import { writeAmount, writeDay } from '../../platform/http/pages/write-values.ts'
import type { SoloOutcome, SoloRefusal } from '../../values/solo-approval.ts'
import { aloneRefusals, writeAloneEnd } from '../alone-words.ts'
import { type Say, sayIn, type Words } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'
import { alarmMails } from './alarm-mails.ts'
import { deviceMails } from './device-mails.ts'
import { moneyMails } from './money-mails.ts'
import { paymentMails } from './payment-mails.ts'
import { proposalMails } from './proposal-mails.ts'
import { type MailWords, stoppedMail } from './stopped-mail.ts'

/** The mails. `{place}` is the merchant's name; the other variables are facts of the notice. A subject contains no name. */
export const mails: Readonly<Record<NoticeName, MailWords>> = {
  ...alarmMails,
  ...paymentMails,
  ...deviceMails,
  ...proposalMails,
  ...moneyMails,
  act_alone: {
    subject: ['une personne a agi seule', 'one person acted alone'],
    text: [
      '{act}, marchand {merchant}, par {actor}. Une seule personne suffit aujourd’hui pour cet acte. Si personne ne vous en a parlé, demandez, et arrêtez les envois en cas de doute.',
      '{act}, merchant {merchant}, by {actor}. One person suffices for this act today. If nobody told you of it, ask, and stop payouts if in doubt.',
    ],
    page: () => '',
  },
  batch_approved: {
    subject: ['votre lot est approuvé, à lancer', 'your batch is approved, to launch'],
    text: [
      'Chez {place}, votre lot d’envois est approuvé. Rien n’est parti : lancez-le sur sa page.',
      'At {place}, your batch of payouts is approved. Nothing has left: launch it on its page.',
    ],
    page: (id) => `/batches/${id}`,
  },
  payouts_stopped: stoppedMail,
  batch_done: {
    subject: ['votre lot est versé', 'your batch is paid out'],
    text: [
      'Chez {place}, tous les envois de votre lot sont versés.',
      'At {place}, all payouts of your batch are paid out.',
    ],
    page: (id) => `/batches/${id}`,
  },
  batch_done_with_errors: {
    subject: ['votre lot est terminé, avec des erreurs', 'your batch is done, with errors'],
    text: [
      'Chez {place}, votre lot est terminé, mais des envois ont échoué ou sont en vérification. Ne refaites rien avant d’avoir lu sa page.',
      'At {place}, your batch is done, but payouts failed or are being checked. Send nothing again before you have read its page.',
    ],
    page: (id) => `/batches/${id}`,
  },
  settlement_paid: {
    subject: ['un reversement est payé', 'a settlement is paid'],
    text: ['Le reversement demandé pour {place} est payé.', 'The settlement asked for {place} is paid.'],
    page: (id) => `/settlements/${id}`,
  },
  settlement_rejected: {
    subject: ['un reversement est rejeté', 'a settlement is rejected'],
    text: [
      'Le reversement demandé pour {place} est rejeté. L’argent est revenu dans le solde disponible.',
      'The settlement asked for {place} is rejected. The money is back in the available balance.',
    ],
    page: (id) => `/settlements/${id}`,
  },
  destination_proposed: {
    subject: ['une autre destination des reversements est proposée', 'another destination of settlements is proposed'],
    text: [
      'Quelqu’un propose que les reversements de {place} aillent ailleurs. Rien ne change avant l’accord d’une deuxième personne. Si vous n’étiez pas au courant, refusez.',
      'Somebody proposes that the settlements of {place} go elsewhere. Nothing changes before a second person agrees. If you did not expect it, refuse.',
    ],
    page: () => '/destination',
  },
  destination_chosen: {
    subject: ['l’argent de la boutique ira ailleurs', 'the money of the shop will go elsewhere'],
    text: [
      'L’argent de {place} a une nouvelle destination. Elle sert après un délai d’un jour. Si ce n’est pas vous, arrêtez-la avant sur cette page, ou appelez l’équipe du service.',
      'The money of {place} has a new destination. It can be used after a day. If it was not you, stop it before on this page, or call the team of the service.',
    ],
    page: () => '/destination',
  },
  approved_alone: {
    subject: ['votre accord prend effet dans 24 heures', 'your approval takes effect in 24 hours'],
    text: [
      'Chez {place}, vous avez donné seul votre accord. Il prend effet dans 24 heures. Si ce n’est pas vous, arrêtez-le avant, et prévenez l’équipe du service.',
      'At {place}, you gave your approval alone. It takes effect in 24 hours. If it was not you, stop it before, and tell the team of the service.',
    ],
    page: alonePage,
  },
  alone_carried_out: {
    subject: ['votre accord a pris effet', 'your approval took effect'],
    text: [
      'Chez {place}, l’accord que vous avez donné seul il y a 24 heures a pris effet.',
      'At {place}, the approval that you gave alone 24 hours ago took effect.',
    ],
    page: alonePage,
  },
  alone_held: {
    subject: ['votre accord n’a pas encore pris effet', 'your approval did not take effect yet'],
    text: [
      'Chez {place}, l’accord que vous avez donné seul n’a pas pris effet : {refusal}. Le service essaie de nouveau jusqu’à ce que la demande expire. Vous pouvez l’arrêter.',
      'At {place}, the approval that you gave alone did not take effect: {refusal}. The service tries again until the request expires. You can stop it.',
    ],
    page: alonePage,
  },
  alone_ended: {
    subject: ['votre accord a pris fin', 'your approval has ended'],
    text: [
      'Chez {place}, l’accord que vous avez donné seul a pris fin sans effet : {outcome}.',
      'At {place}, the approval that you gave alone has ended without effect: {outcome}.',
    ],
    page: alonePage,
  },
  new_device: {
    subject: ['votre compte est ouvert sur un nouvel appareil', 'your account was opened on a new device'],
    text: [
      'Votre compte vient d’être ouvert sur un appareil que nous ne connaissions pas ({device}, adresse {address}). Si ce n’est pas vous, fermez cette session et changez de mot de passe.',
      'Your account was just opened on a device that we did not know ({device}, address {address}). If it was not you, end that session and change your password.',
    ],
    page: null,
  },
  recovery_code_used: {
    subject: ['un code de secours a servi', 'a recovery code was used'],
    text: [
      'Votre compte vient d’être ouvert avec un code de secours (adresse {address}). Si ce n’est pas vous, prévenez tout de suite une personne de votre équipe.',
      'Your account was just opened with a recovery code (address {address}). If it was not you, tell a person of your team at once.',
    ],
    page: null,
  },
  factor_changed: {
    subject: ['vos moyens d’entrer ont changé', 'your ways to sign in have changed'],
    text: [
      'Changement dans votre compte : {change}. Vos autres sessions sont fermées. Si ce n’est pas vous, prévenez tout de suite une personne de votre équipe.',
      'Change in your account: {change}. Your other sessions have ended. If it was not you, tell a person of your team at once.',
    ],
    page: null,
  },
  role_waits: {
    subject: ['un rôle attend votre accord', 'a role waits for your confirmation'],
    text: [
      'Un rôle ({role}) ne compte qu’avec l’accord d’un deuxième administrateur. Si personne ne vous en a parlé, demandez avant de décider.',
      'A role ({role}) takes effect once a second administrator confirms it. If nobody told you of it, ask before you decide.',
    ],
    page: (id) => `/people/${id}`,
  },
  role_given: {
    subject: ['vous avez un nouveau rôle', 'you have a new role'],
    text: ['Vous avez un nouveau rôle ({role}) : {place}.', 'You have a new role ({role}): {place}.'],
    page: null,
  },
  role_offered: {
    subject: ['une équipe vous propose un rôle', 'a team offers you a role'],
    text: [
      'On vous propose un rôle ({role}) : {place}. Rien ne compte avant votre accord. Si vous n’étiez pas au courant, déclinez.',
      'You are offered a role ({role}): {place}. It takes effect once you accept it. If you did not expect it, decline.',
    ],
    page: 'offers',
  },
  role_declined: {
    subject: ['un rôle est décliné', 'a role was declined'],
    text: [
      '{email} décline le rôle proposé ({role}) : {place}.',
      '{email} declines the role that you offered ({role}): {place}.',
    ],
    page: null,
  },
  role_confirmed: {
    subject: ['votre rôle est confirmé', 'your role is confirmed'],
    text: ['Votre rôle ({role}) est confirmé : {place}.', 'Your role ({role}) is confirmed: {place}.'],
    page: null,
  },
  role_removed: {
    subject: ['un rôle vous a été retiré', 'a role was taken from you'],
    text: ['Vous n’avez plus ce rôle ({role}) : {place}.', 'You no longer have this role ({role}): {place}.'],
    page: null,
  },
  account_reset: {
    subject: ['vos moyens d’entrer ont été effacés', 'your ways to sign in were taken away'],
    text: [
      'Une personne a effacé vos moyens d’entrer et fermé vos sessions. Elle vous donne elle-même un lien pour en choisir de nouveaux ; nous ne l’envoyons jamais par e-mail.',
      'A person took your ways to sign in away and ended your sessions. That person gives you a link to choose new ones; we never send it by e-mail.',
    ],
    page: null,
  },
  account_disabled: {
    subject: ['votre compte est désactivé', 'your account is disabled'],
    text: [
      'Votre compte est désactivé : vos sessions sont fermées et vos rôles retirés.',
      'Your account is disabled: your sessions have ended and your roles are gone.',
    ],
    page: null,
  },
  owner_disabled: {
    subject: ['le compte d’un propriétaire est désactivé', 'the account of an owner is disabled'],
    text: [
      'L’équipe du service a désactivé le compte d’un propriétaire de {place}. Si vous n’étiez pas au courant, appelez-la.',
      'The team of the service disabled the account of an owner of {place}. If you did not expect it, call the team.',
    ],
    page: null,
  },
  owner_given: {
    subject: ['un nouveau propriétaire est invité', 'a new owner is invited'],
    text: [
      'L’équipe du service invite un nouveau propriétaire de {place}. Il faut encore l’accord d’une deuxième personne. Si vous n’étiez pas au courant, appelez l’équipe tout de suite.',
      'The team of the service invites a new owner of {place}. A second person still has to agree. If you did not expect it, call the team at once.',
    ],
    page: null,
  },
  owner_confirmed: {
    subject: ['un nouveau propriétaire est confirmé', 'a new owner is confirmed'],
    text: [
      'Deux personnes de l’équipe du service ont fait entrer un nouveau propriétaire de {place}. Si vous n’étiez pas au courant, appelez l’équipe tout de suite.',
      'Two people of the team of the service let a new owner of {place} in. If you did not expect it, call the team at once.',
    ],
    page: null,
  },
}

/** Returns the page of a subject that its only person approved. */
function alonePage(id: string): string {
  return /^po[rb]_/.test(id) ? `/approvals/${id}` : '/keys'
}

/** The changes of factors, by their names in the audit log. */
const changes: Readonly<Record<string, Words>> = {
  'passkey.add': ['une clé d’accès ajoutée', 'a passkey added'],
  'passkey.remove': ['une clé d’accès retirée', 'a passkey removed'],
  'password.change': ['un nouveau mot de passe', 'a new password'],
  'telephone.replace': ['un autre téléphone', 'another phone'],
  'recovery_codes.renew': ['de nouveaux codes de secours', 'new recovery codes'],
}

export type MailDeps = { readonly brand: string; readonly originOf: (door: ScreenDoor) => string }

/**
 * Writes a notice as a mail of plain text, in the person's language: the event, one link, which survives the sign-in, and what we never ask
 * for. A merchant's name is only in the text and on one line, so that it can make neither a header nor a line.
 */
export function writeMail({ brand, originOf }: MailDeps, mail: WaitingMail): { subject: string; text: string } {
  const { notice, language } = mail
  const say = sayIn(language)
  const { subject, text, page } = mails[notice.name]
  const isTest = notice.about?.livemode === false
  const link = linkTo(mail, page)
  const paragraphs = [
    ...(isTest ? [say(['TEST – aucun argent réel', 'TEST – no real money'])] : []),
    fill(say(text), factsOf(mail, say)),
    ...(link === null
      ? []
      : [`${say(['Voir dans la console :', 'See it in the console:'])}\n${originOf(link.door)}${link.path}`]),
    say(
      [
        'Les avis se choisissent dans les réglages. {brand} ne demande jamais un mot de passe ni un code par e-mail ou au téléphone.',
        'Notices are chosen in the settings. {brand} never asks for a password or a code by e-mail or by phone.',
      ],
      { brand },
    ),
  ]
  return {
    subject: say(['{test}{brand} : {what}', '{test}{brand}: {what}'], {
      test: isTest ? 'TEST – ' : '',
      brand,
      what: say(subject),
    }),
    text: `${paragraphs.join('\n\n')}\n`,
  }
}

/** Returns the page of the link. Null for a person without roles, who has no page. */
export function linkTo(
  { notice: { about, subject }, own_merchant_id }: Pick<WaitingMail, 'notice' | 'own_merchant_id'>,
  page: MailWords['page'],
): { door: ScreenDoor; path: string } | null {
  if (page === 'offers') {
    const door = about?.merchant_id === STAFF ? 'desk' : 'console'
    return { door, path: `/${door}/offers` }
  }
  if (page === null || about === undefined) {
    if (own_merchant_id === null) return null
    const isStaff = own_merchant_id === STAFF
    return isStaff
      ? { door: 'desk', path: '/desk/live/account' }
      : { door: 'console', path: `/console/live/${own_merchant_id}/account` }
  }
  const mode = about.livemode === false ? 'test' : 'live'
  if (about.merchant_id === STAFF) return { door: 'desk', path: `/desk/${mode}${page(subject ?? '')}` }
  return { door: 'console', path: `/console/${mode}/${about.merchant_id}${page(subject ?? '')}` }
}

function factsOf({ notice, merchant_name, language }: WaitingMail, say: Say): Readonly<Record<string, string>> {
  const { facts = {}, about } = notice
  const { change = '', role = '', outcome = '', refusal = '', act = '', amount, day, ...others } = facts
  const staff = about?.merchant_id === STAFF ? say(['l’équipe du service', 'the team of the service']) : '–'
  return {
    ...others,
    ...(amount !== undefined && { amount: writeAmount(Number(amount)) }),
    ...(day !== undefined && { day: writeDay(new Date(day), language) }),
    place: oneLine(merchant_name ?? staff),
    change: change in changes ? say(changes[change]!) : change,
    act: act in actWords ? say(actWords[act as keyof typeof actWords]) : act,
    outcome: outcome && writeAloneEnd(say, outcome as SoloOutcome, (refusal || null) as SoloRefusal | null),
    refusal: refusal && say(aloneRefusals[refusal as SoloRefusal]),
    role: role
      .split(',')
      .map((one) => (one in roleWords ? say(roleWords[one as keyof typeof roleWords]) : one))
      .join(', '),
  }
}

function fill(sentence: string, facts: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (gap, key: string) => facts[key] ?? gap)
}

/** Removes line breaks and invisible characters from a name that a person chose. */
export function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
