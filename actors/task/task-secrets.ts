/**
 * The secrets of tasks, opened. The patterns of many take seconds to compile, in which this host
 * does nothing else, so they are held from one effect of a task to the next. They go when the task
 * leaves, and soon after their last use where it went on at another host. Until then they tell
 * nobody more: who can read this memory finds the key that opens them in it too.
 */
import { LRUCache } from 'lru-cache'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Sealer } from '../../runtime/seal/seal.ts'
import type { TaskContext } from './context.ts'
import { Secrets } from './safety/secrets.ts'

export interface SecretTask {
  readonly id: string
  readonly order: Pick<TaskContext['order'], 'sealedSecrets'>
}

export class TaskSecrets {
  readonly #sealer: Pick<Sealer, 'open'>
  readonly #held: LRUCache<string, Secrets>

  constructor(sealer: Pick<Sealer, 'open'>, clock: Pick<Clock, 'monotonic'>) {
    this.#sealer = sealer
    this.#held = new LRUCache({
      maxSize: limits.secretsHeldChars,
      sizeCalculation: (_, key) => key.length,
      ttl: limits.secretsHeldMs,
      ttlAutopurge: true,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: () => clock.monotonic() },
    })
  }

  of({ id, order: { sealedSecrets } }: SecretTask): Secrets {
    if (sealedSecrets === undefined) return none
    const key = keyOf(id, sealedSecrets)
    const held = this.#held.get(key)
    if (held) return held
    const text = this.#sealer.open(sealedSecrets, ['task', id])
    const secrets = new Secrets(JSON.parse(text) as Record<string, string>)
    this.#held.set(key, secrets)
    return secrets
  }

  forget({ id, order: { sealedSecrets } }: SecretTask): void {
    if (sealedSecrets !== undefined) this.#held.delete(keyOf(id, sealedSecrets))
  }
}

/** Most tasks have none: nothing of theirs is held, and no timer runs for it. */
const none = new Secrets({})

/** Of both: what is sealed for one task opens for no other. */
const keyOf = (id: string, sealedSecrets: string) => `${id} ${sealedSecrets}`
