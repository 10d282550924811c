import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refusalOf, type Target } from '../../src/acts/act.ts'
import type { Fields } from '../../src/acts/facts.ts'
import { performAct } from '../../src/acts/perform.ts'
import { screens } from '../../src/app/screens.ts'
import { allCommands } from '../../src/cli/commands.ts'
import type { Screen } from '../../src/console/screen.ts'
import { createClock } from '../../src/platform/clock.ts'
import { merchantRoles, rightsOf, staffRoles } from '../../src/values/rights.ts'
import { stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember, seated } from '../harness/teams.ts'
import { stages } from './act-stages.ts'
import { depsOfActs } from './stages/act-deps.ts'
import { openStage, type Stage, type Stand, type Subject } from './stages/stage.ts'

// The promises of every declared act, at each of its doors. A new act needs one row in act-stages.ts.

const acting = (screens as readonly Screen[]).flatMap((screen) =>
  (screen.acts ?? []).map((act) => ({ ...screen, act, isOnly: screen.acts?.length === 1 })),
)
const allOfThem = (await allCommands()).flatMap((group) => group.commands)
const commands = allOfThem.filter(({ act }) => act !== undefined)

const AYA = 'aya@example.ci'
const AMA = 'ama@example.ci'

let installation: Installation
let stand: Stand
let elsewhere: Stand
const members = new Map<string, Member>()
let everybody: Member
let second: Member

before(async () => {
  installation = await openInstallation({ own: 'changes the limits of the whole mode' })
  stand = await openStage(installation)
  elsewhere = await openStage(installation)
  const { merchant_id } = stand.tenant
  for (const role of merchantRoles)
    members.set(role, await openMember(installation, role, { merchant_id, roles: [role] }))
  for (const role of staffRoles) members.set(role, await openMember(installation, role, { staff: [role] }))
  const all = { merchant_id, roles: [...merchantRoles], staff: [...staffRoles] }
  // Another person there, without whom nobody proposes.
  await openMember(installation, 'Elsewhere', { merchant_id: elsewhere.tenant.merchant_id, roles: ['owner'] })
  everybody = await openMember(installation, 'Awa', all)
  second = await openMember(installation, 'Issa', all)
})
after(() => installation[Symbol.asyncDispose]())

test('every act that has a door has a row', () => {
  const declared = new Set([...acting, ...commands].map(({ act }) => act!.name))
  assert.deepEqual(stages.map(({ act }) => act.name).toSorted(), [...declared].toSorted())
})

test('each door of an act asks for its right and its factor, and no other command asks for one', () => {
  assert.deepEqual(
    allOfThem.filter(({ act, fresh }) => act === undefined && fresh !== undefined),
    [],
  )
  for (const { act, right, operation, method, isOnly } of acting) {
    assert.deepEqual([right, method], [act.right, 'POST'])
    const isByHand = stages.some((stage) => stage.act.name === act.name && stage.byHand)
    if (isOnly && !isByHand) assert.equal(operation, act.name)
  }
  for (const { act, name, right, fresh, options } of commands) {
    // A command may be another act without these options, or none.
    const given = { merchant: '1', accept: 'x' } as never
    const asked = typeof right === 'function' ? right(given) : right
    const isFresh = typeof fresh === 'function' ? fresh(given) : (fresh ?? false)
    assert.deepEqual([asked, isFresh, options.code === 'optional'], [act!.right, act!.fresh, act!.fresh], name)
    // A command may name the subject by other options than the fields of the form.
    if (stages.some((stage) => stage.act.name === act!.name && stage.otherOptions)) continue
    for (const [field, { option }] of Object.entries(act!.fields)) {
      assert.ok((option.name ?? field) in options, `${name} --${option.name ?? field}`)
    }
  }
})

type Door = { base: string; at: (subject: Subject) => string; other: (subject: Subject) => string[] }

/** The address of an act in its place, and those in other places, where its subject is unknown. */
function doorOf({ door, path }: Screen): Door {
  const fill = (base: string, { params }: Subject) =>
    base + path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const { merchant_id } = stand.tenant
  const base = door === 'console' ? `/console/${mode}/${merchant_id}` : `/desk/${mode}`
  const others = door === 'console' ? [`/console/${otherMode}/${merchant_id}`] : [`/desk/${otherMode}`]
  return { base, at: (subject) => fill(base, subject), other: (subject) => others.map((one) => fill(one, subject)) }
}

type Line = { act: string; actor: string; door: string; subject: string | null; step_up_id: string | null }

const readLines = () => installation.db.sql<Line[]>`
  select act, actor, door, subject, step_up_id from audit_log where act = any(${stages.map(({ act, line }) => line ?? act.name)}) order by at, id`

/** Returns the lines that an act added. */
async function added(work: () => Promise<unknown>): Promise<Line[]> {
  const before = (await readLines()).length
  await work()
  return (await readLines()).slice(before)
}

