import { defineAct, isWithin, refuse, row } from '../acts/act.ts'
import { type Field, text } from '../acts/facts.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { hashOfHandle, readHandle } from './handles.ts'
import { findLink, type LinkKey, lockLinks, updateHandle } from './link-store.ts'
import { findByToken, insertTokens } from './store.ts'

const handleField: Field<string> = {
  ...text(['Adresse courte', 'Short address']),
  read: (typed) => (readHandle(typed).kind === 'refused' ? undefined : typed.trim()),
  form: {
    label: ['Adresse courte', 'Short address'],
    kind: 'line',
    longest: 30,
    fault: [
      '3 à 30 petites lettres, chiffres et tirets, sans nom d’opérateur ni de banque.',
      '3 to 30 small letters, digits and dashes, without the name of an operator or a bank.',
    ],
  },
  option: {
    value: 'NAME',
    says: 'the name in the address /p/NAME',
    sample: 'boutique-awa',
    must: 'must be 3 to 30 small letters, digits and single dashes, without the name of an operator or a bank.',
  },
}

const writeHandle = defineEffect<LinkKey & { handle: string }>('payment link', async (tx, links) => {
  for (const link of links) await updateHandle(tx, link)
})

const insertHandle = defineEffect<LinkKey & { handle: string }>('new row', (tx, links) => {
  insertTokens(
    tx,
    links.map(({ link_id, handle, ...tenant }) => ({
      ...tenant,
      subject_id: link_id,
      token_hash: hashOfHandle(handle),
    })),
  )
})

/**
 * Gives a link a short address that people can type. An address once given leads to its link for ever: it is on posters, and must never lead
 * to the money of somebody else.
 */
export const nameLink = defineAct({
  name: 'link.name',
  summary: 'Give a payment link a short address, which leads to it for ever',
  title: ['Donner cette adresse au lien ?', 'Give the link this address?'],
  right: 'merchants.manage',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields: { handle: handleField },
  async load(tx, { id, within, values: { handle } }, { links: { addresses } }: { links: { addresses: Addresses } }) {
    const key = await findLink(tx, id)
    if (key === null || !isWithin(key, within)) return null
    const [link] = await lockLinks(tx, [key])
    return { about: tenantOf(key), key, link: link!, given: await findByToken(tx, hashOfHandle(handle)), addresses }
  },
  facts: {},
  content: () => ({}),
  decide({ id, values: { handle } }, { key, link, given, addresses }) {
    const result = { link_id: id, url: addresses.handleUrl(handle) }
    if (link.handle === handle) return { kind: 'unchanged', result }
    if (given !== null && given.subject_id !== id) return refuse('handle_taken')
    const named = { ...tenantOf(key), link_id: id, handle }
    return {
      kind: 'accepted',
      effects: [writeHandle(named), ...(given === null ? [insertHandle(named)] : [])],
      result,
      before: { handle: link.handle },
      after: { handle },
    }
  },
  unknown: 'There is no link {id}.',
  conflicts: { checkout_tokens_pkey: 'handle_taken' },
  refusals: {
    handle_taken: {
      words: ['Cette adresse est déjà donnée à un autre lien.', 'This address is given to another link already.'],
      command: 'That address leads to another link already. Choose another --handle.',
      at: 'handle',
    },
  },
})
