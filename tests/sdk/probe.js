/** Uses the package as a program does, and returns what it saw, without ids and times: equal on every runtime. */
export async function probe({ Bandama, BandamaError, outcomeOf }, { verify }, { handler }, { signed }, options) {
  const client = new Bandama(options)
  const merchant_reference = `order-${crypto.randomUUID()}`
  const body = { amount: 500, counterparty: { msisdn: '0700000000' }, merchant_reference }
  const made = await client.payments.create(body)
  const again = await client.payments.create(body)
  const last = await client.payments.wait(made.id)
  const listed = []
  for await (const { id } of client.payments.list({ reference: merchant_reference })) listed.push(id === made.id)
  const failed = async (work) => {
    try {
      return await work()
    } catch (error) {
      const { name, kind, code, reason, status, attempts, mayHaveHappened } = error
      return { name, kind, code, reason, status, attempts, mayHaveHappened, ours: error instanceof BandamaError }
    }
  }
  const followed = []
  for await (const { event } of client.events.follow({ after: 'begin', types: ['payment.succeeded'] })) {
    followed.push(event.type)
    break
  }
  const secret = 'whsec_probe'
  const event = { id: 'evt_1', type: 'payment.succeeded', data: { name: 'Adjamé' } }
  const stop = new AbortController()
  stop.abort()
  const statuses = []
  for (const by of [secret, 'whsec_other'])
    statuses.push((await handler(by, () => {})(await signed(event, secret))).status)
  return {
    mode: client.mode,
    same: again.id === made.id,
    meta: [made.meta.attempts, made.meta.status, 'meta' in { ...made }],
    outcome: outcomeOf(last),
    listed,
    followed,
    verified: await verify(await signed(event, secret), secret),
    wrong: await failed(() => verify('{}', secret, { headers: {} })),
    unknown: await failed(() => client.payments.get('txn_1')),
    unkeyed: await failed(() => client.payouts.create({ amount: 1, beneficiary_id: 'x' })),
    aborted: await failed(() => client.balances({ signal: stop.signal })),
    silent: await failed(() => new Bandama({ ...options, url: options.silent, timeoutMs: 50, retries: 1 }).balances()),
    moved: await failed(() => new Bandama({ ...options, url: `${options.moved}` }).balances()),
    statuses,
  }
}
