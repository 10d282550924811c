import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openSmtpServer, type SmtpServer } from '../../../tests/harness/smtp-server.ts'
import { Secret } from '../../values/secret.ts'
import { createMailer, type Mailer } from './mailer.ts'

let smtp: SmtpServer
let mailer: Mailer
before(async () => {
  smtp = await openSmtpServer()
  const url = new Secret(`smtp://127.0.0.1:${smtp.port}`)
  mailer = createMailer({ url, from: 'bandama@example.com', name: 'Bandama' })
})
after(() => smtp.close())

const send = () =>
  mailer.send({
    to: 'aya@example.com',
    subject: 'Essai',
    text: 'Un mot.',
    date: new Date(1_800_000_000_000),
    id: '1.a',
  })

test('a mail goes to a server on this machine whatever certificate it offers', async () => {
  smtp.behave = 'bad_tls'
  assert.deepEqual(await send(), { kind: 'taken' })
  assert.equal(smtp.mails.length, 1)
  assert.match(smtp.mails[0]!.text, /^Un mot\./)
})

test('a connection that breaks before the mail was handed over is tried again, and afterwards not', async () => {
  smtp.behave = 'break_off_early'
  const early = await send()
  assert.ok(early.kind === 'not_taken' && !early.for_ever, JSON.stringify(early))
  smtp.behave = 'break_off'
  assert.equal((await send()).kind, 'unclear')
})
