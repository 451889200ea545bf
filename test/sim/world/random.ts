/**
 * A small seeded generator (sfc32): the only source of randomness in the simulation, so that a seed
 * determines a whole world.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 2 ** 32) >>> 0
    this.#c = 0x9e3779b9
    for (let i = 0; i < 12; i++) this.next()
  }

  /** In [0, 1). */
  readonly next = (): number => {
    const sum = (this.#a + this.#b + this.#counter++) >>> 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) >>> 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0
    return sum / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A real number in [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  /** A whole number in [low, high]. */
  int(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next())
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.int(0, choices.length - 1)]!
  }

  /** Picks by weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights) as [T, number][]
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [choice, weight] of entries) {
      rest -= weight
      if (rest < 0) return choice
    }
    return entries.at(-1)![0]
  }
}
