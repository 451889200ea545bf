/**
 * The opened secrets of tasks. Compiling many patterns takes seconds and blocks this host, so they
 * are cached between the effects of a task. They are dropped when the task leaves, or soon after
 * their last use if it has moved to another host. Caching reveals nothing new: a reader of this
 * memory also finds the key that opens them.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Sealer } from '../../../runtime/accounts/seal/seal.ts'
import type { TaskContext } from '../state/context.ts'
import { SecretMasks } from '../../../runtime/lib/secrets/secret-masks.ts'
import { taskRunLimits } from '../limits.ts'

export interface SecretTask {
  readonly id: string
  readonly order: Pick<TaskContext['order'], 'sealedSecrets'>
}

export class TaskSecrets {
  readonly #sealer: Pick<Sealer, 'open'>
  readonly #held: LRUCache<string, SecretMasks>

  constructor(sealer: Pick<Sealer, 'open'>, clock: Pick<Clock, 'monotonic'>) {
    this.#sealer = sealer
    this.#held = new LRUCache({
      maxSize: taskRunLimits.secretsHeldChars,
      sizeCalculation: (_, key) => key.length,
      ttl: taskRunLimits.secretsHeldMs,
      ttlAutopurge: true,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: () => clock.monotonic() },
    })
  }

  of({ id, order: { sealedSecrets } }: SecretTask): SecretMasks {
    if (sealedSecrets === undefined) return none
    const key = keyOf(id, sealedSecrets)
    const held = this.#held.get(key)
    if (held) return held
    const text = this.#sealer.open(sealedSecrets, ['task', id])
    const secrets = new SecretMasks(JSON.parse(text) as Record<string, string>)
    this.#held.set(key, secrets)
    return secrets
  }

  forget({ id, order: { sealedSecrets } }: SecretTask): void {
    if (sealedSecrets !== undefined) this.#held.delete(keyOf(id, sealedSecrets))
  }
}

/** Most tasks have none, and need neither a cache entry nor a timer. */
const none = new SecretMasks({})

/** Both are in the key, because what is sealed for one task cannot be opened for another. */
const keyOf = (id: string, sealedSecrets: string) => `${id} ${sealedSecrets}`
