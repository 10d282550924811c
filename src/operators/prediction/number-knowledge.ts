import { createGroupCall } from '../../platform/commands/group-commit.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Msisdn } from '../../values/msisdn.ts'
import type { OperatorCode } from '../../values/operators.ts'
import type { Secret } from '../../values/secret.ts'
import { createNumberHash } from './number-hash.ts'
import * as store from './number-store.ts'
import { isSameKnown, type Known, type Lesson, learn, type Prediction, predictOperator } from './prediction.ts'

/** The most lessons that wait. Further ones are dropped: the next order to the same number teaches the same. */
const WAITING_MAX = 5_000

export type NumberKnowledge = {
  /**
   * Predicts the operator of a number, with one read.
   * @param offered the operators that may be named; all when absent
   */
  predict(tenant: Tenant, msisdn: Msisdn, offered?: (operator: OperatorCode) => boolean): Promise<Prediction>
  /** Records a lesson without making the caller wait. A lesson is lost when the process dies before writing it. Never throws. */
  teach(tenant: Tenant, lesson: Lesson): void
  /** Resolves when all lessons so far are written or dropped. */
  settled(): Promise<void>
}

type Taught = store.NumberKey & { readonly lesson: Lesson }

/**
 * Learns from the outcomes of orders which operators serve numbers. A prediction helps people to choose; no order is
 * accepted or routed by it. So lessons are written after the order's transaction, up to 256 together and at most ten
 * times a second. A lesson that is known already, as nearly all are, costs one read by key and no write.
 */
export function createNumberKnowledge({
  sql,
  secretKey,
  log,
}: {
  sql: Sql
  secretKey: Secret
  log: Log
}): NumberKnowledge {
  const hashOf = createNumberHash(secretKey)
  const underWay = new Set<Promise<void>>()

  const take = createGroupCall<Taught, void>(sql, {
    for: 'acknowledgement',
    waiting_max: WAITING_MAX,
    async run(taught) {
      const lessonsOf = Map.groupBy(taught, nameOf)
      const numbers = [...lessonsOf.values()].map(([first]) => first!)
      const kept = new Map((await store.readNumbers(sql, numbers)).map((row) => [nameOf(row), row]))
      const learned: (store.NumberKey & Known)[] = []
      const forgotten: store.NumberKey[] = []
      for (const [name, lessons] of lessonsOf) {
        const before = kept.get(name) ?? null
        const known = lessons.reduce<Known | null>((known, { lesson }) => learn(known, lesson), before)
        if (isSameKnown(known, before) && before?.is_stale !== true) continue
        const { livemode, hash } = lessons[0]!
        if (known === null) forgotten.push({ livemode, hash })
        else learned.push({ livemode, hash, ...known })
      }
      await store.keepNumbers(sql, learned)
      await store.forgetNumbers(sql, forgotten)
      return taught.map(() => undefined)
    },
  })

  return {
    async predict(tenant, msisdn, offered) {
      const [known] = await store.readNumbers(sql, [{ livemode: tenant.livemode, hash: hashOf(tenant, msisdn) }])
      return predictOperator(msisdn, known ?? null, offered)
    },
    teach(tenant, lesson) {
      const taking = take({ livemode: tenant.livemode, hash: hashOf(tenant, lesson.msisdn), lesson })
        .catch((error: unknown) => log.warn({ error }, 'operators: learned operator of a number not stored'))
        .finally(() => underWay.delete(taking))
      underWay.add(taking)
    },
    async settled() {
      await Promise.all(underWay)
    },
  }
}

function nameOf({ livemode, hash }: store.NumberKey): string {
  return `${livemode}/${hash}`
}
