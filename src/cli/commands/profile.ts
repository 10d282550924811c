import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { builtInProfiles } from '../../statement-files/built-in-profiles.ts'
import { readProfilesInForce } from '../../statement-files/import/profile-store.ts'
import { PROFILE_BYTES_MAX, setProfile } from '../../statement-files/import/set-profile.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'

const profileList = defineCommand({
  name: 'profile list',
  summary: 'Show the profiles: how operators and banks write their statements',
  options: {},
  table: { rows: 'profiles', columns: ['profile', 'version', 'format', 'built_in'], empty: 'There are no profiles.' },
  async run(context) {
    const inForce = await readProfilesInForce(await context.sql())
    const profiles = [...inForce.values()].map((one) => {
      const { profile, version, format } = one
      return { profile, version, format, built_in: builtInProfiles.includes(one) }
    })
    return { profiles }
  },
})

const profileSet = actCommand(setProfile, {
  details:
    'The file has the JSON of a profile: titles, columns, words, the form of dates and the meaning of amounts. A change is a new version; files that were read ' +
    'before keep theirs.',
  example: '--name my_bank --settings my-bank.json',
  instead: {
    options: {
      name: { kind: 'needed', value: 'P', says: 'its name: lower-case letters, digits and _', sample: 'my_bank' },
      settings: { kind: 'needed', value: 'FILE', says: 'its JSON; - reads standard input', sample: 'my-bank.json' },
    },
    typed: ({ name }) => ({ name: name as string }),
  },
  deps: async (_context, _call, { settings }) => ({ settings: await readSettings(settings as string) }),
  answer: (set) => set,
})

async function readSettings(path: string): Promise<string> {
  const json = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8').catch(() => null)
  if (json === null) throw new CommandError(`There is no file ${path}.`)
  if (json.length > PROFILE_BYTES_MAX) throw new CommandError(`A profile has at most ${PROFILE_BYTES_MAX} characters.`)
  return json
}

export const commands: readonly Command[] = [profileList, profileSet]
