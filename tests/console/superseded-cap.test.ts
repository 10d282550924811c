import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSender } from '../contract/sender.ts'
import { openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { openMember } from '../harness/teams.ts'

test('a cap that changes ends the proposal for it, and nobody can confirm that one afterwards', async () => {
  await using installation = await openInstallation()
  const { merchant_id } = (await newSender(installation)).tenant
  const aya = await openMember(installation, 'Aya', { merchant_id, roles: ['owner'] })
  const kofi = await openMember(installation, 'Kofi Yao', { staff: ['compliance'] })
  const path = `/console/${mode}/${merchant_id}/caps`
  const desk = `/desk/${mode}`
  type Shown = { caps: { day: number }; proposals: { id: string; status: string }[] }
  const facts = async () => (await aya.facts(path)).body as Shown
  const change = async (amount: string) =>
    (await aya.confirm(path, { cap: 'day', amount, reason: 'Salaires' }, path)).done.location
  assert.equal(await change('900000'), `${path}?done=asked_team`)
  const { id } = (await facts()).proposals[0]!
  const onDesk = `${desk}/caps/${id}`

  // The cap of one payout is another one.
  await aya.confirm(path, { cap: 'operation', amount: '90000', reason: 'Prudence' }, path)
  assert.equal((await facts()).proposals[0]!.status, 'proposed')
  assert.equal(await change('200000'), `${path}?done=saved`)
  assert.equal((await facts()).proposals[0]!.status, 'superseded')
  assert.match((await aya.get(path)).text, /Remplacé/)
  assert.match((await kofi.get(onDesk)).text, /Aya a changé ce plafond entre-temps/)
  assert.ok(!(await kofi.get(`${desk}/caps`)).text.includes(id))
  for (const [act, fields] of [
    ['approve', {}],
    ['refuse', { refusal: 'Non' }],
  ] as const) {
    assert.equal((await kofi.post(`${onDesk}/${act}`, fields, `${desk}/switch`)).status, 409, act)
  }
  assert.equal((await facts()).caps.day, 200_000)
  assert.equal(await change('300000'), `${path}?done=asked_team`)
  const acts = await installation.db.sql<{ act: string; actor: string; proven: boolean }[]>`
    select act, actor, step_up_id is not null as proven from audit_log where subject = ${id} order by at`
  assert.deepEqual(
    acts.map(({ act, actor, proven }) => [act, actor, proven]),
    [
      ['caps.propose', aya.email, true],
      ['caps.supersede', aya.email, true],
    ],
  )
})
