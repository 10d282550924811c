import { randomUUID } from 'node:crypto'
import { notify } from '../../people/notices/notify.ts'
import { STAFF } from '../../people/person.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import type { Brand, Config } from '../../platform/config.ts'
import type { Egress, PostResult } from '../../platform/egress/post.ts'
import type { Log } from '../../platform/log.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { defineJob, enqueue } from '../../platform/queue/jobs.ts'
import { signatureHeader } from '../../webhooks/delivery/sign.ts'
import type { RuleChange } from './evaluate-rules.ts'

/** A notice for the program behind NOTICE_URL. `value` is null when nothing reports the metric. */
export type PostedNotice = {
  readonly id: string
  readonly type: 'rule.fires' | 'rule.ended' | 'incident.clock'
  readonly at: string
  readonly data: Readonly<Record<string, string | number | null>>
}

export const postNoticeJob = defineJob<PostedNotice>('post-notice', 'upkeep')

/** The receiver did not take a notice, and the queue tries again. */
class NoticeWaits extends Error {
  override name = 'NoticeWaits'
}

/** Notes a notice for NOTICE_URL in the transaction of its cause. */
export function enqueueNotice(tx: Tx, notice: Omit<PostedNotice, 'id'>): void {
  enqueue(tx, postNoticeJob, [{ payload: { id: randomUUID(), ...notice }, partition_key: 'notices' }])
}

/** Tells the staff by mail and the program behind NOTICE_URL of rules that begin to fire or have ended. */
export function createTellOfRules({ notice_url, log, now }: { notice_url: string | null; log: Log; now: () => Date }) {
  return (tx: Tx, changes: readonly RuleChange[]): void => {
    for (const { rule, change, since, value } of changes) {
      const { name, severity, symptom, runbook } = rule
      const facts = { rule: name, symptom_fr: symptom[0], symptom_en: symptom[1], runbook }
      const notice = change === 'fires' ? 'rule_fires' : 'rule_ended'
      notify(tx, { name: notice, about: { merchant_id: STAFF, livemode: null }, facts })
      if (notice_url !== null) {
        const data = { rule: name, severity, since: since.toISOString(), value, symptom: symptom[1], runbook }
        enqueueNotice(tx, { type: `rule.${change}`, at: now().toISOString(), data })
      }
      tx.afterCommit(() => {
        if (change === 'ended') log.info({ rule: name }, 'rules: ended')
        else log.warn({ rule: name, severity, value, runbook }, 'rules: fires')
      })
    }
  }
}

type Sending = Pick<Config, 'notice_url' | 'notice_secret' | 'heartbeat_url'> & {
  brand: Brand
  egress: Egress
  log: Log
}

/** The calls of this service to the company's own watch: signed as webhooks are, and through the same guard. */
export function createWatchCalls({ notice_url, notice_secret, heartbeat_url, brand, egress, log }: Sending) {
  const post = (url: string, body: string, more: Record<string, string> = {}): Promise<PostResult> => {
    const agent = `${brand.name.replaceAll(' ', '-')}-Notices/1.0`
    return egress.post({
      url,
      body,
      headers: { 'content-type': 'application/json', 'user-agent': agent, ...more },
      livemode: true,
    })
  }
  return {
    /** Names the settings whose address the guard refuses, and logs them: people hear of it at the start, not when a rule fires. */
    async vetAddresses(): Promise<string[]> {
      const refused: string[] = []
      for (const [setting, url] of Object.entries({ NOTICE_URL: notice_url, HEARTBEAT_URL: heartbeat_url })) {
        const target = url === null ? null : await egress.vet(url, true)
        if (target?.kind !== 'refused') continue
        refused.push(setting)
        log.error(
          { setting, reason: target.reason },
          'rules: nothing is sent to this address, set a public https one or EGRESS_ALLOW',
        )
      }
      return refused
    },
    /** Posts a notice. @throws NoticeWaits so that the queue tries again */
    async postNotice(notice: PostedNotice): Promise<void> {
      if (notice_url === null || notice_secret === null) return
      const body = JSON.stringify(notice)
      const signature = signatureHeader(notice_secret, Math.floor(machineMilliseconds() / 1_000), body)
      const result = await post(notice_url, body, {
        [`${brand.header_prefix}-Signature`]: signature,
        [`${brand.header_prefix}-Event-Id`]: notice.id,
      })
      if (isTaken(result)) return
      throw new NoticeWaits(result.kind === 'failed' ? result.reason : `The receiver answered ${result.status}.`)
    },
    /** Tells HEARTBEAT_URL that the service is well. False: it was not taken. */
    async beat(): Promise<boolean> {
      return heartbeat_url === null || isTaken(await post(heartbeat_url, '{}'))
    },
  }
}

function isTaken(result: PostResult): boolean {
  return result.kind === 'answered' && result.status >= 200 && result.status < 300
}
