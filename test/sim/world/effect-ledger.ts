/** The world outside the actors: which effects were started and which took place, on every host. */
import { ServiceError } from '../../../proto/errors.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import type { Perform } from '../../helpers/runtime/counter-kind.ts'
import type { Random } from './random.ts'
import type { SimProcess } from './clock.ts'

export interface EffectFaults {
  readonly takesMs: readonly [low: number, high: number]
  /** Probability that an attempt fails with an error worth a retry. */
  readonly fails: number
  /** Probability that it is refused for good. */
  readonly refused: number
}

export class EffectLedger {
  readonly #begun = new Map<string, number>()
  readonly #happened = new Set<string>()
  readonly #trace: (line: string) => void
  faults: EffectFaults = { takesMs: [1, 20], fails: 0, refused: 0 }
  /** Commands whose effects fail at every attempt. */
  readonly cursed = new Set<string>()

  constructor(trace: (line: string) => void) {
    this.#trace = trace
  }

  timesBegun(effectId: string): number {
    return this.#begun.get(effectId) ?? 0
  }

  happened(effectId: string): boolean {
    return this.#happened.has(effectId)
  }

  /**
   * Performs effects as one process does. It may stop in the middle, and ignores the abort signal.
   */
  performedBy(process: SimProcess, random: Random): Perform {
    return async (kind, id, { effectId, attempt }) => {
      this.#begun.set(effectId, this.timesBegun(effectId) + 1)
      this.#trace(`${process.name} begins ${kind} ${effectId}, attempt ${attempt}`)
      const { takesMs, fails, refused } = this.faults
      await sleep(process.clock, random.between(...takesMs))
      if (this.cursed.has(id) || random.chance(fails)) throw new Error(`${kind} failed`)
      if (random.chance(refused)) throw new ServiceError('conflict', `${kind} is refused.`)
      this.#happened.add(effectId)
      this.#trace(`${process.name} has done ${kind} ${effectId}`)
    }
  }
}
