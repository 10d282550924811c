import type { AnyAct } from '../../src/acts/act.ts'
import type { ProposedAct } from '../../src/acts/proposal.ts'
import type { Command } from '../../src/cli/command.ts'
import type { Screen } from '../../src/console/screen.ts'
import { rolesWith } from '../../src/values/rights.ts'

const mayWait: ReadonlySet<string> = new Set<ProposedAct>([
  'balance.deposit',
  'refund.create',
  'connector.set',
  'route.set',
])

const heading = `# Acts

Generated from the declarations of acts (\`src/acts\`) by \`npm run derive\`; a test fails when this page is stale. An act has one right, one
proof and one list of refusals at all its doors; each may also answer \`resource_not_found\`. *Second person*: the act decides on what another person
began. *May wait*: in live mode the act itself may wait for one. A change of a person's own factors and sessions is no act of this kind.

| Act | Effect | Right | Roles | Fresh factor | Second person | Doors | Refusals |
|---|---|---|---|---|---|---|---|
`

/** Derives docs/acts.md from the screens and commands of declared acts. */
export function renderActs(screens: readonly Screen[], commands: readonly Command[]): string {
  const acts = new Map<string, AnyAct>()
  const doors = new Map<string, string[]>()
  const add = (act: AnyAct, door: string) => {
    acts.set(act.name, act)
    doors.set(act.name, [...(doors.get(act.name) ?? []), door])
  }
  for (const { acts: own = [], door, path } of screens) for (const act of own) add(act, `${door} \`${path}\``)
  for (const { act, name } of commands) if (act !== undefined) add(act, `\`bandama ${name}\``)
  const rows = [...acts.values()]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, summary, right, fresh, refusals }) => {
      const second = 'same_person' in refusals ? 'yes' : mayWait.has(name) ? 'may wait' : ''
      const codes = Object.keys(refusals).filter((code) => code !== 'resource_not_found')
      const cells = [`\`${name}\``, summary, `\`${right}\``, rolesWith(right).join(', '), fresh ? 'yes' : '', second]
      return `| ${[...cells, doors.get(name)!.join('<br>'), codes.map((code) => `\`${code}\``).join(', ')].join(' | ')} |`
    })
  return `${heading}${rows.join('\n')}\n`
}
