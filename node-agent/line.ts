/**
 * Claimants in the order they came. Each leaves once: with what it waited for, or with the reason
 * why not.
 */
import type { ServiceError } from '../proto/errors.ts'
import type { Clock, Timer } from '../runtime/clock.ts'
import type { Shape } from './browser/shape.ts'

export interface Claimant<T> {
  readonly shape: Shape
  readonly shapeKey: string
  readonly resolve: (value: T) => void
  readonly reject: (error: ServiceError) => void
}

export class Line<T> {
  readonly #clock: Clock
  readonly #waiting = new Map<Claimant<T>, Timer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get length(): number {
    return this.#waiting.size
  }

  inOrder(): readonly Claimant<T>[] {
    return [...this.#waiting.keys()]
  }

  /** `overdue` is called once, if the claimant is still here after `waitMs`. */
  join(claimant: Claimant<T>, waitMs: number, overdue: () => void): void {
    this.#waiting.set(claimant, this.#clock.timer(waitMs, overdue))
  }

  serve(claimant: Claimant<T>, value: T): void {
    if (this.#leave(claimant)) claimant.resolve(value)
  }

  refuse(claimant: Claimant<T>, why: ServiceError): void {
    if (this.#leave(claimant)) claimant.reject(why)
  }

  /** From 1 for the next to be served; 0 for one who has left. */
  place(claimant: Claimant<T>): number {
    return this.inOrder().indexOf(claimant) + 1
  }

  #leave(claimant: Claimant<T>): boolean {
    this.#waiting.get(claimant)?.cancel()
    return this.#waiting.delete(claimant)
  }
}
