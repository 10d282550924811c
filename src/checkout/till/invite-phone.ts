import { defineAct, isWithin, refuse, row } from '../../acts/act.ts'
import { lineField, text } from '../../acts/facts.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import { tenantOf } from '../../values/caller.ts'
import { newId } from '../../values/ids.ts'
import type { Addresses } from '../addresses.ts'
import { linkSituation } from '../link.ts'
import { findLink, lockLinks } from '../link-store.ts'
import { INVITATION_HOURS, PHONES_MAX } from './till-phone.ts'
import { insertPhones, readPhonesOf } from './till-store.ts'

const insertPhone = defineEffect('new row', insertPhones)

export type TillDeps = { readonly links: { readonly addresses: Addresses } }
export type PhoneInvited = { readonly phone_id: string; readonly url: string; readonly link_id: string }

/**
 * Invites a telephone to a till: it will see the payments of the last day through the till's code, and nothing else. The lock of the link bounds the
 * number of its telephones.
 */
export const invitePhone = defineAct({
  name: 'till.invite',
  summary: 'Invite a telephone to a till: it sees the payments of the last day through the till’s code',
  title: ['Ajouter un téléphone à cette caisse ?', 'Add a phone to this till?'],
  right: 'team.manage',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields: {
    name: lineField(text(['Nom du téléphone', 'Name of the phone']), {
      label: ['Nom du téléphone', 'Name of the phone'],
      longest: 80,
      fault: ['Donnez un nom, par exemple celui de la personne.', 'Give a name, for example the person’s.'],
    }),
  },
  async load(tx, { id, within }, { links: { addresses } }: TillDeps) {
    const key = await findLink(tx, id)
    if (key === null || !isWithin(key, within)) return null
    const [link] = await lockLinks(tx, [key])
    const phones = await readPhonesOf(tx, key)
    return { about: tenantOf(key), key, link: link!, live: phones.filter(({ is_live }) => is_live).length, addresses }
  },
  facts: {},
  content: () => ({}),
  decide({ id, by, values: { name } }, { key, link, live, addresses }, now) {
    if (!link.reusable || linkSituation(link) !== 'open') return refuse('not_a_till')
    if (live >= PHONES_MAX) return refuse('too_many_phones', { max: PHONES_MAX })
    const phone_id = newId('tph', now.getTime())
    const phone = {
      ...tenantOf(key),
      ...{ id: phone_id, link_id: id, name, invited_by: by.person, created_at: now },
      expires_at: new Date(now.getTime() + INVITATION_HOURS * 3_600_000),
      token_hash: addresses.tokenHash(phone_id),
    }
    return {
      kind: 'accepted',
      effects: [insertPhone(phone)],
      result: { phone_id, link_id: id, url: addresses.tillUrl(phone_id) } satisfies PhoneInvited,
      subject: phone_id,
      after: { link_id: id },
    }
  },
  unknown: 'There is no link {id}.',
  refusals: {
    not_a_till: {
      words: [
        'Un téléphone se relie à un code permanent ouvert.',
        'A phone is paired with a permanent code that is open.',
      ],
      command: '{id} is no open, reusable link. Give the link of a till.',
    },
    too_many_phones: {
      words: ['Une caisse a {max} téléphones au plus. Arrêtez-en un.', 'A till has {max} phones at most. End one.'],
      at: 'name',
    },
  },
})
