import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { connectorTypes } from '../../src/operators/contracts/connector-types.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { carried } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A new address for a contract needs all its secrets again. Otherwise the current ones would be sent there.

let twin: RunningTwin
let installation: Installation
let kofi: Member

before(async () => {
  twin = await startTwin()
  installation = await openInstallation({ own: 'sets connectors' })
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['operations'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Optional secrets, with the settings that belong to them. */
const more: Readonly<Record<string, Record<string, string>>> = {
  pawapay: { signing_key_id: 'k1', signing_private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
  moov_gateway: { payout: 'transfer', 'payout.sender': '2250101010101', 'payout.auth': '2580' },
  wave: { request_signing_secret: 'a-secret-that-signs' },
}

/** Another value for each setting with an address of calls. */
const elsewhere: Readonly<Record<string, string>> = {
  base_url: 'https://elsewhere.example',
  token_path: '/elsewhere/token',
  country_path: 'dev',
  path: '/elsewhere',
  read_path: '/elsewhere/read',
}

/** Settings as the fields of their form. */
function fieldsOf(type: ConnectorType, settings: Readonly<Record<string, unknown>>): Record<string, string> {
  const secrets: readonly string[] = type.secrets
  const entries = Object.entries(settings).map(
    ([key, value]) => [`${secrets.includes(key) ? 'secret' : 'set'}_${key}`, String(value)] as const,
  )
  return { secret_form: 'whole', ...Object.fromEntries(entries) }
}

/** Submits a form of settings and answers its step-up. */
async function set(path: string, fields: Record<string, string>): Promise<void> {
  const ask = await kofi.post(path, fields, path)
  assert.equal(ask.status, 200, ask.text)
  const done = await kofi.post(path, { ...carried(ask), secret_code: await kofi.code() }, path)
  assert.equal(done.status, 303, done.text)
}

/** Returns the refused fields of a form. */
const refusedFields = (text: string) => [...text.matchAll(/ id="([^"]+)-e"/g)].map(([, name]) => name!).toSorted()

for (const type of connectorTypes) {
  test(`${type.type}: another address is accepted only with every secret typed again`, async () => {
    const ofTwin = Object.values(twin.connectors()).find((one) => one.type === type.type)!
    const settings: Record<string, string> = { ...ofTwin.settings, ...more[type.type] }
    if (type.type === 'orange_webpay') settings.country_path = 'ci'
    const name = type.type.replaceAll('_', '-')
    const create = `/desk/test/connect/${type.type}`
    await set(create, { name, ...fieldsOf(type, settings) })

    const change = `/desk/test/connectors/${name}/settings`
    const secrets = type.secrets.filter((key) => settings[key] !== undefined)
    assert.deepEqual(secrets, [...type.secrets], 'the contract has every secret that its kind knows')
    const named = secrets.map((key) => `secret_${key}`).toSorted()
    const typedSecrets = Object.fromEntries(secrets.map((key) => [key, settings[key]]))
    for (const key of type.addresses) {
      const address = { [key]: elsewhere[key] }
      const alone = await kofi.post(change, fieldsOf(type, address), change)
      assert.equal(alone.status, 422, key)
      assert.deepEqual(refusedFields(alone.text), named, key)
      assert.match(alone.text, /tapez de nouveau ce secret, puisque l’adresse change/)
      const [left, ...typed] = secrets
      const some = Object.fromEntries(typed.map((one) => [one, settings[one]]))
      const oneLeft = await kofi.post(change, fieldsOf(type, { ...address, ...some }), change)
      assert.deepEqual(refusedFields(oneLeft.text), [`secret_${left}`], key)
      const whole = await kofi.post(change, fieldsOf(type, { ...address, ...typedSecrets }), change)
      assert.equal(whole.status, 200, whole.text)
      assert.match(whole.text, /name="step_up_id"/)
    }
  })
}

test('removing an address, so that the default applies, needs the secrets too', async () => {
  const change = '/desk/test/connectors/moov-gateway/settings'
  const type = connectorTypes.find((one) => one.type === 'moov_gateway')!
  const { settings } = Object.values(twin.connectors()).find((one) => one.type === type.type)!
  const secrets = { password: settings.password, 'payout.auth': more.moov_gateway!['payout.auth'] }
  await set(change, fieldsOf(type, { path: '/own', ...secrets }))
  const refused = await kofi.post(change, { secret_form: 'whole', drop: 'path' }, change)
  assert.equal(refused.status, 422)
  assert.deepEqual(refusedFields(refused.text), ['secret_password', 'secret_payout.auth'])
})

test('every setting that names a host or a path is among the addresses of its kind', () => {
  for (const { type, settings, addresses } of connectorTypes) {
    const named = Object.keys(settings.properties).filter((key) => /(?:^|[._])(?:url|uri|path|host|address)$/.test(key))
    // This is a flag: whether the operator gets our own address.
    const expected = named.filter((key) => key !== 'send_callback_url')
    assert.deepEqual([...addresses].toSorted(), expected.toSorted(), type)
  }
})
