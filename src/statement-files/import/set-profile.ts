import { type ActDecision, defineAct, refuse, service } from '../../acts/act.ts'
import { lineField, text } from '../../acts/facts.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { builtInProfiles } from '../built-in-profiles.ts'
import type { StatementProfile } from '../profile.ts'
import { validateProfile } from '../validate-profile.ts'
import { addProfile, readProfiles } from './profile-store.ts'

/** The most bytes of the JSON of a profile. */
export const PROFILE_BYTES_MAX = 65_536

/**
 * Sets how one operator or bank writes its statements. Each change is a new version, and files keep the version that they were read with. A profile with the
 * name of a built-in one replaces it.
 */
export const setProfile = defineAct({
  name: 'profile.set',
  summary: 'Set how an operator or a bank writes its statements, from a JSON file',
  title: ['Régler un profil de relevé', 'Set a profile of statements'],
  right: 'statements.import',
  fresh: false,
  on: service,
  fields: {
    name: lineField(text(['Profil', 'Profile']), {
      label: ['Nom du profil', 'Name of the profile'],
      longest: 40,
      fault: ['Écrivez un nom.', 'Write a name.'],
      option: { value: 'P', says: 'its name: lower-case letters, digits and _', sample: 'my_bank' },
    }),
  },
  async load(tx, { values: { name } }, { settings }: { readonly settings: string }) {
    const before = (await readProfiles(tx)).find(({ profile }) => profile === name) ?? null
    const built_in = builtInProfiles.find(({ profile }) => profile === name) ?? null
    const version = (before?.version ?? built_in?.version ?? 0) + 1
    return { about: { merchant_id: WHOLE_SERVICE, livemode: null }, read: validateProfile(settings), before, version }
  },
  facts: { name: text(['Profil', 'Profile']), version: text(['Version', 'Version']) },
  content: ({ version }, { name }) => ({ name, version: String(version) }),
  decide(
    { by, values: { name } },
    { read, version },
    now,
  ): ActDecision<
    { readonly profile: string; readonly version: number; readonly format: string },
    'unusable' | 'other_name'
  > {
    if (read.kind === 'refused') return refuse('unusable', { faults: read.faults.slice(0, 10).join(' ') })
    if (read.profile.profile !== name) return refuse('other_name', { named: read.profile.profile })
    const settings: StatementProfile = { ...read.profile, version }
    const { format } = settings
    return {
      kind: 'accepted',
      effects: [addProfile({ profile: name, version, settings, set_by: by.person, set_at: now })],
      result: { profile: name, version, format },
      subject: name,
      after: { version, format },
    }
  },
  refusals: {
    unusable: ['Le profil n’est pas utilisable. {faults}', 'The profile cannot be used. {faults}'],
    other_name: [
      'Le fichier nomme le profil {named}.',
      'The file names the profile {named}. Give that name, or change the file.',
    ],
  },
  conflicts: { statement_profiles_pkey: 'unusable' },
})
