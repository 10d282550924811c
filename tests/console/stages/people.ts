import assert from 'node:assert/strict'
import * as alone from '../../../src/payouts/alone/allow-single-person.ts'
import { confirmMemberRole, confirmStaffRole, confirmTeamRole } from '../../../src/people/confirm-role.ts'
import { disablePerson } from '../../../src/people/disable-person.ts'
import { inviteMember, inviteOwner, inviteStaff } from '../../../src/people/invite.ts'
import { removeStaffRole, removeTeamRole } from '../../../src/people/remove-role.ts'
import { resetMember, resetPerson } from '../../../src/people/reset-person.ts'
import { actor } from '../../harness/actor.ts'
import { proposeSinglePerson } from '../../harness/single-person.ts'
import { newAddress, openMember } from '../../harness/teams.ts'
import { rename, type Stage, type Stand, type Subject } from './stage.ts'

/** A person with one role, which waits for a second person after the first one gave it. */
async function newPerson(stand: Stand, first: string, role: string, ofStaff: boolean): Promise<Subject> {
  const { sql, tenant, installation } = stand
  const { merchant_id } = tenant
  const roles = ofStaff ? { staff: [role] } : { merchant_id, roles: [role] }
  const { email, person_id: id } = await openMember(installation, newAddress('Personne'), roles)
  await sql`
    update person_roles
       set granted_by = ${first}, needs_confirmation = true, confirmed_by = null, confirmed_at = null, break_glass = false
     where person_id = ${id}`
  const state = async () => [
    await sql`select status, name from persons where person_id = ${id}`,
    await sql`select role, confirmed_by from person_roles where person_id = ${id}`,
    await sql`select count(*)::integer as open from person_sessions where person_id = ${id} and ended_at is null`,
  ]
  const change = () => sql`update persons set name = name || ' bis' where email = ${email}`
  return { params: { id }, subject: id, state, change }
}

const member = (stand: Stand, first: string) => newPerson(stand, first, 'approver', false)
const staff = (stand: Stand, first: string) => newPerson(stand, first, 'finance', true)

/** A first owner, whom nobody of the merchant can confirm. */
async function newOwner(stand: Stand, first: string): Promise<Subject> {
  const { sql, installation } = stand
  const { merchant_id } = await installation.newMerchant()
  const subject = await newPerson({ ...stand, tenant: { ...stand.tenant, merchant_id } }, first, 'owner', false)
  const change = () => sql`update merchants set name = name || ' bis' where merchant_id = ${merchant_id}`
  return { ...subject, named: { merchant: String(merchant_id) }, change }
}

/** A merchant of one person, with terms proposed by the first one, or none. */
async function newSingle({ sql, installation }: Stand, first: string | null): Promise<Subject> {
  const { merchant_id } = await installation.newMerchant()
  await openMember(installation, newAddress('Seule'), { merchant_id, roles: ['owner'] })
  if (first !== null) {
    const proposed = await proposeSinglePerson(sql, { merchant_id, reason: 'Elle est seule' }, actor(first))
    assert.equal(proposed.kind, 'done')
  }
  const state = async () =>
    await sql`select confirmed_by, ended_by from single_person_terms where merchant_id = ${merchant_id}`
  const change = () => sql`update merchants set name = name || ' bis' where merchant_id = ${merchant_id}`
  return { params: { id: String(merchant_id) }, subject: null, state, change }
}

/** An invitation of somebody who has no account yet. */
function newInvitation({ sql, tenant }: Stand, role: string, named: Record<string, string> = {}): Subject {
  const email = newAddress('invited')
  const state = async () => [
    await sql`select person_id from persons where email = ${email}`,
    await sql`select role from person_roles r join persons p using (person_id) where p.email = ${email}`,
  ]
  const place = role === 'viewer' ? ['--merchant', String(tenant.merchant_id)] : []
  const words = [...place, '--email', email, '--role', role]
  return { params: {}, named: { email, ...named }, words, subject: 'new', state }
}

const invites = { line: 'person.invite', otherOptions: true, shows: true } as const

const rows: readonly Stage[] = [
  {
    act: inviteMember,
    ...invites,
    fields: { name: 'Awa', roles: 'viewer' },
    otherFields: { name: 'Autre', roles: 'viewer' },
    open: async (stand) => ({ ...newInvitation(stand, 'viewer'), change: () => rename(stand) }),
  },
  {
    act: inviteStaff,
    ...invites,
    elsewhere: true,
    fields: { name: 'Awa', roles: 'support' },
    otherFields: { name: 'Autre', roles: 'support' },
    open: async (stand) => newInvitation(stand, 'support'),
  },
  {
    act: inviteOwner,
    ...invites,
    elsewhere: true,
    fields: { name: 'Awa' },
    otherFields: { name: 'Autre' },
    async open(stand) {
      const { merchant_id } = await stand.installation.newMerchant()
      return newInvitation(stand, 'owner', { merchant: String(merchant_id) })
    },
  },
  {
    act: alone.proposeSinglePerson,
    elsewhere: true,
    fields: { reason: 'Elle tient sa boutique seule' },
    otherFields: { reason: 'Autre chose' },
    open: (stand) => newSingle(stand, null),
  },
  { act: alone.confirmSinglePerson, second: true, elsewhere: true, open: newSingle },
  { act: alone.endSinglePerson, elsewhere: true, open: newSingle },
  { act: confirmTeamRole, second: true, fields: { role: 'approver' }, open: member },
  { act: confirmStaffRole, second: true, line: 'person.confirm', fields: { role: 'finance' }, open: staff },
  {
    act: confirmMemberRole,
    ...{ second: true, line: 'person.confirm', elsewhere: true },
    fields: { role: 'owner' },
    open: newOwner,
  },
  { act: removeTeamRole, fields: { role: 'approver' }, open: member },
  { act: removeStaffRole, line: 'person.remove_role', fields: { role: 'finance' }, open: staff },
  { act: resetMember, shows: true, open: member },
  { act: resetPerson, line: 'person.reset', shows: true, open: staff },
  { act: disablePerson, open: staff },
]

/** A person is of both modes. */
export const people: readonly Stage[] = rows.map((row) => ({ ...row, inBothModes: true }))
