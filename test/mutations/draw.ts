/** Draws mutations by a seed, as many of each operator as possible; the same seed draws the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Random } from '../sim/world/random.ts'
import { mutationsIn, operatorNames, type Mutation, type Operator } from './operators.ts'

export interface Drawn extends Mutation {
  /** Compiled, below the folder of compiled files. */
  readonly file: string
  /** What is replaced. */
  readonly before: string
}

const rooms = ['proto', 'runtime', 'gateway', 'actors', 'node-agent']
/** Programs for people at a terminal and texts for them are not what a suite is for. */
const leftOut = /^(gateway\/(docs|web)|runtime\/cli\/texts)\//

export function draw(
  compiled: string,
  seed: number,
  count: number,
  of: readonly string[] = rooms,
): Drawn[] {
  const random = new Random(seed)
  const files = of.flatMap((room) =>
    readdirSync(join(compiled, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => posix.join(room, name))
      .filter((file) => !leftOut.test(file))
      .sort(),
  )
  const byOperator = new Map<Operator, Drawn[]>(operatorNames.map((name) => [name, []]))
  for (const file of files) {
    const code = readFileSync(join(compiled, file), 'utf8')
    for (const mutation of mutationsIn(code)) {
      const { start, end, operator } = mutation
      byOperator.get(operator)!.push({ ...mutation, file, before: code.slice(start, end) })
    }
  }
  const drawn: Drawn[] = []
  while (drawn.length < count) {
    const left = [...byOperator.values()].filter((each) => each.length > 0)
    if (left.length === 0) break
    for (const candidates of left) {
      const [one] = candidates.splice(random.int(0, candidates.length - 1), 1)
      if (drawn.length < count) drawn.push(one!)
    }
  }
  return drawn
}
