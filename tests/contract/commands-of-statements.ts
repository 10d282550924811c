import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInProfiles } from '../../src/statement-files/built-in-profiles.ts'
import { waveFr } from '../harness/statement-fixtures.ts'

const KOFI = ['--as', 'kofi@example.com']
const AMA = ['--as', 'ama@example.com']

/** Runs each command about external accounts, the calendar, statement files and differences. @param run runs one and returns its object */
export async function runStatements(run: (...words: string[]) => Promise<Record<string, string>>): Promise<void> {
  await run('external-account', 'create', '--code', 'ecobank', '--kind', 'bank', '--mode', 'test', ...KOFI)
  await run('external-account', 'list')
  const opening = ['--account', 'ecobank', '--day', '2026-01-31', '--balance', '1250000', ...AMA]
  const proposed = async () => (await run('external-account', 'open', ...opening)).proposal_id!
  await run('external-account', 'withdraw', '--id', await proposed(), ...AMA)
  await run('reconcile', 'refuse', '--id', await proposed(), ...KOFI)
  await run('reconcile', 'approve', '--id', await proposed(), ...KOFI)
  await run('calendar', 'set', '--day', '2027-03-10', '--holiday', 'Fin du Ramadan', ...KOFI)
  await run('calendar', 'list', '--from', '2027-03-01', '--to', '2027-03-31')
  const files = await mkdtemp(join(tmpdir(), 'statements-'))
  await writeFile(join(files, 'wave.csv'), waveFr)
  const ecobank = ['--account', 'ecobank', '--mode', 'test']
  const { file_id } = await run('reconcile', 'import', ...ecobank, '--file', join(files, 'wave.csv'), ...KOFI)
  await run('reconcile', 'files', ...ecobank)
  await run('reconcile', 'lines', '--file', file_id!)
  const listed = await run('reconcile', 'list', ...ecobank)
  const [difference] = listed.differences as unknown as { id: string }[]
  await run('reconcile', 'show', '--id', difference!.id)
  const own = ['--resolution', 'own_funds', '--reason', 'Ours']
  const { proposal_id: about } = await run('reconcile', 'propose', '--id', difference!.id, ...own, ...AMA)
  await run('reconcile', 'refuse', '--id', about!, ...KOFI)
  await writeFile(join(files, 'lines.json'), '[{"effect":-500,"class":"fee"}]')
  const balances = ['--opening', '1000', '--closing', '500', '--lines', join(files, 'lines.json')]
  await run('reconcile', 'type', ...ecobank, '--day', '2026-11-09', ...balances, ...AMA)
  await run('reconcile', 'withdraw', '--file', file_id!, '--reason', 'of another account', ...AMA)
  const profile = { ...builtInProfiles.find(({ profile }) => profile === 'mtn'), profile: 'mtn_own' }
  await writeFile(join(files, 'profile.json'), JSON.stringify(profile))
  await run('profile', 'set', '--name', 'mtn_own', '--settings', join(files, 'profile.json'), ...KOFI)
  await run('profile', 'list')
  await rm(files, { recursive: true })
}