/** Does what must not do anything: no row changes, and no line is written. */
async function changesNothing(subject: Subject, work: () => Promise<unknown>): Promise<void> {
  const before = await subject.state()
  assert.deepEqual(await added(work), [])
  assert.deepEqual(await subject.state(), before)
}

/** Ties a person to a colleague, as somebody who gave them a role yesterday. */
const letIn = (maker: string, person: string) => installation.db.sql`
  insert into person_ties (person, maker) values (person_in(${person}), person_in(${maker}))`

for (const stage of stages) {
  const { act } = stage
  const own = acting.filter((screen) => screen.act.name === act.name)
  for (const screen of stage.byHand ? [] : own) walk(stage, screen, `${act.name}, ${screen.door}`)
  walkCommand(stage)
}

function walk(stage: Stage, screen: Screen, title: string): void {
  const { act, second: isSecond, open } = stage
  const fieldsOf = (subject: Subject) => ({ ...stage.fields, ...subject.named })
  const page = (door: Door) => `${door.base}/account`

  test(`${title}: refused to roles without its right, and its subject is unknown in another place`, async () => {
    const door = doorOf(screen)
    const subject = await open(stand, AYA)
    const fields = fieldsOf(subject)
    await changesNothing(subject, async () => {
      for (const [role, member] of members) {
        const isMine = (merchantRoles as readonly string[]).includes(role) === (screen.door === 'console')
        if (rightsOf([role]).has(act.right) && isMine) continue
        const from = (merchantRoles as readonly string[]).includes(role)
          ? `/console/${mode}/${stand.tenant.merchant_id}`
          : `/desk/${mode}`
        const { status } = await member.post(door.at(subject), fields, `${from}/account`)
        assert.equal(status, isMine ? 403 : 404, role)
      }
      if (act.on.kind === 'row') {
        for (const address of stage.inBothModes ? [] : door.other(subject)) {
          assert.equal((await everybody.post(address, fields, page(door))).status, 404, address)
        }
        const id = 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb'
        const named = subject.named && { ...subject.named, [act.on.option]: id }
        const unknown = { ...subject, params: { id }, named }
        assert.equal((await everybody.post(door.at(unknown), fieldsOf(unknown), page(door))).status, 404)
      }
    })
    if (act.on.kind !== 'row' || screen.door !== 'console') return
    const foreign = await open(elsewhere, AYA)
    await changesNothing(foreign, async () => {
      assert.equal((await everybody.post(door.at(foreign), fieldsOf(foreign), page(door))).status, 404)
    })
  })

  if (isSecond)
    test(`${title}: refused to the first person and to whoever let them in, before a factor is asked`, async () => {
      const door = doorOf(screen)
      const colleague = await openMember(installation, 'Kofi', { staff: [...staffRoles] })
      await letIn(everybody.email, colleague.email)
      for (const first of [everybody.email, colleague.email]) {
        const subject = await open(stand, first)
        await changesNothing(subject, async () => {
          const answer = await everybody.post(door.at(subject), fieldsOf(subject), page(door))
          assert.equal(answer.status, 409)
          assert.equal(stepUpIn(answer), '')
          const [french] = refusalOf(act, 'same_person').words
          assert.ok(answer.text.replace(/[\u00a0\u202f]/g, ' ').includes(french), answer.text)
        })
      }
    })

  if (act.fresh) walkFactor(stage, screen, title)

  test(`${title}: is done once, and leaves one line with its person and its proof`, async () => {
    const door = doorOf(screen)
    const subject = await open(stand, stage.own ? second.email : AYA)
    const fields = fieldsOf(subject)
    const lines = await added(async () => {
      const answer = act.fresh
        ? (await second.confirm(door.at(subject), fields, page(door))).done
        : await second.post(door.at(subject), fields, page(door))
      assert.equal(answer.status, stage.shows ? 200 : 303, answer.text)
    })
    assert.deepEqual(
      lines.map((line) => [line.act, line.actor, line.door]),
      [[stage.line ?? act.name, second.email, 'console']],
    )
    const [line] = lines
    if (subject.subject !== 'new') assert.equal(line!.subject, subject.subject)
    assert.equal(line!.step_up_id !== null, act.fresh)
    if (!act.fresh) return
    const [proof] = await installation.db.sql<{ used: boolean; operation: string; content: string }[]>`
      select used_at is not null as used, operation, content from step_ups where step_up_id = ${line!.step_up_id}`
    assert.deepEqual([proof!.used, proof!.operation], [true, act.name])
    const ofStaff = (screen.door === 'desk' && act.name.startsWith('staff.')) || act.name === 'person.disable'
    if (!stage.elsewhere) assert.equal(JSON.parse(proof!.content).merchant_id, ofStaff ? 0 : stand.tenant.merchant_id)
    // The same proof does nothing more.
    if (act.on.kind === 'row') {
      const again = { ...fields, step_up_id: line!.step_up_id!, secret_code: '000000' }
      await changesNothing(subject, () => second.post(door.at(subject), again, page(door)))
    }
  })
}

