import { signInOrigin } from '../../app/public-origin.ts'
import { confirmStaffRole, confirmTeamRole } from '../../people/confirm-role.ts'
import { disablePerson } from '../../people/disable-person.ts'
import { findMembers, type Member } from '../../people/find-persons.ts'
import { type Link, linkPath } from '../../people/give-link.ts'
import { type Invited, inviteMember, inviteStaff } from '../../people/invite.ts'
import { STAFF } from '../../people/person.ts'
import { resetPerson } from '../../people/reset-person.ts'
import { merchantRoles, staffRoles } from '../../values/rights.ts'
import { type ActMore, actCommand } from '../act-command.ts'
import { type Command, defineCommand, readMerchant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { serviceOrigin } from '../service-origin.ts'

const merchantOption = {
  kind: 'optional',
  says: 'the merchant where the person gets the roles; without one, the staff',
} as const

type Given = { readonly merchant: string | undefined }

const inviting = {
  name: 'person invite',
  example: '--email awa@example.com --role operations',
  instead: {
    options: {
      email: 'needed',
      merchant: merchantOption,
      role: { kind: 'list', sample: 'administrator' },
      name: { kind: 'optional', says: 'the name of a new person; otherwise the beginning of the address' },
    },
    typed: ({ role, ...given }) => ({
      ...(given as Record<string, string | undefined>),
      roles: (role as readonly string[]).join(','),
    }),
  },
  async answer({ person_id, link }, context) {
    if (link === null) {
      context.advise('This person signs in already, or is in this team, so that there is no link to give.')
      return { person_id, link: null }
    }
    return { person_id, ...(await shown(context, link)) }
  },
} satisfies ActMore<Invited>
const invitesMember = actCommand(inviteMember, inviting)
const invitesStaff = actCommand(inviteStaff, inviting)
const invites = ({ merchant }: Given) => (merchant === undefined ? invitesStaff : invitesMember)

/** Invites to the merchant of `--merchant`, or without one to the staff: two acts with rights of their own. */
const personInvite: Command = {
  ...invitesMember,
  details:
    `The roles of a merchant's people are ${merchantRoles.join(', ')}; those of the staff are ${staffRoles.join(', ')}. The link is valid once, for ` +
    '72 hours, or one hour for an administrator. The same command again gives a new link and ends the previous one. Roles that a ' +
    'command gives without a sign-in take effect at once, and the audit log shows the command.',
  right: (values: Given) => invites(values).act!.right,
  question: (context, values: Given & never) => invites(values).question!(context, values),
  run: (context, values: Given & never, output) => invites(values).run(context, values, output),
}

const personList = defineCommand({
  name: 'person list',
  summary:
    'Show the people of a merchant or of the staff, with their roles and the roles that a second person must confirm',
  options: { merchant: { kind: 'optional', says: 'the merchant; without one, the staff' } },
  table: {
    rows: 'persons',
    columns: ['person_id', 'email', 'status', 'roles', 'to_confirm', 'to_accept', 'seen_at', 'name', 'account_code'],
    empty: 'There is nobody here yet: bandama person invite makes the first one.',
  },
  async run(context, { merchant }) {
    const merchant_id = merchant === undefined ? STAFF : readMerchant(merchant)
    return { persons: (await findMembers(await context.reads(), merchant_id)).map(inList) }
  },
})

function inList({ person_id, email, name, status, roles, seen_at, link_until, account_code }: Member): object {
  const names = (which: (role: Member['roles'][number]) => boolean) => roles.filter(which).map(({ role }) => role)
  const [counting, to_confirm, to_accept] = [
    names(({ counts }) => counts),
    names((role) => role.to_confirm),
    names((role) => role.to_accept),
  ]
  return { person_id, email, name, status, roles: counting, to_confirm, to_accept, seen_at, link_until, account_code }
}

const confirmed = ({ person_id, role }: { person_id: string; role: string }) => ({ person_id, role, confirmed: true })
const ofTeam = actCommand(confirmTeamRole, { answer: confirmed })
const ofStaff = actCommand(confirmStaffRole, { name: 'person confirm', answer: confirmed })

const chosen = ({ merchant }: Given) => (merchant === undefined ? ofStaff : ofTeam)

/** Confirms a role at the merchant of `--merchant`, or without one a role in the staff: two acts with rights of their own. */
const personConfirm: Command = {
  ...ofTeam,
  details:
    'Where person list shows an account_code, another place opened the account. Call its holder at a number that you know, and ask for the code that ' +
    'their account page shows. Confirm only if it is the same.',
  right: (values: Given) => chosen(values).act!.right,
  options: { ...ofTeam.options, merchant: merchantOption },
  question: (context, values: Given & never) => chosen(values).question!(context, values),
  run: (context, values: Given & never, output) => chosen(values).run(context, values, output),
}

const personDisable = actCommand(disablePerson, {
  answer: ({ person_id, sessions_ended }) => ({ person_id, disabled: true, sessions_ended }),
})

const personReset = actCommand(resetPerson, {
  name: 'person reset',
  answer: async ({ person_id, link }, context) => ({ person_id, ...(await shown(context, link)) }),
})

/** Returns a link as its address, with its expiry. */
async function shown(context: CommandContext, link: Link): Promise<object> {
  const origin = signInOrigin(context.config, link.staff, await serviceOrigin(context))
  return { link: `${origin}${linkPath(link)}`, expires_at: link.expires_at.toISOString() }
}

export const commands: readonly Command[] = [personInvite, personList, personConfirm, personReset, personDisable]
