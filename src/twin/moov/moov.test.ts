import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { startTwin } from '../start-twin.ts'
import { addressesOf, defaults, type Settings } from './settings.ts'

const PAYER = '0101234567'
const DESTINATION = '2250101234567'

const twin = await startTwin()
after(() => twin.close())
beforeEach(async () => {
  await twin.reset()
  twin.change('moov', { ...defaults, forgets_at_midnight: false })
})

// biome-ignore lint/suspicious/noExplicitAny: the test says what stands in an answer
type Answer = { status: number; unverified: string | null; body: any }

const settings = () => twin.settings('moov') as Settings

async function call(command: string, fields: object | string, headers: Record<string, string> = {}): Promise<Answer> {
  const { order, ask } = addressesOf(settings())
  const { authorization, user, password } = settings()
  const answer = await fetch(`${twin.url}/moov${command.startsWith('process-check') ? ask : order}`, {
    method: 'POST',
    headers: {
      Authorization: `${authorization} ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'command-id': command,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: typeof fields === 'string' ? fields : JSON.stringify(fields),
  })
  const text = await answer.text()
  const unverified = answer.headers.get('Twin-Unverified')
  return { status: answer.status, unverified, body: text === '' ? undefined : JSON.parse(text) }
}

const bodyOf = (changes: object = {}) => ({
  'request-id': randomUUID(),
  destination: DESTINATION,
  amount: '2500',
  remarks: 'Commande',
  message: 'Commande',
  'extended-data': {},
  ...changes,
})

async function order(command: 'mror-transaction-ussd' | 'transfer-api-transaction', changes: object = {}) {
  const fields = bodyOf(changes)
  const answer = await call(command, fields)
  return { reference: fields['request-id'], ...answer }
}

const prompt = (changes?: object) => order('mror-transaction-ussd', changes)
const transfer = (changes?: object) => order('transfer-api-transaction', changes)
const ask = (kind: 'prompt' | 'transfer', reference: string) =>
  call(`process-check-${kind === 'prompt' ? 'mror-' : ''}transaction`, { 'request-id': reference })
const statusOf = async (kind: 'prompt' | 'transfer', reference: string) => (await ask(kind, reference)).body.status

test('the code 0 for a prompt means sent: the payer has paid only after an approval on the telephone', async () => {
  const { reference, status, unverified, body } = await prompt()
  assert.deepEqual([status, body['request-id'], body.status], [200, reference, '0'])
  assert.match(body['trans-id'], /^TW/)
  assert.ok(unverified !== null)
  assert.equal(await statusOf('prompt', reference), '100')
  assert.equal(twin.journal().length, 0)
  await twin.phone(PAYER).approve()
  assert.equal(await statusOf('prompt', reference), '0')
  assert.equal(twin.phone(PAYER).balance('moov_ci'), 247_500)
  assert.equal(twin.wallets()['moov/CI'], 10_002_500)
})

test('a payer who declines or never answers is 92, and one who is short is 8', async () => {
  const declined = await prompt()
  await twin.phone(PAYER).decline()
  assert.equal(await statusOf('prompt', declined.reference), '92')
  const late = await prompt()
  await twin.advance(121)
  assert.equal(await statusOf('prompt', late.reference), '92')
  twin.phone(PAYER).setBalance('moov_ci', 100)
  const short = await prompt()
  await twin.phone(PAYER).approve()
  assert.equal(await statusOf('prompt', short.reference), '8')
  assert.equal(twin.journal().length, 0)
})

test('a payout arrives once, and a repeated request-id moves nothing', async () => {
  const paid = await transfer()
  assert.equal(paid.body.status, '0')
  await twin.advance(2)
  assert.equal(await statusOf('transfer', paid.reference), '0')
  const again = await transfer({ 'request-id': paid.reference })
  assert.equal(again.body.status, '99')
  assert.match(String(again.unverified), /repeated/)
  await twin.advance(2)
  assert.equal(twin.journal().length, 1)
  assert.equal(await statusOf('prompt', paid.reference), '94', 'each kind has its own question')
  twin.setWallet('moov/CI', 10)
  assert.equal((await transfer()).body.status, '8')
})

test('a question about yesterday is answered that the transaction does not exist', async () => {
  twin.change('moov', { forgets_at_midnight: true })
  const { reference } = await transfer()
  await twin.advance(86_400)
  const { body, unverified } = await ask('transfer', reference)
  assert.equal(body.status, '94')
  assert.match(String(unverified), /same day/)
  assert.equal(twin.journal().length, 1)
})

test('the test numbers end as their last digits say', async () => {
  /** Ending, code to a prompt, to the question about it, to a payout, to the question about it, and movements of money. */
  const endings: [string, string, string, string, string, number][] = [
    ['00', '0', '0', '0', '0', 2],
    ['08', '0', '8', '8', '94', 0],
    ['09', '0', '9', '9', '94', 0],
    ['11', '0', '11', '11', '94', 0],
    ['15', '0', '99', '0', '99', 0],
    ['17', '0', '17', '17', '94', 0],
    ['92', '0', '92', '92', '94', 0],
    ['95', '0', '95', '95', '94', 0],
    ['98', '99', '95', '99', '95', 0],
    ['99', '99', '0', '99', '0', 2],
  ]
  for (const [ending, prompted, collected, ordered, paid, moved] of endings) {
    const before = twin.journal().length
    const destination = `22501000000${ending}`
    const asked = await prompt({ destination })
    const given = await transfer({ destination })
    await twin.advance(2)
    const codes = [
      asked.body.status,
      await statusOf('prompt', asked.reference),
      given.body.status,
      await statusOf('transfer', given.reference),
    ]
    assert.deepEqual(codes, [prompted, collected, ordered, paid], ending)
    assert.equal(twin.journal().length - before, moved, ending)
  }
})

test('the newer platform has other addresses, 15 for unknown orders and 12 for failed ones', async () => {
  twin.change('moov', { platform: 'newer' })
  const { reference } = await prompt()
  assert.equal(await statusOf('prompt', reference), '15')
  await twin.phone(PAYER).decline()
  assert.equal(await statusOf('prompt', reference), '12')
})

test('wrong credentials are 98, and wrong fields 91, 3 or 2', async () => {
  assert.equal((await call('mror-transaction-ussd', bodyOf(), { Authorization: 'Basic eDp5' })).body.status, '98')
  assert.equal((await call('mror-transaction-ussd', 'no JSON')).body.status, '91')
  assert.equal((await call('a-command-of-next-year', bodyOf())).body.status, '91')
  const wrong: [object, string][] = [
    [{ 'request-id': 'four' }, '91'],
    [{ amount: 2_500 }, '91'],
    [{ amount: '25.5' }, '91'],
    [{ destination: '+2250101234567' }, '3'],
  ]
  for (const [changes, code] of wrong) assert.equal((await prompt(changes)).body.status, code, JSON.stringify(changes))
  twin.change('moov', { transfers_activated: false })
  assert.equal((await transfer()).body.status, '2')
  assert.equal(twin.operations().length, 0)
})

test('a contract may want Bearer, a hash of the body, and the wallet that pays', async () => {
  twin.change('moov', { authorization: 'Bearer', hash: true, wallet_named: true, text_field: 'statusdescription' })
  const { sender, auth, user } = settings()
  const fields = JSON.stringify(bodyOf({ 'command-id': 'WCASH', sender, auth }))
  const hash = createHash('sha256').update(`${user}${fields}`).digest('hex')
  assert.equal((await call('transfer-api-transaction', fields)).body.status, '98')
  const taken = await call('transfer-api-transaction', fields, { hash })
  assert.deepEqual([taken.body.status, taken.body.statusdescription], ['0', 'Request accepted'])
  twin.change('moov', { hash: false })
  assert.equal((await transfer()).body.status, '91')
  assert.equal((await transfer({ 'command-id': 'WCASH', sender, auth: 'another' })).body.status, '98')
  assert.deepEqual(twin.connectors().moov!.settings['payout.sender'], sender)
})

test('a number is a wallet or is not registered', async () => {
  const known = async (destination: string) =>
    (await call('process-check-subscriber', { 'request-id': randomUUID(), destination })).body.status
  assert.deepEqual([await known(DESTINATION), await known('2252101234567')], ['0', '555'])
})

test('a payer pays with the code of an SMS, once, and the payment has a request-id of its own', async () => {
  const fields = bodyOf()
  const pay = (otp: string, transaction: string, id = `${fields['request-id']}-2`) => {
    const extended = { module: 'MERCHOTPPAY', otp, 'trans-id': transaction }
    return call('process-commit-otppay', { ...fields, 'request-id': id, 'extended-data': extended })
  }
  const { body } = await call('process-create-mror-otp', fields)
  assert.deepEqual([body.status, body['request-id']], ['0', fields['request-id']])
  const { code, asking } = twin.phone(PAYER).now()
  assert.match(code!.digits, /^\d{6}$/)
  assert.deepEqual([asking, await statusOf('transfer', fields['request-id'])], [[], '94'])
  assert.equal((await pay(code!.digits, 'another')).body.status, '91')
  const paid = await pay(code!.digits, body['trans-id'])
  assert.equal(paid.body.status, '0')
  assert.match(String(paid.unverified), /request-id/)
  await twin.advance(1)
  assert.equal(await statusOf('transfer', `${fields['request-id']}-2`), '0')
  assert.equal((await pay(code!.digits, body['trans-id'], randomUUID())).body.status, '91', 'one try for a code')
  assert.equal(twin.journal().length, 1)

  const second = bodyOf()
  const sent = await call('process-create-mror-otp', second)
  const extended = { module: 'MERCHOTPPAY', otp: 'wrong', 'trans-id': sent.body['trans-id'] }
  const wrong = await call('process-commit-otppay', { ...second, 'extended-data': extended })
  assert.equal(wrong.body.status, '95')
  assert.equal(twin.journal().length, 1)
})