function walkFactor(stage: Stage, screen: Screen, title: string): void {
  const { act, open, otherFields } = stage
  const fieldsOf = (subject: Subject) => ({ ...stage.fields, ...subject.named })

  test(`${title}: asks and does nothing if its door forgot the factor`, async () => {
    const subject = await open(stand, AYA)
    const typed = { ...stage.fields, ...subject.named }
    const read = Object.entries(act.fields as Fields).map(([name, field]) => [name, field.read(typed[name] ?? '')])
    const subjects = {
      row: { id: subject.params.id! },
      merchant: { tenant: stand.tenant },
      merchant_in_both: { merchant_id: stage.elsewhere ? Number(subject.params.id) : stand.tenant.merchant_id },
      service: {},
    }
    const common = {
      by: seated(everybody.email),
      values: Object.fromEntries(read),
      within: screen.door === 'desk' ? { livemode: stand.tenant.livemode } : stand.tenant,
    }
    const call = { ...common, ...subjects[act.on.kind] }
    const deps = { sql: installation.db.sql, clock: createClock(), ...depsOfActs(stand) }
    await changesNothing(subject, async () => {
      assert.deepEqual(await performAct(act, deps, call as never, null), { kind: 'ask_again' })
    })
  })

  test(`${title}: without a factor, with a wrong one or with one for another subject it asks and does nothing`, async () => {
    const door = doorOf(screen)
    const from = `${door.base}/account`
    const [other, subject] = [await open(stand, AYA), await open(stand, AYA)]
    const fields = fieldsOf(subject)
    await changesNothing(subject, async () => {
      const asked = await everybody.post(door.at(subject), fields, from)
      assert.equal(asked.status, 200)
      assert.notEqual(stepUpIn(asked), '')
      const typed = Object.entries(fields)
      for (const [proof, code] of [
        [stepUpIn(asked), '000000'],
        ['stp_01k5v0e9t8fq3a7mzd4n2xw6rb', '000000'],
      ] as const) {
        const wrong = await everybody.post(
          door.at(subject),
          [...typed, ['step_up_id', proof], ['secret_code', code]],
          from,
        )
        assert.equal(wrong.status, 422)
        assert.notEqual(stepUpIn(wrong), '')
      }
      if (act.on.kind !== 'row' || stage.single) return
      const { ask } = await everybody.ask(door.at(other), fieldsOf(other), from)
      const proof = [
        ['step_up_id', stepUpIn(ask)],
        ['secret_code', await everybody.code()],
      ] as const
      const moved = await everybody.post(door.at(subject), [...typed, ...proof], from)
      assert.equal(moved.status, 422)
    })
  })

  test(`${title}: a content that changes between question and answer is asked about anew`, async () => {
    const door = doorOf(screen)
    const from = `${door.base}/account`
    const subject = await open(stand, AYA)
    if (subject.change !== undefined) {
      const { answer } = await everybody.ask(door.at(subject), fieldsOf(subject), from)
      await subject.change()
      await changesNothing(subject, async () => assert.equal((await answer()).status, 422))
    }
    if (otherFields === undefined) return
    const { ask } = await everybody.ask(door.at(subject), fieldsOf(subject), from)
    const proof = [
      ['step_up_id', stepUpIn(ask)],
      ['secret_code', await everybody.code()],
    ] as const
    await changesNothing(subject, async () => {
      const changed = await everybody.post(
        door.at(subject),
        [...Object.entries({ ...otherFields, ...subject.named }), ...proof],
        from,
      )
      assert.equal(changed.status, 422)
      assert.notEqual(stepUpIn(changed), '')
    })
  })
}

function walkCommand(stage: Stage): void {
  const { act, open } = stage
  const command = commands.find((one) => one.act!.name === act.name)
  if (command === undefined) return
  test(`${act.name}, command: somebody on the host does it without a factor, and its line says so`, async () => {
    const subject = await open(stand, stage.own ? AMA : AYA)
    const { on } = act
    const place = ['--merchant', String(stand.tenant.merchant_id), '--mode', mode]
    const target =
      on.kind === 'row'
        ? [
            ...place.slice(
              0,
              { found: 0, of_merchant: 2, named: 4 }[on.place as Extract<Target, { kind: 'row' }>['place']],
            ),
            `--${on.option}`,
            subject.params.id!,
          ]
        : place.slice(0, on.kind === 'merchant' ? 4 : on.kind === 'service' ? 0 : 2)
    const typed = Object.entries(stage.fields ?? {}).flatMap(([name, value]) => [
      `--${act.fields[name]!.option.name ?? name}`,
      value,
    ])
    const words = [...command.name.split(' '), ...(subject.words ?? [...target, ...typed]), '--as', AMA]
    const lines = await added(() => installation.bandama(...words))
    assert.deepEqual(
      lines.map((line) => [line.act, line.actor, line.door, line.step_up_id]),
      [[stage.onHost ?? stage.line ?? act.name, AMA, 'break_glass', null]],
    )
  })
}
